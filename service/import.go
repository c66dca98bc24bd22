package service

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"nrdl/dataset"
	"nrdl/face"
	"nrdl/service/store"
)

// An importing is the payload of an import.
type importing struct {
	Bytes   int64 `json:"bytes"`
	Photos  bool  `json:"photos"`  // it is a zip of photographs, whatever their names
	Folders bool  `json:"folders"` // the folders of a zip are named like people
}

// upload keeps the files of the body for a job that imports them. Memory does not grow
// with the body.
func (v *Service) upload(w http.ResponseWriter, r *http.Request) (err error) {
	ctx, collection := r.Context(), r.PathValue("c")
	if _, err := v.engine.inputOf(ctx, collection); err != nil {
		return err
	}
	asked := importing{Folders: r.URL.Query().Get("folders") == "people"}
	form, err := r.MultipartReader()
	if err != nil {
		return huma.Error415UnsupportedMediaType("the body is not multipart/form-data with files: curl -F archive=@FILE")
	}
	if !v.uploading.TryAcquire(1) {
		return errBusy
	}
	defer v.uploading.Release(1)
	kept, err := v.store.Pieces(ctx, "", "")
	if err != nil {
		return err
	}
	if int64(kept)*store.Piece >= v.Files {
		return huma.ErrorWithHeaders(huma.Error429TooManyRequests("too many files wait to be imported: try again later"), http.Header{"Retry-After": {"60"}})
	}
	f := &jobWriter{ctx: ctx, store: v.store, collection: collection, job: store.NewID(), most: math.MaxInt64}
	defer func() {
		if err != nil && f.size > 0 {
			v.drop(context.WithoutCancel(ctx), collection, f.job)
		}
	}()
	if asked.Photos, err = v.receive(w, form, f); err != nil {
		return err
	}
	if asked.Photos && asked.Folders {
		return huma.Error422UnprocessableEntity("folders=people is about the folders in an archive: send a zip as the field archive")
	}
	asked.Bytes = f.size
	j, err := v.enqueue(ctx, store.Job{Collection: collection, ID: f.job, Kind: kindImport, Payload: asJSON(asked)})
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, toldJob(j))
}

// receive writes an archive of a form to f, or a zip of the photographs in it, and
// reports whether it did that. A client has a minute for each part of the body.
func (v *Service) receive(w http.ResponseWriter, form *multipart.Reader, f *jobWriter) (zipped bool, err error) {
	control := http.NewResponseController(w)
	var photos *zip.Writer
	for n := 0; ; n++ {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false, asCut(err)
		}
		from := reads(func(b []byte) (int, error) {
			_ = control.SetReadDeadline(time.Now().Add(time.Minute)) // a test has none
			return p.Read(b)
		})
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
		content := bufio.NewReader(from)
		if start, _ := content.Peek(4); p.FormName() == "photo" && string(start) == "PK\x03\x04" {
			return false, huma.Error422UnprocessableEntity("a file of the field photo is a zip: send it as the field archive")
		}
		if _, err = io.Copy(to, content); f.failed != nil {
			return false, f.failed
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

// reads is an io.Reader.
type reads func([]byte) (int, error)

func (f reads) Read(b []byte) (int, error) { return f(b) }

// Bounds on archives: bytes of their directory, and to how many times its size one may
// unpack that is large; all may unpack to as much as an upload may have.
const mostDirectory, mostUnpacked = 16 << 20, 20

// imports is a job that adds what an archive has.
func (v *Service) imports(ctx context.Context, j *store.Job) (*ImportResult, error) {
	var asked importing
	if err := json.Unmarshal(j.Payload, &asked); err != nil {
		return nil, err
	}
	in, err := v.engine.inputOf(ctx, j.Collection)
	if err != nil {
		return nil, err
	}
	told := &ImportResult{Refused: []RefusedFile{}}
	s, err := v.resume(j, 0, told)
	if err != nil {
		return nil, err
	}
	i := &importer{Service: v, in: in, told: told, steps: s, asked: asked, left: max(v.Import, mostUnpacked*asked.Bytes)}
	file := &jobReader{ctx: ctx, store: v.store, collection: j.Collection, job: j.ID, size: asked.Bytes}
	const magic = 4
	head := make([]byte, magic)
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("PK")) {
		err = i.zip(ctx, file)
	} else {
		err = i.tar(ctx, io.NewSectionReader(file, 0, file.size))
	}
	return told, err
}

// An importer adds what an archive has, item by item.
type importer struct {
	*Service
	in    *input
	told  *ImportResult
	steps steps
	asked importing
	left  int64 // bytes that may still be unpacked
}

// damaged is the answer to an archive that cannot be read.
func damaged(err error) error {
	return huma.Error422UnprocessableEntity("the archive cannot be read: " + err.Error())
}

// refuse notes a file that was not added.
func (i *importer) refuse(name, why string) {
	const most, longest = 500, 200
	if len(i.told.Refused) < most {
		i.told.Refused = append(i.told.Refused, RefusedFile{fmt.Sprintf("%.*s", longest, strings.ToValidUTF8(name, "?")), why})
	}
}

// A directory reads of an archive as much as its directory may have.
type directory struct {
	io.ReaderAt
	left int64
}

func (d *directory) ReadAt(b []byte, at int64) (int, error) {
	if d.left -= int64(len(b)); d.left < 0 {
		return 0, errors.New("it has too many files")
	}
	return d.ReaderAt.ReadAt(b, at)
}

func (i *importer) zip(ctx context.Context, file *jobReader) error {
	limited := &directory{file, mostDirectory}
	z, err := zip.NewReader(limited, file.size)
	switch {
	case file.failed != nil:
		return file.failed
	case err != nil:
		return damaged(err)
	}
	limited.left = math.MaxInt64
	i.steps.total = len(z.File)
	for n := i.steps.j.Done; n < len(z.File); n++ {
		f := z.File[n]
		base := path.Base(f.Name)
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") || !i.asked.Photos && (strings.HasPrefix(base, ".") || !dataset.IsImage(base)) {
			if !f.FileInfo().IsDir() {
				i.told.Skipped++
			}
			continue
		}
		data, why, err := i.unpacked(f)
		if file.failed != nil {
			err = file.failed
		}
		if err != nil {
			return err
		}
		if why == "" {
			why, err = i.photo(ctx, n+1, f.Name, data)
		}
		if why != "" {
			i.refuse(f.Name, why)
			err = i.steps.skip(ctx, n+1)
		}
		if err != nil {
			return err
		}
	}
	return i.steps.skip(ctx, len(z.File))
}

