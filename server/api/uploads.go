package api

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"

	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// upload stores the files of the body for a job that imports them. Memory does not grow with the
// body.
func (v jobRoutes) upload(w http.ResponseWriter, r *http.Request) (err error) {
	ctx, collection := r.Context(), r.PathValue("collection")
	if err := v.people.CheckNetwork(ctx, collection); err != nil {
		return err
	}
	payload := jobs.ImportRequest{Folders: chosen(r, "folders"), Strangers: chosen(r, "as"), Tags: chosen(r, "tags")}
	if payload.Folders && payload.Strangers || payload.Tags && (payload.Folders || payload.Strangers) {
		return people.Invalid(
			"names are those of folders, or of face tags, or all photographs are of strangers: send one of folders=people, tags=regions and as=strangers")
	}
	if r.ContentLength > v.Import {
		return &http.MaxBytesError{Limit: v.Import} // before it is sent
	}
	form, err := r.MultipartReader()
	if err != nil {
		return people.Failed(http.StatusUnsupportedMediaType, "the body is not multipart/form-data with files: curl -F archive=@FILE")
	}
	if !v.uploading.TryAcquire(1) {
		return errBusy
	}
	defer v.uploading.Release(1)
	pieces, err := v.store.Pieces(ctx, "", "")
	if err != nil {
		return err
	}
	if int64(pieces)*store.Piece >= v.jobs.Files {
		return headed(people.Failed(http.StatusTooManyRequests, "too many files wait to be imported: try again later"), "Retry-After", "60")
	}
	f := v.jobs.NewWriter(ctx, collection)
	defer func() {
		if err != nil && f.Size > 0 {
			v.jobs.Drop(context.WithoutCancel(ctx), collection, f.Job)
		}
	}()
	if payload.Photos, err = receive(form, f); err != nil {
		return err
	}
	if payload.Photos && payload.Folders {
		return people.Invalid("folders=people is about the folders in an archive: send a zip as the field archive")
	}
	j, err := v.jobs.StartImport(ctx, f, payload)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, jobs.JobResponse(j))
}

// receive writes the archive in a form to f. If the form has photographs, it writes a zip of them
// instead, and zipped is true.
func receive(form *multipart.Reader, f *jobs.Writer) (zipped bool, err error) {
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
				return false, people.Unusable(err)
			}
		default:
			return false, people.Invalid("the form has a field %.40q: it is to have files photo, or one file archive", name)
		}
		content := bufio.NewReader(p)
		if start, _ := content.Peek(4); p.FormName() == "photo" && string(start) == "PK\x03\x04" {
			return false, people.Invalid("a file of the field photo is a zip: send it as the field archive")
		}
		if _, err = io.Copy(to, content); f.Err != nil {
			return false, f.Err
		} else if err != nil {
			return false, asCut(err)
		}
	}
	if photos != nil {
		if err := photos.Close(); err != nil {
			return false, err
		}
	}
	if f.Size == 0 {
		return false, people.Invalid("the form has no file: send files in the field photo, or one in archive")
	}
	return photos != nil, f.Flush()
}
