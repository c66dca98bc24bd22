package jobs

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

var errNoExport = errors.New("it is neither a zip nor an export, which begins with people.json")

// tar adds the content of a tar that export has written.
func (i *importer) tar(ctx context.Context, file io.ReadSeeker) error {
	t := tar.NewReader(file)
	var about *Export
	var next *ExportedFace // its crop may follow
	n := 0
	end := func(crop []byte) error {
		if next == nil {
			return nil
		}
		f := next
		next = nil
		if n++; n > i.steps.j.Done {
			return i.face(ctx, n, about, f, crop)
		}
		return nil
	}
	for {
		name, data, err := i.nextFile(t)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return damaged(err)
		}
		id := exportedName.FindStringSubmatch(name)
		switch {
		case name == "people.json" && about == nil:
			about = &Export{}
			if err := json.Unmarshal(data, about); err != nil {
				return damaged(err)
			}
			i.steps.total = about.Faces
			if err := i.addPeople(ctx, about); err != nil {
				return err
			}
		case about == nil:
			return damaged(errNoExport)
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
				return damaged(fmt.Errorf("%s is no face", name))
			}
		default:
			i.result.Skipped++
		}
	}
	if about == nil {
		return damaged(errNoExport)
	}
	if err := end(nil); err != nil {
		return err
	}
	return i.steps.skip(ctx, n)
}

// nextFile returns the next file of a tar; the error is io.EOF after the last one.
func (i *importer) nextFile(t *tar.Reader) (name string, data []byte, err error) {
	h, err := t.Next()
	if err == nil && h.Size > i.Body {
		err = errors.New("a file in it is too large")
	}
	if err != nil {
		return "", nil, err
	}
	if data, err = io.ReadAll(t); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return h.Name, data, err
}

var exportedName = regexp.MustCompile(`^faces/(` + people.IDPattern + `)\.(json|png)$`)

// addPeople adds the people of an export. An empty collection gets the rate of strangers, too.
func (i *importer) addPeople(ctx context.Context, about *Export) error {
	j := i.steps.j
	if n, err := i.store.CountFaces(ctx, j.Collection); err != nil {
		return err
	} else if n == 0 && about.FPIR > 0 {
		c, err := i.store.Collection(ctx, j.Collection)
		if err != nil {
			return err
		}
		if c, err = people.ChangedCollection(c, "", &about.FPIR); err != nil {
			return err
		}
		if err := i.store.SetCollection(ctx, j.Actor, c); err != nil {
			return err
		}
	}
	for _, p := range about.People {
		if err := dataset.CheckName(p.Name); err != nil || !people.AnID.MatchString(p.ID) || p.Kind != store.Known && p.Kind != store.Ignored {
			return damaged(errors.New("a person in it has no id, name or kind"))
		}
		added, err := i.store.ImportPerson(ctx, j.Actor, j.Collection,
			store.Person{ID: p.ID, Name: p.Name, Kind: p.Kind, Created: p.Created, Born: p.Born, Differs: strings.Join(p.Different, ","), Portrait: p.Portrait})
		if err != nil {
			return err
		}
		if added {
			i.result.People++
		}
	}
	return nil
}

// face adds a face of an export, which is the step number done.
func (i *importer) face(ctx context.Context, done int, about *Export, f *ExportedFace, crop []byte) error {
	n := store.NewFace{
		Face: store.Face{
			ID: f.ID, Person: f.Person, Source: store.Import, Box: people.AsJSON(f.Box),
			Pupils: people.AsJSON(f.Pupils), Quality: people.AsJSON(f.Quality), Created: f.Created,
		}, Crop: crop,
		Space: i.intake.Space(), Vector: f.Vector,
	}
	refuse := func(why string) error {
		i.refuse("faces/"+f.ID, why)
		return i.steps.note(ctx, done)
	}
	if why := i.intake.Complete(ctx, &n, about.Space); why != "" {
		return refuse(why)
	}
	if v := f.Visit; v != nil {
		c, err := i.store.Collection(ctx, i.steps.j.Collection)
		if err != nil {
			return err
		}
		if f.Person == "" && !v.Time.After(time.Now().AddDate(0, 0, -c.VisitorDays)) {
			return refuse("the face is of a visitor, and the collection does not keep visitors for so long")
		}
		if err := (people.Origin{Source: v.Source, Reference: v.Reference}).Check(); err != nil {
			return refuse("of the visit: " + err.Error())
		}
		n.Visit = &store.Visit{At: v.Time, Source: v.Source, Reference: v.Reference}
		if now := time.Now().UTC(); v.Time.After(now) {
			n.Visit.At = now // by a wrong clock: no face stays longer than the days
		}
	}
	var photo *store.Photo
	if p := f.Photo; p != nil {
		if !people.AnID.MatchString(p.ID) {
			return refuse("the photograph has no id")
		}
		n.Photo, photo = p.ID, &store.Photo{SHA256: p.SHA256, Width: p.Width, Height: p.Height}
	}
	i.result.Faces++
	added, err := i.store.ImportFace(i.steps.in(ctx, done), i.steps.j.Actor, i.steps.j.Collection, n, photo, f.Not)
	switch {
	case errors.Is(err, store.ErrNotFound): // a person that the export does not have
		i.result.Faces--
		return refuse(err.Error())
	case err != nil:
		return err
	}
	i.steps.ended(done)
	if !added {
		i.result.Faces--
		i.result.Duplicates++
	}
	return nil
}
