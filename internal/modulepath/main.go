// Command modulepath gives the module another path, for example when the project
// moves to a home of its own:
//
//	go run ./internal/modulepath example.org/faces/nrdl
//
// It renames the path in all files of the module and of the modules below it: Go
// code, go.mod, documents, scripts. In a git checkout without uncommitted changes
// it commits the result.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/modulepath PATH")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "modulepath: error:", err)
		os.Exit(1)
	}
}

func run(path string) error {
	_, err := os.Stat(".git")
	checkout := err == nil
	if checkout {
		if changes, err := git("status", "--porcelain"); err != nil {
			return err
		} else if len(changes) > 0 {
			return errors.New("there are uncommitted changes: commit or stash them first")
		}
	}
	old, files, err := rename(".", path)
	if err != nil {
		return err
	}
	fmt.Printf("%s is now %s, in %d files\n", old, path, files)
	if !checkout || files == 0 {
		return nil
	}
	_, err = git("commit", "--quiet", "--all", "--message", "The module path is "+path)
	return err
}

func git(arguments ...string) ([]byte, error) {
	out, err := exec.Command("git", arguments...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w\n%s", arguments[0], err, out)
	}
	return out, nil
}

// rename gives the module in root the path and returns the old path and the number
// of files that it changed.
func rename(root, path string) (old string, files int, err error) {
	if err := module.CheckPath(path); err != nil {
		return "", 0, err
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", 0, err
	}
	if old = modfile.ModulePath(text); old == "" {
		return "", 0, errors.New("go.mod has no module path")
	}
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || !utf8.Valid(text) {
			return err
		}
		changed := replace(text, old, path)
		if bytes.Equal(changed, text) {
			return nil
		}
		if filepath.Ext(name) == ".go" {
			if sorted, err := format.Source(changed); err == nil { // imports have another order
				changed = sorted
			}
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files++
		return os.WriteFile(name, changed, info.Mode().Perm())
	})
	return old, files, err
}

// replace replaces the path old in text where it is not a part of a longer word.
func replace(text []byte, old, path string) []byte {
	var out []byte
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(old))
		if i < 0 {
			return append(out, text[from:]...)
		}
		i += from
		end := i + len(old)
		out = append(out, text[from:i]...)
		if i > 0 && strings.IndexByte(word+".", text[i-1]) >= 0 || end < len(text) && strings.IndexByte(word, text[end]) >= 0 {
			out = append(out, old...)
		} else {
			out = append(out, path...)
		}
		from = end
	}
}

const word = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
