package report

import (
	"encoding/json"
	"io"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
)

// Rates are the recognition rates of plans as data, with everything for repeating a run.
type Rates struct {
	Plans []PlanRates `json:"plans"`
}

// PlanRates are the rates of one plan.
type PlanRates struct {
	Plan    string        `json:"plan"`
	Columns []ColumnRates `json:"columns"`
}

// ColumnRates are the rates in a setting: a data set, a split and a corruption.
type ColumnRates struct {
	Dataset   string           `json:"dataset"`
	Title     string           `json:"title,omitempty"`
	Path      string           `json:"path,omitempty"`
	Synthetic *synthetic.Faces `json:"drawn,omitempty"`
	Images    dataset.Frame    `json:"images"` // with which images are read
	Hash      string           `json:"hash"`
	Split     string           `json:"split"`
	Noise     float64          `json:"noise,omitempty"`
	Occlusion float64          `json:"occlusion,omitempty"`
	Labels    []LabelRates     `json:"labels"`
}

// LabelRates are the rates of a label in a setting.
type LabelRates struct {
	Label    string             `json:"label"`
	Method   string             `json:"method"`
	Input    *frontend.Pipeline `json:"input,omitempty"`  // that made samples of the images
	Params   json.RawMessage    `json:"params,omitempty"` // if all runs have the same
	N        int                `json:"n"`                // runs with a rate
	Mean     float64            `json:"mean"`             // percent; 0 without runs
	SD       float64            `json:"sd,omitempty"`     // points; 0 for one run
	Failures int                `json:"failed,omitempty"`
	Runs     []RunRate          `json:"runs"`
}

// A RunRate has the number of right answers of one run.
type RunRate struct {
	Repeat         int             `json:"repeat"`
	Seed           uint64          `json:"seed"`
	CorruptionSeed uint64          `json:"dirt_seed,omitempty"`
	SplitHash      string          `json:"split_hash,omitempty"`
	Wrong          int             `json:"wrong"`
	N              int             `json:"n"`                // images judged
	Params         json.RawMessage `json:"params,omitempty"` // if they differ between runs
}

// Rates returns the rates of r.
func (r *Report) Rates() Rates {
	var all Rates
	for _, p := range r.Plans {
		plan := PlanRates{Plan: p.Name}
		for j, c := range p.Columns {
			column := ColumnRates{
				Dataset: c.Source.Name, Title: c.Source.Title, Path: c.Source.Path, Synthetic: c.Source.Synthetic,
				Images: c.Source.Input, Hash: c.Source.Hash, Split: c.Split, Noise: c.Noise, Occlusion: c.Occlude,
			}
			for i, l := range p.Labels {
				if cell := p.Cells[i][j]; len(cell.records) > 0 {
					column.Labels = append(column.Labels, labelRates(l, cell))
				}
			}
			plan.Columns = append(plan.Columns, column)
		}
		all.Plans = append(all.Plans, plan)
	}
	return all
}

func labelRates(l *Label, c *Cell) LabelRates {
	out := LabelRates{Label: l.Name, Method: l.Method, N: c.N, Failures: c.Failures, Runs: []RunRate{}}
	if c.N > 0 {
		out.Mean = c.Mean
	}
	if c.N > 1 {
		out.SD = c.SD
	}
	same := true
	for _, r := range c.runs {
		same = same && string(r.Params) == string(c.runs[0].Params)
	}
	for _, r := range c.runs {
		run := RunRate{Repeat: r.Repeat, Seed: r.Seed, CorruptionSeed: r.CorruptionSeed, SplitHash: r.SplitHash, Wrong: r.Wrong, N: r.N}
		if !same {
			run.Params = r.Params
		}
		out.Runs = append(out.Runs, run)
	}
	if c.N > 0 {
		out.Input = c.runs[0].Input
	}
	if same && c.N > 0 {
		out.Params = c.runs[0].Params
	}
	return out
}

// Record returns a record with which experiment.Replay can repeat run.
func (c *ColumnRates) Record(l *LabelRates, run RunRate) experiment.Record {
	params := l.Params
	if run.Params != nil {
		params = run.Params
	}
	return experiment.Record{
		Dataset: experiment.Source{Name: c.Dataset, Title: c.Title, Path: c.Path, Synthetic: c.Synthetic, Input: c.Images, Hash: c.Hash},
		Split:   c.Split, Noise: c.Noise, Occlusion: c.Occlusion, Repeat: run.Repeat, Seed: run.Seed, CorruptionSeed: run.CorruptionSeed,
		Method: l.Method, Label: l.Label, Input: l.Input, Params: params,
	}
}

func (r Rates) write(w io.Writer) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(legible.JSON(text), '\n'))
	return err
}
