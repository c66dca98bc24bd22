package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/array"
)

// A contents has the arrays of a file by name.
type contents array.List

func (c contents) has(name string) bool { return array.List(c).Index(name) >= 0 }

// get returns the array of that name, which is there, as a matrix.
func (c contents) get(name string) (matrix, error) {
	a := c[array.List(c).Index(name)]
	if len(a.Shape) > 3 && a.Reason == "" {
		return matrix{}, advice.Add(fmt.Errorf("array %v has more than three dimensions", a),
			"images are grey, N×height×width: of colour, take the mean of the last axis, or a folder of image files")
	}
	rows, cols := a.Dims()
	if tooLarge(rows, cols) {
		word, _, _ := strings.Cut(a.Word(), " ")
		return matrix{}, fmt.Errorf("%s %v is too large to hold", word, a)
	}
	data, err := a.Float64s()
	m := matrix{name: name, rows: rows, cols: cols, data: data, fromZero: !a.MATLAB}
	if err == nil && len(a.Shape) == 3 {
		m.size = Size{Height: a.Shape[1], Width: a.Shape[2]}
		if len(data) > 0 {
			m.data = Frame{Size: m.size}.Grid().ByColumns(m.transposed()).RawMatrix().Data
		}
	}
	return m, err
}

// byRows reports whether rows of pixels are images row after row (C order), as in NumPy, and not
// column after column, as in MATLAB. The array order, C or F, says it; an older nrdl wrote
// columns without it, and the arrays classes and ids or input.
func (c contents) byRows() (bool, error) {
	if len(c) > 0 && c[0].MATLAB {
		return false, nil
	}
	if !c.has("order") {
		return !c.has(inputArray) && !(c.has("classes") && c.has("ids")), nil
	}
	switch order := c.words("order"); {
	case slices.Equal(order, []string{"C"}):
		return true, nil
	case slices.Equal(order, []string{"F"}):
		return false, nil
	}
	return false, advice.Add(errors.New("the array order is not C or F"), "C: the pixels of an image row after row; F: column after column")
}

// words returns the elements of an array of strings; nil if there is none of that name.
func (c contents) words(name string) []string {
	if !c.has(name) {
		return nil
	}
	words, err := c[array.List(c).Index(name)].Strings()
	if err != nil {
		return nil
	}
	return words
}

// A pair is the names of samples and their labels.
type pair struct{ x, y string }

// conventions are common names, in the order of the search.
var conventions = []pair{
	{"fea", "gnd"}, {"X", "y"}, {"X", "labels"}, {oneHotX, oneHotY},
}

// LC-KSVD and its successors store training samples d×N, labels C×N with a single 1 per
// column, and test samples in separate variables.
const (
	oneHotX, oneHotY         = "training_feats", "H_train"
	oneHotTestX, oneHotTestY = "testing_feats", "H_test"
)

// Arrays says which arrays of a .mat or .npz file have the samples and the labels. The zero
// value stands for common names: fea and gnd, X and y, X and labels, training_feats and
// H_train.
type Arrays struct {
	X, Y string // names; if one is empty, it is the common one beside the other

	// Unlabelled ignores labels: the set has no classes, and the samples are in the order of
	// the file. A file without labels is read too. Its rows are the samples, unless only its
	// columns have Length numbers. It is not for image files.
	Unlabelled bool
	Length     int

	Optional bool // Unlabelled holds for files without labels only

	// Vectors says that samples are for a model that takes vectors: their numbers keep their
	// order. A file whose samples are images is refused, as nobody knows the order of the pixels
	// in such a model.
	Vectors bool
}

// pairs are the names to look for, in this order.
func (a Arrays) pairs() (all []pair) {
	if a.X != "" && a.Y != "" {
		return []pair{{a.X, a.Y}}
	}
	for _, c := range conventions {
		if a.X != "" {
			c.x = a.X
		}
		if a.Y != "" {
			c.y = a.Y
		}
		all = append(all, c)
	}
	return all
}

