package report

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/png"
	"slices"

	"gonum.org/v1/gonum/mat"
	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/lettering"
	"nrdl.example/nrdl/internal/kit/picture"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
)

// A Picture is an image with faces.
type Picture struct {
	Title   string
	Caption string // what is shown, and the run
	Alt     string // for those who cannot see it
	PNG     []byte
}

// PictureOptions selects the faces in pictures, and their size.
type PictureOptions struct {
	Side int  // height of a face in pixels
	Real bool // show faces that are not drawn
}

// DefaultPictures shows all faces, those of drawn people and of real ones.
var DefaultPictures = PictureOptions{Side: 72, Real: true}

// The largest numbers of faces in pictures.
const (
	picturedSets   = 5
	picturedPeople = 6 // whose atoms are shown
	picturedAtoms  = 8 // of each of them
	picturedFaces  = 6 // test images with their reconstructions
	largestAtoms   = 5 // beside a reconstruction
	confusedPairs  = 6 // of people
	mostReruns     = 2 // runs repeated to find faces of the pairs
)

// Pictures repeats runs of records and shows what they learned. For each data
// set it shows atoms and reconstructions of NRDL, or of the first method that
// learns a dictionary, and the pairs of people that the best method confuses
// most. It uses only records of clean images without a varied parameter. A data
// set of vectors has no pictures. If some pictures fail, the others are returned
// together with the joined errors. The order of the records does not matter.
func Pictures(ctx context.Context, data *experiment.Databases, records []experiment.Record, o PictureOptions) ([]Picture, error) {
	return pictures(ctx, func(ctx context.Context, r experiment.Record) (*experiment.Rerun, error) {
		return experiment.Replay(ctx, data, r)
	}, records, o)
}

// A replay repeats the run of a record.
type replay func(context.Context, experiment.Record) (*experiment.Rerun, error)

func pictures(ctx context.Context, again replay, records []experiment.Record, o PictureOptions) (out []Picture, err error) {
	groups := byDataset(records, o.Real)
	for _, of := range groups[:min(picturedSets, len(groups))] {
		p := &album{PictureOptions: o, replay: rememberRuns(again), records: of}
		for _, draw := range []func(context.Context) ([]Picture, error){p.dictionary, p.confused} {
			made, failed := draw(ctx)
			if stopped := context.Cause(ctx); stopped != nil {
				return out, stopped
			}
			if failed != nil {
				err = errors.Join(err, fmt.Errorf("pictures of %s: %w", pictureTitle(of[0]), failed))
			}
			out = append(out, made...)
		}
	}
	return out, err
}

// byDataset returns the records for pictures, one group per data set. Presets come first,
// in their order, then others by name. In a group untuned records come first, then plans
// and splits by name.
func byDataset(records []experiment.Record, genuine bool) (groups [][]experiment.Record) {
	var usable []experiment.Record
	for _, r := range records {
		clean := r.Noise == 0 && r.Occlusion == 0 && r.Varied == nil && r.Error == "" && r.Method != experiment.ProgramMethod
		if clean && r.Input == nil && r.Dataset.Input.Size != (dataset.Size{}) && (genuine || r.Dataset.Drawn != nil) {
			usable = append(usable, r)
		}
	}
	slices.SortStableFunc(usable, func(a, b experiment.Record) int {
		return cmp.Or(
			cmp.Compare(indexOrLast(method.PresetNames(), a.Dataset.Preset), indexOrLast(method.PresetNames(), b.Dataset.Preset)),
			natural.Compare(a.Dataset.Name, b.Dataset.Name), cmp.Compare(a.Dataset.Hash, b.Dataset.Hash),
			tunedLast(a)-tunedLast(b), natural.Compare(a.Plan, b.Plan), natural.Compare(a.Split, b.Split),
			cmp.Compare(indexOrLast(method.Names(), a.Method), indexOrLast(method.Names(), b.Method)),
			natural.Compare(a.Label, b.Label), cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Key, b.Key))
	})
	for i, r := range usable {
		if i == 0 || r.Dataset.Name != usable[i-1].Dataset.Name || r.Dataset.Hash != usable[i-1].Dataset.Hash {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], r)
	}
	return groups
}

