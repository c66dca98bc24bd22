package frontend

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nrdl/dataset"
	"nrdl/frontend/feature"
	"nrdl/frontend/projection"
	"nrdl/internal/hint"
)

// A Preset is a Pipeline with a name. doc/frontends.md has the evidence for
// each.
type Preset struct {
	Name, About string
	Pipeline    Pipeline
}

// Presets lists the presets that Parse knows.
var Presets = []Preset{
	{"faces96", "faces of ordinary photographs, cropped alike", Faces96},
	{"faces32", "the same where faces have no more than some 32 pixels a side", Faces32},
	{"lighting", "faces that differ in light more than in anything else", Lighting},
	{"pixels", "grey values alone, as in the paper", Pipeline{}},
}

// The pipelines of the presets.
var (
	// Faces96 has texture at two scales (LBP) and edges (HOG), with a Fisher
	// projection.
	Faces96 = Pipeline{
		Frame:      dataset.Frame{Size: dataset.Size{Height: 96, Width: 96}},
		Features:   feature.Features{lbp(12, 2), lbp(12, 5), hog(12)},
		Mirror:     true,
		Projection: projection.Choice{Projection: projection.Fisher{Ridge: 0.1}},
	}
	// Faces32 has gradient orientations (IGO), texture (LBP) and edges (HOG), with
	// a Fisher projection.
	Faces32 = Pipeline{
		Frame:      dataset.Frame{Size: dataset.Size{Height: 32, Width: 32}},
		Features:   feature.Features{feature.IGO{}, lbp(4, 1), lbp(4, 2), hog(4)},
		Mirror:     true,
		Projection: projection.Choice{Projection: projection.Fisher{Ridge: 0.1}},
	}
	// Lighting has gradient orientations (IGO), which change little with the
	// light.
	Lighting = Pipeline{
		Frame:    dataset.Frame{Size: dataset.Size{Height: 32, Width: 32}},
		Features: feature.Features{feature.IGO{}},
	}
)

func lbp(cell, radius float64) feature.LBP {
	f := feature.DefaultLBP
	f.Cell, f.Radius = cell, radius
	return f
}

func hog(cell float64) feature.HOG {
	f := feature.DefaultHOG
	f.Cell = cell
	return f
}

// Parse reads a Pipeline, as String writes it: words separated by spaces, one
// per stage.
//
//	56x46          the size
//	eyes=0.46@0.36 faces are found in photographs, their pupils put there
//	crop=0.4       the middle part that is kept
//	lcn+despeckle  photometric steps
//	igo+lbp:cell=5.34+hog:cell=4
//	               features side by side; pixels for none
//	zoom=0.82      the features of this inner part beside those of the whole
//	mirror         mirror images of the training faces
//	fisher:0.3     the projection; none for none
//	shift=3        the projection is fit on images moved so far too
//
// The name of a preset stands for its stages; words after it replace them:
// "faces96 64x64 fisher:0.3". Stages that are not named, also the size, are
// left out. Naming a stage twice is an error.
func Parse(text string) (Pipeline, error) {
	var in Pipeline
	words := strings.Fields(text)
	if len(words) == 0 {
		return in, errors.New("an empty input")
	}
	said := map[stage]bool{}
	for _, word := range words {
		of, err := in.add(word)
		switch {
		case err != nil:
			return Pipeline{}, err
		case of == presetStage && len(said) > 0:
			return Pipeline{}, hint.Add(fmt.Errorf("preset %q of an input after other words", word), "put it first: what follows it replaces its stages")
		case said[of]:
			return Pipeline{}, hint.Add(fmt.Errorf("%q is another word for the %s of an input", word, of), "join features, or photometric steps, by +, as in igo+hog")
		}
		said[of] = true
	}
	if err := in.Plausible(); err != nil {
		return Pipeline{}, err
	}
	return in, nil
}

// A stage is what a word of an input is about.
type stage string

const (
	presetStage      stage = "preset"
	sizeStage        stage = "size"
	eyesStage        stage = "eyes"
	cropStage        stage = "crop"
	photometricStage stage = "photometric steps"
	featuresStage    stage = "features"
	mirrorStage      stage = "mirror images"
	zoomStage        stage = "zoom"
	shiftStage       stage = "shift"
	projectionStage  stage = "projection"
)

// Plausible is Validate for a Pipeline whose size may still be missing, because
// it comes from the images.
func (in Pipeline) Plausible() error {
	if in.Size == (dataset.Size{}) {
		if err := in.validateCopies(); err != nil {
			return err
		}
		in.Photometric, in.Features, in.Mirror, in.Zoom, in.Shift = nil, nil, false, 0, 0
	}
	return in.Validate()
}

