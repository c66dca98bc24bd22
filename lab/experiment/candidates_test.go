package experiment_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
)

// Candidates are different from each other, and of the method that is asked for.
func TestCandidates(t *testing.T) {
	images, err := synthetic.Faces{
		People: 3, PerPerson: 4, Input: dataset.Size{Height: 16, Width: 16}, Seed: 4,
		Light: 0.3, Pose: 0.3, Expression: 0.3, Noise: 1,
	}.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "faces.mat")
	if err := dataset.Save(t.Context(), path, images); err != nil {
		t.Fatal(err)
	}
	images, err = faces.Read(t.Context(), path, faces.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	learn := []int{0, 1, 4, 5, 8, 9}
	train := images.Select(learn)
	read := func(ctx context.Context, frame dataset.Frame, _ bool) (*dataset.Images, error) {
		images, err := faces.Read(ctx, path, faces.ReadOptions{Frame: frame})
		if err != nil {
			return nil, err
		}
		return images.Select(learn), nil
	}
	words := func(all []experiment.Candidate) (words []string) {
		for _, c := range all {
			words = append(words, c.Input.String()+", "+method.Words(c.Method))
		}
		return words
	}
	all, err := experiment.Candidates(t.Context(), train, nil, false, read)
	if err != nil {
		t.Fatal(err)
	}
	larger := 0
	for _, c := range all {
		if c.Images != nil {
			larger++
			if c.Images.Frame.Size != (dataset.Size{Height: 96, Width: 96}) || !slices.Equal(c.Images.IDs, train.IDs) {
				t.Errorf("%v of %v", c.Images.IDs, c.Images.Frame)
			}
		}
	}
	if larger == 0 {
		t.Error("no candidate of larger images")
	}
	by, err := experiment.Candidates(t.Context(), train, method.DefaultCRC, false, read)
	if err != nil || len(by) >= len(all) {
		t.Errorf("%d candidates, %d of CRC, %v", len(all), len(by), err)
	}
	for _, some := range [][]experiment.Candidate{all, by} {
		list := words(some)
		slices.Sort(list)
		if n := len(slices.Compact(list)); n != len(some) {
			t.Errorf("%d of %d candidates are different", n, len(some))
		}
	}
	for _, c := range by {
		if c.Method.Name() != "crc" {
			t.Errorf("%s", c.Method.Name())
		}
	}
	for _, nothing := range []*dataset.Images{nil, dataset.Unlabelled(&mat.Dense{}, dataset.Frame{})} {
		if _, err := experiment.Candidates(t.Context(), nothing, nil, false, read); err == nil {
			t.Error("candidates for no images")
		}
	}
	vectors := dataset.Unlabelled(mat.NewDense(5, 2, nil), dataset.Frame{})
	if _, err := experiment.Candidates(t.Context(), vectors, nil, false, read); err == nil || advice.Text(err) == "" {
		t.Errorf("vectors: %v", err)
	}
}
