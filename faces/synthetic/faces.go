// Package synthetic draws faces of people who do not exist: for tests, examples and
// demonstrations, and for experiments that need no data.
//
// Experimental: this package may change in any version.
package synthetic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/internal/scatter"
	"nrdl.example/nrdl/internal/parallel"
)

// A Faces describes a set of drawn faces. Equal values draw equal sets, with any number of
// threads.
//
// Every person is a different head, drawn from the seed: the skull, the features, hair,
// beard, glasses and the grain of the skin. Every image shows this head with its own light
// (Lambertian, with cast shadows), pose and expression; some are partly covered, and the
// camera adds noise. As with real faces, the images of a person in changing light lie near
// a cone of low dimension, which representation methods use, and the nearest neighbour of a
// face is often another person in the same light.
//
// A person does not depend on the number of people, nor an image on the number of images. A
// strength scales one variation and does not change the others; 0 switches it off. If all
// five are 0, the images of a person are identical.
type Faces struct {
	People    int          `json:"people"`     // number of classes, ≥ 1
	PerPerson int          `json:"per_person"` // images of each, ≥ 1
	Input     dataset.Size `json:"input"`      // size of an image
	Seed      uint64       `json:"seed"`

	Light      float64 `json:"light"`      // strength of changes of the light, 0 … 2
	Pose       float64 `json:"pose"`       // strength of yaw, pitch, roll, shift and scale, 0 … 2
	Expression float64 `json:"expression"` // strength of changes of mouth, brows and lids, 0 … 2
	Occlusion  float64 `json:"occlusion"`  // frequency of partly covered faces, 0 … 2
	Noise      float64 `json:"noise"`      // strength of the noise of the sensor, 0 … 10
}

// Default gives faces that are hard for the nearest neighbour, but not for representation
// methods.
var Default = Faces{
	People: 40, PerPerson: 20, Input: dataset.DefaultSize, Seed: 1,
	Light: 1, Pose: 1, Expression: 1, Occlusion: 1, Noise: 1,
}

// Bounds of a drawn set. Its grey values take at most 4 GiB, so that a typing error does
// not fill the memory.
const (
	maxStrength = 2
	maxNoise    = 10
	maxValues   = 1 << 29
)

// Validate reports the first parameter that is outside its range.
func (s Faces) Validate() error {
	switch {
	case s.People < 1:
		return fmt.Errorf("draw faces: %d people, at least 1 is needed", s.People)
	case s.PerPerson < 1:
		return fmt.Errorf("draw faces: %d images per person, at least 1 is needed", s.PerPerson)
	case s.Input.Len() == 0:
		return errors.New("draw faces: the size of the images is not given")
	}
	if err := s.Input.Validate(); err != nil {
		return fmt.Errorf("draw faces: %w", err)
	}
	for _, v := range []struct {
		name         string
		value, bound float64
	}{
		{"light", s.Light, maxStrength},
		{"pose", s.Pose, maxStrength},
		{"expression", s.Expression, maxStrength},
		{"occlusion", s.Occlusion, maxStrength},
		{"noise", s.Noise, maxNoise},
	} {
		if !(v.value >= 0 && v.value <= v.bound) {
			return fmt.Errorf("draw faces: %s = %v is outside 0 … %v", v.name, v.value, v.bound)
		}
	}
	room := maxValues / s.Input.Len() // images
	if s.People > room || s.PerPerson > room/s.People {
		err := fmt.Errorf("draw faces: %d people × %d images of %v are more than the %d grey values (4 GiB) that one set may hold",
			s.People, s.PerPerson, s.Input, maxValues)
		return advice.Add(err, "draw fewer people, fewer images of each, or smaller ones")
	}
	return nil
}

// chunkSize is the number of images of a person that one goroutine draws: building the
// head is worth while, and a set of few people uses all processors.
const chunkSize = 32

// Draw draws the set. Classes are person001, person002, … and image 5 of person 17 has the
// ID person017/05. X has integer grey values 0 … 255. Soon after the end of ctx, Draw
// returns its cause.
func (s Faces) Draw(ctx context.Context) (*dataset.Images, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	chunks := (s.PerPerson + chunkSize - 1) / chunkSize
	x := mat.NewDense(s.Input.Len(), s.People*s.PerPerson, nil)
	parallel.For(s.People*chunks, 1, func(unit, _ int) { s.drawChunk(ctx, x, unit/chunks, unit%chunks) })
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("draw faces: %w", err)
	}
	return s.label(x), nil
}

// drawChunk draws images of one person into their columns of x, until ctx is done.
func (s Faces) drawChunk(ctx context.Context, x *mat.Dense, person, chunk int) {
	if ctx.Err() != nil {
		return
	}
	c := newCanvas(s.Input)
	head := newHeadMesh(newPerson(s.stream(person, 0)), c.meshCols, c.meshRows)
	lo := chunk * chunkSize
	hi := min(s.PerPerson, lo+chunkSize)
	for i := lo; i < hi && ctx.Err() == nil; i++ {
		rng := s.stream(person, i+1)
		scene := newScene(rng, s)
		c.draw(head, &scene, rng, s.Noise)
		j := person*s.PerPerson + i
		for f, v := range c.grey {
			x.Set(f, j, v)
		}
	}
}

// stream returns the random numbers of an image of a person, counted from 1. Image 0 has
// the random numbers of the person.
func (s Faces) stream(person, image int) random {
	key := scatter.Bits(s.Seed ^ scatter.Bits(uint64(person)<<32|uint64(image)))
	return random{Rand: rand.New(rand.NewPCG(key, scatter.Bits(key)))}
}

func (s Faces) label(x *mat.Dense) *dataset.Images {
	set := dataset.Unlabelled(x, dataset.Frame{Size: s.Input})
	set.Groups = make([]int, 1, s.People+1)
	for p := range s.People {
		class := className(p)
		set.Classes = append(set.Classes, class)
		set.Groups = append(set.Groups, (p+1)*s.PerPerson)
		for i := range s.PerPerson {
			set.IDs = append(set.IDs, fmt.Sprintf("%s/%02d", class, i+1))
		}
	}
	return set
}

// A random draws from the distributions of the parameters of faces.
type random struct {
	*rand.Rand
	wide float64 // by which around increases standard deviations: 0.4 for 40 %
}

// around draws from a normal distribution, truncated at two standard deviations so that no
// face is too unusual.
func (r random) around(mean, sd float64) float64 {
	for {
		if v := r.NormFloat64(); math.Abs(v) < 2 {
			return mean + sd*(1+r.wide)*v
		}
	}
}

// between draws evenly.
func (r random) between(lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }

// chance is true with probability p. It always takes one number.
func (r random) chance(p float64) bool { return r.Float64() < p }
