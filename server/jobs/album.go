package jobs

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"path/filepath"
	"time"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/faces/tags"
	"nrdl.example/nrdl/internal/kit/metadata"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// An Album makes pages of photographs, with index.html, and copies of these.
type Album interface {
	// Add takes a photograph, the faces in it, and the time of its file.
	Add(ctx context.Context, o results.Object, changed time.Time, p *dataset.Photo) error
	// Finish is called once, after the last photograph.
	Finish(ctx context.Context) error
}

// An AlbumMaker returns an empty album. Put makes a file of it, by a name with slashes.
type AlbumMaker func(put func(ctx context.Context, name string, write func(io.Writer) error) error) Album

// AlbumFolder has all files in the zip of an album, so that these stay together where it is unpacked.
const AlbumFolder = "album/"

// An AlbumResult tells what an album has.
type AlbumResult struct {
	Photos  int           `json:"photos" doc:"With a face of the collection"`
	Bytes   int64         `json:"bytes"`
	Refused []RefusedFile `json:"refused" doc:"Photographs that could not be read, the first 500"`
}

// albumJob writes the zip of an album of the folder of originals to the file of the job.
func (v *Service) albumJob(ctx context.Context, j *store.Job) (result *AlbumResult, err error) {
	folder, err := people.OpenFolder(ctx, v.people.Options)
	if err != nil {
		return nil, err
	}
	defer folder.Root.Close()
	faces, err := v.facesByPhotograph(ctx, j.Collection)
	if err == nil {
		err = v.store.DeleteFile(ctx, j.Collection, j.ID) // of an earlier attempt
	}
	if err != nil {
		return nil, err
	}
	f := &Writer{ctx: ctx, store: v.store, collection: j.Collection, Job: j.ID, limit: v.Files}
	defer func() {
		if err != nil {
			v.Drop(context.WithoutCancel(ctx), j.Collection, j.ID)
		}
	}()
	z := zip.NewWriter(f)
	album := v.Album(func(_ context.Context, name string, write func(io.Writer) error) error {
		h := &zip.FileHeader{Name: AlbumFolder + name, Method: zip.Deflate, Modified: j.Created}
		if path.Ext(name) == ".jpg" {
			h.Method = zip.Store
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			err = write(w)
		}
		return err
	})
	if result, err = v.fill(ctx, j, album, folder, faces); err == nil {
		err = album.Finish(ctx)
	}
	if err = errors.Join(err, z.Close()); err == nil {
		err = f.Flush()
	}
	if errors.Is(err, errLarge) {
		err = people.Invalid("the album is too large to be kept: start the service with a larger --max-files")
	}
	if err != nil {
		return nil, err
	}
	result.Bytes = f.Size
	return result, v.dropAlbums(ctx, j)
}

// fill adds the photographs in which the collection has faces to an album.
func (v *Service) fill(ctx context.Context, j *store.Job, album Album, folder *people.Folder, faces map[string][]tags.Face) (*AlbumResult, error) {
	result := &AlbumResult{Refused: []RefusedFile{}}
	s := steps{v: v, j: j, total: len(folder.Paths), result: result}
	for n, name := range folder.Paths {
		data, _ := folder.Read(name) // one that cannot be read is none of those with faces
		some := facesIn(faces, data)
		if len(some) > 0 {
			err := v.people.Memory.Decoded(ctx, func() error { return add(ctx, album, folder, name, data, some) }, data)
			if ctx.Err() != nil || errors.Is(err, errLarge) {
				return nil, err
			}
			if result.Photos++; err != nil {
				result.Photos--
				result.Refused = refuse(result.Refused, name, err)
			}
		}
		if err := s.note(ctx, n+1); err != nil {
			return nil, err
		}
	}
	if result.Photos == 0 {
		return nil, people.Invalid("the collection has no face of a photograph in the folder of --photos: add these first")
	}
	return result, s.skip(ctx, len(folder.Paths))
}

// add adds the photograph called name, with this content, to an album.
func add(ctx context.Context, album Album, folder *people.Folder, name string, data []byte, all []tags.Face) error {
	p, err := dataset.DecodeColour(ctx, data, name)
	if err != nil {
		return err
	}
	info, err := folder.Root.Stat(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	size := p.Grey.Rect.Size()
	o := results.Object{File: dataset.Text(name), Size: &results.Size{Width: size.X, Height: size.Y}}
	if h, err := metadata.Read(bytes.NewReader(data), int64(len(data))); err == nil && !h.Taken.IsZero() {
		o.Taken = h.Taken.Format(results.TakenLayout)
	}
	for _, f := range all {
		one := results.Face{Detection: results.Detection{Box: &results.Box{X: f.Box.Min.X, Y: f.Box.Min.Y, Width: f.Box.Dx(), Height: f.Box.Dy()}}}
		if f.Name != "" {
			one.Name = &f.Name
		}
		o.Faces = append(o.Faces, one)
	}
	return album.Add(ctx, o, info.ModTime(), p)
}

// dropAlbums removes the albums that were made before j.
func (v *Service) dropAlbums(ctx context.Context, j *store.Job) error {
	earlier, err := v.store.Jobs(ctx, j.Collection, kindAlbum, store.Succeeded, "", j.ID, exportBatch)
	for _, e := range earlier {
		v.Drop(ctx, e.Collection, e.ID)
	}
	return err
}
