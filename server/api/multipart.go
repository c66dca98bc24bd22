package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/server/people"
)

// A plain is what there is to say of an operation that is no operation of huma.
type plain struct {
	summary string
	scopes  []string // nil: no key is needed
	fields  []field  // of its form
	body    any      // a value of the type of a body of JSON, instead of the form; nil: none
	query   []*huma.Param
	answer  any    // a value of the type of the answer; nil: no JSON
	kind    string // of an answer that is no JSON
}

// A field is one of a multipart form.
type field struct {
	name, description string // about: what is in it
	maxValues         int    // 1: one, 0: one or none, anyNumber: one or more
	text              bool   // it is no file
}

const anyNumber = -1

// imageField is a field with an image file, or up to maxValues of them.
func imageField(name string, maxValues int) field {
	return field{name: name, description: "image file", maxValues: maxValues}
}

// schema describes the values of a field.
func (f field) schema() *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Description: f.description}
	if !f.text {
		s.Format = "binary"
	}
	if f.maxValues > 1 || f.maxValues == anyNumber {
		s = &huma.Schema{Type: huma.TypeArray, Items: s, MinItems: new(1)}
	}
	if f.maxValues > 1 {
		s.MaxItems = &f.maxValues
	}
	return s
}

// option is a parameter of the query with one value: the operation does what that says.
func option(name, value, what string) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: what, Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{value}}}
}

// chosen reports whether the query of r has an option; whether the value is right was
// looked at before.
func chosen(r *http.Request, name string) bool { return r.URL.Query().Has(name) }

// onNew leaves out photographs that were added before.
var onNew = option("new", "true", "Leave out photographs that were added before")

// plain registers an operation that reads its body itself: huma holds multipart bodies in
// memory without a limit.
func (v *Service) plain(method, path string, p plain, do func(http.ResponseWriter, *http.Request) error) {
	o := v.describe(method, path, p)
	v.Routes.HandleFunc(method+" "+path, func(w http.ResponseWriter, r *http.Request) {
		err := v.allow(r, p.scopes)
		if err == nil {
			err = checkQuery(r, o)
		}
		if err != nil {
			v.fail(w, r, err)
			return
		}
		v.once(w, r, func(w http.ResponseWriter, r *http.Request) {
			if err := do(w, r); err != nil {
				v.fail(w, r, err)
			}
		})
	})
}

// describe adds an operation to the description of the API.
func (v *Service) describe(method, path string, p plain) *huma.Operation {
	schemas := v.Description.OpenAPI().Components.Schemas
	response := &huma.Response{Description: "OK"}
	if p.answer != nil {
		response.Content = map[string]*huma.MediaType{"application/json": {Schema: schemas.Schema(reflect.TypeOf(p.answer), true, "")}}
	} else if p.kind != "" {
		of := &huma.MediaType{}
		if strings.HasPrefix(p.kind, "text/") {
			of.Schema = &huma.Schema{Type: huma.TypeString}
		}
		response.Content = map[string]*huma.MediaType{p.kind: of}
	}
	o := &huma.Operation{
		OperationID: operationID(method, path), Method: method, Path: path, Summary: p.summary,
		Responses: map[string]*huma.Response{"200": response, "default": {Description: "Error", Content: problemContent(v.Description)}},
	}
	if p.scopes != nil {
		o.Description = scopesInWords(p.scopes)
		o.Security, o.Extensions = []map[string][]string{{"key": {}}}, scopesForPage(p.scopes)
	}
	for _, name := range []string{"collection", "person", "photo", "job", "file"} {
		if strings.Contains(path, "/{"+name+"}") {
			o.Parameters = append(o.Parameters, &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}})
		}
	}
	o.Parameters = append(o.Parameters, p.query...)
	if p.body != nil {
		o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemas.Schema(reflect.TypeOf(p.body), true, "")},
		}}
	} else if p.fields != nil {
		form := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}}
		for _, f := range p.fields {
			form.Properties[f.name] = f.schema()
			if f.maxValues == 1 || len(p.fields) == 1 {
				form.Required = append(form.Required, f.name)
			}
		}
		o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: form}}}
	}
	v.Description.OpenAPI().AddOperation(o)
	return o
}

