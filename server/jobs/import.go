package jobs

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/tags"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// Bounds on archives.
const (
	maxDirectory = 16 << 20 // bytes of the directory
	maxUnpacked  = 20       // times the size of the archive; every archive may unpack to Options.Import
)

// An ImportRequest is the payload of an import.
type ImportRequest struct {
	Bytes   int64 `json:"bytes"`
	Photos  bool  `json:"photos"`  // every file of the zip is a photograph
	Folders bool  `json:"folders"` // the folders of the zip are names of people

	Tags      bool `json:"tags,omitempty"`      // names are those of face tags
	Strangers bool `json:"strangers,omitempty"` // the photographs show people who are not in the collection
	Originals bool `json:"originals,omitempty"` // of the folder of originals: there is no archive
}

// importJob is a job that adds the content of an archive.
func (v *Service) importJob(ctx context.Context, j *store.Job) (*ImportResult, error) {
	var request ImportRequest
	if err := json.Unmarshal(j.Payload, &request); err != nil {
		return nil, err
	}
	in, err := v.people.Intake(ctx, j.Collection)
	if err != nil {
		return nil, err
	}
	result := &ImportResult{Refused: []RefusedFile{}}
	s, err := v.resume(j, 0, result)
	if err != nil {
		return nil, err
	}
	i := &importer{Service: v, intake: in, result: result, steps: s, request: request, bytesLeft: max(v.Import, maxUnpacked*request.Bytes)}
	if request.Originals {
		return result, i.originals(ctx)
	}
	file := &jobReader{ctx: ctx, store: v.store, collection: j.Collection, job: j.ID, size: request.Bytes}
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
	return result, err
}

// An importer adds the content of an archive, item by item.
type importer struct {
	*Service
	intake    *people.Intake
	result    *ImportResult
	steps     steps
	request   ImportRequest
	bytesLeft int64 // that may still be unpacked

	sidecars sidecarFiles // only where tags are read
}

// damaged is the answer to an archive that cannot be read.
func damaged(err error) error {
	return people.Invalid("%s", "the archive cannot be read: "+err.Error())
}

// refuse adds a file to the list of those that were not added.
func (i *importer) refuse(name, why string) {
	const limit = 500
	if len(i.result.Refused) < limit {
		i.result.Refused = append(i.result.Refused, RefusedFile{i.shown(name), why})
	}
}

// shown is the name of a file for the result.
func (i *importer) shown(name string) string {
	const longest = 200
	if i.request.Photos {
		_, name, _ = strings.Cut(name, "/") // without the number from receive
	}
	return fmt.Sprintf("%.*s", longest, strings.ToValidUTF8(name, "?"))
}

// A directory reads an archive until it has read bytesLeft.
type directory struct {
	io.ReaderAt
	bytesLeft int64
}

func (d *directory) ReadAt(b []byte, at int64) (int, error) {
	if d.bytesLeft -= int64(len(b)); d.bytesLeft < 0 {
		return 0, errors.New("it has too many files")
	}
	return d.ReaderAt.ReadAt(b, at)
}

func (i *importer) zip(ctx context.Context, file *jobReader) error {
	limited := &directory{file, maxDirectory}
	z, err := zip.NewReader(limited, file.size)
	switch {
	case file.err != nil:
		return file.err
	case err != nil:
		return damaged(err)
	}
	limited.bytesLeft = math.MaxInt64
	i.steps.total = len(z.File)
	if i.request.Tags {
		i.findSidecars(z)
	}
	for n := i.steps.j.Done; n < len(z.File); n++ {
		f := z.File[n]
		base := path.Base(f.Name)
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") || i.request.Tags && isSidecar(base) ||
			!i.request.Photos && (strings.HasPrefix(base, ".") || !dataset.IsImage(base)) {
			if !f.FileInfo().IsDir() && !(i.request.Tags && isSidecar(base)) {
				i.result.Skipped++
			}
			continue
		}
		data, why, err := i.unpack(f)
		if file.err != nil {
			err = file.err
		}
		if err != nil {
			return err
		}
		if why == "" {
			why, err = i.photo(ctx, n+1, f.Name, data)
		}
		if why != "" {
			i.refuse(f.Name, why)
			err = i.steps.note(ctx, n+1)
		}
		if err != nil {
			return err
		}
	}
	return i.steps.skip(ctx, len(z.File))
}

// originals adds the photographs of the folder of originals.
func (i *importer) originals(ctx context.Context) error {
	folder, err := people.OpenFolder(ctx, i.people.Options)
	if err != nil {
		return err
	}
	defer folder.Root.Close()
	i.steps.total = len(folder.Paths)
	for n := i.steps.j.Done; n < len(folder.Paths); n++ {
		name := folder.Paths[n]
		data, why := folder.Read(name)
		if why == "" {
			if why, err = i.photo(ctx, n+1, name, data); err != nil {
				return err
			}
		}
		if why != "" {
			i.refuse(name, why)
		}
		if i.steps.j.Done <= n { // it was there already, or is refused
			if err := i.steps.note(ctx, n+1); err != nil {
				return err
			}
		}
	}
	return i.steps.skip(ctx, len(folder.Paths))
}

