package server

import (
	"bytes"
	"fmt"
	"maps"
	"mime/multipart"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/server/api"
)

// The description for tools of OpenAPI 3.0 has no word that only 3.1 has.
func TestOlderDescription(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	var api map[string]any
	c.do(200, "GET", "/openapi-3.0.json", nil, &api)
	if v := api["openapi"]; v != "3.0.3" {
		t.Errorf("version %v", v)
	}
	files := 0
	var look func(at string, part any)
	look = func(at string, part any) {
		switch part := part.(type) {
		case []any:
			for i, p := range part {
				look(fmt.Sprint(at, "/", i), p)
			}
		case map[string]any:
			_, isList := part["type"].([]any)
			_, isReference := part["$ref"].(string)
			if part["format"] == "binary" {
				files++
			}
			if isList || isReference && len(part) > 1 {
				t.Errorf("%s: %v", at, part)
			}
			for name, p := range part {
				if slices.Contains([]string{"contentMediaType", "contentEncoding", "identifier", "examples", "const"}, name) {
					t.Errorf("%s has %s", at, name)
				}
				look(at+"/"+name, p)
			}
		}
	}
	look("", any(api))
	if files < 10 {
		t.Errorf("%d files are sent", files)
	}
	var newer struct {
		OpenAPI    string
		Components struct{ Schemas map[string]any }
	}
	c.do(200, "GET", "/openapi.json", nil, &newer)
	if newer.OpenAPI != "3.1.0" {
		t.Error(newer.OpenAPI)
	}
	for name := range newer.Components.Schemas {
		if !regexp.MustCompile(`^[A-Z][A-Za-z]+$`).MatchString(name) {
			t.Errorf("the schema %q has no name for a type", name)
		}
	}
}

// An error in a form names the fields that the description has for this route.
func TestFormsNameTheirFields(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	person := c.enrol(at, "person001")["person001"]
	forms := 0
	for path, item := range c.v.Description.OpenAPI().Paths {
		if item.Post == nil || item.Post.RequestBody == nil || item.Post.RequestBody.Content["multipart/form-data"] == nil {
			continue
		}
		forms++
		fields := slices.Sorted(maps.Keys(item.Post.RequestBody.Content["multipart/form-data"].Schema.Properties))
		path = strings.NewReplacer("/v1/collections/{collection}", at, "{person}", person).Replace(path)
		var empty bytes.Buffer
		form := multipart.NewWriter(&empty)
		_ = form.Close()
		for kind, status := range map[string]int{"application/json": 415, form.FormDataContentType(): 422} {
			var p api.Problem
			c.send(status, "POST", path, kind, bytes.NewReader(empty.Bytes()), &p)
			named := func(field string) bool {
				return regexp.MustCompile(`(field|-F|in|or) ` + field + `\b`).MatchString(p.Detail)
			}
			if !slices.ContainsFunc(fields, named) {
				t.Errorf("POST %s with %s: %q names none of %q", path, kind, p.Detail, fields)
			}
		}
	}
	if forms < 9 {
		t.Errorf("%d forms", forms)
	}
}
