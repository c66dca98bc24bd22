package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"

	"nrdl.example/nrdl/internal/kit/version"
)

// next is the version by which our modules require each other, and which those of a proxy have.
const next = "v" + version.Next

// proxy writes a proxy of Go modules, out/proxy: ours, as the commit of the repository root has them, and
// those of others that the command needs on the systems. With no systems it has ours alone.
func (r *release) proxy(root string, systems []string) error {
	folder, clone := filepath.Join(r.output, "proxy"), filepath.Join(r.tmp, "clone")
	if err := r.run("git", "clone", "--quiet", "--no-tags", "--shared", root, clone); err != nil { // archives are not made of a work tree
		return err
	}
	text, err := os.ReadFile(filepath.Join(clone, "go.work"))
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return err
	}
	for _, use := range work.Use {
		if dir := path.Clean(use.Path); dir != "tools" {
			if err := r.ownModule(clone, dir, folder); err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
		}
	}
	if len(systems) == 0 {
		return nil
	}
	return r.otherModules(folder, systems)
}

// ownModule writes the module in the folder dir of a clone to the folder of a proxy.
func (r *release) ownModule(clone, dir, folder string) error {
	mod, err := exec.CommandContext(r.ctx, "git", "-C", clone, "show", "HEAD:"+path.Join(dir, "go.mod")).Output()
	if err != nil {
		return fmt.Errorf("git show: %w", err)
	}
	m := module.Version{Path: modfile.ModulePath(mod), Version: next}
	var z bytes.Buffer
	if err := modzip.CreateFromVCS(&z, m, clone, "HEAD", strings.TrimPrefix(dir, ".")); err != nil {
		return err
	}
	packed := z.Bytes()
	if dir == "internal/kit" && r.version != version.Next {
		if packed, err = replaced(packed, m.Path+"@"+next+"/version/released.txt", r.version+"\n"); err != nil {
			return err
		}
	}
	info, err := json.Marshal(map[string]any{"Version": next, "Time": r.date.Format(time.RFC3339)})
	if err != nil {
		return err
	}
	return writeModule(folder, m, map[string][]byte{".info": info, ".mod": mod, ".zip": packed})
}

// replaced returns an archive in which the file name has another text.
func replaced(archive []byte, name, text string) ([]byte, error) {
	from, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	to, found := zip.NewWriter(&b), false
	for _, f := range from.File {
		if f.Name != name {
			err = cmp.Or(err, to.Copy(f))
			continue
		}
		found = true
		w, createErr := to.Create(name)
		if createErr == nil {
			_, createErr = w.Write([]byte(text))
		}
		err = cmp.Or(err, createErr)
	}
	if !found {
		return nil, fmt.Errorf("no file is %s", name)
	}
	err = cmp.Or(err, to.Close())
	return b.Bytes(), err
}

// writeModule writes the files of a module to the folder of a proxy, by the ends of their names.
func writeModule(folder string, m module.Version, files map[string][]byte) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	at := filepath.Join(folder, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		return err
	}
	err = os.WriteFile(filepath.Join(at, "list"), []byte(m.Version+"\n"), 0o666)
	for end, text := range files {
		err = cmp.Or(err, os.WriteFile(filepath.Join(at, m.Version+end), text, 0o666))
	}
	return err
}

// otherModules adds to the proxy what the go command downloads to build our command from it.
func (r *release) otherModules(folder string, systems []string) error {
	dir, cache := filepath.Join(r.tmp, "asks"), filepath.Join(r.tmp, "mod")
	known, err := exec.CommandContext(r.ctx, "go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	lines := strings.Split(string(known), "\n")
	at, err := filepath.Abs(folder)
	err = cmp.Or(err, os.Mkdir(dir, 0o777),
		os.WriteFile(filepath.Join(dir, "go.mod"),
			fmt.Appendf(nil, "module asks\n\ngo 1.26.0\n\nrequire nrdl.example/nrdl/cmd/nrdl %s\n", next), 0o666))
	if err != nil {
		return err
	}
	for _, system := range systems {
		goos, goarch, _ := strings.Cut(system, "/")
		list := exec.CommandContext(r.ctx, "go", "list", "-deps", "nrdl.example/nrdl/cmd/nrdl")
		list.Dir = dir
		list.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw", "GOSUMDB=off", "CGO_ENABLED=0",
			"GOOS="+goos, "GOARCH="+goarch,
			"GOMODCACHE="+cache, "GOPROXY="+url(at)+","+url(filepath.Join(lines[0], "cache", "download"))+","+lines[1])
		if out, err := list.CombinedOutput(); err != nil {
			return fmt.Errorf("go list for %s: %w\n%s", system, err, out)
		}
	}
	return takeOver(filepath.Join(cache, "cache", "download"), folder)
}

// url is the address of a folder.
func url(folder string) string { return "file://" + filepath.ToSlash(folder) }

// takeOver copies the modules of a cache to the folder of a proxy, which keeps those that it has.
func takeOver(cache, folder string) error {
	var lists []string
	err := filepath.WalkDir(cache, func(name string, d fs.DirEntry, err error) error {
		relative, relErr := filepath.Rel(cache, name)
		switch {
		case err != nil || relErr != nil:
			return cmp.Or(err, relErr)
		case d.IsDir() && relative == "sumdb":
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".info", ".mod", ".zip"}, filepath.Ext(name)):
			return nil
		}
		to := filepath.Join(folder, relative)
		if _, err := os.Stat(to); err == nil {
			return nil
		}
		lists = append(lists, filepath.Join(filepath.Dir(to), "list"))
		return cmp.Or(os.MkdirAll(filepath.Dir(to), 0o777), os.Rename(name, to))
	})
	for _, list := range slices.Compact(lists) {
		mods, globErr := filepath.Glob(filepath.Join(filepath.Dir(list), "*.mod"))
		var versions strings.Builder
		for _, mod := range mods {
			fmt.Fprintln(&versions, strings.TrimSuffix(filepath.Base(mod), ".mod"))
		}
		err = errors.Join(err, globErr, os.WriteFile(list, []byte(versions.String()), 0o666))
	}
	return err
}
