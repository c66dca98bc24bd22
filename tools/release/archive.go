package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// An entry is a file of an archive.
type entry struct {
	name, source string
	mode         int64
}

// tree lists what an archive holds, sorted.
func (r *release) tree(program, name string) ([]entry, error) {
	files := []entry{{name, program, 0o755}}
	for _, text := range texts {
		source := text
		if filepath.Ext(text) == ".md" {
			source = filepath.Join(r.tmp, text)
		}
		files = append(files, entry{text, source, 0o644})
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
	return os.WriteFile(filepath.Join(r.output, dir+suffix), b.Bytes(), 0o666)
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

// filesIn lists the files of a folder and of those in it, with slashes, sorted.
func filesIn(dir string) (names []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// sums writes the digests of all files, as sha256sum checks them.
func (r *release) sums() error {
	files, err := filesIn(r.output)
	if err != nil {
		return err
	}
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(r.output, file))
		if err != nil {
			return err
		}
		fmt.Fprintf(&all, "%x  %s\n", sha256.Sum256(data), file)
	}
	return os.WriteFile(filepath.Join(r.output, "SHA256SUMS"), []byte(all.String()), 0o666)
}
