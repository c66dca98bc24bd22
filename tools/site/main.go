// Command site makes a site of the documents of this checkout, in four parts: a tutorial, tasks,
// a reference, and explanations. The reference of commands, their JSON, methods, the interface over
// HTTP, plans and packages is made of the program itself:
//
//	go run ./tools/site -o site    # then open site/index.html
//
// The site needs no connection, and its index for searching is a part of it.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/lab/plans"
)

func main() {
	out := flag.String("o", "site", "write the pages to this `DIR`, which must not exist or be a site")
	commands := flag.Bool("commands", true, "build the command, for the pages of its commands and of their JSON")
	flag.Parse()
	s := newSite(".")
	err := s.run(*out, *commands)
	if err == nil {
		fmt.Fprintf(os.Stderr, "wrote %s: %d pages; open %s\n", *out, len(s.pages), filepath.Join(*out, "index.html"))
		return
	}
	fmt.Fprintln(os.Stderr, "site: error:", err)
	os.Exit(1)
}

// run writes the site of the checkout into the folder out.
func (s *site) run(out string, commands bool) error {
	if _, err := os.Stat(out); err == nil {
		if _, err := os.Stat(filepath.Join(out, "search.js")); err != nil {
			return fmt.Errorf("%s exists, and is no site: choose another name", out)
		}
		if err := os.RemoveAll(out); err != nil {
			return err
		}
	}
	if err := s.documents(); err != nil {
		return err
	}
	if commands {
		if err := errors.Join(s.commandPages(), s.objectPage()); err != nil {
			return err
		}
	}
	if err := errors.Join(s.methodPage(), s.planPage(), s.interfacePage(), s.packagePages()); err != nil {
		return err
	}
	if err := s.convert(); err != nil {
		return err
	}
	return s.write(out)
}

// documents reads the pages in the checkout.
func (s *site) documents() error {
	for _, pattern := range []string{
		"*.md", "doc/*.md", "doc/how-to/*.md", "doc/notebooks/*.md", "doc/python/*.md",
		"doc/adr/*.md", "doc/results/*.md", "faces/dataset/bundled/*.md",
	} {
		names, err := fs.Glob(s.root, pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			text, err := fs.ReadFile(s.root, name)
			if err != nil {
				return err
			}
			s.add(name, string(text))
		}
	}
	for _, name := range plans.Names() {
		p := s.paths["doc/results/"+name+".md"]
		if p == nil {
			continue
		}
		var plan struct{ About string }
		text, _ := plans.Named(name)
		if err := json.Unmarshal(text, &plan); err != nil {
			return fmt.Errorf("plan %s: %w", name, err)
		}
		sentence, _, _ := strings.Cut(plan.About, ". ")
		if before, _, ok := strings.Cut(sentence, ": "); ok && len(sentence) > 160 {
			sentence = before
		}
		p.Lead = strings.TrimSuffix(sentence, ".") + "."
	}
	return nil
}
