package frontend

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/projection"
)

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
//	embedding      the vectors of the network that is built in
//	embedding:FILE.onnx
//	               those of another network
//	preset=arcface channels=bgr subtract=127.5 scale=1/128 eyes=0.31@0.46
//	               what the network takes, where its file does not say it
//	landmarks=arcface
//	               where five landmarks of a face are put: mean for those of a mean face
//	               with its pupils at eyes, or ten numbers; pupils for the pupils alone
//	output=NAME    the output of the network that is the vector, of several
//	centring=off   vectors of the built-in network that are not centred, as before version 0.4
//	mirror=off     the vector of the face alone, without its mirror image
//
// The name of a preset stands for its stages; words after it replace them:
// "faces96 64x64 fisher:0.3". Stages that are not named, also the size, are
// left out. Naming a stage twice is an error.
//
// The impostor distribution of embedding:FILE.onnx is read from FILE.json beside it, if there
// is one; it is an error if it was measured for another network or with other settings.
func Parse(text string) (Pipeline, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Pipeline{}, errors.New("an empty input")
	}
	return parser{measured: true}.parse(words)
}

// ParseNetwork returns the Pipeline of a network: that in the file at path, or the built-in
// one of that name. words describe its input, as in Parse. The impostor distribution of the
// network is not read.
func ParseNetwork(path, words string) (Pipeline, error) {
	return parser{network: path, embedder: true}.parse(strings.Fields(words))
}

func (p parser) parse(words []string) (Pipeline, error) {
	seen := map[stage]bool{}
	for _, word := range words {
		of, err := p.add(word)
		switch {
		case err != nil:
			return Pipeline{}, err
		case of == presetStage && len(seen) > 0 && !strings.Contains(word, "="):
			return Pipeline{},
				advice.Add(fmt.Errorf("preset %q of an input after other words", word), "put it first: what follows it replaces its stages")
		case seen[of]:
			return Pipeline{}, advice.Add(fmt.Errorf("%q is another word for the %s of an input", word, of),
				"join features, or photometric steps, by +, as in igo+hog")
		}
		seen[of] = true
	}
	if err := p.embed(); err != nil {
		return Pipeline{}, err
	}
	if err := p.Plausible(); err != nil {
		return Pipeline{}, err
	}
	return p.Pipeline, nil
}

// A parser has read some words of an input.
type parser struct {
	Pipeline
	network  string // the file of one; "" for the one that is built in
	embedder bool
	input    embedding.Given
	word     string // the first about a network

	measured bool // read what was measured of the network
}

// embed completes the pipeline with the network that was named.
func (p *parser) embed() error {
	if !p.embedder {
		if p.word != "" {
			return advice.Add(fmt.Errorf("%q without a network", p.word),
				"name it first: embedding:FILE.onnx, or embedding for the one that is built in")
		}
		return nil
	}
	if p.Size != (dataset.Size{}) {
		return advice.Add(fmt.Errorf("size %v of an input with a network, which takes faces of its own size", p.Size), "leave it out")
	}
	mirror := p.input.Mirror
	if p.Mirror {
		on := true
		mirror, p.Mirror = &on, false
	}
	p.input.Mirror, p.input.Eyes = mirror, p.Eyes
	e, err := embedding.Open(p.network, p.input)
	if err != nil {
		return err
	}
	p.Frame.Embedding, p.Embedder = e.Frame().Embedding, e
	if p.measured && e.File() != nil {
		p.Measured, err = lawBeside(p.network, e)
	}
	return err
}

// addNetwork takes a word about a network.
func (p *parser) addNetwork(name, value string) (of stage, err error) {
	p.word = cmp.Or(p.word, name+"="+value)
	switch name {
	case "preset":
		p.input.Preset = value
	case "channels":
		p.input.Channels = value
	case "output":
		if p.input.Output = value; value == "" {
			err = errors.New("output without a name")
		}
	case "subtract":
		p.input.Mean, err = embedding.ParseMean(value)
	case "centring":
		p.input.Centring = &value
	case "scale":
		p.input.Scale, err = embedding.ParseScale(value)
	case "landmarks":
		var a dataset.Alignment
		a, err = dataset.ParseAlignment(value)
		p.input.Landmarks = &a
	case "mirror":
		on := value == "on"
		if p.input.Mirror = &on; !on && value != "off" {
			err = fmt.Errorf("mirror = %q is not on or off", value)
		}
		return mirrorStage, err
	}
	return stage(name), err
}

// networkWords are those about a network, before an equals sign.
var networkWords = []string{"preset", "channels", "subtract", "scale", "mirror", "landmarks", "centring", "output"}

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
	networkStage     stage = "network"
)

// Plausible is Validate for a Pipeline whose size may still be missing, because
// it comes from the images.
func (in Pipeline) Plausible() error {
	if in.Frame.Len() == 0 {
		if err := in.validateCopies(); err != nil {
			return err
		}
		in.Photometric, in.Features, in.Mirror, in.Zoom, in.Shift = nil, nil, false, 0, 0
	}
	return in.Validate()
}

// add sets the stage that word names.
func (p *parser) add(word string) (stage, error) {
	in := &p.Pipeline
	if name, path, _ := strings.Cut(word, ":"); name == "embedding" {
		p.network, p.embedder = path, true
		return networkStage, nil
	}
	if i := slices.IndexFunc(Presets, func(p Preset) bool { return p.Name == word }); i >= 0 && word != "pixels" {
		*in = Presets[i].Pipeline
		return presetStage, nil
	}
	if name, value, ok := strings.Cut(word, "="); ok && slices.Contains(numbers, name) {
		return in.addNumber(name, value)
	} else if ok && slices.Contains(networkWords, name) {
		return p.addNetwork(name, value)
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
		return of, advice.Add(fmt.Errorf("%s = %s does nothing", name, value), "leave it out")
	}
	return of, nil
}

// addParts sets the photometric steps, the features or the projection that word
// names, by the first of its names.
func (in *Pipeline) addParts(word string) (of stage, err error) {
	for _, part := range strings.Split(word, "+") {
		if strings.Contains(word, "+") && slices.ContainsFunc(Presets, func(p Preset) bool { return p.Name == part && part != "pixels" }) {
			err := fmt.Errorf("preset %q of an input is joined to others by +", part)
			return "", advice.Add(err, "a preset stands alone: name its features, which %v shows",
				advice.ListParameters.With(advice.Method.To(part)))
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
	return "", advice.Unknown("stage or preset of an input", name, stageNames())
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
	return append(names, "mirror", "eyes", "crop", "zoom", "shift", "preset", "channels", "subtract",
		"scale", "landmarks", "centring", "output")
}