// unpacked returns the content of a file, or why it is not taken.
func (i *importer) unpacked(f *zip.File) (data []byte, why string, err error) {
	large := fmt.Sprintf("the file has more than %d bytes", i.Body)
	if f.UncompressedSize64 > uint64(i.Body) {
		return nil, large, nil
	}
	if i.left <= 0 {
		return nil, "", damaged(fmt.Errorf("it unpacks to more than %d times its size", mostUnpacked))
	}
	r, err := f.Open()
	if err == nil {
		defer r.Close()
		data, err = io.ReadAll(io.LimitReader(r, i.Body+1))
	}
	i.left -= int64(len(data))
	switch {
	case err != nil:
		return nil, "the file is damaged in the archive: " + err.Error(), nil
	case int64(len(data)) > i.Body:
		return nil, large, nil
	}
	return data, "", nil
}

// photo adds the faces of a photograph, by which step number done ends, or returns why
// there are none.
func (i *importer) photo(ctx context.Context, done int, name string, data []byte) (why string, err error) {
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	j := i.steps.j
	if there, err := i.store.HasPhoto(ctx, j.Collection, digest); err != nil || there {
		i.told.Duplicates++
		return "", err
	}
	seen, size, err := i.seen(ctx, data)
	var status huma.StatusError
	switch {
	case errors.As(err, &status) && status.GetStatus() == http.StatusUnprocessableEntity:
		return status.Error(), nil
	case err != nil:
		return "", err
	case len(seen) == 0:
		return face.ErrNoFace.Error(), nil
	}
	person, added := "", false
	if i.asked.Folders {
		seen = seen[:1]
		if person, added, err = i.personOf(ctx, name); err != nil {
			if errors.As(err, &status) {
				return status.Error(), nil
			}
			return "", err
		}
	}
	faces, refused := i.in.newFaces(seen, store.Import)
	if len(faces) == 0 {
		return refused[0].Why, nil
	}
	i.told.Photos++
	i.told.Faces += len(faces)
	if added {
		i.told.People++
	}
	_, err = i.store.AddFaces(i.steps.in(ctx, done), j.Actor, j.Collection, &store.Photo{SHA256: digest, Width: size.X, Height: size.Y}, person, faces)
	if err == nil {
		i.steps.ended(done)
	}
	return "", err
}

// seen finds faces in an image file; a decoder that panics refuses the file.
func (i *importer) seen(ctx context.Context, data []byte) (all []found, size image.Point, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = huma.Error422UnprocessableEntity("the image cannot be read")
		}
	}()
	i.giveWay(ctx)
	err = i.decoded(ctx, func() (err error) {
		all, size, err = i.in.look(ctx, data, false)
		return err
	}, data)
	return all, size, err
}

// personOf returns the person whose name is that of the folder of a file, who is added
// if there is none.
func (i *importer) personOf(ctx context.Context, file string) (id string, added bool, err error) {
	name := path.Base(path.Dir(file))
	if err := dataset.CheckName(name); err != nil || name == "." {
		return "", false, huma.Error422UnprocessableEntity("the folder of the file is no name of a person")
	}
	j := i.steps.j
	if id, err = i.store.PersonNamed(ctx, j.Collection, name); err != nil || id != "" {
		return id, false, err
	}
	p, _, err := i.store.CreatePerson(ctx, j.Actor, j.Collection, name, store.Known)
	return p.ID, true, err
}

