package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// modules are the folders that are modules after the move.
var street = []string{".", "doc", "internal/kit", "faces", "lab", "server", "client/go", "cmd/nrdl", "tools"}

// version is that of all modules, as they require each other.
const version = "v0.3.0"

// moduleOf is the module of a file.
func moduleOf(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if slices.Contains(street, dir) {
			return dir
		}
	}
	return "."
}

func modulePath(dir string) string { return path.Join(module, dir) }

// modules writes go.mod and go.sum of each module, and go.work.
func (c *checkout) modules() error {
	before, err := c.requirements("go.mod", "tools/go.mod")
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(c.root, "go.sum"))
	if err != nil {
		return err
	}
	more, err := os.ReadFile(filepath.Join(c.root, "tools/go.sum"))
	if err != nil {
		return err
	}
	var work bytes.Buffer
	work.WriteString("go 1.26.0\n\nuse (\n")
	needs := map[string]map[string]bool{}
	for _, dir := range street {
		fmt.Fprintf(&work, "\t./%s\n", strings.TrimPrefix(dir, "."))
		needs[dir] = map[string]bool{}
	}
	work.WriteString(")\n")
	if err := os.WriteFile(filepath.Join(c.root, "go.work"), bytes.ReplaceAll(work.Bytes(), []byte("\t./\n"), []byte("\t.\n")), 0o666); err != nil {
		return err
	}
	for _, dir := range street {
		if needs[dir], err = c.needs(dir); err != nil {
			return err
		}
	}
	for _, dir := range street {
		if err := c.module(dir, needs[dir], before, append(slices.Clone(sums), more...)); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	for _, dir := range street {
		if err := c.tidy(dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// requirements are the versions of other modules before the move.
func (c *checkout) requirements(files ...string) (map[string]string, error) {
	all := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(c.root, name))
		if err != nil {
			return nil, err
		}
		mod, err := modfile.Parse(name, text, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range mod.Require {
			if !strings.HasPrefix(r.Mod.Path, module) {
				all[r.Mod.Path] = r.Mod.Version
			}
		}
	}
	return all, nil
}

// needs are the modules of the street from which a module imports.
func (c *checkout) needs(dir string) (map[string]bool, error) {
	all := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(c.root, dir), func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(c.root, name)
		if err != nil {
			return err
		}
		if e.IsDir() {
			_, other := os.Stat(filepath.Join(name, "go.mod"))
			if rel != dir && (slices.Contains(street, filepath.ToSlash(rel)) || other == nil || e.Name() == "testdata" || e.Name() == "node_modules" || e.Name() == ".git") {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(rel) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, s := range file.Imports {
			p, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				return err
			}
			if p == module || strings.HasPrefix(p, module+"/") {
				if of := moduleOf(path.Join(strings.TrimPrefix(strings.TrimPrefix(p, module), "/"), "x.go")); of != dir {
					all[of] = true
				}
			}
		}
		return nil
	})
	return all, err
}

// module writes the go.mod of a module: what it needs of the versions before, as go mod tidy finds it.
func (c *checkout) module(dir string, needs map[string]bool, before map[string]string, sums []byte) error {
	mod := new(modfile.File)
	if err := mod.AddModuleStmt(modulePath(dir)); err != nil {
		return err
	}
	if err := mod.AddGoStmt("1.26.0"); err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(before)) {
		if err := mod.AddRequire(p, before[p]); err != nil {
			return err
		}
	}
	for _, other := range street {
		if other == dir {
			continue
		}
		if needs[other] {
			if err := mod.AddRequire(modulePath(other), version); err != nil {
				return err
			}
		}
		if to, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(other)); err == nil {
			if !strings.HasPrefix(to, ".") {
				to = "./" + to
			}
			if err := mod.AddReplace(modulePath(other), "", filepath.ToSlash(to), ""); err != nil {
				return err
			}
		}
	}
	if dir == "tools" {
		for _, tool := range []string{"golang.org/x/perf/cmd/benchstat", "honnef.co/go/tools/cmd/staticcheck", "mvdan.cc/gofumpt"} {
			if err := mod.AddTool(tool); err != nil {
				return err
			}
		}
	}
	text, err := mod.Format()
	if err != nil {
		return err
	}
	at := filepath.Join(c.root, dir, "go.mod")
	if err := os.WriteFile(at, text, 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(c.root, dir, "go.sum"), sums, 0o666); err != nil {
		return err
	}
	return nil
}

// tidy runs go mod tidy, with each module of the street from its folder, and takes those lines away
// but in tools.
func (c *checkout) tidy(dir string) error {
	command := exec.Command("go", "mod", "tidy")
	command.Dir, command.Env = filepath.Join(c.root, dir), append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod tidy: %w\n%s", err, out)
	}
	at := filepath.Join(c.root, dir, "go.mod")
	text, err := os.ReadFile(at)
	if err != nil || dir == "tools" {
		return err
	}
	mod, err := modfile.Parse(at, text, nil)
	if err != nil {
		return err
	}
	for _, r := range slices.Clone(mod.Replace) {
		if err := mod.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return err
		}
	}
	mod.Cleanup()
	if dir == "." {
		if err := mod.AddIgnore("./client/typescript/node_modules"); err != nil {
			return err
		}
	}
	if text, err = mod.Format(); err != nil {
		return err
	}
	return os.WriteFile(at, text, 0o666)
}