// unpack returns the content of a file, or why the file is refused.
func (i *importer) unpack(f *zip.File) (data []byte, why string, err error) {
	large := fmt.Sprintf("the file has more than %d bytes", i.Body)
	if f.UncompressedSize64 > uint64(i.Body) {
		return nil, large, nil
	}
	if i.bytesLeft <= 0 {
		return nil, "", damaged(fmt.Errorf("it unpacks to more than %d times its size", maxUnpacked))
	}
	r, err := f.Open()
	if err == nil {
		defer r.Close()
		data, err = io.ReadAll(io.LimitReader(r, i.Body+1))
	}
	i.bytesLeft -= int64(len(data))
	switch {
	case err != nil:
		return nil, "the file is damaged in the archive: " + err.Error(), nil
	case int64(len(data)) > i.Body:
		return nil, large, nil
	}
	return data, "", nil
}

// photo adds the faces of a photograph, which is the step number done, or returns why there are
// none.
func (i *importer) photo(ctx context.Context, done int, name string, data []byte) (why string, err error) {
	j := i.steps.j
	if exists, err := i.intake.Has(ctx, data); err != nil || exists {
		i.result.Duplicates++
		return "", err
	}
	seen, photo, why, warnings, err := i.intake.Find(ctx, data,
		i.request.Tags) // with tags every face, as one in the background can have a tag
	if err != nil || why != "" {
		return why, err
	}
	i.note(name, warnings...)
	var owners []string
	person, added := "", 0
	if i.request.Strangers {
		person = store.Stranger
	}
	if i.request.Folders {
		if seen, person, added, why, err = i.ofFolder(ctx, name, seen); people.AsAnswered(err) != nil {
			return people.AsAnswered(err).Error(), nil
		}
		if err != nil || why != "" {
			return why, err
		}
	}
	if i.request.Tags {
		if owners, added, err = i.tag(ctx, name, data, seen, photo); err != nil {
			return "", err
		}
	}
	faces, refused := i.intake.NewFaces(seen)
	if len(faces) == 0 {
		return refused[0].Why, nil
	}
	used := faces
	for k, owner := range owners {
		if seen[k].Reason == nil {
			used[0].Person, used = owner, used[1:]
		}
	}
	if err := i.warn(ctx, name, person, faces); err != nil {
		return "", err
	}
	i.result.Photos++
	i.result.Faces += len(faces)
	i.result.People += added
	_, err = i.store.AddFaces(i.steps.in(ctx, done), j.Actor, j.Collection, photo, person, faces)
	if err == nil {
		i.steps.ended(done)
	}
	return "", err
}

// tag returns the person of each face that was seen in a photograph, "" for nobody, by its face
// tags, and how many people are new. It notes in the result what became of them.
func (i *importer) tag(ctx context.Context, name string, data []byte, seen []people.Found,
	photo *store.Photo,
) (owners []string, added int, err error) {
	p, why, err := i.tagsOf(name, data)
	if err != nil {
		return nil, 0, err
	}
	if p.StoredSize == (image.Point{}) { // of a format whose header is not read
		p.StoredSize = image.Pt(photo.Width, photo.Height)
	}
	faces := make([]face.Seen, len(seen))
	for k, s := range seen {
		faces[k] = s.Seen
	}
	names, missing, open := face.Tagged(p, faces)
	entry := TaggedFile{People: []string{}, Without: []string{}, Problem: why}
	if open != nil {
		p.Problems = append(p.Problems, open)
	}
	for _, r := range missing {
		entry.Without = append(entry.Without, r.Name)
	}
	owners = make([]string, len(names))
	for k, person := range names {
		if person == "" {
			continue
		}
		id, isNew, err := i.called(ctx, person)
		if people.AsAnswered(err) != nil || err == nil && seen[k].Reason != nil {
			entry.Without = append(entry.Without, person)
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		if isNew {
			added++
		}
		owners[k] = id
		entry.People = append(entry.People, person)
	}
	if !slices.ContainsFunc(p.Regions, tags.Region.Usable) && len(entry.People) == 0 {
		entry.Without = append(entry.Without, p.Names...)
	}
	for _, problem := range p.Problems {
		entry.Problem = problem.Error()
	}
	const limit = 500
	if (p.Named() || entry.Problem != "") && len(i.result.Tagged) < limit {
		entry.Name = i.shown(name)
		i.result.Tagged = append(i.result.Tagged, entry)
	}
	return owners, added, nil
}

// called returns the person with a name, and adds the person if there is none.
func (i *importer) called(ctx context.Context, name string) (id string, added bool, err error) {
	name, err = dataset.TagName(name)
	if err != nil {
		return "", false, people.Unusable(err)
	}
	j := i.steps.j
	if id, err = i.store.PersonByName(ctx, j.Collection, name); err != nil || id != "" {
		return id, false, err
	}
	p, _, err := i.store.CreatePerson(ctx, j.Actor, j.Collection, name, store.Known, false)
	return p.ID, true, err
}

// note adds warnings about a file to the result.
func (i *importer) note(file string, warnings ...string) {
	const limit = 500
	for _, why := range warnings {
		if len(i.result.Warnings) < limit {
			i.result.Warnings = append(i.result.Warnings, RefusedFile{i.shown(file), why})
		}
	}
}
