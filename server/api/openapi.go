package api

import (
	"encoding/json"
	"net/http"
	"sync"
)

// serveDescription answers /openapi.json with the description of the API, OpenAPI 3.1, and
// /openapi-3.0.json with the same for tools that read 3.0 only. It is called when all operations
// are registered.
func (v *Service) serveDescription() {
	for path, write := range map[string]func() ([]byte, error){
		"/openapi.json":     func() ([]byte, error) { return json.Marshal(v.Description.OpenAPI()) },
		"/openapi-3.0.json": v.olderDescription,
	} {
		written := sync.OnceValues(func() (pageFile, error) {
			text, err := write()
			return newPageFile("application/openapi+json", text), err
		})
		v.Routes.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			description, err := written()
			if err != nil {
				v.fail(w, r, err)
				return
			}
			description.write(w, r)
		})
	}
}

// olderDescription returns the description as OpenAPI 3.0.
func (v *Service) olderDescription() ([]byte, error) {
	text, err := v.Description.OpenAPI().Downgrade()
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	makeOlder(all)
	return json.Marshal(all)
}

// makeOlder takes out of a description what Downgrade leaves and 3.0 does not have: the type of
// a file (its format is binary), the identifier of a licence, and words beside a reference.
func makeOlder(part any) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			makeOlder(p)
		}
	case map[string]any:
		if part["format"] == "binary" {
			delete(part, "contentMediaType")
		}
		if name, ok := part["identifier"].(string); ok && part["name"] == name {
			delete(part, "identifier")
			part["url"] = "https://spdx.org/licenses/" + name + ".html"
		}
		if to, ok := part["$ref"].(string); ok && len(part) > 1 {
			delete(part, "$ref")
			part["allOf"] = []any{map[string]any{"$ref": to}}
		}
		for _, p := range part {
			makeOlder(p)
		}
	}
}
