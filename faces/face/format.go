package face

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
)

// A format is a kind of network that finds faces: what its outputs are, and what its input.
type format struct {
	name    string
	outputs []int   // numbers of outputs that it may have
	axes    [][]int // lengths of the last axes of all outputs, sorted, by which it is recognised; nil: only by its name
	input   pixels  // what the network takes
	bind    func(outputs []network.Info, size dataset.Size) (layout, error)
}

// formats are those that are known. Networks in files name theirs in the metadata as
// "preset", or are recognised by their outputs.
var formats = []format{ssdFormat, tinyFormat, yunetFormat, scrfdFormat, cornersFormat}

// pixels says how a network takes the colours of an image.
type pixels struct {
	bgr   bool    // the channels are blue, green, red
	mean  float32 // is subtracted from 0 … 255
	scale float32 // multiplies the difference; 0 is 1
}

// A layout is how the outputs of one network are read.
type layout struct {
	order   []int // of the outputs for decode; nil: as they are
	lengths []int // numbers of elements of the outputs, in this order
	decode  decoder
}

// A decoder turns the outputs of a detector's network for one input image into boxes
// and landmarks in pixels of that image. Those with a lower score than minScore are left
// out.
type decoder func(outputs [][]float32, width, height int, minScore float64) []Detection

// recognised returns the format of a network with these outputs; name is what its metadata
// say, or "".
func recognised(outputs []network.Info, name string) (format, error) {
	var lasts []int
	for _, o := range outputs {
		if len(o.Shape) == 0 {
			return format{}, fmt.Errorf("output %.80q is a single number; no detector that is known has one", o.Name)
		}
		lasts = append(lasts, lastAxis(o))
	}
	slices.Sort(lasts)
	i := slices.IndexFunc(formats, func(f format) bool {
		if name != "" {
			return f.name == name
		}
		return slices.ContainsFunc(f.axes, func(of []int) bool { return slices.Equal(of, lasts) })
	})
	if i < 0 {
		var shapes []string
		for _, o := range outputs {
			shapes = append(shapes, strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Shape), " ", "×"), "[]"))
		}
		return format{}, advice.Add(fmt.Errorf("it is no detector that is known: its outputs have the shapes %s", strings.Join(shapes, ", ")),
			"known are YuNet, SCRFD, and scores with corners; or name one of: %s", strings.Join(Detectors, ", "))
	}
	f := formats[i]
	if !slices.Contains(f.outputs, len(outputs)) {
		return f, fmt.Errorf("it has %d outputs; a detector of the kind %s has %d", len(outputs), f.name, f.outputs[len(f.outputs)-1])
	}
	return f, nil
}

func lastAxis(o network.Info) int { return o.Shape[len(o.Shape)-1] }

// decoder returns the decoder for a network with these outputs and an input of this size.
func (f format) decoder(outputs []network.Info, size dataset.Size) (decoder, error) {
	l, err := f.bind(outputs, size)
	if err != nil {
		return nil, err
	}
	for i, o := range picked(outputs, l.order) {
		if o.Len() != l.lengths[i] {
			return nil, fmt.Errorf("output %q has %d numbers; for an input of %v, a detector of the kind %s has %d there",
				o.Name, o.Len(), size, f.name, l.lengths[i])
		}
	}
	return func(o [][]float32, w, h int, minScore float64) []Detection {
		return l.decode(picked(o, l.order), w, h, minScore)
	}, nil
}

// picked returns the elements of list at these places; nil: all.
func picked[T any](list []T, at []int) []T {
	if at == nil {
		return list
	}
	some := make([]T, len(at))
	for i, k := range at {
		some[i] = list[k]
	}
	return some
}

// prepare brings planes, RGB and 0 … 255, to what the network takes.
func (p pixels) prepare(planes []float32) {
	if p.bgr {
		n := len(planes) / 3
		for i, v := range planes[:n] {
			planes[i], planes[2*n+i] = planes[2*n+i], v
		}
	}
	if p.scale != 0 {
		for i, v := range planes {
			planes[i] = (v - p.mean) * p.scale
		}
	}
}

// strides are the sides of the cells of the levels of YuNet and SCRFD, in pixels.
var strides = [...]int{8, 16, 32}

// cells is how many cells of a stride an input has.
func cells(size dataset.Size, stride int) int { return size.Height / stride * (size.Width / stride) }

const landmarkNumbers = 10 // of five landmarks

// landmarksOf reads five landmarks, in cells from (x, y).
func landmarksOf(v []float32, x, y, cell float64) []Point {
	points := make([]Point, landmarkNumbers/2)
	for i := range points {
		points[i] = Point{x + float64(v[2*i])*cell, y + float64(v[2*i+1])*cell}
	}
	return points
}

// errNaming is the error of outputs without the names by which they are read.
func errNaming(format, want string) error {
	return advice.Add(errors.New("its outputs are not named as those of "+format), "%s", want)
}
