package api

import (
	"context"
	"image/jpeg"
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// photographRoutes are the routes that take or send photographs.
type photographRoutes struct{ *Service }

func (v photographRoutes) register() {
	const c = "/v1/collections/{collection}/"
	v.plain(http.MethodPost, c+"identify", plain{
		summary: "Name the faces in a photograph", scopes: forIdentify, fields: []field{imageField("photo", 1)}, answer: people.ShownPhotograph{},
		query: append([]*huma.Param{
			option("why", "true", "With a picture of each face, and the reasons"),
			words("source", 64, "The camera that took the photograph, such as door: the answer and messages repeat it"),
			words("reference", 200, "What the client calls the photograph: the answer and messages repeat it"),
		}, byHand...),
	}, v.identify)
	v.plain(http.MethodPost, c+"verify",
		plain{
			summary: "Say whether two photographs a and b, or a and a person (an id), are of the same person", scopes: forIdentify,
			fields: []field{imageField("a", 1), imageField("b", 0), {name: "person", description: "id of the person, instead of b", text: true}},
			answer: people.Verification{},
		}, v.verify)
	v.plain(http.MethodPost, c+"detect", plain{
		summary: "Find the faces in a photograph", scopes: forIdentify, fields: []field{imageField("photo", 1)},
		answer: people.Detection{}, query: []*huma.Param{vectorsOption},
	}, v.detect)
	v.plain(http.MethodPost, c+"compare", plain{
		summary: "Compare the largest face in a photograph with those of others", scopes: forIdentify, answer: people.Comparisons{},
		fields: []field{imageField("a", 1), imageField("photo", maxParts-1)},
	}, v.compare)
	v.plain(http.MethodPost, c+"search", plain{
		summary: "Say whether the people in a photograph were here before: find the most similar faces of nobody yet",
		scopes:  forIdentify, fields: []field{imageField("photo", 1)}, answer: people.Search{},
		query: []*huma.Param{{
			Name: "limit", In: "query", Description: "Faces and groups for each face",
			Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(people.MaxNear)), Default: 10},
		}, vectorsOption},
	}, v.search)
	add := plain{scopes: forEnrolling, fields: []field{imageField("photo", maxParts)}, query: []*huma.Param{onNew}, answer: people.Added{}}
	add.query = append(add.query, byHand...)
	add.summary = "Add all faces in photographs, of nobody yet"
	v.plain(http.MethodPost, c+"faces", add, func(w http.ResponseWriter, r *http.Request) error { return v.add(w, r, "", nil) })
	add.summary = "Add all faces in photographs of people who are not in the collection: they make its calibration surer, and never become people"
	v.plain(http.MethodPost, c+"strangers", add,
		func(w http.ResponseWriter, r *http.Request) error { return v.add(w, r, store.Stranger, nil) })
	add.summary = "Add the face of the person in each photograph, or aligned crops, to a person: of several faces the one that the collection takes for the person, or the only unknown one; otherwise send its box"
	add.fields = append(add.fields, imageField("crop", maxParts))
	v.plain(http.MethodPost, c+"people/{person}/faces", add,
		func(w http.ResponseWriter, r *http.Request) error { return v.add(w, r, r.PathValue("person"), nil) })
	v.plain(http.MethodPost, c+"people/{person}/vectors", plain{
		scopes: forEnrolling, body: people.Vector{}, answer: people.Added{},
		summary: "Add a face of which another program has made a vector to a person",
	}, v.addVector)
	operation(v.Service, http.MethodGet, c+"people/{person}/photographs", "List the photographs of a person, by date",
		forReview, v.listPhotographs)
	send := plain{scopes: forReview, kind: "image/*"}
	send.summary = "Get the original of a photograph, as it is in the folder that the operator allows"
	v.plain(http.MethodGet, c+"photographs/{photo}/original", send, v.sendOriginal)
	send.summary, send.kind = "Get a small copy of a photograph, a JPEG of at most 320 pixels a side", "image/jpeg"
	v.plain(http.MethodGet, c+"photographs/{photo}/thumbnail", send, v.sendThumbnail)
}

// answeredJSON answers with o, or returns err.
func answeredJSON[T any](w http.ResponseWriter, o T, err error) error {
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, o)
}

func (v photographRoutes) identify(w http.ResponseWriter, r *http.Request) error {
	q := people.Question{Place: placeOf(r), Why: chosen(r, "why")}
	q.Origin.Source, q.Origin.Reference = r.URL.Query().Get("source"), r.URL.Query().Get("reference")
	shown, err := v.people.Identify(r.Context(), r.PathValue("collection"), form{v.Service, r}, "photo", q)
	if err != nil || q.Why {
		return answeredJSON(w, shown, err)
	}
	return answer(w, http.StatusOK, shown.Photograph)
}

