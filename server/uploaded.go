package server

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"path"
	"strings"

	"nrdl.example/nrdl/server/store"

	"github.com/danielgtaylor/huma/v2"
)

// An importRequest is the payload of an import.
type importRequest struct {
	Bytes   int64 `json:"bytes"`
	Photos  bool  `json:"photos"`  // every file of the zip is a photograph
	Folders bool  `json:"folders"` // the folders of the zip are names of people

	Tags      bool `json:"tags,omitempty"`      // names are those of face tags
	Strangers bool `json:"strangers,omitempty"` // the photographs show people who are not in the collection
}

// upload stores the files of the body for a job that imports them. Memory does not grow with the
// body.
func (v *Service) upload(w http.ResponseWriter, r *http.Request) (err error) {
	ctx, collection := r.Context(), r.PathValue("collection")
	if _, err := v.engine.inputOf(ctx, collection); err != nil {
		return err
	}
	payload := importRequest{Folders: chosen(r, "folders"), Strangers: chosen(r, "as"), Tags: chosen(r, "tags")}
	if payload.Folders && payload.Strangers || payload.Tags && (payload.Folders || payload.Strangers) {
		return huma.Error422UnprocessableEntity("names are those of folders, or of face tags, or all photographs are of strangers: send one of folders=people, tags=regions and as=strangers")
	}
	if r.ContentLength > v.Import {
		return &http.MaxBytesError{Limit: v.Import} // before it is sent
	}
	form, err := r.MultipartReader()
	if err != nil {
		return huma.Error415UnsupportedMediaType("the body is not multipart/form-data with files: curl -F archive=@FILE")
	}
	if !v.uploading.TryAcquire(1) {
		return errBusy
	}
	defer v.uploading.Release(1)
	pieces, err := v.store.Pieces(ctx, "", "")
	if err != nil {
		return err
	}
	if int64(pieces)*store.Piece >= v.Files {
		return huma.ErrorWithHeaders(huma.Error429TooManyRequests("too many files wait to be imported: try again later"), http.Header{"Retry-After": {"60"}})
	}
	f := &jobWriter{ctx: ctx, store: v.store, collection: collection, job: store.NewID(), most: math.MaxInt64}
	defer func() {
		if err != nil && f.size > 0 {
			v.drop(context.WithoutCancel(ctx), collection, f.job)
		}
	}()
	if payload.Photos, err = v.receive(form, f); err != nil {
		return err
	}
	if payload.Photos && payload.Folders {
		return huma.Error422UnprocessableEntity("folders=people is about the folders in an archive: send a zip as the field archive")
	}
	payload.Bytes = f.size
	j, err := v.enqueue(ctx, store.Job{Collection: collection, ID: f.job, Kind: kindImport, Payload: asJSON(payload)})
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, jobResponse(j))
}

// receive writes the archive in a form to f. If the form has photographs, it writes a zip of them
// instead, and zipped is true.
func (v *Service) receive(form *multipart.Reader, f *jobWriter) (zipped bool, err error) {
	var photos *zip.Writer
	for n := 0; ; n++ {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false, asCut(err)
		}
		to := io.Writer(f)
		switch name := p.FormName(); {
		case name == "archive" && n == 0:
		case name == "photo" && (n == 0 || photos != nil):
			if photos == nil {
				photos = zip.NewWriter(f)
			}
			file := fmt.Sprintf("%d/%s", n, path.Base(strings.ToValidUTF8(p.FileName(), "?")))
			if to, err = photos.CreateHeader(&zip.FileHeader{Name: file, Method: zip.Store}); err != nil {
				return false, unusable(err)
			}
		default:
			return false, huma.Error422UnprocessableEntity(fmt.Sprintf("the form has a field %.40q: it is to have files photo, or one file archive", name))
		}
		content := bufio.NewReader(p)
		if start, _ := content.Peek(4); p.FormName() == "photo" && string(start) == "PK\x03\x04" {
			return false, huma.Error422UnprocessableEntity("a file of the field photo is a zip: send it as the field archive")
		}
		if _, err = io.Copy(to, content); f.err != nil {
			return false, f.err
		} else if err != nil {
			return false, asCut(err)
		}
	}
	if photos != nil {
		if err := photos.Close(); err != nil {
			return false, err
		}
	}
	if f.size == 0 {
		return false, huma.Error422UnprocessableEntity("the form has no file")
	}
	return photos != nil, f.flush()
}
