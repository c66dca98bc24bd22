package dataset

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/legible"
)

// Save writes set to path in a format that Open reads. The extension selects the format:
// .mat is a MATLAB file, with a list NAME.names.txt of the people and the sources of the
// samples in the same folder; .npz is a NumPy file; without an extension, path is a folder
// with a folder of PNG images per person, with grey values rounded to 0 … 255. The result
// appears at path when it is complete. An existing file is replaced. It is an error if
// there is a folder that is not empty.
func Save(ctx context.Context, path string, set *Images) error {
	if err := set.Validate(); err != nil && set.Classes != nil {
		return fmt.Errorf("save data: %w", err)
	}
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".mat":
		err = saveMAT(ctx, path, set)
	case ".npz":
		err = saveNPZ(ctx, path, set)
	case "":
		err = saveFolder(ctx, path, set)
	default:
		err = notWritten(path, ext)
	}
	if err != nil {
		return fmt.Errorf("save data: %w", err)
	}
	return nil
}

func notWritten(path, ext string) error {
	return advice.Add(fmt.Errorf("%s: %s files are not written", path, ext),
		"write NAME.mat, NAME.npz, or NAME for a folder of PNG images")
}

// CheckSave returns an error if Save to path would fail for every set. Call it before a long
// computation, so that its result is not lost.
func CheckSave(path string) error {
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".mat":
		if err = atomicfile.Check(path); err == nil {
			err = atomicfile.Check(namesFile(path))
		}
	case ".npz":
		err = atomicfile.Check(path)
	case "":
		err = checkFolder(filepath.Clean(path))
	default:
		err = notWritten(path, ext)
	}
	if err != nil {
		return fmt.Errorf("save data: %w", err)
	}
	return nil
}

// Losses returns a sentence for each change that Save to path would make to set.
func Losses(path string, set *Images) (losses []string) {
	if filepath.Ext(path) != "" {
		return nil
	}
	if !allBytes(set.X) {
		losses = append(losses, "grey values are rounded to whole numbers: a .mat or .npz file keeps them")
	}
	changed, example := 0, ""
	for c, name := range fileNames(set.Classes) {
		if name != set.Classes[c] {
			if changed++; changed == 1 {
				example = fmt.Sprintf("%q is written %q", set.Classes[c], name)
			}
		}
	}
	if changed > 0 {
		losses = append(losses, fmt.Sprintf("%s changed: %s", legible.Count(changed, "name"), example))
	}
	return losses
}

// allBytes reports whether every value of x is one of 0, 1, …, 255.
func allBytes(x *mat.Dense) bool { return integersTo(x, math.MaxUint8) }

// integersTo reports whether every value of x is one of 0, 1, …, limit.
func integersTo(x *mat.Dense, limit float64) bool {
	d, _ := x.Dims()
	for i := range d {
		for _, v := range x.RawRowView(i) {
			if v != math.Trunc(v) || v < 0 || v > limit {
				return false
			}
		}
	}
	return true
}

// saveFolder writes root/person/0001.png, …
func saveFolder(ctx context.Context, root string, set *Images) error {
	root = filepath.Clean(root)
	if err := drawable(set); err != nil {
		return advice.Add(fmt.Errorf("%s: %w", root, err), "write a .mat or .npz file, which keeps any number")
	}
	if err := vacant(root); err != nil {
		return err
	}
	return atomicfile.WriteFolder(root, func(folder string) error {
		for c, name := range fileNames(set.Classes) {
			if err := savePerson(ctx, filepath.Join(folder, name), set, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkFolder reports why saveFolder could not write root.
func checkFolder(root string) error {
	if err := vacant(root); err != nil {
		return err
	}
	return atomicfile.CheckFolder(root)
}

// drawable is an error if set does not consist of grey images.
func drawable(set *Images) error {
	if !set.AreImages() {
		return errors.New("the samples are not images of a known size")
	}
	lo, hi := mat.Min(set.X), mat.Max(set.X)
	if lo < 0 || hi > 255 {
		return fmt.Errorf("the values lie between %.4g and %.4g, not 0 and 255: they are no grey values", lo, hi)
	}
	if hi <= 1 && !allBytes(set.X) {
		return fmt.Errorf("the values lie between %.4g and %.4g: as grey values they are all black", lo, hi)
	}
	return nil
}

// vacant is an error if there is something at path other than an empty folder.
func vacant(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return atomicfile.Error(path, err)
	case len(entries) > 0:
		return advice.Add(fmt.Errorf("the folder %s is not empty", path), "choose another name, or remove it")
	}
	return nil
}

func savePerson(ctx context.Context, folder string, set *Images, c int) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	in := set.Frame.Size
	img := image.NewGray(image.Rect(0, 0, in.Width, in.Height))
	for j := set.Groups[c]; j < set.Groups[c+1]; j++ {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		for i := range in.Len() {
			img.Pix[i%in.Height*img.Stride+i/in.Height] = byte(math.Round(set.X.At(i, j)))
		}
		name := fmt.Sprintf("%04d.png", j-set.Groups[c]+1)
		file, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		if err := errors.Join(png.Encode(file, img), file.Close()); err != nil {
			return err
		}
	}
	return nil
}
