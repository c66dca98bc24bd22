package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// A Problem is the answer to a request that failed.
type Problem struct {
	huma.ErrorModel
	Code    string         `json:"code" doc:"What is wrong, for programs; doc/service.md lists all"`
	ID      string         `json:"id,omitempty" doc:"Of what is there already"`
	Holders []store.Holder `json:"now,omitempty" doc:"Whose the faces are on which somebody else has decided meanwhile"`
}

// statusOf returns err as what the API answers, with a code and headers.
func (v *Service) statusOf(ctx context.Context, err error) error {
	answered := v.answerTo(ctx, err)
	p := asProblem(answered)
	var f *people.Failure
	if errors.As(answered, &f) && f.Header != nil {
		return huma.ErrorWithHeaders(p, f.Header)
	}
	return p
}

// answerTo returns err as an error with a status. What the caller did not cause is logged,
// and the answer does not say it.
func (v *Service) answerTo(ctx context.Context, err error) huma.StatusError {
	var status huma.StatusError
	var large *http.MaxBytesError
	var conflict *store.Conflict
	switch {
	case errors.As(err, &status):
		return status
	case errors.As(err, &large):
		flag := "--max-request"
		if large.Limit == v.Import {
			flag = "--max-import"
		}
		return people.Failed(http.StatusRequestEntityTooLarge,
			"the request has more than %d bytes: send a smaller one, or start the service with a larger %s", large.Limit, flag)
	case errors.Is(err, store.ErrNotFound):
		return people.Failed(http.StatusNotFound, "%s", err)
	case errors.As(err, &conflict):
		p := asProblem(coded(cmp.Or(conflict.Code, "conflict"), people.Clash("%s", err)))
		p.ID, p.Holders = conflict.ID, conflict.Holders
		return p
	case errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), context.Canceled): // not by us
		return people.Failed(clientGone, "the client has gone")
	}
	v.Log.Error("failed", "request", requestOf(ctx).ID, "error", err.Error())
	if store.IsFull(err) {
		return errRoom
	}
	return headed(people.Failed(http.StatusServiceUnavailable, "the request could not be answered: try again later"), "Retry-After", "5")
}

// codes are those of errors that have no code of their own, by their status.
var codes = map[int]string{
	http.StatusBadRequest: "bad_request", http.StatusUnauthorized: "unauthorized", http.StatusForbidden: "forbidden",
	http.StatusNotFound:         "not_found",
	http.StatusMethodNotAllowed: "method_not_allowed", http.StatusNotAcceptable: "not_acceptable",
	http.StatusRequestTimeout: "body_slow", http.StatusConflict: "conflict",
	http.StatusRequestEntityTooLarge: "too_large", http.StatusUnsupportedMediaType: "unsupported_media_type",
	http.StatusUnprocessableEntity: "invalid",
	http.StatusTooManyRequests:     "too_many_requests", clientGone: "client_gone", http.StatusInternalServerError: "bug",
	http.StatusBadGateway:         "hook_failed",
	http.StatusServiceUnavailable: "unavailable",
}

const clientGone = 499

// coded gives a failure a code.
func coded(code string, f *people.Failure) *people.Failure {
	f.Code = code
	return f
}

// headed gives the answer to a failure a header.
func headed(f *people.Failure, name, value string) *people.Failure {
	f.Header = http.Header{name: {value}}
	return f
}

// asProblem returns err with a code.
func asProblem(err huma.StatusError) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	p = &Problem{ErrorModel: huma.ErrorModel{Status: err.GetStatus(), Title: http.StatusText(err.GetStatus()), Detail: err.Error()}}
	var m *huma.ErrorModel
	var f *people.Failure
	switch {
	case errors.As(err, &f):
		p.Code = f.Code
	case errors.As(err, &m):
		p.ErrorModel = *m
	}
	p.Code = cmp.Or(p.Code, codes[err.GetStatus()], "error")
	return p
}

// noteCode tells the recorders around w the code of an error, for the metrics.
func noteCode(w http.ResponseWriter, code string) {
	for {
		if r, ok := w.(*recorder); ok {
			r.code = code
		}
		inner, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return
		}
		w = inner.Unwrap()
	}
}

// problemContent is what the description says of the body of an error.
func problemContent(api huma.API) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/problem+json": {Schema: api.OpenAPI().Components.Schemas.Schema(
		reflect.TypeFor[Problem](), true, "")}}
}

// inWords gives errors a code, and writes the list of errors of a problem by huma into its
// detail, too.
func inWords(c huma.Context, _ string, answer any) (any, error) {
	failed, ok := answer.(huma.StatusError)
	if !ok {
		return answer, nil
	}
	p := asProblem(failed)
	_, w := humago.Unwrap(c)
	noteCode(w, p.Code)
	if p.Detail != "validation failed" || len(p.Errors) == 0 {
		return p, nil
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
	if p.Status == http.StatusUnsupportedMediaType {
		p.Detail += "; send JSON, with the header Content-Type: application/json"
	}
	return p, nil
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
	described := asProblem(p)
	noteCode(w, described.Code)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.GetStatus())
	_ = json.NewEncoder(w).Encode(described)
}

// answer writes o as JSON.
func answer(w http.ResponseWriter, status int, o any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // as nrdl identify --json
	return e.Encode(o)
}
