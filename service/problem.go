package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/service/store"
)

// A problem is an answer that says why something was not done.
type problem struct {
	huma.ErrorModel
	ID  string         `json:"id,omitempty" doc:"Of what is there already"`
	Now []store.Holder `json:"now,omitempty" doc:"Whose the faces are on which somebody else has decided meanwhile"`
}

// statusOf returns err as what the API answers. What the caller did not cause is logged
// and not told.
func (v *Service) statusOf(ctx context.Context, err error) error {
	var status huma.StatusError
	var large *http.MaxBytesError
	var stands *store.Conflict
	switch {
	case errors.As(err, &status):
		return err
	case errors.As(err, &large):
		return huma.NewError(http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d bytes", large.Limit))
	case errors.Is(err, store.ErrNotFound):
		return huma.Error404NotFound(err.Error())
	case errors.As(err, &stands):
		return &problem{huma.ErrorModel{Status: http.StatusConflict, Title: http.StatusText(http.StatusConflict), Detail: err.Error()}, stands.ID, stands.Holders}
	case errors.Is(err, context.Canceled):
		return huma.NewError(499, "the client has gone")
	}
	v.Log.Error("failed", "request", by(ctx).id, "error", err.Error())
	return huma.ErrorWithHeaders(huma.Error503ServiceUnavailable("the request could not be answered: try again later"), http.Header{"Retry-After": {"5"}})
}

// inWords puts what is wrong with a request into the detail of its problem: huma leaves it
// to the list of errors.
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

// unusable is the answer for what the caller sent, with the hint that err may have.
func unusable(err error) error {
	text := err.Error()
	if h := advice.Text(err); h != "" {
		text += "; " + h
	}
	return huma.Error422UnprocessableEntity(text)
}

// fail answers with err.
func (v *Service) fail(w http.ResponseWriter, r *http.Request, err error) {
	err = v.statusOf(r.Context(), err)
	var headers huma.HeadersError
	if errors.As(err, &headers) {
		for name, values := range headers.GetHeaders() {
			w.Header()[name] = values
		}
	}
	status, text, id := http.StatusInternalServerError, err.Error(), ""
	var s huma.StatusError
	if errors.As(err, &s) {
		status, text = s.GetStatus(), s.Error()
	}
	var p *problem
	if errors.As(err, &p) {
		id = p.ID
	}
	writeProblem(w, status, text, id)
}

// writeProblem answers with problem+json.
func writeProblem(w http.ResponseWriter, status int, detail, id string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problem{huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: detail}, id, nil})
}

// answer writes o as JSON.
func answer(w http.ResponseWriter, status int, o any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // as nrdl identify --json
	return e.Encode(o)
}
