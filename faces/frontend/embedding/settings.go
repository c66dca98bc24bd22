package embedding

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
)

// Given describes the input of a network. Fields that are zero are taken from the metadata
// of its file, or from the preset for the size of its input.
type Given struct {
	Preset    string             // a name of Presets
	Eyes      dataset.Eyes       // where the pupils of a face are
	Channels  string             // rgb or bgr
	Mean      []float64          // subtracted from the channels red, green and blue, 0 … 255; one number is for all of them
	Scale     float64            // by which they are multiplied then
	Mirror    *bool              // whether the mirror image is averaged in; nil: yes
	Landmarks *dataset.Alignment // how a face is placed; nil: by landmarks
	Centring  *string            // "on", "off", or the first digits of a digest; nil: on where there is one for these settings
	Output    string             // the name of the output that is the vector; "": the only one of several numbers
}

// Orders of the channels.
const rgb, bgr = "rgb", "bgr"

// A preset is what networks of a kind are trained for.
type preset struct {
	name      string
	input     dataset.Size // of the networks that it is taken for
	eyes      dataset.Eyes
	landmarks dataset.Alignment
	mean      [3]float64
	scale     float64
	channels  string // "" is rgb
}

func square(side int) dataset.Size { return dataset.Size{Height: side, Width: side} }

var (
	dlibEyes    = dataset.Eyes{Distance: 0.35, Height: 0.314}
	facenetEyes = dataset.Eyes{Distance: 0.35, Height: 0.4}
)

// presets. The first of a size is taken for networks of which nothing else is known. That of
// dlib is for networks whose file does not subtract the mean. SFace normalises its input
// itself; AdaFace takes blue first. FaceNet was trained on boxes of a detector, and has no
// template: its pupils are where they are on average in these boxes.
var presets = []preset{
	{"dlib", square(150), dlibEyes, dataset.ToMean, [3]float64{122.782, 117.001, 104.298}, 1. / 256, rgb},
	{"arcface", square(112), dataset.ArcFaceEyes, dataset.ToArcFace, [3]float64{127.5, 127.5, 127.5}, 1 / 127.5, rgb},
	{"adaface", square(112), dataset.ArcFaceEyes, dataset.ToArcFace, [3]float64{127.5, 127.5, 127.5}, 1 / 127.5, bgr},
	{"sface", square(112), dataset.ArcFaceEyes, dataset.ToArcFace, [3]float64{}, 1, rgb},
	{"facenet", square(160), facenetEyes, dataset.ToMean, [3]float64{127.5, 127.5, 127.5}, 1. / 128, rgb},
}