// labelled finds the samples, their labels and their size.
func labelled(vars contents, opt Options) (*table, error) {
	if in := opt.Frame; in.Size == (Size{}) && in.Crop != 0 && in.Crop != 1 {
		err := fmt.Errorf("crop = %v without a size", in.Crop)
		return nil, advice.Add(err, "give the size that this part of the images is brought to")
	}
	if opt.Arrays.Unlabelled {
		return unlabelled(vars, opt.Arrays)
	}
	wanted := opt.Arrays.pairs()
	for _, c := range wanted {
		if !vars.has(c.x) || !vars.has(c.y) {
			continue
		}
		t := &table{}
		if err := t.fill(vars, c.x, c.y); err != nil {
			return nil, err
		}
		if c.x == oneHotX && (vars.has(oneHotTestX) || vars.has(oneHotTestY)) {
			opt.warn("ignored %s and %s: only the training samples are read", oneHotTestX, oneHotTestY)
		}
		return t, t.sides(vars)
	}
	var pairs []string
	if y := opt.Arrays.Y; opt.Arrays.Optional && (y == "" || vars.has(y)) {
		return unlabelled(vars, opt.Arrays)
	}
	for _, c := range wanted {
		if p := c.x + " and " + c.y; !slices.Contains(pairs, p) {
			pairs = append(pairs, p)
		}
	}
	err := fmt.Errorf("no samples with labels: it has none of the pairs %s", strings.Join(pairs, ", "))
	return nil, vars.lacks(err, "; name the samples with %v, and labels with %v", advice.SampleArray, advice.LabelArray)
}

// lacks is err with what the file has instead, and a remedy that names options.
func (c contents) lacks(err error, remedy string, options ...any) error {
	if all := array.List(c).Describe(); len(all) > 0 {
		return advice.Add(err, "the file holds %s"+remedy, append([]any{strings.Join(all, ", ")}, options...)...)
	}
	return advice.Add(err, "the file holds no variable at all")
}

// unlabelled finds samples, whether they have labels or not.
func unlabelled(vars contents, a Arrays) (*table, error) {
	names := []string{a.X}
	if a.X == "" {
		names = nil
		for _, c := range conventions {
			if !slices.Contains(names, c.x) {
				names = append(names, c.x)
			}
		}
		if names = append(names, oneHotTestX); len(vars) == 1 {
			names = append(names, vars[0].Name)
		}
	}
	i := slices.IndexFunc(names, vars.has)
	if i < 0 {
		return nil, vars.lacks(fmt.Errorf("no samples: it has no array %s", strings.Join(names, ", ")),
			"; name the samples with %v", advice.SampleArray)
	}
	for _, c := range a.pairs() {
		if t := (&table{}); c.x == names[i] && vars.has(c.y) && t.fill(vars, c.x, c.y) == nil {
			t.unlabelled = true
			return t, t.sides(vars)
		}
	}
	m, err := vars.get(names[i])
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, err
	}
	t := &table{size: m.size, unlabelled: true}
	if columns := names[i] == oneHotX || names[i] == oneHotTestX; m.cols != a.Length && (columns || m.rows == a.Length) {
		t.x = m.dense()
	} else {
		t.x = m.transposed()
	}
	return t, t.sides(vars)
}

// fill reads the samples x and their labels y.
func (t *table) fill(vars contents, x, y string) error {
	samples, err := vars.get(x)
	if err != nil {
		return err
	}
	t.size = samples.size
	if t.labels = vars.words(y); t.labels == nil {
		if err := t.number(vars, y); err != nil {
			return err
		}
	}
	t.x, err = samples.samples(len(t.labels), y == oneHotY)
	return err
}

// number reads labels that are numbers.
func (t *table) number(vars contents, y string) error {
	m, err := vars.get(y)
	if err != nil {
		return err
	}
	switch {
	case y == oneHotY:
		m, err = m.oneHot()
	case m.rows > 1 && m.cols > 1:
		m, err = m.oneHotRows()
	}
	if err != nil {
		return err
	}
	t.labels, t.classes, err = m.labels()
	return err
}

// sides reads the size of the images, if the file has it.
func (t *table) sides(vars contents) error {
	if t.size.Len() != 0 {
		return nil
	}
	var err error
	if t.byRows, err = vars.byRows(); err != nil || !vars.has("height") || !vars.has("width") {
		return err
	}
	height, err := vars.get("height")
	if err != nil {
		return err
	}
	width, err := vars.get("width")
	if err != nil {
		return err
	}
	if t.size.Height, err = height.scalar(); err != nil {
		return err
	}
	t.size.Width, err = width.scalar()
	return err
}

