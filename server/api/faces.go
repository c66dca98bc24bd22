package api

import (
	"context"
	"net/http"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// faceRoutes are the routes of stored faces, and of their review.
type faceRoutes struct{ *Service }

func (v faceRoutes) register() {
	const path = "/v1/collections/{collection}/faces"
	operation(v.Service, http.MethodGet, path, "List faces", forReading, v.listFaces)
	operation(v.Service, http.MethodGet, path+"/{face}", "Get a face", forReading,
		func(ctx context.Context, in *InFace) (*body[people.StoredFace], error) {
			f, err := v.store.Face(ctx, in.Collection, in.Face)
			return answered(people.FaceResponse(f), err)
		})
	operation(v.Service, http.MethodGet, path+"/{face}/crop", "Get the aligned crop of a face, a PNG", forReading, v.crop)
	operation(v.Service, http.MethodDelete, path+"/{face}", "Delete a face, for good", forReview, func(ctx context.Context, in *struct {
		InFace
		Person string `query:"expected" doc:"Whose the face is, as far as you know, as in a decision"`
	},
	) (*struct{}, error) {
		err := v.store.DeleteFaces(ctx, requestOf(ctx).Actor, in.Collection, people.Expected{Expected: in.Person}.Holder(), []string{in.Face})
		return nil, v.people.Publish(ctx, in.Collection, err)
	})
	operation(v.Service, http.MethodDelete, "/v1/collections/{collection}/strangers",
		"Delete the faces of strangers, for good", forReview, func(ctx context.Context, in *InCollection) (*body[Removed], error) {
			n, err := v.store.DeleteStrangers(ctx, requestOf(ctx).Actor, in.Collection)
			return answered(Removed{n}, v.people.Publish(ctx, in.Collection, err))
		})
	type faceList struct {
		Faces  []string `json:"faces" minItems:"1" maxItems:"500"`
		Person string   `json:"person" doc:"Id; empty for nobody"`
		people.Expected
	}
	operation(v.Service, http.MethodPost, path+"/move", "Say whose faces these are", forReview,
		func(ctx context.Context, in *inCollection[faceList]) (*body[Done], error) {
			op, err := v.store.MoveFaces(ctx, requestOf(ctx).Actor, in.Collection, in.Body.Holder(), in.Body.Faces, in.Body.Person)
			return v.done(ctx, in.Collection, op, err)
		})
	operation(v.Service, http.MethodPost, path+"/deny", "Say that faces are not those of a person",
		forReview, func(ctx context.Context, in *inCollection[faceList]) (*body[Done], error) {
			op, err := v.store.DenyFaces(ctx, requestOf(ctx).Actor, in.Collection, in.Body.Holder(), in.Body.Faces, in.Body.Person)
			return v.done(ctx, in.Collection, op, err)
		})
	v.registerReview()
}

func (v faceRoutes) listFaces(ctx context.Context, in *struct {
	InCollection
	Cursor
	Person string `query:"person" doc:"Faces of this person; none: of nobody yet; stranger: of strangers"`
},
) (*body[Page[people.StoredFace]], error) {
	if _, err := v.store.Collection(ctx, in.Collection); err != nil {
		return nil, err
	}
	list := func(after string, limit int) ([]store.Face, error) {
		return v.store.Faces(ctx, in.Collection, people.Expected{Expected: in.Person}.Holder(), after, limit)
	}
	return pageByID(in.Cursor, list, func(f store.Face) string { return f.ID }, people.FaceResponse)
}

// A cropFile is an answer with the image file of a crop.
type cropFile struct {
	Type string `header:"Content-Type"`
	Body []byte
}

func (v faceRoutes) crop(ctx context.Context, in *InFace) (*cropFile, error) {
	crop, err := v.store.Crop(ctx, in.Collection, in.Face)
	if err == nil && len(crop) == 0 {
		err = people.Failed(http.StatusNotFound, "the face was added as a vector: there is no crop")
	}
	return &cropFile{"image/png", crop}, err
}

func (v faceRoutes) registerVisitors() {
	const path = "/v1/collections/{collection}/visitors"
	operation(v.Service, http.MethodGet, path, "List the visitors: faces that identify did not recognise, by person, the latest first", forReview,
		func(ctx context.Context, in *struct {
			InCollection
			Cursor
		},
		) (*body[Page[people.Visitor]], error) {
			all, err := v.people.Visitors(ctx, in.Collection)
			if err != nil {
				return nil, err
			}
			return pageByNumber(in.Cursor, all, func(o people.Visitor) people.Visitor { return o })
		})
	operation(v.Service, http.MethodDelete, path, "Forget all visitors: delete their faces, for good", forReview,
		func(ctx context.Context, in *InCollection) (*body[Removed], error) {
			n, err := v.store.ForgetVisitors(ctx, requestOf(ctx).Actor, in.Collection)
			return answered(Removed{n}, v.people.Publish(ctx, in.Collection, err))
		})
	operation(v.Service, http.MethodGet, "/v1/collections/{collection}/review/count", "Count what waits to be decided", forReview,
		func(ctx context.Context, in *InCollection) (*body[people.Waiting], error) {
			return answered(people.CountWaiting(ctx, v.people, in.Collection))
		})
}

func (v faceRoutes) registerReview() {
	v.registerVisitors()
	operation(v.Service, http.MethodGet, "/v1/collections/{collection}/review",
		"Groups of similar faces of nobody yet, the largest first", forReview, func(ctx context.Context, in *struct {
			InCollection
			Cursor
			State string `query:"state" enum:"cluster,doubtful,conflict" default:"cluster" doc:"doubtful: only those with a guess that is known or doubtful; conflict: faces of somebody whose labels may be wrong, which is with the same person confirms"`
		},
		) (*body[Page[people.Cluster]], error) {
			all, err := v.people.Review(ctx, in.Collection, in.State)
			if err != nil {
				return nil, err
			}
			return pageByNumber(in.Cursor, all, func(c people.Cluster) people.Cluster { return c })
		})
	operation(v.Service, http.MethodPost, "/v1/collections/{collection}/review/decide",
		"Decide whose faces these are; each decision is made whole or not at all, in their order, up to the first that fails",
		forReview, func(ctx context.Context, in *struct {
			InCollection
			Body struct {
				Decisions []people.Decision `json:"decisions" minItems:"1" maxItems:"500"`
			}
		},
		) (*body[Page[people.Decided]], error) {
			all, err := v.people.Decide(ctx, in.Collection, in.Body.Decisions)
			return answered(Page[people.Decided]{Items: all}, err)
		})
	v.registerSure()
}

// accepted are faces that were accepted.
type accepted struct {
	Operation string              `json:"operation,omitempty" doc:"For undo, of all; missing if there was no such face"`
	Items     []people.SurePerson `json:"items"`
}

func (v faceRoutes) registerSure() {
	operation(v.Service, http.MethodGet, "/v1/collections/{collection}/review/sure",
		"Faces of nobody yet that surely show a known person, by person", forReview, func(ctx context.Context, in *struct {
			InCollection
			Probability float64 `query:"probability" minimum:"0.5" maximum:"1" default:"0.99"`
		},
		) (*body[Page[people.SurePerson]], error) {
			all, err := v.people.Sure(ctx, in.Collection, in.Probability)
			return answered(Page[people.SurePerson]{Items: all}, err)
		})
	operation(v.Service, http.MethodPost, "/v1/collections/{collection}/review/sure",
		"Name all faces of nobody yet that surely show a known person, which one operation undoes", forReview, func(ctx context.Context, in *struct {
			InCollection
			Body struct {
				Probability float64  `json:"probability,omitempty" minimum:"0.5" maximum:"1" default:"0.99"`
				Faces       []string `json:"faces,omitempty" maxItems:"5000" doc:"Only these, as a preview has shown them; missing: all"`
			}
		},
		) (*body[accepted], error) {
			all, op, err := v.people.AcceptSure(ctx, in.Collection, in.Body.Probability, in.Body.Faces)
			return answered(accepted{op, all}, err)
		})
}