// checkQuery is an error for a query with anything but the parameters of o, each once.
func checkQuery(r *http.Request, o *huma.Operation) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return people.Invalid("%s", "the query of the address cannot be read: "+err.Error())
	}
	for name, values := range query {
		var names []string
		var is *huma.Param
		for _, p := range o.Parameters {
			if p.In != "query" {
				continue
			}
			if names = append(names, p.Name); p.Name == name {
				is = p
			}
		}
		switch {
		case is == nil && len(names) == 0:
			return people.Invalid("the operation has no parameters, and not %.40q", name)
		case is == nil:
			return people.Invalid("there is no parameter %.40q here, but %s", name, strings.Join(names, ", "))
		case len(values) > 1:
			return people.Invalid("the parameter %s is there %d times", name, len(values))
		case len(is.Schema.Enum) > 0 && !slices.Contains(is.Schema.Enum, any(values[0])):
			return people.Invalid("the parameter %s is %.40q, and may be %v", name, values[0], is.Schema.Enum)
		}
	}
	return nil
}

// maxParts of a body are read.
const maxParts = 500

// A form is the multipart body of a request. It implements people.Form.
type form struct {
	v *Service
	r *http.Request
}

// Files reads the files of the body. All of them have to have one of names.
func (f form) Files(names ...string) (all []people.File, err error) {
	r, v := f.r, f.v
	if r.ContentLength > v.Body {
		return nil, &http.MaxBytesError{Limit: v.Body}
	}
	reader, err := r.MultipartReader()
	if err != nil {
		return nil, people.Failed(http.StatusUnsupportedMediaType, "the body is not multipart/form-data with files: curl -F %s=@FILE", names[0])
	}
	for {
		p, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, asCut(err)
		}
		data, err := readPieces(p)
		switch {
		case err != nil:
			return nil, asCut(err)
		case !slices.Contains(names, p.FormName()):
			return nil, people.Invalid("the form has a field %.40q: send files in the field %s", p.FormName(), strings.Join(names, " or "))
		case len(all) == maxParts:
			return nil, people.Invalid("the form has more than %d files", maxParts)
		}
		all = append(all, people.File{Field: p.FormName(), Data: data})
	}
	if len(all) == 0 {
		return nil, people.Invalid("the form has no file: send it in the field %s", strings.Join(names, " or "))
	}
	return all, nil
}

// InMemory is how many times the bytes of a body may be in memory: as pieces, and as a whole.
const InMemory = 2

// readPieces reads r to its end. One buffer that grows would take three times what it has.
func readPieces(r io.Reader) ([]byte, error) {
	const limit = 1 << 20
	var pieces [][]byte
	for {
		var b bytes.Buffer
		if pieces != nil {
			b.Grow(limit + bytes.MinRead)
		}
		_, err := io.CopyN(&b, r, limit)
		pieces = append(pieces, b.Bytes())
		switch {
		case errors.Is(err, io.EOF):
			return slices.Concat(pieces...), nil
		case err != nil:
			return nil, err
		}
	}
}

// asCut is the answer to a body that cannot be read.
func asCut(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) || people.AsAnswered(err) != nil {
		return err
	}
	return coded("body_damaged", people.Failed(http.StatusBadRequest, "the body is cut short or damaged"))
}

// File is Files for one file of this name.
func (f form) File(name string) ([]byte, error) {
	all, err := f.Files(name)
	if err == nil && len(all) > 1 {
		err = people.Invalid("the form has several files: send one in the field %s", name)
	}
	if err != nil {
		return nil, err
	}
	return all[0].Data, nil
}
