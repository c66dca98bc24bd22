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

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/atomicfile"
)

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
