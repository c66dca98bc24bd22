package experiment

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
)

// A Plan says which methods are evaluated on which data, and how often.
// ReadPlan reads one.
type Plan struct {
	Name        string
	Description string
	Study       bool          // it looks into one method: reports recommend none
	Seed        uint64        // of all random choices
	Repeats     int           // of runs with random parts
	Limit       time.Duration // of a run, after which it has failed; 0 for none

	text        []byte // that it was parsed of
	data        []plannedData
	contestants []contestant
	published   map[string]map[string]Published // by id of the contestant and name of the data
	notes       map[string]map[string]string    // likewise, but either may be "*"
}

// Digests are those of the files of external programs, by Program.String, for ParseSentPlan.
func (p *Plan) Digests() map[string]string {
	all := map[string]string{}
	for _, c := range p.contestants {
		if m, err := c.method(""); err == nil {
			if program, ok := m.(Program); ok {
				all[program.String()] = program.Files
			}
		}
	}
	return all
}

// plannedData is a data set with its splits and corruptions.
type plannedData struct {
	node        *value
	name        string
	title       string
	description string
	path        string
	x, y        string // arrays of the file
	synthetic   *synthetic.Faces
	images      dataset.Frame // with which images are read
	preset      string
	repeats     int // 0 for the plan's
	splits      []dataset.Split
	splitNodes  []*value // where each of them is
	noise       []float64
	occlusion   []float64
}

// source is what is known of d before it is read.
func (d *plannedData) source() Source {
	return Source{
		Name: d.name, Title: d.title, Path: d.path, Synthetic: d.synthetic, X: d.x, Y: d.y, Preset: d.preset, About: d.description,
	}
}

// A contestant is a method with parameters in a plan.
type contestant struct {
	node        *value
	id          string // its key in published rates and notes
	label       string
	description string // what it is, in one sentence; "" for the description of the method
	method      func(preset string) (classify.Method, error)
	input       frontend.Pipeline // the zero Input is that of the data set
	variation   *Variation
	tune        *Search
	trace       bool
	datasets    []string // names of data sets; nil for all
}

// A job is one run that a plan asks for.
type job struct {
	*setting
	contestant *contestant
	method     classify.Method
	params     json.RawMessage
	key        string
	refusal    error // why its program may not be started here
}

// A setting is the common part of runs with the same training and test faces.
type setting struct {
	plan      *Plan
	data      *plannedData
	input     frontend.Pipeline // that makes samples
	split     dataset.Split
	noise     float64
	occlusion float64
	repeat    int
	jobs      []*job
}

// maxRuns bounds a plan.
const maxRuns = 1_000_000

// settings returns all settings of p, in its order.
func (p *Plan) settings() ([]*setting, error) {
	var all []*setting
	runs := 0
	for i := range p.data {
		d := &p.data[i]
		entrants, err := d.enter(p.contestants)
		if err != nil {
			return nil, err
		}
		if len(entrants) == 0 {
			continue
		}
		for range d.settings(p) { // before the work of any is done
			if runs += len(entrants); runs > maxRuns {
				return nil, d.node.errorf("more than %d runs", maxRuns)
			}
		}
		for s := range d.settings(p) {
			all = append(all, s.enter(entrants)...)
		}
	}
	return all, nil
}

// enter returns settings with the jobs of entrants: a copy of s for each different input.
func (s *setting) enter(entrants []entrant) []*setting {
	var all []*setting
	var inputs []string // of all
	for _, e := range entrants {
		in := e.contestant.input.String()
		at := slices.Index(inputs, in)
		if at < 0 {
			own := *s
			own.input, at = e.contestant.input, len(all)
			all, inputs = append(all, &own), append(inputs, in)
		}
		j := &job{setting: all[at], contestant: e.contestant, method: e.method, params: e.params}
		j.key = j.hash()
		j.setting.jobs = append(j.setting.jobs, j)
	}
	return all
}

// images returns the Frame with which the images of s are read.
func (s *setting) images() dataset.Frame {
	in := s.data.images
	if !s.input.Embedding.IsZero() {
		return dataset.Frame{Eyes: s.input.Eyes, Crop: cmp.Or(s.input.Crop, in.Crop), Embedding: s.input.Embedding}
	}
	if !s.input.Eyes.IsZero() {
		in.Eyes = s.input.Eyes
	}
	if s.input.Size != (dataset.Size{}) {
		in.Size = s.input.Size
	}
	if s.input.Crop != 0 {
		in.Crop = s.input.Crop
	}
	return in
}

