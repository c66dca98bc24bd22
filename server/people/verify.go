package people

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/openset"
)

// A Verification is the answer of verify.
type Verification struct {
	results.Comparison
	Warnings []string `json:"warnings,omitempty" doc:"What is wrong with files, which were used all the same"`
}

// Verify compares the photographs a and b of a form, or a with the person whose id it has.
func (v *Service) Verify(ctx context.Context, collection string, form Form) (*Verification, error) {
	in, err := v.engine.inputOf(ctx, collection)
	if err != nil {
		return nil, err
	}
	all, err := form.Files("a", "b", "person")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, p := range all {
		files[p.Field] = p.Data
	}
	if len(files) != len(all) || len(files) != 2 || files["a"] == nil {
		return nil, Invalid("the form needs the files a and b, or a and person")
	}
	var compared faces.Comparison
	photos := 2
	ctx, warnings := noting(ctx)
	if person := files["person"]; person != nil {
		photos = 1
		compared, err = v.verifyPerson(ctx, in, collection, string(person), files["a"])
	} else {
		err = v.Memory.Decoded(ctx, func() error {
			photo := func(name string) faces.Photo {
				return faces.Photo{Name: name, Load: func() ([]byte, error) { return files[name], nil }}
			}
			var err error
			compared, err = faces.Verify(ctx, nil, v.Options.Search, photo("a"), photo("b"))
			return err
		}, files["a"], files["b"])
	}
	if err != nil {
		return nil, err
	}
	return &Verification{results.NewComparison(compared, photos, openset.DefaultFMR), warnings()}, nil
}

var errNoLaw = Clash("it was not measured how similar different people are to the network of the collection")

// verifyPerson compares the largest face in an image file with the mean of those of a
// person.
func (v *Service) verifyPerson(ctx context.Context, in *input, collection, person string, data []byte) (c faces.Comparison, err error) {
	if _, err := v.store.Person(ctx, collection, person); err != nil {
		return c, err
	}
	const limit = 10000
	samples, err := v.store.Samples(ctx, collection, in.space, person, "", limit)
	if err != nil {
		return c, err
	}
	impostors := in.Law()
	switch {
	case len(samples) == 0:
		return c, Clash("the person has no face")
	case impostors == nil:
		return c, errNoLaw
	}
	seen, why, err := v.Memory.largest(ctx, in, "a", data)
	if err = cmp.Or(err, why); err != nil {
		return c, err
	}
	_, means := openset.Means(matrix(in.Frame, samples), []int{0, len(samples)})
	c.Similarity = max(-1, min(floats.Dot(mat.Col(nil, 0, means), seen.Values), 1)) // rounding may exceed 1
	c.FMR = impostors.FMR(len(samples), c.Similarity)
	c.Boxes[0], c.Others[0] = seen.Face.Box, seen.Others()
	return c, nil
}

// A Comparisons is the answer of compare.
type Comparisons struct {
	Face   results.Compared `json:"face" doc:"That was compared, the largest of a"`
	FMR    float64          `json:"fmr" doc:"Highest false match rate of the same person"`
	Photos []ComparedPhoto  `json:"photos" doc:"In the order in which they were sent"`

	Warnings []string `json:"warnings,omitempty" doc:"What is wrong with a, which was used all the same"`
}

// A ComparedPhoto is one of the photographs with which compare compares.
type ComparedPhoto struct {
	Same       bool             `json:"same"`
	Similarity *float64         `json:"similarity" doc:"Of the largest face; null if there is none that can be used"`
	Rate       *float64         `json:"false_match_rate" doc:"Share of other people who are as similar"`
	Face       results.Compared `json:"face" doc:"That was compared, the largest"`
	Refused    string           `json:"refused,omitempty" doc:"Why the photograph cannot be used"`
	Warnings   []string         `json:"warnings,omitempty" doc:"What is wrong with the file, which was used all the same"`
}

// Compare compares the photograph a of a form with the others.
func (v *Service) Compare(ctx context.Context, collection string, form Form) (*Comparisons, error) {
	in, err := v.engine.inputOf(ctx, collection)
	if err != nil {
		return nil, err
	}
	law := in.Law()
	if law == nil {
		return nil, errNoLaw
	}
	all, err := form.Files("a", "photo")
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(all, func(p File) bool { return p.Field == "a" })
	if first < 0 || len(all) < 2 || slices.ContainsFunc(all[first+1:], func(p File) bool { return p.Field == "a" }) {
		return nil, Invalid("the form needs one file a, and one or more files photo")
	}
	looked, warnings := noting(ctx)
	a, why, err := v.Memory.largest(looked, in, "photo", all[first].Data)
	if err == nil && why != nil {
		err = Unusable(why)
	}
	if err != nil {
		return nil, err
	}
	response := Comparisons{Face: comparedFace(a), FMR: openset.DefaultFMR, Photos: []ComparedPhoto{}, Warnings: warnings()}
	for _, p := range slices.Delete(all, first, first+1) {
		looked, warnings := noting(ctx)
		b, why, err := v.Memory.largest(looked, in, "photo", p.Data)
		if err != nil {
			return nil, err
		}
		if why != nil {
			response.Photos = append(response.Photos, ComparedPhoto{Refused: why.Error()})
			continue
		}
		c := faces.Comparison{Similarity: max(-1, min(floats.Dot(a.Values, b.Values), 1))}
		c.FMR = law.FMR(1, c.Similarity)
		response.Photos = append(response.Photos, ComparedPhoto{c.Same(response.FMR), &c.Similarity, &c.FMR, comparedFace(b), "", warnings()})
	}
	return &response, nil
}

// largest finds the largest face in an image file, which name stands for in errors. If there is none that can be used, why says so.
func (m *Memory) largest(ctx context.Context, in *input, name string, data []byte) (f face.Seen, why, err error) {
	err = m.Decoded(ctx, func() error {
		seen, _, err := face.Decode(ctx, data, name, true, face.Largest, in.cut)
		switch {
		case err != nil:
			return err
		case len(seen) == 0:
			return face.ErrNoFace
		}
		f = seen[0]
		return f.Reason
	}, data)
	if isInvalid(err) {
		return f, err, nil
	}
	return f, nil, err
}

func comparedFace(f face.Seen) results.Compared {
	return results.Compared{Box: results.NewDetection(f.Face).Box, Others: f.Others()}
}
