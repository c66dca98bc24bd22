package api

import (
	"encoding/base64"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// images returns the image files of a call: those of a form, or those of JSON, in base64. Names are what
// CompreFace calls the fields, by what our operations call them.
func (v compreRoutes) images(r *http.Request, names map[string]string) people.Form {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" || kind == "application/x-www-form-urlencoded" && r.ContentLength != 0 { // axios 0.27 says the latter
		return renamed{jsonImages{v.Service, r}, names}
	}
	return renamed{form{v.Service, r}, names}
}

// A renamed is a form whose fields have other names.
type renamed struct {
	people.Form
	names map[string]string
}

func (f renamed) File(field string) ([]byte, error) { return f.Form.File(f.names[field]) }

func (f renamed) Files(fields ...string) ([]people.File, error) {
	own := map[string]string{}
	var names []string
	for _, name := range fields {
		if other := f.names[name]; other != "" {
			own[other] = name
			names = append(names, other)
		}
	}
	all, err := f.Form.Files(names...)
	for i := range all {
		all[i].Field = own[all[i].Field]
	}
	return all, err
}

// jsonImages are image files in the fields of JSON, in base64.
type jsonImages struct {
	v *Service
	r *http.Request
}

func (f jsonImages) Files(names ...string) (all []people.File, err error) {
	fields := map[string]string{}
	if err := people.ReadJSON(f.r.Body, &fields, `{"file": "BASE64"}`, false); err != nil {
		return nil, err
	}
	for _, name := range names {
		text, ok := fields[name]
		if !ok {
			continue
		}
		if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
			return nil, people.Invalid("%s is an address: the service gets nothing from other hosts, so send the image itself", name)
		}
		if _, rest, ok := strings.Cut(text, ";base64,"); ok {
			text = rest
		}
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, people.Invalid("%s is no base64", name)
		}
		all = append(all, people.File{Field: name, Data: data})
	}
	if len(all) == 0 {
		return nil, people.Invalid("the body has none of the fields %q", names)
	}
	return all, nil
}

func (f jsonImages) File(name string) ([]byte, error) {
	all, err := f.Files(name)
	if err != nil {
		return nil, err
	}
	return all[0].Data, nil
}

// known returns the known people of the collection, by name.
func (v compreRoutes) known(r *http.Request, collection string) ([]store.Person, error) {
	return v.people.Sorted(r.Context(), collection, "", "name", store.Known)
}

func (v compreRoutes) listSubjects(r *http.Request, collection string) (any, error) {
	all, err := v.known(r, collection)
	names := []string{}
	for _, p := range all {
		names = append(names, p.Name)
	}
	return map[string]any{"subjects": names}, err
}

// subjectOf reads the name in the body.
func subjectOf(r *http.Request) (string, error) {
	var body struct {
		Subject string `json:"subject"`
	}
	if err := people.ReadJSON(r.Body, &body, `{"subject": "Ann"}`, false); err != nil {
		return "", err
	}
	return body.Subject, people.CheckName(body.Subject)
}

func (v compreRoutes) addSubject(r *http.Request, collection string) (any, error) {
	name, err := subjectOf(r)
	if err == nil {
		_, _, err = v.store.CreatePerson(r.Context(), requestOf(r.Context()).Actor, collection, name, store.Known, false)
	}
	return map[string]string{"subject": name}, v.people.Publish(r.Context(), collection, err)
}

// subject returns the person with the name in the path.
func (v compreRoutes) subject(r *http.Request, collection string) (p store.Person, err error) {
	id, err := v.store.PersonByName(r.Context(), collection, r.PathValue("subject"))
	if err == nil && id == "" {
		err = people.Failed(http.StatusNotFound, "there is no subject %.80q", r.PathValue("subject"))
	}
	if err != nil {
		return p, err
	}
	return v.store.Person(r.Context(), collection, id)
}

func (v compreRoutes) renameSubject(r *http.Request, collection string) (any, error) {
	name, err := subjectOf(r)
	if err != nil {
		return nil, err
	}
	p, err := v.subject(r, collection)
	if err != nil {
		return nil, err
	}
	p.Name = name
	_, err = v.store.ChangePerson(r.Context(), requestOf(r.Context()).Actor, collection, p, false)
	return map[string]bool{"updated": true}, v.people.Publish(r.Context(), collection, err)
}

func (v compreRoutes) removeSubject(r *http.Request, collection string) (any, error) {
	p, err := v.subject(r, collection)
	if err == nil {
		_, err = v.store.ErasePerson(r.Context(), requestOf(r.Context()).Actor, collection, p.ID, nil)
	}
	return map[string]string{"subject": p.Name}, v.people.Publish(r.Context(), collection, err)
}

func (v compreRoutes) removeSubjects(r *http.Request, collection string) (any, error) {
	all, err := v.known(r, collection)
	for i := 0; i < len(all) && err == nil; i++ {
		_, err = v.store.ErasePerson(r.Context(), requestOf(r.Context()).Actor, collection, all[i].ID, nil)
	}
	return map[string]int{"deleted": len(all)}, v.people.Publish(r.Context(), collection, err)
}

// A compreImage is a face in the lists of CompreFace.
type compreImage struct {
	ID      string `json:"image_id"`
	Subject string `json:"subject"`
}