// An entrant is a contestant with its parameters for a data set.
type entrant struct {
	contestant *contestant
	method     classify.Method
	params     json.RawMessage
}

// enter returns the contestants for d.
func (d *plannedData) enter(contestants []contestant) ([]entrant, error) {
	var all []entrant
	for i := range contestants {
		c := &contestants[i]
		if !c.meets(d.name) {
			continue
		}
		m, err := c.method(d.preset)
		if err != nil {
			return nil, err
		}
		params, err := marshal(m)
		if err != nil {
			return nil, c.node.errorf("%w", err)
		}
		all = append(all, entrant{c, m, params})
	}
	return all, nil
}

// marshal returns the parameters of m for records.
func marshal(m classify.Method) (json.RawMessage, error) {
	if p, ok := m.(Program); ok {
		return json.Marshal(p)
	}
	return method.Marshal(m)
}

// settings returns the settings of d, without their jobs.
func (d *plannedData) settings(p *Plan) iter.Seq[*setting] {
	return func(yield func(*setting) bool) {
		for _, split := range d.splits {
			for _, noise := range d.noise {
				for _, occlusion := range d.occlusion {
					repeats := 1
					if split.Random() || noise > 0 || occlusion > 0 {
						repeats = cmp.Or(d.repeats, p.Repeats)
					}
					for r := range repeats {
						if !yield(&setting{plan: p, data: d, split: split, noise: noise, occlusion: occlusion, repeat: r}) {
							return
						}
					}
				}
			}
		}
	}
}

func (c *contestant) meets(data string) bool {
	return c.datasets == nil || slices.Contains(c.datasets, data)
}

// hash returns the key of j. It is equal for equal work with the same label.
func (j *job) hash() string {
	d := j.data
	var samples *frontend.Pipeline
	if !j.input.IsZero() {
		samples = &j.input
	}
	text, err := json.Marshal(struct {
		Data, Path       string
		X, Y             string `json:",omitempty"`
		Drawn            *synthetic.Faces
		Input            dataset.Frame
		Split            string
		Noise, Occlusion float64
		Repeat           int
		Seed             uint64
		Label, Method    string
		Params           json.RawMessage
		Varied           *Variation
		Tune             *Search
		Trace            bool
		Samples          *frontend.Pipeline `json:",omitempty"`
	}{
		d.name, d.path, d.x, d.y, d.synthetic, d.images, j.split.String(), j.noise, j.occlusion, j.repeat, j.plan.Seed,
		j.contestant.label, j.method.Name(), j.params, j.contestant.variation, j.contestant.tune, j.contestant.trace, samples,
	})
	if err != nil {
		panic(fmt.Errorf("experiment: %w", err)) // numbers are finite, since they were JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// seed derives the seed for a purpose from the seed of the plan. It depends on the data
// set and the repeat but not on the method, so that all methods have the same faces. It
// has 53 bits, so that readers of JSON with double precision keep it.
func (s *setting) seed(purpose string) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%d", s.plan.Seed, purpose, s.data.name, s.repeat))
	return binary.LittleEndian.Uint64(sum[:]) >> 11
}

// fit is the seed of the split and of the fit. nrdl evaluate makes the same run with it.
func (s *setting) fit() uint64 { return s.seed("split") }

// corruption returns the corruption of the images. The seed is the same for all densities.
func (s *setting) corruption() corruption {
	d := corruption{s.noise, s.occlusion, 0}
	if d.noise+d.occlusion > 0 {
		d.seed = s.seed("dirt") // another label would draw another corruption than that of the records
	}
	return d
}

// lookup returns the entry of a plan for the contestant id and a data set.
func lookup[T any](table map[string]map[string]T, id, data string) (T, bool) {
	for _, key := range [][2]string{{id, data}, {id, "*"}, {"*", data}, {"*", "*"}} {
		if v, ok := table[key[0]][key[1]]; ok {
			return v, true
		}
	}
	var none T
	return none, false
}