func (v photographRoutes) verify(w http.ResponseWriter, r *http.Request) error {
	o, err := v.people.Verify(r.Context(), r.PathValue("collection"), form{v.Service, r})
	return answeredJSON(w, o, err)
}

func (v photographRoutes) compare(w http.ResponseWriter, r *http.Request) error {
	o, err := v.people.Compare(r.Context(), r.PathValue("collection"), form{v.Service, r})
	return answeredJSON(w, o, err)
}

func (v photographRoutes) detect(w http.ResponseWriter, r *http.Request) error {
	if err := v.people.CheckNetwork(r.Context(), r.PathValue("collection")); err != nil {
		return err
	}
	vectors, err := checkVectors(r)
	if err != nil {
		return err
	}
	o, err := v.people.Detect(r.Context(), r.PathValue("collection"), form{v.Service, r}, vectors)
	return answeredJSON(w, o, err)
}

func (v photographRoutes) search(w http.ResponseWriter, r *http.Request) error {
	limit := 10
	if text := r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > people.MaxNear {
			return people.Invalid("limit is a number from 1 to %d", people.MaxNear)
		}
		limit = n
	}
	vectors, err := checkVectors(r)
	if err != nil {
		return err
	}
	o, err := v.people.Search(r.Context(), r.PathValue("collection"), form{v.Service, r}, limit, vectors)
	return answeredJSON(w, o, err)
}

// add adds faces to a person, "" for nobody; with vector that of a face.
func (v photographRoutes) add(w http.ResponseWriter, r *http.Request, person string, vector io.Reader) error {
	o, err := v.people.Add(r.Context(), r.PathValue("collection"), person, form{v.Service, r}, vector, placeOf(r), chosen(r, "new"))
	return answeredJSON(w, o, err)
}

func (v photographRoutes) addVector(w http.ResponseWriter, r *http.Request) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return people.Failed(http.StatusUnsupportedMediaType, "the body is not JSON with a vector and its space: send Content-Type: application/json")
	}
	return v.add(w, r, r.PathValue("person"), r.Body)
}

// words is a parameter of the query with words of the client.
func words(name string, maxLength int, what string) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: what, Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &maxLength}}
}

// byHand says where in a photograph the face is that is meant.
var byHand = []*huma.Param{
	fourNumbers("eyes", "Take the face with these eyes only, x,y,x,y in pixels of the upright photograph, also where none is found"),
	fourNumbers("box",
		"Take the face in this box only, x,y,width,height in pixels of the upright photograph: one of several, or one that is not found"),
}

func fourNumbers(name, what string) *huma.Param {
	return &huma.Param{
		Name: name, In: "query", Description: what,
		Schema: &huma.Schema{Type: huma.TypeString, Pattern: `^\d+(\.\d+)?(,\d+(\.\d+)?){3}$`},
	}
}

// placeOf is what the parameters of byHand say.
func placeOf(r *http.Request) people.Place {
	value := func(name string) *string {
		if !chosen(r, name) {
			return nil
		}
		return new(r.URL.Query().Get(name))
	}
	return people.Place{Eyes: value("eyes"), Box: value("box")}
}

var vectorsOption = option("vectors", "true", "With the vector of each face; the key needs the scope vectors, too")

// checkVectors is an error if the request asks for vectors, and its key must not have them.
func checkVectors(r *http.Request) (vectors bool, err error) {
	if vectors = chosen(r, "vectors"); vectors && !requestOf(r.Context()).may("vectors") {
		return vectors, coded("scope_missing", people.Failed(http.StatusForbidden, "the key does not have the scope vectors or admin"))
	}
	return vectors, nil
}

func (v photographRoutes) listPhotographs(ctx context.Context, in *struct {
	InPerson
	Cursor
},
) (*body[Page[people.ShownIn]], error) {
	if _, err := v.store.Person(ctx, in.Collection, in.Person); err != nil {
		return nil, err
	}
	all, err := v.people.Photographs(ctx, in.Collection, in.Person)
	if err != nil {
		return nil, err
	}
	return pageByNumber(in.Cursor, all, func(s *people.ShownIn) people.ShownIn { return *s })
}

func (v photographRoutes) sendOriginal(w http.ResponseWriter, r *http.Request) error {
	file, err := v.people.Original(r.Context(), r.PathValue("collection"), r.PathValue("photo"))
	if err != nil {
		return err
	}
	defer file.Close()
	header := w.Header()
	header.Set("Content-Type", file.Kind)
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	http.ServeContent(w, r, "", file.Changed, file)
	return nil
}

func (v photographRoutes) sendThumbnail(w http.ResponseWriter, r *http.Request) error {
	small, err := v.people.Thumbnail(r.Context(), r.PathValue("collection"), r.PathValue("photo"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/jpeg")
	return jpeg.Encode(w, small, &jpeg.Options{Quality: 80})
}
