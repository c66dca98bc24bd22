package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/internal/lin"
)

// readNPZ reads a NumPy archive. X has its samples in rows or columns, with the pixels of an
// image row after row (C order), or it is N×height×width.
func readNPZ(r io.ReaderAt, size int64, path string, opt Options) (*Images, error) {
	arrays, err := npz.Read(r, size, npz.DefaultLimits)
	if err != nil {
		return nil, err
	}
	vars := contents(arrays)
	t, err := labelled(vars, opt)
	if err != nil {
		return nil, err
	}
	if ids := vars.words("ids"); len(ids) == len(t.labels) {
		t.ids = ids
	}
	if order := vars.words("classes"); sameNames(order, t.labels) {
		t.classes = order
	}
	if text := vars.words(inputArray); len(text) == 1 {
		return t.framed(text[0], opt)
	}
	return t.set(path, opt)
}

// inputArray is the name of the array with the Frame of the images, as JSON.
const inputArray = "input"

// framed returns the set of images that nrdl has cut out; text is their Frame. An older
// version stored features, whose text has members that a Frame lacks.
func (t *table) framed(text string, opt Options) (*Images, error) {
	var known *Frame
	err := json.Unmarshal([]byte(text), &known)
	if err == nil && known == nil {
		err = errors.New("null says nothing")
	}
	if err != nil {
		return nil, advice.Add(fmt.Errorf("its %s is not one that this nrdl knows: %w", inputArray, err),
			"convert the images themselves once more")
	}
	strict := json.NewDecoder(strings.NewReader(text))
	strict.DisallowUnknownFields()
	if strict.Decode(new(Frame)) != nil {
		opt.warn("its samples are features, %s: they are read as vectors", text)
		return t.grouped(Frame{}, 0)
	}
	f := *known
	if err := f.Validate(); err != nil {
		return nil, fmt.Errorf("its %s: %w", inputArray, err)
	}
	if want := opt.Frame; opt.Embedder == nil && (want.Size != (Size{}) || !want.Embedding.IsZero()) && !want.Same(f) {
		return nil, advice.Add(fmt.Errorf("its images were read as %v, not %v", f, want),
			"convert the images themselves once more")
	}
	t.standUp(f)
	return t.grouped(f, whiteOf(mat.Max(t.x)))
}

// sameNames reports whether classes has each of the different labels once.
func sameNames(classes, labels []string) bool {
	a, b := slices.Sorted(slices.Values(classes)), slices.Sorted(slices.Values(labels))
	return slices.Equal(a, slices.Compact(b))
}

// saveNPZ writes X (N×d), y, ids and classes (text) of samples with labels, the height and
// width of images, whose pixels are in C order, and the order C; if the Frame has more than a size, the Frame as the JSON text input.
func saveNPZ(ctx context.Context, path string, set *Images) error {
	arrays := []npz.Array{samplesArray(set)}
	if set.Classes != nil {
		_, n := set.X.Dims()
		labels, ids := make([]string, n), make([]string, n)
		for j, c := range set.Labels() {
			labels[j], ids[j] = set.Classes[c], set.ID(j)
		}
		arrays = append(arrays, npz.Text("y", labels), npz.Text("classes", set.Classes), npz.Text("ids", ids))
	}
	f := set.Frame
	if set.AreImages() {
		arrays = append(arrays,
			npz.Int64("height", nil, []int64{int64(f.Height)}), npz.Int64("width", nil, []int64{int64(f.Width)}),
			npz.Text("order", []string{"C"}))
	}
	if set.AreFaces() && !f.Same(Frame{Size: f.Size}) {
		text, err := json.Marshal(f)
		if err != nil {
			return err
		}
		arrays = append(arrays, npz.Text(inputArray, []string{string(text)}))
	}
	_, err := atomicfile.Write(ctx, path, func(w io.Writer) error { return npz.Write(w, arrays...) })
	return err
}

func samplesArray(set *Images) npz.Array {
	d, n := set.X.Dims()
	var grid classify.Grid
	if set.Frame.Size.Len() == d {
		grid = set.Frame.Grid()
	}
	if !allBytes(set.X) {
		return npz.Float64Rows("X", n, d, func(lo, hi int, dst []float64) {
			lin.Transpose(mat.NewDense(hi-lo, d, dst), grid.ByRows(lin.Cols(set.X, lo, hi)))
		})
	}
	t := mat.NewDense(n, d, nil)
	lin.Transpose(t, grid.ByRows(set.X))
	data := make([]uint8, n*d)
	for i, v := range t.RawMatrix().Data {
		data[i] = uint8(v)
	}
	return npz.Uint8("X", []int{n, d}, data)
}
