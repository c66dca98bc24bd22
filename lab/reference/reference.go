// Package reference compares a set of images with a face database of the plans, or with
// another set, and describes the differences. It has no images of the databases, only
// counts, checksums and coarse grey values.
package reference

import (
	"bytes"
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

	prints []fingerprint // in the order of the images
}

// A fingerprint identifies an image up to brightness and contrast.
type fingerprint struct {
	key    [5]byte // checksum of the values without offset and gain
	lo, hi float64 // least and largest value
	coarse [16]byte
}

var (
	//go:embed databases.json
	listed []byte
	//go:embed databases.bin
	packed []byte
)

// record is the length of a packed fingerprint: key, lo, hi, and half a byte for
// each coarse value.
const record = 5 + 2 + 8

// Databases returns the databases of the plans.
func Databases() []*Database {
	var all []*Database
	if err := json.Unmarshal(listed, &all); err != nil {
		panic(fmt.Errorf("reference: %w", err)) // embedded
	}
	rest := packed
	for _, db := range all {
		for _, n := range db.Images {
			for range n {
				db.prints = append(db.prints, unpack(rest[:record]))
				rest = rest[record:]
			}
		}
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
	db := &Database{Name: name, Title: name, Size: set.Frame.Size, Hash: hash(set)}
	db.Length, _ = set.X.Dims()
	for c := range set.Classes {
		db.Images = append(db.Images, set.Groups[c+1]-set.Groups[c])
	}
	for j := range set.Len() {
		db.prints = append(db.prints, fingerprintOf(mat.Col(nil, j, set.X), set.Frame.Size))
	}
	return db
}

// Pack returns the fingerprints of databases with values 0 … 255, in the format of
// databases.bin.
func Pack(all []*Database) []byte {
	var b bytes.Buffer
	for _, db := range all {
		for _, p := range db.prints {
			b.Write(p.key[:])
			b.Write([]byte{byte(p.lo), byte(p.hi)})
			for i := 0; i < len(p.coarse); i += 2 {
				b.WriteByte(p.coarse[i]<<4 | p.coarse[i+1])
			}
		}
	}
	return b.Bytes()
}

func unpack(b []byte) (p fingerprint) {
	copy(p.key[:], b)
	p.lo, p.hi = float64(b[5]), float64(b[6])
	for i, two := range b[7:record] {
		p.coarse[2*i], p.coarse[2*i+1] = two>>4, two&15
	}
	return p
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

func fingerprintOf(v []float64, size dataset.Size) fingerprint {
	p := fingerprint{lo: slices.Min(v), hi: slices.Max(v)}
	sum := sha256.Sum256(appendFloats(nil, canonical(v, p.lo, p.hi)))
	copy(p.key[:], sum[:])
	p.coarse = coarse(v, p.lo, p.hi, size)
	return p
}

// canonical returns v without offset and gain. If the values have at most 255 grey levels,
// the result is the smallest integers from 0 with the same proportions; otherwise it is the
// values on a scale from 0 to 10⁶, rounded.
func canonical(v []float64, lo, hi float64) []float64 {
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

// coarse returns the mean values of 4×4 blocks, from 0 for lo to 15 for hi; zero
// for vectors.
func coarse(v []float64, lo, hi float64, size dataset.Size) (blocks [16]byte) {
	if size.Len() != len(v) || lo == hi {
		return blocks
	}
	var sum, n [16]float64
	for x := range size.Width {
		for y := range size.Height {
			b := y*4/size.Height*4 + x*4/size.Width
			sum[b] += (v[x*size.Height+y] - lo) / (hi - lo)
			n[b]++
		}
	}
	for b := range blocks {
		if n[b] > 0 {
			blocks[b] = byte(math.Round(15 * sum[b] / n[b]))
		}
	}
	return blocks
}

// looksLike reports whether p and q may be the same photograph, resized or compressed in
// different ways.
func (p *fingerprint) looksLike(q *fingerprint) bool {
	for b := range p.coarse {
		if d := int(p.coarse[b]) - int(q.coarse[b]); d < -1 || d > 1 {
			return false
		}
	}
	return true
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
		if size = db.Size; db.isAR() && dataset.IsMatrix(path) {
			size = dataset.Size{} // any
		}
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
	if db.isAR() {
		return r.writeAR(w)
	}
	fmt.Fprintf(w, "compared   with %s: %d people, %d images of %s\n", db.Title, len(db.Images), db.total(), sized(db))
	fmt.Fprintf(w, "found      %d people, %d images, of which %d are the same up to brightness and contrast\n", r.People, r.Images, r.Matches)
	for _, s := range r.Differences {
		fmt.Fprintf(w, "differs    %s\n", s)
	}
	verdict := "different"
	if r.Same {
		verdict = "the same pixels in the same order"
	}
	_, err := fmt.Fprintf(w, "result     %s (checksum %s, expected %s)\n", verdict, r.Hash, db.Hash)
	return err
}
