package server

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
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