// Presets lists the names of the presets.
func Presets() (names []string) {
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// PresetEyes returns where the preset of this name has the pupils.
func PresetEyes(name string) (dataset.Eyes, bool) {
	i := slices.IndexFunc(presets, func(p preset) bool { return p.name == name })
	if i < 0 {
		return dataset.Eyes{}, false
	}
	return presets[i].eyes, true
}

// settings are what Given says, complete.
type settings struct {
	eyes      dataset.Eyes
	landmarks dataset.Alignment
	channels  string
	mean      [3]float64
	scale     float64
	mirror    bool
	centring  *Centring // nil for none
}

// settled completes g from the metadata of a file and from the preset for its input. What the
// first nodes of the network do to the input is not done again, unless g or the metadata say so.
func settled(metadata map[string]string, n network.Normalisation, input dataset.Size, g Given) (settings, error) {
	p := slices.IndexFunc(presets, func(p preset) bool {
		if g.Preset != "" {
			return p.name == g.Preset
		}
		return p.input == input
	})
	of := preset{landmarks: dataset.ToMean}
	switch {
	case p >= 0:
		of = presets[p]
	case g.Preset != "":
		return settings{}, advice.Unknown("preset of a network", g.Preset, Presets())
	}
	if r := rangeOf(n); r != 0 {
		of.mean, of.scale = [3]float64{}, r
	}
	return of.settled(metadata, g)
}

// rangeOf is what brings the values 0 … 255 to the range for which n is made: 1 for 0 … 255, 1/255
// for 0 … 1; 0 if n does not tell. The largest values of n's result are a few units.
func rangeOf(n network.Normalisation) float64 {
	const (
		limit    = 0.1 // of the scale, for 0 … 255: it makes 25 of 255
		minMean  = 16  // mean of 0 … 255
		darkest  = 0.2 // mean of 0 … 1
		lightest = 0.8
	)
	switch scale := math.Abs(n.Scale); {
	case scale == 0:
		return 0
	case scale <= limit || n.Mean >= minMean:
		return 1
	case scale >= 1 && n.Mean >= darkest && n.Mean <= lightest:
		return 1. / math.MaxUint8
	}
	return 0
}

// settled completes g from the metadata of a file and from p.
func (p preset) settled(metadata map[string]string, g Given) (s settings, err error) {
	s = settings{p.eyes, p.landmarks, cmp.Or(p.channels, rgb), p.mean, p.scale, true, nil}
	if g.Preset == "" {
		if err := s.read(metadata); err != nil {
			return s, fmt.Errorf("metadata of the network: %w", err)
		}
	}
	if !g.Eyes.IsZero() && g.Eyes != s.eyes {
		s.eyes, s.landmarks = g.Eyes, dataset.ToMean
	}
	if g.Landmarks != nil {
		s.landmarks = *g.Landmarks
	}
	if g.Channels != "" {
		s.channels = g.Channels
	}
	if g.Mean != nil {
		if s.mean, err = channelMeans(g.Mean); err != nil {
			return s, err
		}
	}
	if g.Scale != 0 {
		s.scale = g.Scale
	}
	if g.Mirror != nil {
		s.mirror = *g.Mirror
	}
	switch {
	case s.scale == 0:
		return s, missing(errors.New("nothing says the range of the values that this network takes"))
	case s.channels != rgb && s.channels != bgr:
		return s, advice.Unknown("order of channels", s.channels, []string{rgb, bgr})
	}
	return s, nil
}

// missing adds what to do about a setting that nothing tells.
func missing(err error) error {
	return advice.Add(err, "name a preset, as preset=arcface, or say eyes=DISTANCE@HEIGHT, subtract=R,G,B and scale=S")
}

// read takes what metadata says.
func (s *settings) read(metadata map[string]string) (err error) {
	if text, ok := metadata["eyes"]; ok {
		if s.eyes, err = dataset.ParseEyes(text); err != nil {
			return err
		}
		s.landmarks = dataset.ToMean
	}
	if text, ok := metadata["landmarks"]; ok {
		if s.landmarks, err = dataset.ParseAlignment(text); err != nil {
			return err
		}
	}
	if text, ok := metadata["channels"]; ok {
		s.channels = strings.ToLower(text)
	}
	if text, ok := metadata["mean"]; ok {
		mean, err := ParseMean(text)
		if err != nil {
			return err
		}
		if s.mean, err = channelMeans(mean); err != nil {
			return err
		}
	}
	if text, ok := metadata["scale"]; ok {
		if s.scale, err = ParseScale(text); err != nil {
			return err
		}
	}
	if text, ok := metadata["mirror"]; ok {
		if s.mirror, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("mirror = %q is not true or false", text)
		}
	}
	return nil
}

func channelMeans(mean []float64) (m [3]float64, err error) {
	switch len(mean) {
	case 1:
		return [3]float64{mean[0], mean[0], mean[0]}, nil
	case 3:
		return [3]float64(mean), nil
	}
	return m, fmt.Errorf("mean = %v is not one number or three", mean)
}

// ParseMean reads one number, or three with commas between.
func ParseMean(text string) (mean []float64, err error) {
	for _, part := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("mean = %q is not one number or three, with commas between", text)
		}
		mean = append(mean, v)
	}
	_, err = channelMeans(mean)
	return mean, err
}

// ParseScale reads a positive number, or a fraction as 1/128.
func ParseScale(text string) (float64, error) {
	numerator, denominator, fraction := strings.Cut(text, "/")
	v, err := strconv.ParseFloat(numerator, 64)
	if err == nil && fraction {
		var d float64
		d, err = strconv.ParseFloat(denominator, 64)
		v /= d
	}
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("scale = %q is not a positive number, as 0.0078125 or 1/128", text)
	}
	return v, nil
}
