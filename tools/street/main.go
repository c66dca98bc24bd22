// Command street moves the packages of one module into the modules of a street, as table.go says.
//
//	go -C tools run ./street -root CHECKOUT
//
// It changes the checkout in which it is run, and commits nothing: files go to their new folders,
// imports and names of packages follow, as do paths in documents, scripts and strings, and each
// module gets its go.mod. It stops at a checkout with changes.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

func main() {
	root := flag.String("root", "..", "the checkout to change")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "street: error:", err)
		os.Exit(1)
	}
}

// A checkout is the repository before the move.
type checkout struct {
	root  string
	files []string        // as git lists them
	known map[string]bool // files and folders
	edits map[string][]edit

	exports map[string]map[string]bool // by the name of a package that gets another
}

func open(root string) (*checkout, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	c := &checkout{root: root, known: map[string]bool{}, edits: map[string][]edit{}}
	c.exports = map[string]map[string]bool{"nrdl": exported(root), "service": exported(filepath.Join(root, "service")), "worker": exported(filepath.Join(root, "worker"))}
	out, err := c.git("status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if len(out) > 0 {
		return nil, errors.New("there are uncommitted changes: commit or stash them first")
	}
	out, err = c.git("ls-files", "-z")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		c.files = append(c.files, name)
		for ; !c.known[name]; name = path.Dir(name) {
			c.known[name] = true
		}
	}
	return c, nil
}

func (c *checkout) git(arguments ...string) ([]byte, error) {
	command := exec.Command("git", arguments...)
	command.Dir = c.root
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", arguments[0], err)
	}
	return out, nil
}

func run(root string) error {
	c, err := open(root)
	if err != nil {
		return err
	}
	if err := c.rename(); err != nil {
		return err
	}
	var all []string
	for _, name := range c.files {
		if err := c.move(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, place(name))
	}
	slices.Sort(all)
	if doubled := slices.Compact(slices.Clone(all)); len(doubled) < len(all) {
		return errors.New("two files have one place")
	}
	if err := c.modules(); err != nil {
		return err
	}
	_, err = c.git("add", "--all")
	return err
}

// move writes a file to its place, with what is changed in it.
func (c *checkout) move(name string) error {
	from, to := filepath.Join(c.root, name), filepath.Join(c.root, place(name))
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	before, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	after := before
	if utf8.Valid(before) && !bytes.ContainsRune(before, 0) && !leftAlone.MatchString(name) {
		after = c.text(name, before)
	}
	if from == to && bytes.Equal(before, after) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(to, after, info.Mode().Perm()); err != nil {
		return err
	}
	if from == to {
		return nil
	}
	if err := os.Remove(from); err != nil {
		return err
	}
	for dir := filepath.Dir(from); dir != c.root && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
	}
	return nil
}

// text is what a file says after the move.
func (c *checkout) text(name string, text []byte) []byte {
	if path.Ext(name) == ".go" {
		text = apply(text, append(c.literals(name, text), c.edits[name]...))
	}
	s := c.words(name, string(text))
	if path.Ext(name) == ".go" {
		if formatted, err := format.Source([]byte(s)); err == nil {
			return formatted
		}
	}
	return []byte(s)
}
