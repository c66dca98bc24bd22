package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// An entry is a file of an archive.
type entry struct {
	name, from string
	mode       int64
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

func (r *release) tar(name string, files []entry) (err error) {
	out, err := os.Create(filepath.Join(r.out, name+".tar.gz"))
	if err != nil {
		return err
	}
	defer func() { err = first(err, out.Close()) }()
	zipped, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(zipped)
	for _, f := range files {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		head := &tar.Header{Name: name + "/" + f.name, Mode: f.mode, Size: int64(len(data)), ModTime: r.date, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(head); err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return first(w.Close(), zipped.Close())
}

func (r *release) zip(name string, files []entry) (err error) {
	out, err := os.Create(filepath.Join(r.out, name+".zip"))
	if err != nil {
		return err
	}
	defer func() { err = first(err, out.Close()) }()
	w := zip.NewWriter(out)
	for _, f := range files {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		one, err := w.CreateHeader(&zip.FileHeader{Name: name + "/" + f.name, Method: zip.Deflate, Modified: r.date})
		if err != nil {
			return err
		}
		if _, err := one.Write(data); err != nil {
			return err
		}
	}
	return w.Close()
}

// first returns the first error.
func first(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
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