func tunedLast(r experiment.Record) int {
	if r.Tuning != nil {
		return 1
	}
	return 0
}

// rememberRuns repeats each run only once.
func rememberRuns(again replay) replay {
	made := map[string]*experiment.Rerun{}
	return func(ctx context.Context, r experiment.Record) (*experiment.Rerun, error) {
		if m, ok := made[r.Key]; ok {
			return m, nil
		}
		m, err := again(ctx, r)
		if err == nil {
			made[r.Key] = m
		}
		return m, err
	}
}

// An album makes the pictures of one data set.
type album struct {
	PictureOptions
	replay  replay
	records []experiment.Record // of the data set, in the order of byDataset
}

func pictureTitle(r experiment.Record) string { return cmp.Or(r.Dataset.Title, r.Dataset.Name) }

// runInWords describes the run of a picture.
func runInWords(r experiment.Record) string {
	text := fmt.Sprintf("%s on %s, split %s, repeat %d", r.Label, pictureTitle(r), r.Split, r.Repeat)
	if r.Tuning != nil {
		text += ", parameters tuned"
	}
	return text
}

// learner returns the record for the picture of a dictionary; nil if no method learned
// one.
func (p *album) learner() (best *experiment.Record) {
	for i, r := range p.records {
		if r.Repeat != 0 || r.Status == "" || r.Status == classify.ClosedForm {
			continue
		}
		if r.Method == method.DefaultNRDL.Name() {
			return &p.records[i]
		}
		if best == nil {
			best = &p.records[i]
		}
	}
	return best
}

// dictionary makes the pictures of atoms and reconstructions.
func (p *album) dictionary(ctx context.Context) ([]Picture, error) {
	r := p.learner()
	if r == nil {
		return nil, nil
	}
	run, err := p.replay(ctx, *r)
	if err != nil {
		return nil, err
	}
	atoms, err := p.atoms(*r, run.Model)
	if err != nil {
		return nil, err
	}
	faces, err := p.reconstructions(ctx, *r, run)
	if err != nil {
		return []Picture{atoms}, err
	}
	return []Picture{atoms, faces}, nil
}

// atoms makes the picture of the first atoms of the first people.
func (p *album) atoms(r experiment.Record, m *frontend.Model) (Picture, error) {
	parts := m.Parts()
	people := min(picturedPeople, len(parts.Classes))
	var columns []int
	s := p.sheet(picturedAtoms)
	for c := range people {
		lo, hi := parts.Groups[c], parts.Groups[c+1]
		for k := lo; k < min(hi, lo+picturedAtoms); k++ {
			columns = append(columns, k)
		}
		s.Groups, s.Captions = append(s.Groups, len(columns)), append(s.Captions, parts.Classes[c])
	}
	d, _ := parts.D.Dims()
	x := mat.NewDense(d, len(columns), nil)
	for j, k := range columns {
		atom := mat.Col(nil, k, parts.D)
		x.SetCol(j, toneOf(atom).apply(atom))
	}
	return drawSheet(x, m.Frame.Size, s, Picture{
		Title:   "Atoms learned from " + pictureTitle(r),
		Caption: fmt.Sprintf("The first atoms of %d of %d people, each in its own range of grey; %s.", people, len(parts.Classes), runInWords(r)),
		Alt:     fmt.Sprintf("A sheet of %d dictionary atoms that look like faces, a row for each of %d people", len(columns), people),
	})
}

// sheet returns the options of all sheets.
func (p *album) sheet(columns int) picture.SheetOptions {
	s := picture.DefaultSheet
	s.Letters, s.Heading = lettering.Regular, lettering.Bold
	s.Columns, s.Side, s.Range, s.Groups = columns, p.Side, picture.Grey, []int{0}
	return s
}

// drawSheet adds the sheet of the columns of x to p.
func drawSheet(x *mat.Dense, in dataset.Size, s picture.SheetOptions, p Picture) (Picture, error) {
	img, err := picture.Sheet(x, picture.Size(in), s)
	if err != nil {
		return p, err
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		return p, err
	}
	p.PNG = out.Bytes()
	return p, nil
}
