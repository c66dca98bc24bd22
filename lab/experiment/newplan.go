package experiment

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/plans"
)

// manyPeople is a number of people from which a projection is worth while
// (doc/frontends.md).
const manyPeople = 30

// WritePlan writes a plan for the data set at data to the file path, for editing, and
// writes the schema of plans to the same folder, so that editors can complete and check
// the plan. The plan has splits and several methods, the default one first. For
// photographs all methods use the detected faces. Warn may be nil. It is an error if there
// is a file at path. Arrays says which arrays of a .mat or .npz file are meant.
func WritePlan(ctx context.Context, data, path string, arrays dataset.Arrays, warn func(string)) error {
	if _, err := os.Lstat(path); err == nil {
		return advice.Add(fmt.Errorf("write plan: there is a file %s already", path), "choose another name, or remove it")
	}
	text, err := newPlan(ctx, data, nameOf(path), arrays, warn)
	if err != nil {
		return err
	}
	schema := filepath.Join(filepath.Dir(path), plans.SchemaFile)
	for file, text := range map[string][]byte{path: text, schema: plans.Schema()} {
		if _, err := atomicfile.Write(ctx, file, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
	}
	return nil
}

// newPlan returns the text of a plan of a name for the data set at path. The images are read,
// and nothing else is done with them.
func newPlan(ctx context.Context, path, called string, arrays dataset.Arrays, warn func(string)) ([]byte, error) {
	kind := face.Unfound
	set, err := dataset.Open(ctx, path, dataset.Options{
		Warn: warn, Arrays: arrays,
		Faces: func(ctx context.Context, files []string) (_ dataset.Reader, _ dataset.Frame, err error) {
			kind, err = face.DefaultContent.Of(ctx, files)
			return nil, dataset.Frame{}, err
		},
	})
	if err != nil {
		return nil, err
	}
	info, word := dataset.Describe(set), func(of string) string { return of }
	if !set.AreFaces() {
		word = legible.OfSamples
	}
	if info.MinImages < 2 {
		err := fmt.Errorf("%s: %s", path, word("some people have one image, and methods are compared by images that they were not trained on"))
		return nil, advice.Add(err, word("add images of these people, or leave them out; %v names them"),
			advice.DescribeData.With(advice.Data.To(path)))
	}
	methods, content := initialMethods(set, kind, info.People)
	for i := range methods {
		methods[i].Trace = methods[i].Method == "nrdl" || methods[i].Method == "fddl"
	}
	type data struct {
		Name  string   `json:"name"`
		About string   `json:"about"`
		Path  string   `json:"path"`
		X     string   `json:"x,omitempty"`
		Y     string   `json:"y,omitempty"`
		Split []string `json:"split"`
	}
	splits := []string{fmt.Sprintf("random:%d", info.MinImages/2)}
	if info.MinImages >= 6 { // also with few
		splits = append([]string{"random:2"}, splits...)
	}
	name, about := nameOf(path),
		fmt.Sprintf(word("%d people, %d images, at least %d of each: %s."), info.People, info.Images, info.MinImages, content)
	text, err := json.MarshalIndent(struct {
		Schema   string          `json:"$schema"`
		Name     string          `json:"name"`
		About    string          `json:"about"`
		Seed     int             `json:"seed"`
		Repeats  int             `json:"repeats"`
		Datasets []data          `json:"datasets"`
		Methods  []initialMethod `json:"methods"`
	}{
		"./" + plans.SchemaFile, called, "A comparison of methods on " + name + ".", 1, 10,
		[]data{{name, about, filepath.ToSlash(path), arrays.X, arrays.Y, splits}},
		methods,
	}, "", "  ")
	return append(text, '\n'), err
}

// An initialMethod is a method in a new plan.
type initialMethod struct {
	Method string `json:"method"`
	Label  string `json:"label"`
	Input  string `json:"input,omitempty"`
	Trace  bool   `json:"trace,omitempty"` // the records have the objective after each pass, which a report draws
}

// initialMethods returns methods for set, the default one first, and describes the samples. The
// simple baselines are those of the plan paper: what does not beat them is not worth its time.
func initialMethods(set *dataset.Images, kind face.Content, people int) (methods []initialMethod, content string) {
	projected := " none"
	if people >= manyPeople {
		projected = ""
	}
	pixels := []initialMethod{
		{Method: "nrdl", Label: "NRDL"},
		{Method: "nrc", Label: "NRC"},
		{Method: "crc", Label: "CRC"},
		{Method: "src", Label: "SRC"},
		{Method: "fddl", Label: "FDDL"},
	}
	baselines := []initialMethod{
		{Method: "nn", Label: "1-NN"},
		{Method: "lda", Label: "LDA"},
		{Method: "ridge", Label: "Ridge classifier"},
		{Method: "svm", Label: "Linear SVM"},
	}
	pixels = append(pixels, baselines...)
	switch {
	case kind != face.Unfound:
		eyes := fmt.Sprintf(" eyes=%v", dataset.DefaultEyes)
		for i := range baselines {
			baselines[i].Label += ", network"
			baselines[i].Input = "embedding"
		}
		return append([]initialMethod{
			{Method: "mean", Label: "class mean, network (default)", Input: "embedding"},
			{Method: "nrc", Label: "NRC, network", Input: "embedding"},
			{Method: "src", Label: "SRC, network", Input: "embedding"},
			{Method: "nrc", Label: "NRC, hand-made features", Input: "faces96" + projected + eyes},
			{Method: "nrdl", Label: "NRDL, grey values", Input: "32x32" + eyes},
		}, baselines...), string(kind) + "; in each the largest face is found"
	case !set.Matrix && set.AreImages():
		return append([]initialMethod{{Method: "nrc", Label: "NRC, hand-made features (default)", Input: "faces96" + projected}}, pixels...),
			"face crops"
	}
	pixels[0].Label += " (default)"
	if !set.AreImages() {
		return pixels, "vectors"
	}
	for _, preset := range []string{"faces96", "faces32"} {
		words := fmt.Sprintf("%s %v", preset, set.Frame.Size)
		if in, err := frontend.Parse(words); err == nil && in.String() == frontend.For(set.Frame.Size).String() {
			pixels = append(pixels, initialMethod{Method: "nrc", Label: "NRC, hand-made features", Input: words + projected})
		}
	}
	return pixels, fmt.Sprintf("images of %v pixels", set.Frame.Size)
}

// nameOf returns the name in a plan for the data set at path.
func nameOf(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	name := filepath.Base(path)
	name = strings.TrimSuffix(name, filepath.Ext(name))
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r <= 0x9f {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if clean == "" || clean == string(filepath.Separator) {
		return "faces"
	}
	return clean
}