// listFaces lists the faces of known people, of one of them with subject.
func (v compreRoutes) listFaces(r *http.Request, collection string) (any, error) {
	all, err := v.known(r, collection)
	if err != nil {
		return nil, err
	}
	const limit = 100_000
	images, subject := []compreImage{}, r.URL.Query().Get("subject")
	for _, p := range all {
		if subject != "" && p.Name != subject {
			continue
		}
		faces, err := v.store.Faces(r.Context(), collection, &p.ID, "", limit)
		if err != nil {
			return nil, err
		}
		for _, f := range faces {
			images = append(images, compreImage{f.ID, p.Name})
		}
	}
	number := func(name string, other, largest int) int {
		n, err := strconv.Atoi(r.URL.Query().Get(name))
		if err != nil || n < 0 {
			return other
		}
		return min(n, largest)
	}
	page, size := number("page", 0, math.MaxInt32), max(1, number("size", 20, 1000))
	from := min(page*size, len(images))
	return map[string]any{
		"faces": images[from:min(from+size, len(images))], "page_number": page, "page_size": size,
		"total_pages": (len(images) + size - 1) / size, "total_elements": len(images),
	}, nil
}

// image returns the face with an id, of a known person.
func (v compreRoutes) image(r *http.Request, collection, id string) (compreImage, string, error) {
	f, err := v.store.Face(r.Context(), collection, id)
	if err == nil && (f.Person == "" || f.Person == store.Stranger) {
		err = people.Failed(http.StatusNotFound, "the face %.80q is of no subject", id)
	}
	if err != nil {
		return compreImage{}, "", err
	}
	p, err := v.store.Person(r.Context(), collection, f.Person)
	return compreImage{f.ID, p.Name}, p.ID, err
}

func (v compreRoutes) removeFace(r *http.Request, collection string) (any, error) {
	one, _, err := v.image(r, collection, r.PathValue("face"))
	if err == nil {
		err = v.store.DeleteFaces(r.Context(), requestOf(r.Context()).Actor, collection, nil, []string{one.ID})
	}
	return one, v.people.Publish(r.Context(), collection, err)
}

func (v compreRoutes) removeFaces(r *http.Request, collection string) (any, error) {
	var ids []string
	if err := people.ReadJSON(r.Body, &ids, `["ID", …]`, false); err != nil {
		return nil, err
	}
	deleted, found := []compreImage{}, []string{}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if one, _, err := v.image(r, collection, id); err == nil { // CompreFace leaves out what is not there
			deleted, found = append(deleted, one), append(found, one.ID)
		}
	}
	if len(found) == 0 {
		return deleted, nil
	}
	err := v.store.DeleteFaces(r.Context(), requestOf(r.Context()).Actor, collection, nil, found)
	return deleted, v.people.Publish(r.Context(), collection, err)
}

func boxOf(b *results.Box) compreBox {
	if b == nil {
		return compreBox{Probability: 1}
	}
	return compreBox{1, b.X + b.Width, b.Y + b.Height, b.X, b.Y}
}

func (v compreRoutes) detect(r *http.Request, collection string) (any, error) {
	found, err := v.people.Detect(r.Context(), collection, v.images(r, map[string]string{"photo": "file"}), false)
	if err != nil {
		return nil, err
	}
	if len(found.Faces) == 0 {
		return nil, people.Unusable(people.ErrNoFace)
	}
	all := []map[string]compreBox{}
	for _, f := range found.Faces {
		all = append(all, map[string]compreBox{"box": boxOf(f.Box)})
	}
	return map[string]any{"result": all}, nil
}

// A compreMatch is a face that was compared. Its similarity is the share of other people who are less
// similar.
type compreMatch struct {
	Box        compreBox `json:"box"`
	Similarity float64   `json:"similarity"`
	Subject    string    `json:"subject,omitempty"`
}

// verify compares the largest faces of two photographs.
func (v compreRoutes) verify(r *http.Request, collection string) (any, error) {
	c, err := v.people.Verify(r.Context(), collection, v.images(r, map[string]string{"a": "source_image", "b": "target_image"}))
	if err != nil {
		return nil, err
	}
	return map[string]any{"result": []any{map[string]any{
		"source_image_face": map[string]compreBox{"box": boxOf(c.Faces[0].Box)},
		"face_matches":      []compreMatch{{boxOf(c.Faces[1].Box), 1 - c.FMR, ""}},
	}}}, nil
}

// withPerson is a form with the field person.
type withPerson struct {
	people.Form
	person string
}

func (f withPerson) Files(...string) ([]people.File, error) {
	all, err := f.Form.Files("a")
	return append(all, people.File{Field: "person", Data: []byte(f.person)}), err
}

// verifyFace compares the largest face of a photograph with the person of a face.
func (v compreRoutes) verifyFace(r *http.Request, collection string) (any, error) {
	one, person, err := v.image(r, collection, r.PathValue("face"))
	if err != nil {
		return nil, err
	}
	c, err := v.people.Verify(r.Context(), collection, withPerson{v.images(r, map[string]string{"a": "file"}), person})
	if err != nil {
		return nil, err
	}
	return map[string]any{"result": []compreMatch{{boxOf(c.Faces[0].Box), 1 - c.FMR, one.Subject}}}, nil
}

// showFace sends the crop of a face.
func (v compreRoutes) showFace(r *http.Request, collection string) (any, error) {
	one, _, err := v.image(r, collection, r.PathValue("face"))
	if err != nil {
		return nil, err
	}
	return v.store.Crop(r.Context(), collection, one.ID)
}
