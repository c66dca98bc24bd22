// Command photos measures what nrdl makes of photographs: in how many the face is
// found and how well its pupils, who is named, and what becomes of strangers. It
// writes the numbers that doc/photographs.md shows.
//
//	go -C studies run ./photos -data DIR
//
// It writes faces.json, what is found in photographs, and photographs.json, who
// is named; with -faces the first alone. DIR has the folders photos and orl_faces. Nothing in the result depends on the
// time or on the machine, but for rounding.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/frontend/projection"
	"nrdl.example/nrdl/internal/atomicfile"
	"nrdl.example/nrdl/internal/hint"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// A detected is what faces.json holds.
type detected struct {
	Found  []found  `json:"found"`
	Pupils []pupils `json:"pupils"`
	Large  []large  `json:"large"`
}

// A result is what photographs.json holds.
type result struct {
	Named []named `json:"named"`
	Open  []open  `json:"open"`
}

func main() {
	data := flag.String("data", os.Getenv("NRDL_DATA"), "folder with photos and orl_faces")
	output := flag.String("o", filepath.Join("..", "experiment", "results"), "folder to write to")
	only := flag.Bool("faces", false, "only look for faces")
	draws := flag.Int("draws", 10, "draws of who is a stranger")
	flag.Parse()
	hint.Exit("photos", run(context.Background(), *data, *output, *draws, *only))
}

func run(ctx context.Context, data, output string, draws int, only bool) error {
	var f detected
	var err error
	if f.Found, err = detection(data); err != nil {
		return err
	}
	if f.Pupils, err = pupilErrors(data); err != nil {
		return err
	}
	if f.Large, err = largePhotographs(data); err != nil {
		return err
	}
	if err := write(ctx, filepath.Join(output, "faces.json"), f); err != nil || only {
		return err
	}
	var r result
	sets := &sets{root: data, open: map[string]*dataset.Images{}}
	if r.Named, err = sets.named(ctx); err != nil {
		return err
	}
	if r.Open, err = sets.openSets(ctx, draws); err != nil {
		return err
	}
	return write(ctx, filepath.Join(output, "photographs.json"), r)
}

