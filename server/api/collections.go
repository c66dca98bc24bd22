package api

import (
	"context"
	"math"
	"net/http"
	"slices"

	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

type collectionFields struct {
	Name string   `json:"name,omitempty" maxLength:"200"`
	FPIR *float64 `json:"fpir,omitempty"`
}

// collectionRoutes are those of collections, and of how well people are recognised.
type collectionRoutes struct{ *Service }

func (v collectionRoutes) register() {
	const path = "/v1/collections"
	operation(v.Service, http.MethodGet, path, "List collections", forReading,
		func(ctx context.Context, in *Cursor) (*body[Page[people.Collection]], error) {
			list := func(after string, limit int) ([]store.Collection, error) {
				only := requestOf(ctx).key.Collections
				if len(only) == 0 {
					return v.store.Collections(ctx, after, limit)
				}
				all, err := v.store.Collections(ctx, after, math.MaxInt32)
				return slices.DeleteFunc(all, func(c store.Collection) bool { return !slices.Contains(only, c.ID) }), err
			}
			return pageByID(*in, list, func(c store.Collection) string { return c.ID }, v.people.CollectionResponse)
		})
	v.plain(http.MethodGet, "/v1/events", plain{
		summary: "Follow the collections: a server-sent event when one of them has changed",
		scopes:  forReading, kind: "text/event-stream",
	}, v.follow)
	operation(v.Service, http.MethodPost, path, "Create a collection", forEnrolling,
		func(ctx context.Context, in *body[collectionFields]) (*body[people.Collection], error) {
			c, err := people.ChangedCollection(store.Collection{FPIR: openset.Default.FPIR}, in.Body.Name, in.Body.FPIR)
			if err != nil {
				return nil, err
			}
			c, err = v.store.CreateCollection(ctx, requestOf(ctx).Actor, c.Name, c.FPIR, v.people.Space())
			return answered(v.people.CollectionResponse(c), err)
		})
	operation(v.Service, http.MethodGet, path+"/{collection}", "Get a collection", forReading,
		func(ctx context.Context, in *InCollection) (*body[people.Collection], error) {
			c, err := v.store.Collection(ctx, in.Collection)
			return answered(v.people.CollectionResponse(c), err)
		})
	operation(v.Service, http.MethodPatch, path+"/{collection}", "Rename a collection, or set how many strangers may be named",
		forReview, v.setCollection)
	operation(v.Service, http.MethodDelete, path+"/{collection}", "Delete a collection with all that is in it, for good",
		forAdmin, func(ctx context.Context, in *InCollection) (*struct{}, error) {
			if err := v.store.DeleteCollection(ctx, requestOf(ctx).Actor, in.Collection); err != nil {
				return nil, err
			}
			v.people.Forget(ctx, in.Collection)
			return nil, nil
		})
	operation(v.Service, http.MethodGet, path+"/{collection}/calibration", "Error rates at the present threshold and at others",
		forReading, func(ctx context.Context, in *InCollection) (*body[people.Calibration], error) {
			return answered(v.people.Calibration(ctx, in.Collection))
		})
	operation(v.Service, http.MethodGet, path+"/{collection}/operations", "List what can be undone, the latest first",
		forReview, v.listOperations)
	operation(v.Service, http.MethodPost, path+"/{collection}/undo/{operation}", "Undo an operation",
		forReview, func(ctx context.Context, in *struct {
			InCollection
			Operation string `path:"operation"`
		},
		) (*struct{}, error) {
			err := v.store.Undo(ctx, requestOf(ctx).Actor, in.Collection, in.Operation)
			return nil, v.people.Publish(ctx, in.Collection, err)
		})
	v.registerStatistics()
}

func (v collectionRoutes) setCollection(ctx context.Context, in *struct {
	InCollection
	Body struct {
		Name  string   `json:"name,omitempty" maxLength:"200"`
		FPIR  *float64 `json:"fpir,omitempty"`
		Force bool     `json:"force,omitempty" doc:"Set the rate also if nearly no enrolled face gets its name"`

		VisitorDays *int `json:"visitor_days,omitempty" minimum:"0" maximum:"90" doc:"For so many days faces that identify does not recognise are kept, at most 1000, as visitors; 0: none, and those that are kept are deleted. Needs the scope admin"`
	}
},
) (*body[people.Collection], error) {
	c, err := v.store.Collection(ctx, in.Collection)
	if err != nil {
		return nil, err
	}
	if c, err = people.ChangedCollection(c, in.Body.Name, in.Body.FPIR); err != nil {
		return nil, err
	}
	if in.Body.FPIR != nil && !in.Body.Force {
		if err := v.people.CheckRate(ctx, c.ID, c.FPIR); err != nil {
			return nil, err
		}
	}
	if in.Body.VisitorDays != nil {
		if c.VisitorDays = *in.Body.VisitorDays; !requestOf(ctx).may("admin") {
			return nil, coded("scope_missing", people.Failed(http.StatusForbidden, "the key does not have the scope admin, which visitor_days needs"))
		}
	}
	if err := v.store.SetCollection(ctx, requestOf(ctx).Actor, c); err != nil {
		return nil, err
	}
	if in.Body.VisitorDays != nil {
		if _, err := v.store.ExpireVisitors(ctx); err != nil {
			return nil, err
		}
	}
	c, err = v.store.Collection(ctx, c.ID) // with its new version
	return answered(v.people.CollectionResponse(c), v.people.Publish(ctx, in.Collection, err))
}

func (v collectionRoutes) listOperations(ctx context.Context, in *struct {
	InCollection
	Cursor
},
) (*body[Page[people.Operation]], error) {
	response, err := v.people.Operations(ctx, in.Collection)
	if err != nil {
		return nil, err
	}
	list := func(before string, limit int) ([]store.Operation, error) {
		return v.store.Operations(ctx, in.Collection, before, limit)
	}
	return pageByID(in.Cursor, list, func(o store.Operation) string { return o.ID }, response)
}

// maxStatistics is how many people a request for statistics may have.
const maxStatistics = 100

func (v collectionRoutes) registerStatistics() {
	const path = "/v1/collections/{collection}/"
	operation(v.Service, http.MethodGet, path+"people/{person}/statistics", "Say how well a person is recognised, and what the faces lack",
		forReading, func(ctx context.Context, in *InPerson) (*body[people.Statistics], error) {
			if _, err := v.store.Person(ctx, in.Collection, in.Person); err != nil {
				return nil, err
			}
			all, err := v.people.Statistics(ctx, in.Collection, []string{in.Person}, true)
			if err != nil {
				return nil, err
			}
			return answered(all[0], nil)
		})
	operation(v.Service, http.MethodGet, path+"statistics", "Say how well people are recognised",
		forReading, func(ctx context.Context, in *struct {
			InCollection
			People []string `query:"people" minItems:"1" maxItems:"100" required:"true" doc:"Ids"`
		},
		) (*body[Page[people.Statistics]], error) {
			all, err := v.people.Statistics(ctx, in.Collection, in.People[:min(len(in.People), maxStatistics)], false)
			return answered(Page[people.Statistics]{Items: all}, err)
		})
	operation(v.Service, http.MethodGet, path+"calibration/curve",
		"Error rates at many shares of strangers, and the faces that another share decides otherwise",
		forReading, func(ctx context.Context, in *InCollection) (*body[people.Curve], error) {
			return answeredAt(v.people.Curve(ctx, in.Collection))
		})
	operation(v.Service, http.MethodGet, path+"faces/{face}/why", "Say why a stored face is recognised or not, without its label",
		forReading, func(ctx context.Context, in *InFace) (*body[people.Explained], error) {
			return answeredAt(v.people.Explain(ctx, in.Collection, in.Face))
		})
}
