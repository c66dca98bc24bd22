package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// isArchive reports whether data is an archive, or the address of a collection, which is read as one.
func isArchive(data string) bool {
	return isAddress(data) || slices.Contains([]string{".tar", ".zip"}, strings.ToLower(filepath.Ext(data)))
}

// readArchive reads the faces of an export of the service, a tar or the address of a collection. Another
// archive is read as the folder that it has.
func (a *app) readArchive(ctx context.Context, data string, o faces.ReadOptions) (*dataset.Images, error) {
	if isAddress(data) {
		c, err := a.keyFile.collection(ctx, data)
		if err != nil {
			return nil, err
		}
		body, err := c.GetExport(ctx, c.id)
		if err != nil {
			return nil, c.failed(err)
		}
		defer body.Close()
		return a.readExport(tar.NewReader(body), data, o)
	}
	if strings.EqualFold(filepath.Ext(data), ".tar") {
		f, err := os.Open(data)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		images, err := a.readExport(tar.NewReader(f), data, o)
		if !errors.Is(err, errNoExport) {
			return images, err
		}
	}
	dir, err := os.MkdirTemp("", "nrdl")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := unpack(ctx, data, dir); err != nil {
		return nil, advice.Add(fmt.Errorf("read archive %s: %w", data, err), "unpack it yourself, and give the folder")
	}
	for { // an archive of one folder is that folder, unless it is a person
		inside, err := os.ReadDir(dir)
		if err != nil || len(inside) != 1 || !inside[0].IsDir() {
			break
		}
		below, err := os.ReadDir(filepath.Join(dir, inside[0].Name()))
		if err != nil || !slices.ContainsFunc(below, fs.DirEntry.IsDir) {
			break
		}
		dir = filepath.Join(dir, inside[0].Name())
	}
	return faces.Read(ctx, dir, o)
}

var errNoExport = errors.New("it is no export of the service")

const maxExported = 64 << 20 // bytes of a file in an export

// readExport reads the people of an export and the vectors of their faces.
func (a *app) readExport(t *tar.Reader, data string, o faces.ReadOptions) (*dataset.Images, error) {
	network := cmp.Or(o.Embedder, embedding.Default())
	names := map[string]string{} // by id
	var about *jobs.Export
	var labels, ids []string
	var values []float64
	quality := map[string]dataset.Quality{} // by id
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil && about == nil {
			return nil, errNoExport
		} else if err != nil {
			return nil, fmt.Errorf("read export %s: %w", data, err)
		}
		in := json.NewDecoder(io.LimitReader(t, maxExported))
		switch {
		case about == nil && h.Name != "people.json":
			return nil, errNoExport
		case about == nil:
			about = &jobs.Export{}
			if err := in.Decode(about); err != nil {
				return nil, fmt.Errorf("read export %s: %w", data, err)
			}
			if space := people.SpaceFor(network.Frame()); about.Space != space {
				return nil, advice.Add(fmt.Errorf("%s has vectors of another network: %s", data, about.Space),
					"name that network: --input embedding:FILE.onnx; or let the service refit the collection")
			}
			for _, p := range about.People {
				if p.Kind == store.Known {
					names[p.ID] = p.Name
				}
			}
		case path.Ext(h.Name) == ".json":
			var f jobs.ExportedFace
			if err := in.Decode(&f); err != nil {
				return nil, fmt.Errorf("read export %s: %s: %w", data, h.Name, err)
			}
			if names[f.Person] == "" || len(f.Vector) != network.Frame().Len() {
				continue
			}
			for _, x := range f.Vector {
				values = append(values, float64(x))
			}
			labels, ids = append(labels, names[f.Person]), append(ids, names[f.Person]+"/"+f.ID)
			if f.Quality != nil {
				quality[ids[len(ids)-1]] = *f.Quality
			}
		}
	}
	if len(labels) == 0 {
		return nil, advice.Add(fmt.Errorf("%s has no face of a person with a name", data), "name people on the page of the service, and export again")
	}
	images, err := exportedImages(values, labels, ids, quality, network.Frame())
	if err != nil {
		return nil, fmt.Errorf("read export %s: %w", data, err)
	}
	return images, nil
}

// exportedImages are faces with their vectors, one after the other in values, and their qualities by id.
func exportedImages(values []float64, labels, ids []string, quality map[string]dataset.Quality, f dataset.Frame) (*dataset.Images, error) {
	x := mat.DenseCopyOf(mat.NewDense(len(labels), len(values)/len(labels), values).T())
	images, err := dataset.NewImages(x, labels, ids, nil, f)
	if err == nil && len(quality) == len(ids) {
		for j := range ids {
			images.Quality = append(images.Quality, quality[images.ID(j)])
		}
	}
	return images, err
}

// An archive may hold minUnpacked bytes, and maxRatio for each byte of its file: photographs hardly
// shrink in an archive, tables of numbers by three to ten.
const (
	minUnpacked = 64 << 20
	maxRatio    = 20
)

// unpack writes the files of the archive at data, a tar or a zip, to dir, and nothing outside it.
func unpack(ctx context.Context, data, dir string) error {
	f, err := os.Open(data)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	u := &unpacker{ctx: ctx, budget: minUnpacked + maxRatio*info.Size()}
	if u.root, err = os.OpenRoot(dir); err != nil {
		return err
	}
	defer u.root.Close()
	if strings.EqualFold(filepath.Ext(data), ".zip") {
		return u.zip(f, info.Size())
	}
	for t := tar.NewReader(f); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && h.Typeflag == tar.TypeReg {
			err = u.write(h.Name, t)
		}
		if err != nil {
			return err
		}
	}
}

// An unpacker writes the files of an archive.
type unpacker struct {
	ctx    context.Context
	root   *os.Root
	budget int64 // bytes that may still be written
}

func (u *unpacker) write(name string, from io.Reader) error {
	if u.ctx.Err() != nil {
		return context.Cause(u.ctx)
	}
	name = filepath.FromSlash(path.Clean(strings.ReplaceAll(name, `\`, "/")))
	if err := u.root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := u.root.Create(name)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(from, u.budget))
	if u.budget -= n; err == nil && u.budget <= 0 {
		err = errors.New("its files are much larger than it is")
	}
	return errors.Join(err, f.Close())
}

func (u *unpacker) zip(f io.ReaderAt, size int64) error {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return err
	}
	for _, entry := range z.File {
		if !entry.Mode().IsRegular() {
			continue
		}
		from, err := entry.Open()
		if err != nil {
			return err
		}
		if err := errors.Join(u.write(entry.Name, from), from.Close()); err != nil {
			return err
		}
	}
	return nil
}
