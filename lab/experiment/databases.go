package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/synthetic"
)

// Databases opens the data sets that plans and records name.
type Databases struct {
	// Roots are the folders in which a relative path is searched, in this order, if it
	// does not exist in the working directory; "" is ignored.
	Roots []string
	// Warn is called if something was left out of a data set, or assumed; may be nil.
	Warn func(string)

	mu   sync.Mutex
	sets map[sourceKey]*loadedSet
}

type sourceKey struct {
	path      string
	x, y      string
	synthetic synthetic.Faces
	images    string
}

type loadedSet struct {
	set  *dataset.Images
	hash string
}

// open returns the data set of from, read with the frame in: vectors of
// embedder if in has an Embedding, and faces in photographs if it has Eyes. A set is read
// once.
func (d *Databases) open(ctx context.Context, from Source, in dataset.Frame, embedder dataset.Embedder) (*loadedSet, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := sourceKey{path: from.Path, x: from.X, y: from.Y, images: in.String() + in.Embedding.Digest}
	if from.Synthetic != nil {
		key.synthetic = *from.Synthetic
	}
	if s, ok := d.sets[key]; ok {
		return s, nil
	}
	var set *dataset.Images
	var err error
	if from.Synthetic != nil {
		if set, err = from.Synthetic.Draw(ctx); err == nil && embedder != nil {
			set, err = dataset.Embed(ctx, set, embedder, nil)
		}
	} else {
		location := d.Find(from.Path)
		options := dataset.Options{Frame: in, Warn: d.Warn, Embedder: embedder, Arrays: dataset.Arrays{X: from.X, Y: from.Y}}
		if embedder != nil || !in.Eyes.IsZero() {
			options.Faces = (&face.Detector{Frame: in, Embedder: embedder, Required: embedder != nil}).Faces
		}
		set, err = dataset.Open(ctx, location, options)
		if _, missing := os.Stat(location); err != nil && errors.Is(missing, fs.ErrNotExist) {
			err = advice.Add(err, "relative paths are looked for here and below %v or the environment variable NRDL_DATA", advice.Folders)
		}
	}
	if err != nil {
		return nil, err
	}
	s := &loadedSet{set, set.Hash()}
	if d.sets == nil {
		d.sets = map[sourceKey]*loadedSet{}
	}
	d.sets[key] = s
	return s, nil
}

// Find returns path if it exists, or else its location below one of the roots,
// or else path.
func (d *Databases) Find(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	for _, root := range append([]string{"."}, d.Roots...) {
		if root == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, path)); err == nil {
			return filepath.Join(root, path)
		}
	}
	return path
}

// faces are the training and test images of the runs of a setting.
type faces struct {
	division
	images    *dataset.Images // that are learned from
	splitHash string
	people    func() []string // of the test images
}

// corruption is salt and pepper on all images, before all other steps, and blocks on the
// test images.
type corruption struct {
	noise, occlusion float64
	seed             uint64
}

// divide splits set into training and test images, and makes samples of the training images.
func divide(ctx context.Context, set *dataset.Images, in frontend.Pipeline, split dataset.Split,
	seed uint64, d corruption,
) (*faces, error) {
	learn, judge, err := split.Apply(set, seed)
	if err != nil {
		return nil, err
	}
	if d.noise > 0 {
		if set, err = (dataset.SaltAndPepper{Density: d.noise}).Apply(set, d.seed); err != nil {
			return nil, err
		}
	}
	images := set.Select(learn)
	fitted, train, err := in.ForImages(set.Frame).Fit(ctx, images)
	if err != nil {
		return nil, err
	}
	return &faces{
		division: division{
			pipeline: fitted, train: train, unit: coding.Share(classify.Unit(train.X)), learn: len(learn), judge: judge,
			test: sync.OnceValues(func() (*dataset.Images, error) {
				if d.occlusion == 0 {
					return set.Select(judge), nil
				}
				return dataset.Occlusion{Share: d.occlusion}.Select(set, judge, d.seed)
			}),
		},
		images:    images,
		splitHash: hashColumns(learn),
		people: func() []string {
			names := make([]string, len(judge))
			for i, j := range judge {
				names[i] = set.Classes[set.ClassOf(j)]
			}
			return names
		},
	}, nil
}

func hashColumns(columns []int) string {
	h := sha256.New()
	for _, j := range columns {
		fmt.Fprintln(h, j)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
