package faces

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// In a photograph no name is there twice, the face with the best score among those that
// want it has it, and no face gets a worse person than one who is free.
func TestNamesOfAPhotographDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const d = 4
		number := rapid.Float64Range(-1, 1)
		people := rapid.IntRange(3, 5).Draw(t, "people")
		x := mat.NewDense(d, 2*people, nil)
		var names []string
		for j := range 2 * people {
			for i := range d {
				x.Set(i, j, number.Draw(t, "x"))
			}
			x.Set(0, j, 1.5)
			names = append(names, string(rune('a'+j/2)))
		}
		images, err := dataset.NewImages(x, names, nil, nil, dataset.Frame{})
		if err != nil {
			t.Fatal(err)
		}
		o := Defaults(images)
		o.Method, o.OpenSet = method.Mean{}, nil
		if rapid.Bool().Draw(t, "threshold") {
			o.OpenSet = &openset.Options{FPIR: 0.5, Prior: 0.5, Folds: 3}
		}
		r, err := Train(context.Background(), images, o)
		if err != nil {
			t.Fatal(err)
		}
		alone, together := make([]Face, 4), make([]Face, 4)
		for k := range alone {
			alone[k].values = mat.Col(nil, k, x)
			together[k].values = alone[k].values
		}
		for k := range alone {
			if err := r.namePhotographs(context.Background(), nil, alone[k:k+1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.namePhotographs(context.Background(), nil, together); err != nil {
			t.Fatal(err)
		}
		owner := map[string]float64{}
		for k, f := range together {
			if f.Known {
				if _, twice := owner[f.Name]; twice {
					t.Fatalf("%s is there twice", f.Name)
				}
				owner[f.Name] = f.Margin
			}
			if lost := alone[k].Known && f.Name != alone[k].Name; lost != (f.LostName != "") || lost && f.LostName != alone[k].Name {
				t.Fatalf("face %d is %q alone, and %q with others; taken: %q", k, alone[k].Name, f.Name, f.LostName)
			}
		}
		for k, f := range together {
			if best, ok := owner[f.LostName]; f.LostName != "" && (!ok || best < alone[k].Margin) {
				t.Fatalf("%s is the name of no better face", f.LostName)
			}
		}
	})
}