func write(ctx context.Context, path string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := atomicfile.Write(ctx, path, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
	return err
}

// sets are data sets, read once.
type sets struct {
	root string
	open map[string]*dataset.Images
}

// get reads the images in a folder as nrdl train does without flags.
func (s *sets) get(ctx context.Context, name string) (*dataset.Images, error) {
	if set, ok := s.open[name]; ok {
		return set, nil
	}
	by, err := face.OpenSearch("cascade") // as the hand-made features were measured
	if err != nil {
		return nil, err
	}
	find := &face.Detector{Options: face.Options{By: by}, Frame: frontend.Faces96.Frame}
	set, err := dataset.Open(ctx, filepath.Join(s.root, filepath.FromSlash(name)), dataset.Options{Frame: frontend.Faces96.Frame, Faces: find.Faces})
	if err != nil {
		return nil, err
	}
	s.open[name] = set
	return set, nil
}

// A named is how many photographs were named rightly. An image without a face is
// wrong.
type named struct {
	Data     string  `json:"data"`
	Split    string  `json:"split"`
	Repeats  int     `json:"repeats"`
	Input    string  `json:"input"`
	People   int     `json:"people"`
	Accuracy float64 `json:"accuracy"`
	SD       float64 `json:"sd"`
	Least    float64 `json:"least"`
	Right    int     `json:"right"` // of all runs
	Of       int     `json:"of"`
}

func (s *sets) named(ctx context.Context) (all []named, err error) {
	for _, c := range []struct {
		data, split string
		repeats     int
	}{{"photos/gt_db", "random:5", 3}, {"photos/lfw86", "random:8", 5}, {"orl_faces", "first:6", 1}} {
		set, err := s.get(ctx, c.data)
		if err != nil {
			return nil, err
		}
		split, err := dataset.ParseSplit(c.split)
		if err != nil {
			return nil, err
		}
		in := nrdl.Defaults(set).Pipeline
		r, err := experiment.Evaluate(ctx, set, method.DefaultNRC, experiment.Protocol{Split: split, Repeats: c.repeats, Input: in}, experiment.Observer{})
		if err != nil {
			return nil, err
		}
		one := named{Data: c.data, Split: c.split, Repeats: r.Repeats, Input: in.String(), People: len(set.Classes), Accuracy: r.Accuracy, SD: r.SD, Least: 1}
		for _, run := range r.Runs {
			one.Right += run.N - run.Wrong
			one.Of += run.N
			one.Least = min(one.Least, run.Accuracy)
		}
		all = append(all, one)
	}
	one, err := s.trainAndTest(ctx, "photos/lfw_colour15")
	return append(all, one), err
}

// trainAndTest learns from one folder and names the photographs of another.
func (s *sets) trainAndTest(ctx context.Context, name string) (named, error) {
	train, err := s.get(ctx, name+"/train")
	if err != nil {
		return named{}, err
	}
	test, err := s.get(ctx, name+"/test")
	if err != nil {
		return named{}, err
	}
	in := nrdl.Defaults(train).Pipeline
	model, err := frontend.Learn(ctx, train, in, method.DefaultNRC, classify.Run{})
	if err != nil {
		return named{}, err
	}
	r, err := experiment.Judge(ctx, model, test)
	return named{
		Data: name, Split: "train, test", Repeats: 1, Input: in.String(), People: len(train.Classes),
		Accuracy: r.Accuracy, Least: r.Accuracy, Right: r.N - r.Wrong, Of: r.N,
	}, err
}

// An open is what became of strangers.
type open struct {
	Data  string                    `json:"data"`
	About string                    `json:"about"`
	Input string                    `json:"input"`
	Found *experiment.OpenSetResult `json:"found"`
}

func (s *sets) openSets(ctx context.Context, draws int) (all []open, err error) {
	set, err := s.get(ctx, "photos/lfw86")
	if err != nil {
		return nil, err
	}
	others, err := strangers(filepath.Join(s.root, "photos", "lfw_strangers"), set.Frame)
	if err != nil {
		return nil, err
	}
	projected := frontend.Faces96.ForImages(set.Frame)
	unprojected := projected
	unprojected.Projection = projection.Choice{}
	for _, c := range []struct {
		about, split string
		enrolled     float64
		in           frontend.Pipeline
		given        int
	}{
		{"half of the people, 8 faces each", "random:8", 0.5, projected, 0},
		{"half of the people, 8 faces each, not projected", "random:8", 0.5, unprojected, 0},
		{"20 people, 5 faces each", "random:5", 20. / 86, unprojected, 0},
		{"20 people, 5 faces each, projected", "random:5", 20. / 86, projected, 0},
		{"10 people, 5 faces each", "random:5", 10. / 86, unprojected, 0},
		{"10 people, 5 faces each, projected", "random:5", 10. / 86, projected, 0},
		{"5 people, 5 faces each", "random:5", 5. / 86, unprojected, 0},
		{"5 people, 5 faces each, projected", "random:5", 5. / 86, projected, 0},
		{"20 people, 5 faces each, 40 strangers given", "random:5", 20. / 86, unprojected, 40},
		{"10 people, 5 faces each, 40 strangers given", "random:5", 10. / 86, unprojected, 40},
		{"5 people, 5 faces each, 40 strangers given", "random:5", 5. / 86, unprojected, 40},
	} {
		split, err := dataset.ParseSplit(c.split)
		if err != nil {
			return nil, err
		}
		r, err := experiment.JudgeOpenSet(ctx, set, method.DefaultNRC, experiment.OpenSet{
			Split: split, Enrolled: c.enrolled, Repeats: draws, Input: c.in, Calibrate: openset.Default, Strangers: others, Given: c.given,
		}, nil)
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(os.Stderr, "open set:", c.about)
		all = append(all, open{Data: "photos/lfw86", About: c.about, Input: c.in.String(), Found: r})
	}
	return all, nil
}
