package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/kit/picture"
	"nrdl.example/nrdl/lab/experiment"
)

// reconstructions makes the picture of test images of people from the whole set. Each row
// has a test image, D·s, D_c·s_c of the class with the largest score, and the atoms with
// the largest coefficients. The first three images have the same range of grey.
func (p *album) reconstructions(ctx context.Context, r experiment.Record, run *experiment.Rerun) (Picture, error) {
	parts := run.Model.Parts()
	columns := spreadOver(run.Test, picturedFaces)
	y := classify.Unit(run.Test.Select(columns).X)
	codes, err := run.Model.Classifier.Transform(ctx, y)
	if err != nil {
		return Picture{}, err
	}
	named, err := run.Model.Classifier.Predict(ctx, y)
	if err != nil {
		return Picture{}, err
	}
	d, k := parts.D.Dims()
	largest := min(largestAtoms, k)
	width := 3 + largest
	x := mat.NewDense(d, width*len(columns), nil)
	s := p.sheet(width)
	right := 0
	for j, column := range columns {
		code, c := mat.Col(nil, j, codes), named[j]
		classCode := make([]float64, k) // s_c
		copy(classCode[parts.Groups[c]:parts.Groups[c+1]], code[parts.Groups[c]:parts.Groups[c+1]])
		face := mat.Col(nil, j, y)
		tone := toneOf(face)
		x.SetCol(j*width, tone.apply(face))
		x.SetCol(j*width+1, tone.apply(product(parts.D, code)))
		x.SetCol(j*width+2, tone.apply(product(parts.D, classCode)))
		for i, a := range largestOf(code, largest) {
			atom := mat.Col(nil, a, parts.D)
			x.SetCol(j*width+3+i, toneOf(atom).apply(atom))
		}
		is := run.Test.Classes[run.Test.ClassOf(column)]
		mark, caption := picture.Right, is
		if parts.Classes[c] != is {
			mark, caption = picture.Wrong, is+": "+parts.Classes[c]+"?"
		} else {
			right++
		}
		s.Marks = append(append(s.Marks, mark), make([]picture.Mark, width-1)...)
		s.Groups, s.Captions = append(s.Groups, (j+1)*width), append(s.Captions, caption)
	}
	return drawSheet(x, run.Model.Frame.Size, s, Picture{
		Title: "Test images of " + pictureTitle(r) + " and their reconstructions",
		Caption: fmt.Sprintf("From the left: the image, green if it is named rightly and red if not; its reconstruction D·s over all atoms; "+
			"over the atoms of the person it is named as; the %d atoms with the largest coefficients; %s.", largest, runInWords(r)),
		Alt: fmt.Sprintf("A sheet of %d test images, %d of them named rightly, with reconstructions and atoms beside them", len(columns), right),
	})
}

// spreadOver returns the first column of each of n people, evenly over the set, or of all
// people if there are fewer.
func spreadOver(s *dataset.Images, n int) []int {
	n = min(n, len(s.Classes))
	columns := make([]int, n)
	for i := range columns {
		columns[i] = s.Groups[i*len(s.Classes)/n]
	}
	return columns
}

func product(d *mat.Dense, s []float64) []float64 {
	var v mat.VecDense
	v.MulVec(d, mat.NewVecDense(len(s), s))
	return v.RawVector().Data
}

// largestOf returns the indices of the n coefficients that are largest in
// magnitude, the largest first.
func largestOf(s []float64, n int) []int {
	order := make([]int, len(s))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(s[b]), math.Abs(s[a])) })
	return order[:n]
}

// A tone maps values to grey, 0 … 255.
type tone struct{ zero, gain float64 }

// toneOf makes the smallest value of v black and the largest white.
func toneOf(v []float64) tone {
	lo, hi := slices.Min(v), slices.Max(v)
	if hi == lo {
		return tone{lo - 0.5, 255}
	}
	return tone{lo, 255 / (hi - lo)}
}

func (t tone) apply(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = (x - t.zero) * t.gain
	}
	return out
}

// pair returns c without its count, as a key.
func pair(c experiment.Confusion) experiment.Confusion {
	return experiment.Confusion{Person: c.Person, TakenFor: c.TakenFor}
}

