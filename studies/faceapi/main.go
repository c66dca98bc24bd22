// Command faceapi compares this project with face-api, run in node on the same
// photographs: its detector (SSD or tiny), 68 landmarks, descriptor, and its
// FaceMatcher with the threshold 0.6 of its documentation. It prints the tables
// of doc/photographs.md.
//
//	go -C studies run ./faceapi -data DIR [-detector ssd|tiny] [-cache FILE]
//
// It needs node, and npm installs face-api into a temporary folder. DIR has
// photos/lfw86 and photos/gt_db.
package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/dataset"
)

//go:embed describe.js
var script []byte

//go:embed package.json
var packages []byte

func main() {
	log.SetFlags(0)
	data := flag.String("data", os.Getenv("NRDL_DATA"), "folder with photos/")
	detector := flag.String("detector", "ssd", "of face-api: ssd or tiny")
	cache := flag.String("cache", "", "file that keeps face-api's descriptors between runs")
	draws := flag.Int("draws", 10, "random divisions")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root, err := filepath.Abs(*data) // node runs in another folder
	if err == nil {
		err = run(ctx, root, *detector, *cache, *draws)
	}
	if err != nil {
		log.Fatal("faceapi: ", err)
	}
}

// A photo is a photograph as a program sees it.
type photo struct {
	Path         string    `json:"path"`
	Milliseconds float64   `json:"milliseconds"`
	Faces        int       `json:"faces"`
	Descriptor   []float64 `json:"descriptor"`

	person string
	found  bool
}

// describe runs face-api on paths.
func describe(ctx context.Context, detector, cache string, paths []string) (map[string]photo, error) {
	text, err := os.ReadFile(cache)
	if cache == "" || err != nil {
		if text, err = inNode(ctx, detector, paths); err != nil {
			return nil, err
		}
		if cache != "" {
			if err := os.WriteFile(cache, text, 0o666); err != nil {
				return nil, err
			}
		}
	}
	all := make(map[string]photo)
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p photo
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, err
		}
		all[p.Path] = p
	}
	for _, path := range paths {
		if _, ok := all[path]; !ok && lines.Err() == nil {
			return nil, fmt.Errorf("no answer of face-api for %s: remove %s", path, cache)
		}
	}
	return all, lines.Err()
}

func inNode(ctx context.Context, detector string, paths []string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "faceapi")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, content := range map[string][]byte{"describe.js": script, "package.json": packages} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return nil, err
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		c := exec.CommandContext(ctx, name, args...)
		c.Dir, c.Stderr = dir, os.Stderr
		return c
	}
	if err := command("npm", "install", "--silent", "--ignore-scripts").Run(); err != nil {
		return nil, fmt.Errorf("npm install: %w", err)
	}
	c := command("node", "describe.js", detector)
	c.Stdin = strings.NewReader(strings.Join(paths, "\n"))
	return c.Output()
}

// A set has the photographs of a folder with one folder per person, or of a
// folder of nobody in particular.
type set struct {
	name   string
	photos []photo
}

// people returns the photographs of each person, by name.
func (s set) people() (names []string, of map[string][]int) {
	of = make(map[string][]int)
	for i, p := range s.photos {
		if of[p.person] == nil {
			names = append(names, p.person)
		}
		of[p.person] = append(of[p.person], i)
	}
	return names, of
}

// An answer is a program's answer for a photograph: its best guess, how sure it
// is (more is surer), and whether it names it.
type answer struct {
	guess string
	score float64
	named bool
}

// A program learns people from photographs and names others.
type program interface {
	learn(ctx context.Context, photos []photo) (func(photo) answer, error)
}

// A matcher is face-api's FaceMatcher: the person with the least mean Euclidean
// distance of the descriptors, if it is below 0.6.
type matcher struct{}

const usersThreshold = 0.6 // of face-api's documentation and of its FaceMatcher

func (matcher) learn(_ context.Context, photos []photo) (func(photo) answer, error) {
	names, of := set{photos: photos}.people()
	return func(p photo) answer {
		best := answer{score: math.Inf(-1)}
		if !p.found {
			return best
		}
		for _, name := range names {
			var all []float64
			for _, i := range of[name] {
				if photos[i].found {
					all = append(all, floats.Distance(photos[i].Descriptor, p.Descriptor, 2))
				}
			}
			if d := stat.Mean(all, nil); len(all) > 0 && -d > best.score {
				best = answer{guess: name, score: -d, named: d < usersThreshold}
			}
		}
		return best
	}, nil
}

// ours is this project with all its defaults.
type ours struct{ images *dataset.Images }

func (o ours) learn(ctx context.Context, photos []photo) (func(photo) answer, error) {
	column := make(map[string]int)
	for j := range o.images.Len() {
		column[o.images.ID(j)] = j
	}
	var train []int
	for _, p := range photos {
		if j, ok := column[p.Path]; ok {
			train = append(train, j)
		}
	}
	slices.Sort(train)
	images := o.images.Select(train)
	r, err := nrdl.Train(ctx, images, nrdl.Defaults(images))
	if err != nil {
		return nil, err
	}
	faces, err := r.Model().Identify(ctx, o.images)
	if err != nil {
		return nil, err
	}
	classes := r.Model().Parts().Classes
	return func(p photo) answer {
		j, ok := column[p.Path]
		if !ok || faces[j].Class < 0 {
			return answer{score: math.Inf(-1)}
		}
		f := faces[j]
		return answer{guess: classes[f.Class], score: f.Scores[f.Class], named: f.Known}
	}, nil
}
