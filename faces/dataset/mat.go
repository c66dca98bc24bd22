package dataset

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/faces/internal/mat5"
	"nrdl.example/nrdl/internal/kit/atomicfile"
)

// openMatrix reads a MATLAB file, with its list of names, or a NumPy archive.
func openMatrix(ctx context.Context, path string, opt Options) (*Images, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var set *Images
	if r := (interruptible{ctx, file}); strings.EqualFold(filepath.Ext(path), ".mat") {
		set, err = readMAT(r, path, opt)
	} else {
		set, err = readNPZ(r, info.Size(), path, opt)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return set, nil
}

// An interruptible is a file that cannot be read when its context has ended.
type interruptible struct {
	ctx  context.Context
	file *os.File
}

func (r interruptible) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.file.Read(p)
}

func (r interruptible) ReadAt(p []byte, off int64) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.file.ReadAt(p, off)
}

func readMAT(r io.Reader, path string, opt Options) (*Images, error) {
	vars, err := mat5.Read(r, mat5.DefaultLimits)
	if err != nil {
		return nil, err
	}
	t, err := labelled(contents(vars), opt)
	if err != nil {
		return nil, err
	}
	if !t.unlabelled {
		if err := t.nameFrom(namesFile(path), opt); err != nil {
			return nil, err
		}
	}
	return t.set(path, opt)
}

// saveMAT writes fea N×d, gnd N×1 and the list of names of samples with labels, and height and width.
// Both are written before either replaces what is there.
func saveMAT(ctx context.Context, path string, set *Images) error {
	vars := []mat5.Variable{fea(set)}
	if set.Classes != nil {
		_, n := set.X.Dims()
		gnd := make([]int32, n)
		for j, c := range set.Labels() {
			gnd[j] = int32(c + 1)
		}
		vars = append(vars, mat5.Int32("gnd", n, 1, gnd))
	}
	if set.AreImages() {
		vars = append(vars, mat5.Int32("height", 1, 1, []int32{int32(set.Frame.Height)}),
			mat5.Int32("width", 1, 1, []int32{int32(set.Frame.Width)}))
	}
	samples, err := atomicfile.Prepare(ctx, path, func(w io.Writer) error { return mat5.Write(w, vars...) })
	if err != nil {
		return err
	}
	defer samples.Discard()
	if set.Classes == nil {
		return samples.Commit()
	}
	names, err := new(atomicfile.Writer).Prepare(ctx, namesFile(path), func(w io.Writer) error { return writeNames(w, set) })
	if err != nil {
		return err
	}
	defer names.Discard()
	if err := samples.Commit(); err != nil {
		return err
	}
	return names.Commit()
}

// fea returns the variable fea, the transpose of X. By columns, it has the numbers of X by
// rows.
func fea(set *Images) mat5.Variable {
	d, n := set.X.Dims()
	if allBytes(set.X) {
		data := make([]uint8, 0, d*n)
		for i := range d {
			for _, v := range set.X.RawRowView(i) {
				data = append(data, uint8(v))
			}
		}
		return mat5.Uint8("fea", n, d, data)
	}
	data := make([]float64, 0, d*n)
	for i := range d {
		data = append(data, set.X.RawRowView(i)...)
	}
	return mat5.Double("fea", n, d, data)
}
