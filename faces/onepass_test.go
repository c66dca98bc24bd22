package faces

import (
	"context"
	"image"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
)

// A countedCoder counts the samples that it codes.
type countedCoder struct {
	coding.Coder
	samples *atomic.Int64
}

func (c countedCoder) Over(b coding.Basis) (coding.Coding, error) {
	over, err := c.Coder.Over(b)
	return countedCoding{over, c.samples}, err
}

type countedCoding struct {
	coding.Coding
	samples *atomic.Int64
}

func (c countedCoding) Code(ctx context.Context, s, y *mat.Dense) error {
	_, n := y.Dims()
	c.samples.Add(int64(n))
	return c.Coding.Code(ctx, s, y)
}

// A face that is identified and explained is coded once.
func TestIdentifyAndExplainCodeOnce(t *testing.T) {
	drawn := synthetic.Default
	drawn.People, drawn.PerPerson, drawn.Input = 3, 3, dataset.Size{Height: 16, Width: 16}
	crops, err := drawn.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults(crops)
	o.Method, o.Detect.Detect = method.DefaultNRC, face.Never
	r, err := Train(t.Context(), crops, o)
	if err != nil {
		t.Fatal(err)
	}
	var samples atomic.Int64
	p := r.m.Parts()
	p.Coder = countedCoder{p.Coder, &samples}
	if r.m.Classifier, err = classify.NewClassifier(p); err != nil {
		t.Fatal(err)
	}
	photo := image.NewGray(image.Rect(0, 0, 16, 16))
	for k := range photo.Pix {
		photo.Pix[k] = uint8(7 * k)
	}
	faces, err := r.Identify(t.Context(), photo)
	if err != nil || len(faces) != 1 {
		t.Fatalf("%d faces, %v", len(faces), err)
	}
	if _, err := r.Explain(t.Context(), faces[0]); err != nil {
		t.Fatal(err)
	}
	if n := samples.Load(); n != 1 {
		t.Errorf("the face is coded %d times", n)
	}
}
