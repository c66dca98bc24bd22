// Package reference says whether a set of images is a face database of the plans, or equal to
// another set. It has no images of the databases, only counts and checksums.
//
// Experimental: this package may change in any version.
package reference

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
)

//go:generate go -C ../../tools run ./reference

// A Database describes the images of a set.
type Database struct {
	Name   string       `json:"name"`
	Title  string       `json:"title"`  // name in words
	File   string       `json:"file"`   // its path in the plans
	Size   dataset.Size `json:"size"`   // zero for vectors
	Length int          `json:"length"` // values of an image
	Images []int        `json:"images"` // of each person
	Hash   string       `json:"hash"`   // of the pixels and of how many images each person has
	Sorted string       `json:"sorted"` // of the images in any order, each without its scale
}

// AR is the database AR as authors of successors of NRC distribute it with their programs
// (yinhefeng/DNRC, AR_DAT.mat): 100 people without scarf and sunglasses, of one an image less than of
// the others. doc/databases.md makes the file.
var AR = Database{
	Name: "ar", Title: "AR", File: "sets/ar_60x43.mat", Size: dataset.Size{Height: 60, Width: 43}, Length: 60 * 43,
	Images: slices.Concat(slices.Repeat([]int{14}, 76), []int{13}, slices.Repeat([]int{14}, 23)),
	Hash:   "aec3ab6f0d58528d4bde5088", Sorted: "27ea9de01e94e25f9aad5423",
}

// A Result says whether a set is the one that it is compared with.
type Result struct {
	Database    *Database `json:"database"`
	Hash        string    `json:"hash"`        // of the set
	Same        bool      `json:"same"`        // the same pixels in the same order
	People      int       `json:"people"`      // of the set
	Images      int       `json:"images"`      // of the set
	Differences []string  `json:"differences"` // in words; empty if Same
}

//go:embed databases.json
var listed []byte

// Databases returns the databases of the plans.
func Databases() (all []*Database) {
	if err := json.Unmarshal(listed, &all); err != nil {
		panic(fmt.Errorf("reference: %w", err)) // embedded
	}
	return all
}

// Named returns the database of that name: one of Databases, or AR.
func Named(name string) (*Database, error) {
	var names []string
	ar := AR
	for _, db := range append(Databases(), &ar) {
		if db.Name == name {
			return db, nil
		}
		names = append(names, db.Name)
	}
	return nil, advice.Unknown("database", name, names)
}

// Recognise returns the database whose images are those of set, pixel by pixel; nil if there
// is none.
func Recognise(set *dataset.Images) *Database {
	for _, db := range Databases() {
		d, n := set.X.Dims()
		if d == db.Length && n == db.total() && len(set.Classes) == len(db.Images) && hash(set) == db.Hash {
			return db
		}
	}
	return nil
}

// Of returns the Database that describes set.
func Of(name string, set *dataset.Images) *Database {
	db := &Database{Name: name, Title: name, Size: set.Frame.Size, Hash: hash(set), Sorted: sortedHash(set, dataset.Size{})}
	db.Length, _ = set.X.Dims()
	for c := range set.Classes {
		db.Images = append(db.Images, set.Groups[c+1]-set.Groups[c])
	}
	return db
}

// total is the number of images.
func (db *Database) total() (n int) {
	for _, k := range db.Images {
		n += k
	}
	return n
}

// shape is the size of the images, or how many numbers they have.
func (db *Database) shape() string {
	if db.Size == (dataset.Size{}) {
		return fmt.Sprintf("vectors of %d numbers", db.Length)
	}
	return db.Size.String()
}