// A table is the content of a .mat or .npz file, from which Images are made.
type table struct {
	x       *mat.Dense // d×N
	labels  []string
	classes []string // nil: in natural order
	ids     []string
	size    Size
	byRows  bool // the pixels of images are row after row

	unlabelled bool // labels, classes and ids do not count
}

// set returns the images, resized to the size in opt.
func (t *table) set(path string, opt Options) (*Images, error) {
	if opt.Arrays.Vectors {
		return t.vectors()
	}
	if err := t.shape(path, opt); err != nil {
		return nil, err
	}
	t.standUp(Frame{Size: t.size})
	white := whiteOf(mat.Max(t.x))
	in := Frame{Size: t.size}
	if want := opt.Frame; want.Size != (Size{}) && (want.Size != t.size || want.Crop != 0) {
		if err := t.resize(want); err != nil {
			return nil, err
		}
		in = want
	}
	return t.grouped(in, white)
}

// standUp brings the pixels of images of that Frame to the order of Images.
func (t *table) standUp(f Frame) {
	if d, _ := t.x.Dims(); t.byRows && f.Size.Len() == d {
		t.x, t.byRows = f.Grid().ByColumns(t.x), false
	}
}

// vectors returns the samples for a model of vectors.
func (t *table) vectors() (*Images, error) {
	if t.size != (Size{}) {
		err := fmt.Errorf(
			"the samples are images of %v, and the model was trained on vectors: in which order these have pixels nothing says", t.size)
		return nil, advice.Add(err,
			"give an array of rows without height and width, in the order of the samples of the model; or train the model on "+
				"images (an array N×height×width; in Python image_shape)")
	}
	return t.grouped(Frame{}, 0)
}

// grouped returns the set of the samples, with their Frame. White is that of images.
func (t *table) grouped(in Frame, white float64) (*Images, error) {
	set, err := Unlabelled(t.x, in), error(nil)
	if !t.unlabelled {
		set, err = NewImages(t.x, t.labels, t.ids, t.classes, in)
	}
	if err != nil {
		return nil, err
	}
	if set.AreImages() && white != math.MaxUint8 {
		set.White = white
	}
	set.Matrix = true
	return set, nil
}

// shape finds the size of the images if the file does not have it.
func (t *table) shape(path string, opt Options) error {
	d, _ := t.x.Dims()
	if err := t.size.Validate(); err != nil {
		return err
	}
	if t.size.Len() != 0 {
		if t.size.Len() != d {
			return fmt.Errorf("height %d and width %d make %d pixels, the samples have %d", t.size.Height, t.size.Width, t.size.Len(), d)
		}
		return nil
	}
	side := int(math.Round(math.Sqrt(float64(d))))
	switch {
	case opt.Frame.Size.Len() == d:
		t.size = opt.Frame.Size
	case side*side == d && side >= minAssumedSide && side <= MaxSide &&
		integersTo(t.x, math.MaxUint16): // as images are stored; vectors rarely are
		t.size = Size{Height: side, Width: side}
		opt.warn("%s does not say the size of its images: they are taken to be %v, %s; for another size store them as an "+
			"array N×height×width, and ignore this if the samples are vectors: the results are the same", path, t.size,
			map[bool]string{true: "row after row", false: "column after column"}[t.byRows])
	case opt.Frame.Size != (Size{}):
		return advice.Add(errors.New("the file does not say the size of its images, which cannot be resized"),
			"store them as an array N×height×width, or rows with height and width")
	}
	return nil
}

// minAssumedSide is the smallest side of images that are assumed to be square.
const minAssumedSide = 8

// resize resizes every sample, an image of size t.size. Values are clamped to the range of
// all samples, which need not be grey values.
func (t *table) resize(in Frame) error {
	_, n := t.x.Dims()
	if n > maxElements/in.Size.Len() {
		return advice.Add(fmt.Errorf("%d images of %v are too many to hold", n, in.Size), "choose a smaller size")
	}
	lo, hi := mat.Min(t.x), mat.Max(t.x)
	x := mat.NewDense(in.Size.Len(), n, nil)
	src := grey{height: t.size.Height, width: t.size.Width}
	for j := range n {
		src.row = func(y int, dst []float64) {
			for i := range dst {
				dst[i] = t.x.At(i*t.size.Height+y, j)
			}
		}
		x.SetCol(j, resample(src, in, lo, hi))
	}
	t.x, t.size = x, in.Size
	return nil
}
