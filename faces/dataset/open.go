// Package dataset reads and writes labelled faces: folders of images, lists of
// images, MATLAB and NumPy files. It splits them into training and test images.
// Input may be damaged or hostile: sizes are bounded, and an error names the
// file and the reason.
package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset/bundled"
)

// Options of Open. The zero value is ready to use.
type Options struct {
	// Frame is the part of an image that is kept, and its size. A zero Size means the
	// size of the images in .mat and .npz files, and DefaultSize for image files.
	Frame Frame
	// Faces is called with the image files to read. It returns a Reader that cuts out
	// faces (see package face) and their Frame. If the Reader or Faces is nil, whole
	// images are used. An image without a face becomes a black image, and a person
	// without other images is left out, both with a warning.
	Faces func(ctx context.Context, files []string) (Reader, Frame, error)
	// Names says where in the paths of a folder the names of the people are; "": in the first
	// folder, as Open says.
	Names Naming
	// Skip are patterns (see path.Match) of files and folders of a folder that are left out:
	// "*.png", "raw", "2019/*". Each is compared with the slash-separated path below the
	// folder and with its last part, without regard to case.
	Skip []string
	// Embedder makes vectors of whole images; nil for none.
	Embedder Embedder
	// Arrays says which arrays of a .mat or .npz file are read.
	Arrays Arrays
	// Warn is called with a sentence about what was left out or assumed. If it is nil, an
	// image that cannot be read is an error.
	Warn func(string)
	// Progress is called with the number of images read, never by two goroutines
	// at once; may be nil.
	Progress func(done, total int)

	reader Reader // from Faces
}

// choose calls Faces with files and sets the reader and the frame.
func (o *Options) choose(ctx context.Context, files []string) error {
	if o.Faces != nil {
		reader, frame, err := o.Faces(ctx, files)
		if err != nil {
			return err
		}
		if o.Frame.Eyes = (Eyes{}); reader != nil {
			o.reader, o.Frame = reader, frame
		}
	}
	if o.reader == nil && o.Embedder != nil {
		o.Frame = Frame{Crop: o.Frame.Crop, Embedding: o.Embedder.Frame().Embedding}
	}
	return nil
}

func (o Options) warn(format string, args ...any) {
	if o.Warn != nil {
		o.Warn(fmt.Sprintf(format, args...))
	}
}

// images returns the Frame with which image files are read.
func (o Options) images() Frame {
	in := o.Frame
	if in.Size == (Size{}) && in.Embedding.IsZero() {
		in.Size = DefaultSize
	}
	return in
}

// Open reads a data set:
//
//   - a folder with one folder of images per person, named like the person
//     (images may lie in folders inside it, one level deep);
//   - a list of images, .csv, .tsv or .txt, of lines path;label, paths relative
//     to the list; the separator may be a comma or a tab, a header line is
//     allowed and lines that begin with # are comments;
//   - a MATLAB file (-v7 or older) with fea and gnd, X and y, X and labels, or
//     training_feats and H_train, and if possible height and width; the optional file
//     NAME.names.txt in the same folder has the source of each sample;
//   - a NumPy .npz file with X and y, and if possible height and width;
//   - "bundled:NAME", a data set of package bundled.
//
// The columns of the set are the grey values of images, or vectors. People and their
// images are in natural order. The result does not depend on the number of processors.
//
// Blank images, which have a single grey value, are kept with a warning. Images that
// cannot be read, and people without other images, are left out with a warning (see
// Options.Warn). It is an error if a person has only blank images, if two people have the
// same images, or if nobody remains. A single person is enough.
func Open(ctx context.Context, path string, opt Options) (*Images, error) {
	if err := opt.Frame.Validate(); err != nil {
		return nil, fmt.Errorf("open data: %w", err)
	}
	set, err := open(ctx, path, opt)
	if err != nil {
		return nil, fmt.Errorf("open data: %w", err)
	}
	if set.Classes == nil { // see Arrays.Unlabelled
		return set, nil
	}
	err = refuseBlank(set, opt)
	if err == nil {
		err = refuseEqual(set)
	}
	if err != nil {
		return nil, fmt.Errorf("open data: %s: %w", path, err)
	}
	return set, nil
}

func open(ctx context.Context, path string, opt Options) (*Images, error) {
	if bundled.Is(path) {
		file, err := bundled.Open(path)
		if err != nil {
			return nil, err
		}
		set, err := readNPZ(bytes.NewReader(file), int64(len(file)), path, opt)
		return embedded(ctx, set, err, path, opt)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notThere(path, fmt.Errorf("%s does not exist%w", path, silent{err}))
	}
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return openFolder(ctx, path, opt)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".mat", ".npz":
		set, err := openMatrix(ctx, path, opt)
		return embedded(ctx, set, err, path, opt)
	case ".npy":
		set, err := openNPY(path, opt)
		return embedded(ctx, set, err, path, opt)
	case ".csv", ".tsv", ".txt":
		return openCSV(ctx, path, opt)
	case ".zip", ".tar", ".gz", ".tgz", ".7z", ".rar":
		return nil, advice.Add(fmt.Errorf("%s is an archive", path), "unpack it and give the folder")
	}
	if IsImage(path) {
		return nil, advice.Add(fmt.Errorf("%s is one image, not a data set", path), layout)
	}
	return nil, advice.Add(fmt.Errorf("%s is not a data set that can be read", path),
		"give a folder of images, a .csv list of images, or samples as a .mat, .npz or .npy file or a .csv table of numbers")
}

// silent hides the text of an error, so that it can be wrapped for errors.Is alone.
type silent struct{ error }

func (silent) Error() string { return "" }

func (s silent) Unwrap() error { return s.error }

// embedded returns the vectors of set if opt has an Embedder, or else set and err.
func embedded(ctx context.Context, set *Images, err error, path string, opt Options) (*Images, error) {
	if err != nil || opt.Embedder == nil {
		return set, err
	}
	if set, err = Embed(ctx, set, opt.Embedder, opt.Progress); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return set, nil
}

const layout = "put the images of each person into a folder of their own: DATA/alice/1.jpg, DATA/bob/1.jpg"

// IsMatrix reports whether path is a file of samples (.mat, .npz, .npy, a table of numbers
// in a text file, or bundled), not an image file or a list of images.
func IsMatrix(path string) bool {
	if bundled.Is(path) {
		return true
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".mat", ".npz", ".npy":
		return true
	}
	return holdsNumbers(path)
}