// tar adds what exported has written.
func (i *importer) tar(ctx context.Context, file io.ReadSeeker) error {
	t := tar.NewReader(file)
	var about *Export
	var next *ExportedFace // which waits for its crop
	n := 0
	end := func(crop []byte) error {
		if next == nil {
			return nil
		}
		f := next
		next = nil
		if n++; n <= i.steps.j.Done {
			return nil
		}
		return i.face(ctx, n, about, f, crop)
	}
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return damaged(err)
		}
		if h.Size > i.Body {
			return damaged(errors.New("a file in it is too large"))
		}
		data, err := io.ReadAll(t)
		if err != nil {
			return damaged(err)
		}
		id := exportedName.FindStringSubmatch(h.Name)
		switch {
		case h.Name == "people.json" && about == nil:
			about = &Export{}
			if err := json.Unmarshal(data, about); err != nil {
				return damaged(err)
			}
			i.steps.total = about.Faces
			if err := i.people(ctx, about); err != nil {
				return err
			}
		case about == nil:
			return damaged(errors.New("it is neither a zip nor an export, which begins with people.json"))
		case id != nil && id[2] == "png" && next != nil && next.ID == id[1]:
			if err := end(data); err != nil {
				return err
			}
		case id != nil && id[2] == "json":
			if err := end(nil); err != nil {
				return err
			}
			next = &ExportedFace{}
			if err := json.Unmarshal(data, next); err != nil || next.ID != id[1] {
				return damaged(fmt.Errorf("%s is no face", h.Name))
			}
		default:
			i.told.Skipped++
		}
	}
	if about == nil {
		return damaged(errors.New("it is neither a zip nor an export, which begins with people.json"))
	}
	return end(nil)
}

const idPattern = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

var (
	exportedName = regexp.MustCompile(`^faces/(` + idPattern + `)\.(json|png)$`)
	anID         = regexp.MustCompile(`^` + idPattern + `$`)
)

// people adds those of an export. An empty collection gets its rate of strangers.
func (i *importer) people(ctx context.Context, about *Export) error {
	j := i.steps.j
	if n, err := i.store.CountFaces(ctx, j.Collection); err != nil {
		return err
	} else if n == 0 && about.FPIR > 0 {
		c, err := i.store.Collection(ctx, j.Collection)
		if err != nil {
			return err
		}
		if c.Name, c.FPIR, err = checkedCollection(c.Name, about.FPIR); err != nil {
			return err
		}
		if err := i.store.SetCollection(ctx, j.Actor, j.Collection, c.Name, c.FPIR); err != nil {
			return err
		}
	}
	for _, p := range about.People {
		if err := dataset.CheckName(p.Name); err != nil || !anID.MatchString(p.ID) || p.Kind != store.Known && p.Kind != store.Ignored {
			return damaged(errors.New("a person in it has no id, name or kind"))
		}
		added, err := i.store.ImportPerson(ctx, j.Actor, j.Collection, store.Person{ID: p.ID, Name: p.Name, Kind: p.Kind, Created: p.Created})
		if err != nil {
			return err
		}
		if added {
			i.told.People++
		}
	}
	return nil
}

// face adds a face of an export, by which step number done ends.
func (i *importer) face(ctx context.Context, done int, about *Export, f *ExportedFace, crop []byte) error {
	n := store.NewFace{Face: store.Face{ID: f.ID, Person: f.Person, Source: store.Import, Box: asJSON(f.Box), Pupils: asJSON(f.Pupils), Quality: asJSON(f.Quality), Created: f.Created}, Crop: crop, Space: i.in.space, Vector: f.Vector}
	refuse := func(why string) error {
		i.refuse("faces/"+f.ID, why)
		return i.steps.skip(ctx, done)
	}
	if len(crop) > 0 {
		if size, err := dataset.ImageSize(crop, "crop"); err != nil || size.X != i.in.Embedder.Input().Width || size.Y != i.in.Embedder.Input().Height {
			return refuse("the crop is not one of the network of the collection")
		}
	}
	if about.Space != i.in.space || f.Vector == nil {
		if len(crop) == 0 {
			return refuse("the vector is of another network, and there is no crop")
		}
		seen, _, err := i.in.look(ctx, crop, true)
		if err != nil || seen[0].Refused != nil {
			return refuse("the crop cannot be used")
		}
		n.Vector = float32s(seen[0].Values)
	} else if err := i.in.check(f.Vector); err != nil {
		return refuse(err.Error())
	}
	var photo *store.Photo
	if p := f.Photo; p != nil {
		if !anID.MatchString(p.ID) {
			return refuse("the photograph has no id")
		}
		n.Photo, photo = p.ID, &store.Photo{SHA256: p.SHA256, Width: p.Width, Height: p.Height}
	}
	i.told.Faces++
	added, err := i.store.ImportFace(i.steps.in(ctx, done), i.steps.j.Actor, i.steps.j.Collection, n, photo, f.Not)
	switch {
	case errors.Is(err, store.ErrNotFound): // a person that the export does not have
		i.told.Faces--
		return refuse(err.Error())
	case err != nil:
		return err
	}
	i.steps.ended(done)
	if !added {
		i.told.Faces--
		i.told.Duplicates++
	}
	return nil
}
