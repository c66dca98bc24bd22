package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/server/store"
)

// A problem is the answer to a request that failed.
type problem struct {
	huma.ErrorModel
	Code    string         `json:"code" doc:"What is wrong, for programs; doc/service.md lists all"`
	ID      string         `json:"id,omitempty" doc:"Of what is there already"`
	Holders []store.Holder `json:"now,omitempty" doc:"Whose the faces are on which somebody else has decided meanwhile"`
}

// statusOf returns err as what the API answers. What the caller did not cause is logged,
// and the response does not say it.
func (v *Service) statusOf(ctx context.Context, err error) error {
	var status huma.StatusError
	var large *http.MaxBytesError
	var conflict *store.Conflict
	switch {
	case errors.As(err, &status):
		return err
	case errors.As(err, &large):
		flag := "--max-request"
		if large.Limit == v.Import {
			flag = "--max-import"
		}
		return huma.NewError(http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d bytes: send a smaller one, or start the service with a larger %s", large.Limit, flag))
	case errors.Is(err, store.ErrNotFound):
		return huma.Error404NotFound(err.Error())
	case errors.As(err, &conflict):
		p := coded(cmp.Or(conflict.Code, "conflict"), huma.Error409Conflict(err.Error()))
		p.ID, p.Holders = conflict.ID, conflict.Holders
		return p
	case errors.Is(err, context.Canceled):
		return huma.NewError(clientGone, "the client has gone")
	}
	v.Log.Error("failed", "request", requestOf(ctx).id, "error", err.Error())
	if store.IsFull(err) {
		return errRoom
	}
	return huma.ErrorWithHeaders(huma.Error503ServiceUnavailable("the request could not be answered: try again later"), http.Header{"Retry-After": {"5"}})
}

// codes are what programs are told of errors that have no code of their own.
var codes = map[int]string{
	http.StatusBadRequest: "bad_request", http.StatusUnauthorized: "unauthorized", http.StatusForbidden: "forbidden", http.StatusNotFound: "not_found",
	http.StatusMethodNotAllowed: "method_not_allowed", http.StatusNotAcceptable: "not_acceptable", http.StatusRequestTimeout: "body_slow", http.StatusConflict: "conflict",
	http.StatusRequestEntityTooLarge: "too_large", http.StatusUnsupportedMediaType: "unsupported_media_type", http.StatusUnprocessableEntity: "invalid",
	http.StatusTooManyRequests: "too_many_requests", clientGone: "client_gone", http.StatusInternalServerError: "bug", http.StatusBadGateway: "hook_failed",
	http.StatusServiceUnavailable: "unavailable",
}

const clientGone = 499

// coded returns an error of huma as a problem with a code.
func coded(code string, err huma.StatusError) *problem {
	p := &problem{Code: code}
	if m, ok := err.(*huma.ErrorModel); ok {
		p.ErrorModel = *m
	} else {
		p.ErrorModel = huma.ErrorModel{Status: err.GetStatus(), Title: http.StatusText(err.GetStatus()), Detail: err.Error()}
	}
	return p
}

// asProblem returns err with a code.
func asProblem(err huma.StatusError) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	var m *huma.ErrorModel
	if errors.As(err, &m) {
		err = m
	}
	return coded(cmp.Or(codes[err.GetStatus()], "error"), err)
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
	return map[string]*huma.MediaType{"application/problem+json": {Schema: api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[problem](), true, "")}}
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

// unusable is the answer to unusable data of the caller, with the advice of err.
func unusable(err error) error {
	text := err.Error()
	if h := hint(err); h != "" {
		text += "; " + h
	}
	return coded("unusable", huma.Error422UnprocessableEntity(text))
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

// inAPI is the advice.Wording of the API: operations in place of options and functions.
type inAPI struct{}

// offered are the operations for options that advice names; the others are not for clients.
var offered = map[advice.Option]string{
	advice.Strangers: "POST /v1/collections/{collection}/strangers",
}

// doing are the operations that do what advice names.
var doing = map[advice.Verb]string{
	advice.Calibrate: "PATCH /v1/collections/{collection}",
	advice.Train:     "POST /v1/collections/{collection}/jobs",
}

func (inAPI) Setting(s advice.Setting) string { return offered[s.Option] }

func (inAPI) Action(a advice.Action) string {
	text := doing[a.Verb]
	for _, s := range a.Settings {
		text += " and " + offered[s.Option]
	}
	return text
}

// hint returns the advice on err for a client; "" if there is none, or if it names what the
// API does not offer.
func hint(err error) string {
	a := advice.Of(err)
	if slices.ContainsFunc(a.Settings(), func(s advice.Setting) bool { return offered[s.Option] == "" }) ||
		slices.ContainsFunc(a, func(p advice.Part) bool { return p.Action.Verb != "" && doing[p.Action.Verb] == "" }) {
		return ""
	}
	return a.Word(inAPI{})
}
