package projection

import (
	"context"
	"encoding/json"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/config"
)

// All lists the projections with their defaults.
var All = []Projection{DefaultPCA, DefaultFisher}

var codec = config.New(All)

// A Choice is a projection, or none: the zero Choice.
type Choice struct{ Projection }

// Parse reads a projection: its name and, after a colon, its parameters. The name of the
// first parameter may be left out: "fisher:0.3", "pca:dims=100". "none" and "" mean no
// projection.
func Parse(text string) (Choice, error) {
	if text == "" || text == "none" {
		return Choice{}, nil
	}
	v, err := codec.Parse(text)
	if err != nil {
		return Choice{}, err
	}
	p := v.(Projection)
	return Choice{p}, p.Validate()
}

// String writes c as Parse reads it.
func (c Choice) String() string {
	if c.Projection == nil {
		return "none"
	}
	return codec.Spec(c.Projection)
}

// IsZero reports whether c is none.
func (c Choice) IsZero() bool { return c.Projection == nil }

// Validate reports the first parameter that is outside its range.
func (c Choice) Validate() error {
	if c.Projection == nil {
		return nil
	}
	return c.Projection.Validate()
}

// Fit fits the projection to the samples x, d×N, grouped by class; nil without a projection.
func (c Choice) Fit(ctx context.Context, x *mat.Dense, groups []int) (*Fitted, error) {
	if c.Projection == nil {
		return nil, nil
	}
	return c.Projection.Fit(ctx, x, groups)
}

// MarshalJSON writes null, or an object of the name and all parameters.
func (c Choice) MarshalJSON() ([]byte, error) {
	if c.Projection == nil {
		return []byte("null"), nil
	}
	return codec.MarshalNamed(c.Projection)
}

// UnmarshalJSON reads what MarshalJSON wrote. A parameter that is missing,
// unknown or there twice is an error.
func (c *Choice) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*c = Choice{}
		return nil
	}
	v, err := codec.UnmarshalNamed(json.RawMessage(raw))
	if err != nil {
		return fmt.Errorf("read the projection: %w", err)
	}
	c.Projection = v.(Projection)
	return c.Validate()
}

// A Param describes one parameter: the name by which Parse sets it, its default
// and its help.
type Param = config.Param

// Params describes the parameters of p.
func Params(p Projection) []Param { return codec.Params(p) }

// Describe says in one line what p keeps.
func Describe(p Projection) string {
	switch p.(type) {
	case PCA:
		return "directions in which the training samples vary most"
	case Fisher:
		return "directions in which people differ most against what images of one person differ in"
	}
	return p.Name()
}
