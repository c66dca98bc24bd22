package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/service/store"
)

// A problem is the answer to a request that failed.
type problem struct {
	huma.ErrorModel
	ID      string         `json:"id,omitempty" doc:"Of what is there already"`
	Holders []store.Holder `json:"now,omitempty" doc:"Whose the faces are on which somebody else has decided meanwhile"`
}

// statusOf returns err as what the API answers. What the caller did not cause is logged
// and not response.
func (v *Service) statusOf(ctx context.Context, err error) error {
	var status huma.StatusError
	var large *http.MaxBytesError
	var conflict *store.Conflict
	switch {
	case errors.As(err, &status):
		return err
	case errors.As(err, &large):
		return huma.NewError(http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d bytes", large.Limit))
	case errors.Is(err, store.ErrNotFound):
		return huma.Error404NotFound(err.Error())
	case errors.As(err, &conflict):
		return &problem{huma.ErrorModel{Status: http.StatusConflict, Title: http.StatusText(http.StatusConflict), Detail: err.Error()}, conflict.ID, conflict.Holders}
	case errors.Is(err, context.Canceled):
		return huma.NewError(499, "the client has gone")
	}
	v.Log.Error("failed", "request", requestOf(ctx).id, "error", err.Error())
	return huma.ErrorWithHeaders(huma.Error503ServiceUnavailable("the request could not be answered: try again later"), http.Header{"Retry-After": {"5"}})
}

// inWords writes the list of errors of a problem by huma into its detail, too.
func inWords(_ huma.Context, _ string, answer any) (any, error) {
	p, ok := answer.(*huma.ErrorModel)
	if !ok || p.Detail != "validation failed" || len(p.Errors) == 0 {
		return answer, nil
	}
	var all []string
	for _, e := range p.Errors {
		text := e.Message
		if e.Location != "" {
			text = e.Location + ": " + text
		}
		all = append(all, text)
	}
	p.Detail = strings.Join(all, "; ")
	return p, nil
}

// unusable is the answer to unusable data of the caller, with the advice of err.
func unusable(err error) error {
	text := err.Error()
	if h := hint(err); h != "" {
		text += "; " + h
	}
	return huma.Error422UnprocessableEntity(text)
}

// fail answers with err.
func (v *Service) fail(w http.ResponseWriter, r *http.Request, err error) {
	err = v.statusOf(r.Context(), err)
	var headers huma.HeadersError
	if errors.As(err, &headers) {
		maps.Copy(w.Header(), headers.GetHeaders())
	}
	var status huma.StatusError
	errors.As(err, &status)
	writeProblem(w, status)
}

// writeProblem answers with problem+json.
func writeProblem(w http.ResponseWriter, p huma.StatusError) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.GetStatus())
	_ = json.NewEncoder(w).Encode(p)
}

// answer writes o as JSON.
func answer(w http.ResponseWriter, status int, o any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // as nrdl identify --json
	return e.Encode(o)
}
