// Command fileproxy writes the modules of this repository, as the tags of a version have them, to a
// folder that is a proxy of Go modules:
//
//	go -C tools run ./fileproxy VERSION FOLDER
//
// With GOPROXY=file://FOLDER programs outside are built from it, without the workspace. The script
// tools/release/tag makes the tags and calls it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"nrdl.example/nrdl/tools/internal/hint"
)

func main() {
	if len(os.Args) != 3 {
		hint.Exit("fileproxy", errors.New("usage: go -C tools run ./fileproxy VERSION FOLDER"))
	}
	hint.Exit("fileproxy", write("..", os.Args[1], os.Args[2]))
}

// write writes the modules of the workspace in root, but the tools, to the folder proxy.
func write(root, version, proxy string) error {
	text, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return err
	}
	for _, use := range work.Use {
		if dir := path.Clean(use.Path); dir != "tools" {
			if err := writeModule(root, dir, version, proxy); err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
		}
	}
	return nil
}

// writeModule writes the module in the folder dir of the repository root, by its tag.
func writeModule(root, dir, version, proxy string) error {
	tag := strings.TrimPrefix(path.Join(dir, version), "./")
	git := func(arguments ...string) ([]byte, error) {
		out, err := exec.Command("git", append([]string{"-C", root}, arguments...)...).Output()
		if err != nil {
			return nil, fmt.Errorf("git %s: %w", strings.Join(arguments, " "), err)
		}
		return bytes.TrimSpace(out), nil
	}
	mod, err := git("show", tag+":"+path.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	date, err := git("log", "-1", "--format=%cI", tag)
	if err != nil {
		return err
	}
	committed, err := time.Parse(time.RFC3339, string(date))
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": version, "Time": committed.UTC()})
	if err != nil {
		return err
	}
	v := module.Version{Path: modfile.ModulePath(mod), Version: version}
	escaped, err := module.EscapePath(v.Path)
	if err != nil {
		return err
	}
	folder := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for name, text := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": append(mod, '\n')} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			return err
		}
	}
	out, err := os.Create(filepath.Join(folder, version+".zip"))
	if err != nil {
		return err
	}
	return errors.Join(zip.CreateFromVCS(out, v, root, tag, strings.TrimPrefix(dir, ".")), out.Close())
}