// hash returns a hash of the pixels and of the number of images of each person. It does
// not depend on names or on the format of the file.
func hash(set *dataset.Images) string {
	h := sha256.New()
	fmt.Fprint(h, set.Groups, " ")
	for j := range set.Len() {
		h.Write(appendFloats(nil, mat.Col(nil, j, set.X)))
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

func appendFloats(b []byte, values []float64) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// sortedHash returns a hash of the images of set in any order, each without its offset and gain. If
// rows is not zero, it is the size of images whose values are row after row in set.
func sortedHash(set *dataset.Images, rows dataset.Size) string {
	all := make([][]byte, set.Len())
	for j := range all {
		v := mat.Col(nil, j, set.X)
		if rows != (dataset.Size{}) {
			v = transposed(v, rows)
		}
		sum := sha256.Sum256(appendFloats(nil, canonical(v)))
		all[j] = sum[:]
	}
	slices.SortFunc(all, bytes.Compare)
	sum := sha256.Sum256(slices.Concat(all...))
	return hex.EncodeToString(sum[:12])
}

// transposed returns the pixels v, row after row of an image of that size, column after column.
func transposed(v []float64, size dataset.Size) []float64 {
	w := make([]float64, 0, len(v))
	for x := range size.Width {
		for y := range size.Height {
			w = append(w, v[y*size.Width+x])
		}
	}
	return w
}

// canonical returns v without offset and gain. If the values have at most 255 grey levels,
// the result is the smallest integers from 0 with the same proportions; otherwise it is the
// values on a scale from 0 to 10⁶, rounded.
func canonical(v []float64) []float64 {
	lo, hi := slices.Min(v), slices.Max(v)
	w := make([]float64, len(v))
	if lo == hi {
		return w
	}
	const near = 1e-3 // two whole numbers of at most 255 that differ, differ by 1/255 of a level or more
levels:
	for levels := 1.0; levels <= math.MaxUint8; levels++ {
		for i, x := range v {
			k := (x - lo) / (hi - lo) * levels
			if w[i] = math.Round(k); math.Abs(k-w[i]) > near {
				continue levels
			}
		}
		return w
	}
	for i, x := range v {
		w[i] = math.Round((x - lo) / (hi - lo) * 1e6)
	}
	return w
}

// Check compares set with db or, if db is nil, with the most similar one of Databases.
func Check(set *dataset.Images, db *Database) (*Result, error) {
	here := Of("", set)
	if db == nil {
		if db = here.nearest(); db == nil {
			var names []string
			for _, one := range append(Databases(), &AR) {
				names = append(names, one.Name)
			}
			return nil, advice.Add(errors.New("it has neither the images, the number of people nor the image size of any of the five databases"),
				"name what to compare it with: %s, or another data set", strings.Join(names, ", "))
		}
	}
	r := &Result{Database: db, Hash: here.Hash, People: len(here.Images), Images: here.total()}
	r.Differences = here.differences(set, db)
	r.Same = len(r.Differences) == 0
	return r, nil
}

// nearest returns the one of Databases with the images of here, or else with the same counts, or
// else with as many people and the same size; nil if there is none.
func (here *Database) nearest() *Database {
	likeness := func(db *Database) int {
		switch people := len(here.Images) == len(db.Images); {
		case here.Sorted == db.Sorted:
			return 3
		case slices.Equal(here.Images, db.Images):
			return 2
		case people && here.Size == db.Size:
			return 1
		}
		return 0
	}
	db := slices.MaxFunc(Databases(), func(a, b *Database) int { return cmp.Compare(likeness(a), likeness(b)) })
	if likeness(db) == 0 {
		return nil
	}
	return db
}

// differences says in which of these here differs from there: people, images, size, and the images
// in any order, upright or transposed.
func (here *Database) differences(set *dataset.Images, there *Database) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	people, images := len(here.Images), here.total()
	if people != len(there.Images) {
		say("%d people, not %d", people, len(there.Images))
	}
	if images != there.total() {
		say("%d images, not %d", images, there.total())
	}
	if people == len(there.Images) && images == there.total() && !slices.Equal(here.Images, there.Images) {
		say("the people have other numbers of images")
	}
	if here.Hash == there.Hash && here.Size == there.Size {
		return all
	}
	if here.Size != there.Size {
		say("the images are %s, not %s", here.shape(), there.shape())
	}
	switch {
	case images != there.total() || here.Length != there.Length || here.Hash == there.Hash:
	case here.Sorted == there.Sorted:
		say("the images are the same, but for their order, their people, or their brightness and contrast")
	case there.Size.Len() == here.Length && sortedHash(set, there.Size) == there.Sorted:
		say("the images are the same, but transposed: the pixels are stored row by row, not column by column")
	default:
		say("the pixels of at least one image")
	}
	return all
}

// CheckFile opens the data set at path and compares it with a database. The argument with
// is the name of the database, the path of a data set, or "" for the most similar database. Images of a
// folder or a list are resized to the size of the other set. Warn may be nil.
func CheckFile(ctx context.Context, path, with string, warn func(string)) (*Result, error) {
	open := func(path string, size dataset.Size) (*dataset.Images, error) {
		if dataset.IsMatrix(path) {
			size = dataset.Size{} // its own
		}
		return dataset.Open(ctx, path, dataset.Options{Frame: dataset.Frame{Size: size}, Warn: warn})
	}
	var db *Database
	var size dataset.Size
	if with != "" {
		known, unknown := Named(with)
		if db = known; unknown != nil {
			if _, err := os.Stat(with); errors.Is(err, fs.ErrNotExist) {
				return nil, unknown
			}
			if dataset.IsMatrix(path) && !dataset.IsMatrix(with) {
				set, err := open(path, size)
				if err != nil {
					return nil, err
				}
				size = set.Frame.Size
			}
			other, err := open(with, size)
			if err != nil {
				return nil, err
			}
			db = Of(with, other)
		}
		size = db.Size
	}
	set, err := open(path, size)
	if err != nil {
		return nil, err
	}
	r, err := Check(set, db)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if db == nil && !dataset.IsMatrix(path) && set.Frame.Size != r.Database.Size {
		if set, err = open(path, r.Database.Size); err != nil {
			return nil, err
		}
		return Check(set, r.Database)
	}
	return r, nil
}

// WriteText writes r as text.
func (r *Result) WriteText(w io.Writer) error {
	db := r.Database
	fmt.Fprintf(w, "compared   with %s: %d people, %d images of %s", db.Title, len(db.Images), db.total(), db.shape())
	fmt.Fprintf(w, "\nfound      %d people, %d images\n", r.People, r.Images)
	for _, s := range r.Differences {
		fmt.Fprintf(w, "differs    %s\n", s)
	}
	result := map[bool]string{true: "the same pixels in the same order", false: "different"}[r.Same]
	_, err := fmt.Fprintf(w, "result     %s (checksum %s, expected %s)\n", result, r.Hash, db.Hash)
	return err
}
