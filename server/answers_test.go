package server

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas compiles the description of the API for another validator than the one of huma.
var schemas = sync.OnceValue(func() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	data, err := New(nil, Options{}).Description.OpenAPI().MarshalJSON()
	if err != nil {
		panic(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	if err := c.AddResource("api.json", doc); err != nil {
		panic(err)
	}
	return c
})

var compiling sync.Mutex // of schemas, each once

// checkAnswer fails unless the description has the answer to a request.
func checkAnswer(t testing.TB, v *Service, r *http.Request, a *http.Response, data []byte) {
	t.Helper()
	_, pattern := v.Routes.Handler(r)
	_, at, ok := strings.Cut(pattern, " ")
	item := v.Description.OpenAPI().Paths[at]
	if !ok || item == nil {
		return // the page, or no operation
	}
	kind, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	compile := func(status string) (*jsonschema.Schema, error) {
		compiling.Lock()
		defer compiling.Unlock()
		responses := "api.json#/paths/" + escape.Replace(at) + "/" + strings.ToLower(r.Method) + "/responses/"
		if a.StatusCode >= 400 { // which the operation refers to
			if _, err := schemas().Compile(responses + status); err != nil {
				return nil, err
			}
			responses = "api.json#/components/responses/"
		}
		return schemas().Compile(responses + status + "/content/" + escape.Replace(kind) + "/schema")
	}
	switch {
	case len(data) == 0 || a.StatusCode/100 == 3: // of an empty id
		return
	case !slices.Contains([]string{"application/json", "application/problem+json"}, kind):
		for _, o := range []string{"image/png", "image/jpeg", "text/plain", "application/x-tar", "text/event-stream"} {
			if kind == o {
				return
			}
		}
		t.Errorf("%s: an answer is %q", pattern, kind)
		return
	}
	schema, err := compile(strconv.Itoa(a.StatusCode))
	if err != nil && a.StatusCode >= 400 {
		schema, err = compile("default")
	}
	if err != nil {
		t.Errorf("%s: %d %s is not described: %v", pattern, a.StatusCode, kind, err)
		return
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err == nil {
		err = schema.Validate(instance)
	}
	if err != nil {
		t.Errorf("%s: the answer %d is not as described: %v\n%s", pattern, a.StatusCode, err, data)
	}
}
