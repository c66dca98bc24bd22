package nrdl_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every program that a document, a script or a comment runs with go run exists, as do the
// files of studies that they name. ./bench is at the tag before-studies, which the document
// names; CHANGELOG.md is about the past.
func TestCommandsExist(t *testing.T) {
	command := regexp.MustCompile(`go (?:-C (\S+) )?run (?:-\S+ )*(\.{1,2}/[\w./-]+)`)
	study := regexp.MustCompile(`\bstudies/[a-z][\w./-]*`)
	n := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{".git", "testdata", "node_modules", "experiment/results"}, filepath.ToSlash(path)) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !slices.Contains([]string{".md", ".go", ".tmpl", ".yml", ".py", ".js", ""}, filepath.Ext(path)) || path == "CHANGELOG.md" || path == "NOTICE" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			for _, m := range command.FindAllStringSubmatch(line, -1) {
				n++
				if strings.HasPrefix(m[2], "./bench") && strings.Contains(string(text), "`before-studies`") || strings.Contains(m[2], "NAME") {
					continue
				}
				program := filepath.Join(m[1], strings.TrimRight(m[2], "."))
				folder := filepath.Dir(path) // from which the command is run, or one above
				for folder != "." && !isProgram(filepath.Join(folder, program)) {
					folder = filepath.Dir(folder)
				}
				if !isProgram(filepath.Join(folder, program)) {
					t.Errorf("%s: there is no program %s: %s", path, program, m[0])
				}
			}
			for _, name := range study.FindAllString(line, -1) {
				if _, err := os.Stat(strings.TrimRight(name, "./-")); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 40 {
		t.Errorf("%d commands", n)
	}
}

// isProgram reports whether a folder has a file of package main.
func isProgram(folder string) bool {
	files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	return slices.ContainsFunc(files, func(file string) bool {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
		return err == nil && f.Name.Name == "main"
	})
}