// add sets the stage that word names.
func (in *Pipeline) add(word string) (stage, error) {
	if i := slices.IndexFunc(Presets, func(p Preset) bool { return p.Name == word }); i >= 0 && word != "pixels" {
		*in = Presets[i].Pipeline
		return presetStage, nil
	}
	if name, value, ok := strings.Cut(word, "="); ok && slices.Contains(numbers, name) {
		return in.addNumber(name, value)
	}
	switch {
	case word == "pixels":
		in.Features = nil
		return featuresStage, nil
	case word == "vectors":
		return featuresStage, nil
	case word == "none":
		in.Projection, in.Shift = projection.Choice{}, 0
		return projectionStage, nil
	case word == "mirror":
		in.Mirror = true
		return mirrorStage, nil
	case word[0] >= '0' && word[0] <= '9':
		var err error
		in.Size, err = dataset.ParseSize(word)
		return sizeStage, err
	}
	return in.addParts(word)
}

// numbers are the stages that are numbers, as they are written.
var numbers = []string{"eyes", "crop", "zoom", "shift"}

// addNumber sets one of numbers.
func (in *Pipeline) addNumber(name, value string) (of stage, err error) {
	switch name {
	case "eyes":
		in.Eyes, err = dataset.ParseEyes(value)
		return eyesStage, err
	case "crop":
		of = cropStage
		in.Crop, err = strconv.ParseFloat(value, 64)
	case "zoom":
		of = zoomStage
		in.Zoom, err = strconv.ParseFloat(value, 64)
	default:
		of = shiftStage
		in.Shift, err = strconv.Atoi(value)
	}
	if err != nil {
		return of, fmt.Errorf("%s = %q is not a number", name, value)
	}
	if in.Crop == 0 && of == cropStage || in.Zoom == 0 && of == zoomStage || in.Shift == 0 && of == shiftStage {
		return of, hint.Add(fmt.Errorf("%s = %s does nothing", name, value), "leave it out")
	}
	return of, nil
}

// addParts sets the photometric steps, the features or the projection that word
// names, by the first of its names.
func (in *Pipeline) addParts(word string) (of stage, err error) {
	for _, part := range strings.Split(word, "+") {
		if strings.Contains(word, "+") && slices.ContainsFunc(Presets, func(p Preset) bool { return p.Name == part && part != "pixels" }) {
			err := fmt.Errorf("preset %q of an input is joined to others by +", part)
			return "", hint.Add(err, "a preset stands alone: name its features, which nrdl methods %s shows", part)
		}
	}
	first, _, _ := strings.Cut(word, "+")
	name, _, _ := strings.Cut(first, ":")
	switch {
	case slices.ContainsFunc(feature.Steps, func(s feature.Step) bool { return s.Name() == name }):
		in.Photometric, err = feature.ParseSteps(word)
		return photometricStage, err
	case slices.ContainsFunc(feature.All, func(f feature.Feature) bool { return f.Name() == name }):
		if in.Features, err = feature.ParseFeatures(word); err == nil && in.onlyPixels() {
			in.Features = nil
		}
		return featuresStage, err
	case slices.ContainsFunc(projection.All, func(p projection.Projection) bool { return p.Name() == name }):
		in.Projection, err = projection.Parse(word)
		return projectionStage, err
	}
	return "", hint.Unknown("stage or preset of an input", name, stageNames())
}

// stageNames lists what Parse knows.
func stageNames() (names []string) {
	for _, p := range Presets {
		names = append(names, p.Name)
	}
	for _, f := range feature.All {
		if f.Name() != "pixels" {
			names = append(names, f.Name())
		}
	}
	for _, s := range feature.Steps {
		names = append(names, s.Name())
	}
	for _, p := range projection.All {
		names = append(names, p.Name())
	}
	return append(names, "mirror", "eyes", "crop", "zoom", "shift")
}

// Sides from which on the presets suit images of another size than theirs.
const (
	texturedSide = 64 // Faces96
	visibleSide  = 24 // Faces32
)

// For returns the pipeline for images of this size: the stages of Faces96 or
// Faces32, or the pixels if the images are too small for features.
func For(size dataset.Size) Pipeline {
	in := Pipeline{}
	switch side := min(size.Height, size.Width); {
	case side >= texturedSide:
		in = Faces96
	case side >= visibleSide:
		in = Faces32
	}
	in.Size = size
	return in
}
