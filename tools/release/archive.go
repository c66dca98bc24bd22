package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"nrdl.example/nrdl/cmd/nrdl/licences/embedded"
)

// An entry is a file of an archive.
type entry struct {
	name, source string
	mode         int64
}

// tree lists what an archive holds, sorted.
func (r *release) tree(program, name string) ([]entry, error) {
	files := []entry{{name, program, 0o755}}
	for _, text := range []string{"README.md", "LICENSE", "NOTICE", "CHANGELOG.md"} {
		files = append(files, entry{text, text, 0o644})
	}
	for _, folder := range []string{"man", "completion"} {
		pages, err := filepath.Glob(filepath.Join(r.tmp, folder, "*"))
		if err != nil {
			return nil, err
		}
		for _, page := range pages {
			files = append(files, entry{folder + "/" + filepath.Base(page), page, 0o644})
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].name < files[j].name })
	return files, nil
}

// archive writes files into an archive, DIR.tar.gz or DIR.zip, that has them in the folder dir.
func (r *release) archive(dir string, files []entry, zipped bool) (err error) {
	var b bytes.Buffer
	var add func(f entry, data []byte) error
	var end func() error
	suffix := ".zip"
	if zipped {
		w := zip.NewWriter(&b)
		end = w.Close
		add = func(f entry, data []byte) error {
			return r.zip(w, &zip.FileHeader{Name: dir + "/" + f.name}, data)
		}
	} else {
		suffix = ".tar.gz"
		compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			return err
		}
		w := tar.NewWriter(compressed)
		end = func() error { return cmp.Or(w.Close(), compressed.Close()) }
		add = func(f entry, data []byte) error {
			err := w.WriteHeader(&tar.Header{
				Name: dir + "/" + f.name, Mode: f.mode, Size: int64(len(data)),
				ModTime: r.date, Format: tar.FormatUSTAR,
			})
			if err == nil {
				_, err = w.Write(data)
			}
			return err
		}
	}
	for _, f := range files {
		data, err := os.ReadFile(f.source)
		if err == nil {
			err = add(f, data)
		}
		if err != nil {
			return err
		}
	}
	if err := end(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, dir+suffix), b.Bytes(), 0o666)
}

// zip adds a file with this content to w.
func (r *release) zip(w *zip.Writer, h *zip.FileHeader, data []byte) error {
	h.Method, h.Modified = zip.Deflate, r.date
	one, err := w.CreateHeader(h)
	if err == nil {
		_, err = one.Write(data)
	}
	return err
}

// sums writes the digests of all files, as sha256sum checks them.
func (r *release) sums() error {
	files, err := filepath.Glob(filepath.Join(r.out, "*"))
	if err != nil {
		return err
	}
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(&all, "%x  %s\n", sha256.Sum256(data), filepath.Base(file))
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(all.String()), 0o666)
}

// A component is a part of a program, in the words of CycloneDX 1.6.
type component struct {
	Type        string `json:"type"`
	Ref         string `json:"bom-ref"`
	Name        string `json:"name"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	PURL        string `json:"purl,omitempty"`
}

// sbom writes what a program says of the modules that it is linked from, and the
// data in it.
func (r *release) sbom(name, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	url := func(path, version string) string { return "pkg:golang/" + path + "@" + version }
	var parts []component
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Version == "(devel)" { // a module of this repository
			m.Version = "v" + r.version
		}
		parts = append(parts,
			component{Type: "library", Ref: url(m.Path, m.Version), Name: m.Path, Version: m.Version, PURL: url(m.Path, m.Version)})
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	parts = append(parts, component{Type: "library", Ref: url("std", goVersion), Name: "std", Version: goVersion, PURL: url("std", goVersion)})
	for _, p := range embedded.Parts {
		parts = append(parts, component{Type: "data", Ref: p.Files[0], Name: p.What, Description: p.From})
	}
	main := component{
		Type: "application", Ref: url(info.Main.Path, "v"+r.version), Name: info.Main.Path,
		Version: r.version, PURL: url(info.Main.Path, "v"+r.version),
	}
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"timestamp": r.date.Format(time.RFC3339), "component": main},
		"components": parts,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, name+".cdx.json"), append(text, '\n'), 0o666)
}
