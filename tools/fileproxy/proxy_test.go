package fileproxy_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// version is that by which our modules require each other.
const version = "v0.3.0"

// writeProxy writes the modules of the workspace in root, but the tools, to a folder that GOPROXY
// may name with file://. It returns the path of the one in the root.
func writeProxy(dir, root string) (path string, err error) {
	text, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		return "", err
	}
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return "", err
	}
	for _, use := range work.Use {
		if use.Path == "./tools" {
			continue
		}
		at, err := writeModule(dir, filepath.Join(root, use.Path))
		if err != nil {
			return "", err
		}
		if use.Path == "." {
			path = at
		}
	}
	return path, nil
}

// writeModule writes one module.
func writeModule(dir, root string) (path string, err error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	v := module.Version{Path: modfile.ModulePath(mod), Version: version}
	escaped, err := module.EscapePath(v.Path)
	if err != nil {
		return "", err
	}
	at := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		return "", err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, time.Unix(0, 0).UTC()})
	if err != nil {
		return "", err
	}
	for name, text := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": mod} {
		if err := os.WriteFile(filepath.Join(at, name), text, 0o666); err != nil {
			return "", err
		}
	}
	out, err := os.Create(filepath.Join(at, version+".zip"))
	if err != nil {
		return "", err
	}
	if err := zip.CreateFromDir(out, v, root); err != nil {
		out.Close()
		return "", err
	}
	return v.Path, out.Close()
}
