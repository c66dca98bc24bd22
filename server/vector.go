package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/server/store"
)

// A Vector is a face that another program has made a vector of.
type Vector struct {
	Vector []float32 `json:"vector"`
	Space  string    `json:"space" doc:"Which network made it, as in an export"`
}

// vector reads a face that another program made a vector of.
func (e *input) vector(body io.Reader) (f store.NewFace, err error) {
	var in Vector
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return f, err
		}
		return f, huma.Error422UnprocessableEntity("the body is not JSON with vector and space")
	}
	if in.Space != e.space {
		return f, huma.Error422UnprocessableEntity(fmt.Sprintf("the space of the vectors here is %q", e.space))
	}
	if err := e.check(in.Vector); err != nil {
		return f, huma.Error422UnprocessableEntity(err.Error())
	}
	return store.NewFace{Face: store.Face{Source: store.Vector}, Space: in.Space, Vector: in.Vector}, nil
}

// check is an error for a vector that the network cannot have made.
func (e *input) check(v []float32) error {
	norm := 0.0
	for _, x := range v {
		norm += float64(x) * float64(x)
	}
	const rounding = 1e-5 // as in gallery
	switch n := e.Frame.Len(); {
	case len(v) != n:
		return fmt.Errorf("the vector has %d numbers, not %d", len(v), n)
	case !(math.Abs(norm-1) <= rounding):
		return errors.New("the vector is not of unit length")
	}
	return nil
}