// confused makes the picture of the pairs that the best method confuses most often over
// all its runs, in the first plan and split.
func (p *album) confused(ctx context.Context) ([]Picture, error) {
	runs := p.best()
	pairs := confusions(runs, confusedPairs)
	found, failed := p.find(ctx, runs, pairs)
	if len(found) == 0 {
		return nil, failed
	}
	var columns [][]float64
	var words []string
	s := p.sheet(3)
	var in dataset.Size
	for _, c := range pairs {
		faces, ok := found[pair(c)]
		if !ok {
			continue
		}
		in = faces.size
		for _, v := range faces.images {
			columns = append(columns, toneOf(v).apply(v))
		}
		s.Groups, s.Captions = append(s.Groups, len(columns)), append(s.Captions, fmt.Sprintf("%s: %s? %d×", c.Person, c.TakenFor, c.N))
		s.Marks = append(s.Marks, picture.Wrong, picture.Plain, picture.Plain)
		words = append(words, fmt.Sprintf("%s for %s (%d×)", c.Person, c.TakenFor, c.N))
	}
	x := mat.NewDense(in.Len(), len(columns), nil)
	for j, v := range columns {
		x.SetCol(j, v)
	}
	r := runs[0]
	made, err := drawSheet(x, in, s, Picture{
		Title: "People of " + pictureTitle(*r) + " that are confused most",
		Caption: fmt.Sprintf("From the left: an image that is named wrongly, an image that was learned of the same person, and one of the person it is named as. "+
			"Counted over %d runs of %s, split %s, the best of the methods that are given these images: %s.", len(runs), r.Label, r.Split, strings.Join(words, ", ")),
		Alt: fmt.Sprintf("A sheet of %d rows, each a face that was named wrongly and one of each of the two people", len(words)),
	})
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	return []Picture{made}, failed
}

// best returns the runs of the label with the largest mean rate, in the plan
// and the split of the first record.
func (p *album) best() (best []*experiment.Record) {
	order, members := grouped(len(p.records), func(i int) (string, bool) {
		r := &p.records[i]
		return r.Label, r.Plan == p.records[0].Plan && r.Split == p.records[0].Split
	})
	most := -1.0
	for _, l := range order {
		var runs []*experiment.Record
		sum := 0.0
		for _, i := range members[l] {
			runs = append(runs, &p.records[i])
			sum += p.records[i].Rate
		}
		if mean := sum / float64(len(runs)); mean > most {
			best, most = runs, mean
		}
	}
	return best
}

// confusedFaces are the misnamed test image of a pair and a training image of
// each person.
type confusedFaces struct {
	size   dataset.Size
	images [3][]float64
}

// find repeats runs, first those with most of the pairs, until it has faces of all pairs
// or has made mostReruns.
func (p *album) find(ctx context.Context, runs []*experiment.Record, pairs []experiment.Confusion) (map[experiment.Confusion]confusedFaces, error) {
	found := map[experiment.Confusion]confusedFaces{} // by pair
	wanted := func(c experiment.Confusion) bool {
		_, have := found[pair(c)]
		return !have && slices.ContainsFunc(pairs, func(d experiment.Confusion) bool { return pair(c) == pair(d) })
	}
	for range mostReruns {
		at, most := -1, 0
		for i, r := range runs {
			n := 0
			for _, c := range r.Confusions {
				if wanted(c) {
					n++
				}
			}
			if n > most {
				at, most = i, n
			}
		}
		if at < 0 {
			break
		}
		run, err := p.replay(ctx, *runs[at])
		if err != nil {
			return found, err
		}
		before := len(found)
		if err := seek(ctx, run, wanted, found); err != nil {
			return found, err
		}
		if len(found) == before {
			return found, fmt.Errorf("%s: made again it names other images wrongly than its record says", runInWords(*runs[at]))
		}
	}
	return found, nil
}

// seek adds to found the faces of the wanted pairs that run confuses.
func seek(ctx context.Context, run *experiment.Rerun, wanted func(experiment.Confusion) bool, found map[experiment.Confusion]confusedFaces) error {
	parts := run.Model.Parts()
	named, err := run.Model.Predict(ctx, run.Test)
	if err != nil {
		return err
	}
	for j, c := range named {
		one := experiment.Confusion{Person: run.Test.Classes[run.Test.ClassOf(j)], TakenFor: parts.Classes[c]}
		is, as := slices.Index(run.Train.Classes, one.Person), slices.Index(run.Train.Classes, one.TakenFor)
		if one.Person == one.TakenFor || is < 0 || as < 0 || !wanted(one) {
			continue
		}
		found[one] = confusedFaces{run.Test.Frame.Size, [3][]float64{
			mat.Col(nil, j, run.Test.X),
			mat.Col(nil, run.Train.Groups[is], run.Train.X),
			mat.Col(nil, run.Train.Groups[as], run.Train.X),
		}}
	}
	return nil
}
