package api

import (
	"cmp"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/server/jobs"
)

// parts are the parts of the API, in the order of the description, with the words of a path that
// belong to them; the last one has the rest.
var parts = []struct {
	name, description string
	words             []string
}{
	{
		"photographs", "Name, compare and find faces in photographs",
		[]string{"identify", "verify", "compare", "search", "detect", "photographs"},
	},
	{"people", "People, and how well they are recognised", []string{"people", "statistics"}},
	{"faces", "Stored faces, those of nobody yet, and those of strangers", []string{"faces", "strangers"}},
	{"review", "Groups of faces of nobody yet, and decisions that can be undone", []string{"review", "visitors", "operations", "undo"}},
	{"jobs", "Long work: imports, exports, refits", []string{"jobs", "import", "export"}},
	{"hooks", "Messages to other programs", []string{"hooks"}},
	{"collections", "Sets of people and faces that share nothing", []string{"collections", "calibration"}},
	{"operation", "Keys, sessions, the audit log, backups, health", nil},
}

// tagOf returns the name of the tag of a path.
func tagOf(at string) string {
	words := strings.Split(strings.TrimPrefix(at, "/v1/collections/{collection}"), "/")
	for _, t := range parts {
		if t.words == nil || slices.ContainsFunc(words, func(w string) bool { return slices.Contains(t.words, w) }) {
			return t.name
		}
	}
	return ""
}

// one has the singular of the words in paths that are lists.
var one = map[string]string{
	"collections": "collection", "people": "person", "faces": "face", "jobs": "job", "hooks": "hook", "keys": "key",
	"operations": "operation", "deliveries": "delivery", "photographs": "photograph", "visitors": "visitor",
}

// added are lists to which a POST adds several things.
var added = []string{"faces", "strangers", "vectors"}

// operationID names an operation by a verb and the words of its path without the collection.
// A word that an id follows is in the singular: GET /v1/collections/{collection}/people/{person}
// is get-person, and POST of the same path with /merge is merge-person.
func operationID(method, at string) string {
	all := strings.Split(strings.Trim(strings.TrimPrefix(at, "/v1"), "/"), "/")
	var words []string
	for i, w := range all {
		last := i == len(all)-1
		switch {
		case strings.HasPrefix(w, "{"), i == 0 && w == "collections" && len(all) > 2:
			continue
		case !last && strings.HasPrefix(all[i+1], "{") && one[w] != "":
			w = one[w]
		}
		words = append(words, w)
	}
	last := len(words) - 1
	list := all[len(all)-1]
	verb := map[string]string{http.MethodPatch: "change", http.MethodDelete: "delete"}[method]
	switch {
	case method == http.MethodGet && one[list] != "":
		verb = "list"
	case method == http.MethodGet:
		verb = "get"
	case method == http.MethodPost && slices.Contains(added, list):
		verb = "add"
	case method == http.MethodPost && (one[list] != "" || list == "session" || list == "backup"):
		verb, words[last] = "create", cmp.Or(one[list], list)
	case method == http.MethodPost: // the last word of the path says what is done
		verb, words = words[last], words[:last]
	}
	return strings.Join(append([]string{verb}, words...), "-")
}

// refusals are the statuses of errors, with what they mean for any operation.
var refusals = []struct {
	status      int
	description string
	has         func(method string, o *huma.Operation) bool
}{
	{http.StatusBadRequest, "The body is damaged", hasBody},
	{http.StatusUnauthorized, "There is no key, or it is not known", isKeyed},
	{http.StatusForbidden, "The key is for something else", isKeyed},
	{http.StatusNotFound, "There is no such thing", hasPathParameter},
	{http.StatusRequestTimeout, "The body arrives too slowly", hasBody},
	{http.StatusConflict, "The present state does not allow it", isChange},
	{http.StatusRequestEntityTooLarge, "The body is too large", hasBody},
	{http.StatusUnsupportedMediaType, "The body is of another type", hasBody},
	{http.StatusUnprocessableEntity, "Something in the request is wrong", isKeyed},
	{http.StatusTooManyRequests, "Too many requests: try again later", isKeyed},
	{
		http.StatusServiceUnavailable, "The database does not answer, or has no room",
		func(_ string, o *huma.Operation) bool { return o.OperationID != "get-healthz" },
	},
}

