package doc_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
)

var (
	runs        = regexp.MustCompile(`go (?:-C (\S+) )?run (?:-\S+ )*(\.{1,2}/[\w./-]+)`)
	studyFile   = regexp.MustCompile(`(?:^|[^\w./-])(tools/[a-z][\w./-]*)`)
	namedCommit = regexp.MustCompile("(?:[Cc]ommit|git switch --detach) `?([0-9a-f]{7,40})\\b")
)

// eachText calls f with every document, script and source file.
func eachText(t *testing.T, f func(path, text string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() &&
			(entry.Name() == "node_modules" || slices.Contains([]string{".git", "testdata", "lab/experiment/results"}, filepath.ToSlash(path))) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !slices.Contains([]string{".md", ".go", ".tmpl", ".yml", ".py", ".js", ""}, filepath.Ext(path)) || path == "NOTICE" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join("..", path))
		if err == nil {
			f(path, string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// history says why the commits of the past are not here, in a shallow clone or an archive of the source; "" if they are.
func history(t *testing.T) (missing string) {
	switch out, err := exec.CommandContext(t.Context(), "git", "rev-parse", "--is-shallow-repository").Output(); {
	case err != nil:
		return "there is no repository: " + err.Error()
	case strings.TrimSpace(string(out)) != "false":
		return "a shallow clone has no commits of the past: git fetch --unshallow"
	}
	return ""
}

// inHistory reports whether a commit that text names has a file or folder.
func inHistory(t *testing.T, text, path string) bool {
	return slices.ContainsFunc(namedCommit.FindAllStringSubmatch(text, -1), func(m []string) bool {
		return exec.CommandContext(t.Context(), "git", "cat-file", "-e", m[1]+":"+filepath.ToSlash(path)).Run() == nil
	})
}

// Every program that a document, a script or a comment runs with go run exists, as do the
// files of tools that they name, here or at a commit that the text names. CHANGELOG.md and
// doc/changes are about the past.
func TestCommandsExist(t *testing.T) {
	n, missing := 0, history(t)
	eachText(t, func(path, text string) {
		if path == "CHANGELOG.md" || strings.HasPrefix(filepath.ToSlash(path), "doc/changes/") {
			return
		}
		atCommit := func(program string) bool {
			return missing != "" && namedCommit.MatchString(text) || inHistory(t, text, program)
		}
		for _, m := range runs.FindAllStringSubmatch(text, -1) {
			if n++; strings.Contains(m[2], "NAME") {
				continue
			}
			program := filepath.Join(m[1], strings.TrimRight(m[2], "."))
			folder := filepath.Dir(path) // from which the command is run, or one above
			for folder != "." && !isProgram(filepath.Join(folder, program)) {
				folder = filepath.Dir(folder)
			}
			if !isProgram(filepath.Join(folder, program)) && !atCommit(program) {
				t.Errorf("%s: there is no program %s: %s", path, program, m[0])
			}
		}
		for _, m := range studyFile.FindAllStringSubmatch(text, -1) {
			if name := strings.TrimRight(m[1], "./-"); !exists(name) && !atCommit(name) {
				t.Errorf("%s: there is no %s", path, name)
			}
		}
	})
	if n < 40 {
		t.Errorf("%d commands", n)
	}
	if missing != "" {
		lacking.Skip(t, "programs of the past were not looked for: ", missing)
	}
}

// Every commit that a document or a comment names is one that led to this source.
func TestCommitsExist(t *testing.T) {
	if missing := history(t); missing != "" {
		lacking.Skip(t, missing)
	}
	known := map[string]bool{}
	eachText(t, func(path, text string) {
		for _, m := range namedCommit.FindAllStringSubmatch(text, -1) {
			if _, ok := known[m[1]]; !ok {
				known[m[1]] = exec.CommandContext(t.Context(), "git", "merge-base", "--is-ancestor", m[1], "HEAD").Run() == nil
			}
			if !known[m[1]] {
				t.Errorf("%s: no commit %s led to this source", path, m[1])
			}
		}
	})
	if len(known) < 2 {
		t.Errorf("%d commits", len(known))
	}
}

func exists(path string) bool {
	_, err := os.Stat(filepath.Join("..", path))
	return err == nil
}

// isProgram reports whether a folder has a file of package main.
func isProgram(folder string) bool {
	files, _ := filepath.Glob(filepath.Join("..", folder, "*.go"))
	return slices.ContainsFunc(files, func(file string) bool {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
		return err == nil && f.Name.Name == "main"
	})
}
