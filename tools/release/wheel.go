package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tags are the platforms of wheels, by system. The program needs no library of the system, so
// it runs with glibc and with musl.
var tags = map[string]string{
	"linux/amd64":   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	"linux/arm64":   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
	"windows/arm64": "win_arm64",
}

// forPython writes a version as PEP 440 does: 0.3.0.dev0+COMMIT, 0.3.0rc1.
func forPython(version string) string {
	number, local, _ := strings.Cut(version, "+")
	number = strings.NewReplacer("-dev", ".dev0", "-rc.", "rc", "-beta.", "b", "-alpha.", "a").Replace(number)
	if local != "" {
		number += "+" + local
	}
	return number
}

// heavy are files that a slim program does without.
var heavy = []string{
	"faces/face/cascades/[fp]*", "faces/face/networks/*.zst", "faces/frontend/embedding/weights/*.zst",
	"faces/internal/*/wasm/*.zst", "faces/dataset/bundled/fashion.npz",
}

// slim builds the program of the slim wheel, with nothing in the place of heavy files, and returns
// its path.
func (r *release) slim(env []string, file string) (string, error) {
	dir, err := os.MkdirTemp(r.tmp, "slim")
	if err != nil {
		return "", err
	}
	empty, replaced := filepath.Join(dir, "empty"), map[string]string{}
	for _, pattern := range heavy {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			return "", fmt.Errorf("no file is %s: %w", pattern, err)
		}
		for _, path := range found {
			replaced[path] = empty
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := cmp.Or(os.WriteFile(empty, nil, 0o666), os.WriteFile(list, overlay, 0o666)); err != nil {
		return "", err
	}
	program := filepath.Join(dir, file)
	return program, r.build(env, "-tags", "slim", "-overlay", list, "-o", program, "./tools/release/slim")
}

// wheels writes the Python package for a system, with the program among its scripts, and again
// with the slim one.
func (r *release) wheels(system string, env []string, program, file string) error {
	slim, err := r.slim(env, file)
	if err != nil {
		return err
	}
	return cmp.Or(r.wheel("nrdl-learn", system, program, file), r.wheel("nrdl-learn-slim", system, slim, file))
}

// wheel writes a wheel as pip installs it:
// https://packaging.python.org/en/latest/specifications/binary-distribution-format/
func (r *release) wheel(project, system, program, file string) error {
	name := strings.ReplaceAll(project, "-", "_") + "-" + forPython(r.version)
	info := name + ".dist-info/"
	metadata, err := r.metadata(project)
	if err != nil {
		return fmt.Errorf("python/pyproject.toml: %w", err)
	}
	var about strings.Builder
	about.WriteString("Wheel-Version: 1.0\nGenerator: nrdl\nRoot-Is-Purelib: false\n")
	for _, tag := range strings.Split(tags[system], ".") {
		fmt.Fprintf(&about, "Tag: py3-none-%s\n", tag)
	}
	files := []wheelFile{
		{name + ".data/scripts/" + file, program, nil, 0o755},
		{info + "METADATA", "", []byte(metadata), 0o644},
		{info + "WHEEL", "", []byte(about.String()), 0o644},
		{info + "licenses/LICENSE", "LICENSE", nil, 0o644},
		{info + "licenses/NOTICE", "NOTICE", nil, 0o644},
	}
	sources, err := filepath.Glob("python/nrdl_*/*")
	if err != nil {
		return err
	}
	for _, path := range sources {
		if ext := filepath.Ext(path); ext == ".py" || ext == ".typed" {
			files = append(files, wheelFile{strings.TrimPrefix(filepath.ToSlash(path), "python/"), path, nil, 0o644})
		}
	}
	slices.SortFunc(files, func(a, b wheelFile) int { return strings.Compare(a.name, b.name) })
	return r.zipWheel(filepath.Join(r.output, name+"-py3-none-"+tags[system]+".whl"), info+"RECORD", files)
}

// A wheelFile is a file of a wheel, with its content or where that is.
type wheelFile struct {
	name, source string
	data         []byte
	mode         fs.FileMode
}

// zipWheel writes files and their digests, as the file record, to path.
func (r *release) zipWheel(path, record string, files []wheelFile) error {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(name string, data []byte, mode fs.FileMode) error {
		h := &zip.FileHeader{Name: name}
		h.SetMode(mode)
		return r.zip(w, h, data)
	}
	var list strings.Builder
	for _, f := range files {
		if f.source != "" {
			var err error
			if f.data, err = os.ReadFile(f.source); err != nil {
				return err
			}
		}
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&list, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
		if err := add(f.name, f.data, f.mode); err != nil {
			return err
		}
	}
	fmt.Fprintf(&list, "%s,,\n", record)
	if err := add(record, []byte(list.String()), 0o644); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

var (
	field        = regexp.MustCompile(`(?m)^(name|description|requires-python) = "(.*)"$`)
	dependencies = regexp.MustCompile(`(?s)\ndependencies = \[(.*?)\]`)
	quoted       = regexp.MustCompile(`"(.*?)"`)
)

// metadata is that of python/pyproject.toml in the form of wheels.
func (r *release) metadata(name string) (string, error) {
	project, err := os.ReadFile("python/pyproject.toml")
	if err != nil {
		return "", err
	}
	has := map[string]string{}
	for _, m := range field.FindAllStringSubmatch(string(project), -1) {
		has[m[1]] = m[2]
	}
	needs := dependencies.FindStringSubmatch(string(project))
	if len(has) != 3 || needs == nil {
		return "", errors.New("it has no name, description, requires-python and dependencies")
	}
	readme, err := os.ReadFile("python/README.md")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\nLicense: MIT\nRequires-Python: %s\n",
		name, forPython(r.version), has["description"], has["requires-python"])
	for _, m := range quoted.FindAllStringSubmatch(needs[1], -1) {
		fmt.Fprintf(&b, "Requires-Dist: %s\n", m[1])
	}
	b.WriteString("License-File: LICENSE\nLicense-File: NOTICE\nDescription-Content-Type: text/markdown\n\n")
	b.Write(readme)
	if name != has["name"] {
		b.WriteString("\nThis distribution, " + name + ", has the methods, and no networks: for photographs install " +
			has["name"] + " instead.\n")
	}
	return b.String(), nil
}
