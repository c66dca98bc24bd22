// Command licences writes the file NOTICE: what the command nrdl contains, on the
// systems for which it is released, with the text of each licence.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"nrdl.example/nrdl/cmd/nrdl/licences/embedded"
	"nrdl.example/nrdl/internal/kit/packed"
)

func main() {
	root := flag.String("root", "..", "the folder of the module")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "licences: error:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	modules, err := linked(root)
	if err != nil {
		return err
	}
	n := &notice{numbers: map[string]string{}}
	n.head()
	fmt.Fprintf(&n.list, "\nEmbedded in the program\n-----------------------\n")
	for _, part := range embedded.Parts {
		fmt.Fprintf(&n.list, "\n%s\n  files:   %s\n  from:    %s\n", part.What, strings.Join(part.Files, ", "), part.Source)
		if part.Note != "" {
			fmt.Fprintf(&n.list, "  note:    %s\n", part.Note)
		}
		for _, file := range part.Licences {
			if err := n.add(filepath.Join(root, file)); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(&n.list, "\nLinked into the program\n-----------------------\n\nThe Go runtime and standard library, https://go.dev\n")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	if err := n.add(filepath.Join(strings.TrimSpace(string(goroot)), "LICENSE")); err != nil {
		return err
	}
	for _, m := range modules {
		fmt.Fprintf(&n.list, "\n%s %s\n", m.Path, m.Version)
		files, err := licenceFiles(m.Dir)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("%s has no licence file", m.Path)
		}
		for _, file := range files {
			if err := n.add(file); err != nil {
				return err
			}
		}
	}
	text := append(n.list.Bytes(), n.texts.Bytes()...)
	if err := os.WriteFile(filepath.Join(root, "NOTICE"), text, 0o666); err != nil {
		return err
	}
	small, err := packed.Pack(text)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "cmd", "nrdl", "licences", "notice.zst"), small, 0o666)
}

type linkedModule struct{ Path, Version, Dir string }

// linked returns the foreign modules of the command on all systems of a release.
func linked(root string) ([]linkedModule, error) {
	found := map[string]linkedModule{}
	for _, system := range embedded.Systems {
		goos, goarch, _ := strings.Cut(system, "/")
		list := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/nrdl")
		list.Dir, list.Stderr = root, os.Stderr
		list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Module *struct {
					linkedModule
					Main bool
				}
			}
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module != nil && !p.Module.Main {
				found[p.Module.Path] = p.Module.linkedModule
			}
		}
	}
	var all []linkedModule
	for _, m := range found {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b linkedModule) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// licenceFiles returns the files of a module that tell its licence.
func licenceFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if !e.IsDir() && (strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING") || strings.HasPrefix(name, "NOTICE") ||
			strings.HasPrefix(name, "PATENTS") || name == "UNLICENSE") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

// A notice is the file that is made: the list, then the texts.
type notice struct {
	list, texts bytes.Buffer
	numbers     map[string]string // number of each text
}

func (n *notice) head() {
	n.list.WriteString(`NOTICE
======

nrdl is under the MIT licence, in the file LICENSE. The program also contains
the work of others, which is listed here. The number of each licence text stands
beside its part; the texts follow the list. This file is generated: go generate
./cmd/nrdl/licences. The command prints it: nrdl version --licences.
`)
}

// add notes that the part listed last has the licence in a file.
func (n *notice) add(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	clean := strings.ReplaceAll(strings.TrimSpace(string(text)), "\r\n", "\n")
	key := strings.NewReplacer("{", "[", "}", "]").Replace(strings.Join(strings.Fields(clean), " ")) // two forms of the Apache licence
	number, ok := n.numbers[key]
	if !ok {
		number = fmt.Sprint(len(n.numbers) + 1)
		n.numbers[key] = number
		fmt.Fprintf(&n.texts, "\n\n%[1]s\nText %[2]s\n%[1]s\n\n%[3]s\n", strings.Repeat("=", 72), number, clean)
	}
	fmt.Fprintf(&n.list, "  licence: text %s\n", number)
	return nil
}