func hasBody(_ string, o *huma.Operation) bool       { return o.RequestBody != nil }
func isKeyed(_ string, o *huma.Operation) bool       { return len(o.Security) > 0 }
func isChange(method string, _ *huma.Operation) bool { return method != http.MethodGet }
func hasPathParameter(_ string, o *huma.Operation) bool {
	return slices.ContainsFunc(o.Parameters, func(p *huma.Param) bool { return p.In == "path" })
}

// completeDescription adds to the description of the API what holds for all operations. It is
// called when all are registered.
func (v *Service) completeDescription() {
	api := v.Description.OpenAPI()
	api.Servers = []*huma.Server{{URL: "/", Description: "The service that sends this description"}}
	api.Info.License = &huma.License{Name: "MIT", Identifier: "MIT"}
	for _, t := range parts {
		api.Tags = append(api.Tags, &huma.Tag{Name: t.name, Description: t.description})
	}
	wrong := problemContent(v.Description)
	api.Components.Responses = map[string]*huma.Response{"default": {Description: "Another error", Content: wrong}}
	for _, r := range refusals {
		api.Components.Responses[strconv.Itoa(r.status)] = &huma.Response{Description: r.description, Content: wrong}
	}
	for at, item := range api.Paths {
		for method, o := range map[string]*huma.Operation{
			http.MethodGet: item.Get, http.MethodPost: item.Post,
			http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
		} {
			if o != nil {
				v.completeOperation(method, at, o)
			}
		}
	}
	schemas := api.Components.Schemas
	delete(schemas.Map(), "ErrorModel") // a part of Problem
	for _, result := range []any{jobs.ImportResult{}, jobs.RefitResult{}, jobs.RegroupResult{}, jobs.EraseResult{}, jobs.ExportResult{}, jobs.AlbumResult{}} {
		job := schemas.Map()["Job"].Properties["result"]
		job.AnyOf = append(job.AnyOf, schemas.Schema(reflect.TypeOf(result), true, ""))
	}
	for _, s := range api.Components.Schemas.Map() {
		completeSchema(s)
	}
}

// schemaName names a schema: one without a name of its own by the operation that takes it, such
// as MergePersonRequest. people.StoredFace is called Face.
func schemaName(t reflect.Type, hint string) string {
	var name strings.Builder
	for word := range strings.SplitSeq(hint, "-") {
		if word != "" {
			name.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return strings.Replace(huma.DefaultSchemaNamer(t, name.String()), "StoredFace", "Face", 1)
}

const responsesRef = "#/components/responses/"

func (v *Service) completeOperation(method, at string, o *huma.Operation) {
	o.Tags = []string{tagOf(at)}
	if o.Description == "" {
		o.Description = "For anybody."
	}
	if o.Security == nil {
		o.Security = []map[string][]string{}
	}
	if method == http.MethodPost && !slices.Contains(harmless, path.Base(at)) {
		o.Parameters = append(o.Parameters, &huma.Param{
			Name: onceHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: new(longestKey)},
			Description: "Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again",
		})
	}
	for status := range o.Responses {
		if status >= "400" {
			delete(o.Responses, status)
		}
	}
	for _, r := range refusals {
		if r.has(method, o) {
			o.Responses[strconv.Itoa(r.status)] = &huma.Response{Ref: responsesRef + strconv.Itoa(r.status)}
		}
	}
	o.Responses["default"] = &huma.Response{Ref: responsesRef + "default"}
	if o.Responses["200"] != nil && path.Base(at) == "crop" {
		o.Responses["200"].Content = map[string]*huma.MediaType{"image/png": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	}
}

// completeSchema says that lists are never null: huma cannot know it.
func completeSchema(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Type == huma.TypeArray {
		s.Nullable = false
	}
	completeSchema(s.Items)
	for _, p := range s.Properties {
		completeSchema(p)
	}
}
