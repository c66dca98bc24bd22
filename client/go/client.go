// Package client speaks to a service, nrdl serve. Its methods are the operations that
// /openapi.json describes, with their names and words; methods.go is generated of it.
//
//	c := client.New("http://127.0.0.1:8080", key)
//	visitors, err := c.CreateCollection(ctx, client.CollectionFields{Name: "visitors"})
package client

//go:generate python3 -B ../generate.py

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A Client sends requests to a service. It may be used by several goroutines.
type Client struct {
	address, key string
	HTTP         *http.Client // sends the requests
}

// New returns a client of the service at an address such as http://127.0.0.1:8080. A key of ""
// is for a service that has none yet.
func New(address, key string) *Client {
	return &Client{strings.TrimSuffix(address, "/"), key, http.DefaultClient}
}

// A File is an image or an archive that is sent. Its content is read once.
type File struct {
	Name    string // in an import, the name under which it is reported; may be ""
	Content io.Reader
}

// Error returns the detail of a problem, which is the error of every method for an answer that
// is one: errors.As finds it.
func (p *Problem) Error() string {
	return fmt.Sprintf("%s (%s)", p.Detail, p.Code)
}

type onceKey struct{}

// Once returns a context whose requests have the header Idempotency-Key: sent again with the
// same key within a day, a POST is answered as before and not carried out again.
func Once(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, onceKey{}, key)
}

// RetryAfter returns how long the service asks to wait before a request is sent again; ok is
// false if err does not say so.
func RetryAfter(err error) (wait time.Duration, ok bool) {
	var w *waitError
	if errors.As(err, &w) {
		return w.wait, true
	}
	return 0, false
}

// A waitError is a problem that may be over later.
type waitError struct {
	*Problem
	wait time.Duration
}

func (w *waitError) Unwrap() error { return w.Problem }

// A request is one to be sent. Its query is a struct with the tag query, its body one with the
// tag form, or a value for JSON; nil is none.
type request struct {
	method, path string
	query, body  any
}

// path fills ids into the braces of a pattern.
func path(pattern string, ids ...string) string {
	for _, id := range ids {
		start, end := strings.IndexByte(pattern, '{'), strings.IndexByte(pattern, '}')
		pattern = pattern[:start] + url.PathEscape(id) + pattern[end+1:]
	}
	return pattern
}

// queryOf returns the parameters of a struct that are not zero.
func queryOf(query any) string {
	values := url.Values{}
	if query != nil {
		of := reflect.ValueOf(query)
		for i := range of.NumField() {
			f := of.Field(i)
			if !f.IsZero() {
				values.Set(of.Type().Field(i).Tag.Get("query"), fmt.Sprint(reflect.Indirect(f).Interface()))
			}
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// writeForm writes the fields of a struct as multipart/form-data.
func writeForm(w *multipart.Writer, form any) error {
	of := reflect.ValueOf(form)
	for i := range of.NumField() {
		name := of.Type().Field(i).Tag.Get("form")
		var files []File
		switch v := of.Field(i).Interface().(type) {
		case string:
			if v != "" {
				if err := w.WriteField(name, v); err != nil {
					return err
				}
			}
		case *File:
			if v != nil {
				files = []File{*v}
			}
		case File:
			files = []File{v}
		case []File:
			files = v
		}
		for _, f := range files {
			part, err := w.CreateFormFile(name, f.Name)
			if err != nil {
				return err
			}
			if f.Content == nil {
				return fmt.Errorf("the file %s has no content", name)
			}
			if _, err := io.Copy(part, f.Content); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

// encode returns the body of a request and its type. A form is written while it is sent.
func encode(body any) (io.Reader, string, error) {
	if body == nil {
		return nil, "", nil
	}
	if t := reflect.TypeOf(body); t.NumField() > 0 && t.Field(0).Tag.Get("form") != "" {
		r, w := io.Pipe()
		form := multipart.NewWriter(w)
		go func() { w.CloseWithError(writeForm(form, body)) }()
		return r, form.FormDataContentType(), nil
	}
	data, err := json.Marshal(body)
	return bytes.NewReader(data), "application/json", err
}

// open sends a request and returns the body of its answer, which the caller closes.
func (c *Client) open(ctx context.Context, q request) (io.ReadCloser, error) {
	body, kind, err := encode(q.body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, q.method, c.address+q.path+queryOf(q.query), body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	if once, _ := ctx.Value(onceKey{}).(string); once != "" {
		r.Header.Set("Idempotency-Key", once)
	}
	a, err := c.HTTP.Do(r)
	if err != nil {
		return nil, err
	}
	if a.StatusCode < http.StatusMultipleChoices {
		return a.Body, nil
	}
	defer a.Body.Close()
	return nil, problemOf(a)
}

// problemOf returns the error that an answer is.
func problemOf(a *http.Response) error {
	const maxSize = 1 << 20
	p := &Problem{}
	data, err := io.ReadAll(io.LimitReader(a.Body, maxSize))
	if err != nil {
		return err
	}
	if json.Unmarshal(data, p) != nil || p.Code == "" { // of a proxy
		*p = Problem{Status: new(a.StatusCode), Code: "error", Detail: a.Status}
	}
	if seconds, err := strconv.Atoi(a.Header.Get("Retry-After")); err == nil {
		return &waitError{p, time.Duration(seconds) * time.Second}
	}
	return p
}

// tell sends a request whose answer has no content.
func (c *Client) tell(ctx context.Context, q request) error {
	body, err := c.open(ctx, q)
	if err != nil {
		return err
	}
	return body.Close()
}

// ask sends a request whose answer is JSON.
func ask[T any](ctx context.Context, c *Client, q request) (*T, error) {
	body, err := c.open(ctx, q)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	answer := new(T)
	if err := json.NewDecoder(body).Decode(answer); err != nil {
		return nil, fmt.Errorf("the answer to %s %s: %w", q.method, q.path, err)
	}
	return answer, nil
}
