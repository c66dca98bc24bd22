package face

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"sync"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
)

// Which says which faces of a photograph with several are used.
type Which string

// The values.
const (
	Largest Which = "largest" // the one with the largest eye distance
	Central Which = "central" // the one that is large and near the middle: the subject rather than a bystander
	Refuse  Which = "refuse"  // none: a photograph with several faces is refused
	All     Which = "all"     // all of them, without those in the background
	Every   Which = "every"   // those in the background too

	// Agreeing is, of the photographs of a person in a data set (package dataset), the face that is like
	// those of the others; the largest where there are none, or no network makes vectors.
	Agreeing Which = "agreeing"
)

// Validate reports an unknown choice.
func (w Which) Validate() error {
	switch w {
	case Largest, Central, Refuse, All, Every, Agreeing:
		return nil
	}
	return advice.Unknown("choice of faces", string(w),
		[]string{string(Largest), string(Central), string(Refuse), string(All), string(Every), string(Agreeing)})
}

// ordered returns found, of a photograph with these bounds, with the one that w takes
// before all others first.
func (s *Search) ordered(w Which, found []Face, photo image.Rectangle) []Face {
	if w != Central || len(found) < 2 {
		return found
	}
	centre := Point{float64(photo.Dx()) / 2, float64(photo.Dy()) / 2}
	weight := func(f Face) float64 {
		return s.Cascade.size(f) * (1 - s.OffCentre*min(1, middle(f.Pupils).to(centre)/math.Hypot(centre.X, centre.Y)))
	}
	heaviest := slices.MaxFunc(found, func(a, b Face) int { return cmp.Compare(weight(a), weight(b)) })
	at := slices.IndexFunc(found, func(f Face) bool { return f.Pupils == heaviest.Pupils })
	return slices.Concat(found[at:at+1], found[:at], found[at+1:])
}

// A Reader makes aligned crops of the faces in photographs. It is safe for
// concurrent use.
type Reader struct {
	Limits Limits
	Which  Which
	Cut    // its Frame has Eyes

	mu    sync.Mutex
	tally Tally
}

// A Tally counts the photographs that a Reader read.
type Tally struct {
	Photographs int // that could be decoded
	None        int // without a face
	Several     int // with more than one face
	Refusals    int // with only faces of too low quality, or with several if Which is Refuse
	Faces       int // crops
}

// Tally returns the counts so far.
func (r *Reader) Tally() Tally {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tally
}

// Read returns the vectors of the faces in a photograph, the largest face first. data is
// the content of its file, name its name in errors. If no face has sufficient quality, the
// error wraps dataset.ErrNoFace and says why.
func (r *Reader) Read(ctx context.Context, data []byte, name string) ([]dataset.Crop, error) {
	ctx, done := dataset.Reserve(ctx, data)
	defer done()
	photo, err := dataset.DecodeColour(ctx, data, name)
	if err != nil {
		return nil, err
	}
	which := r.Which
	if r.agrees() {
		which = Every
	}
	seen, err := in(ctx, photo, which, r.Cut, r.Limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.agrees() && len(seen) > 1 && seen[0].Reason != nil {
		seen = seen[:1] // as if the largest were taken: nobody says yet which of the others is meant
	}
	var crops []dataset.Crop
	for _, s := range seen {
		if s.Reason == nil {
			crops = append(crops, dataset.Crop{Values: s.Values, Quality: s.Face.Quality})
		}
	}
	r.count(seen, len(crops))
	if len(crops) == 0 {
		return nil, fmt.Errorf("%s: %w", name, whyNone(seen, r.Which))
	}
	return crops, nil
}

// whyNone returns why none of the faces seen in a photograph can be used.
func whyNone(seen []Seen, which Which) error {
	switch {
	case len(seen) == 0:
		return advice.Add(fmt.Errorf("%w found", dataset.ErrNoFace),
			"let the face look into the camera, upright, and fill more of the photograph")
	case len(seen) > 1 && which == Refuse:
		return advice.Add(fmt.Errorf("%w alone: there are %d", dataset.ErrNoFace, len(seen)), "cut out the one that is meant")
	}
	return fmt.Errorf("%w that is seen well: %w", dataset.ErrNoFace, seen[0].Reason)
}

func (r *Reader) count(seen []Seen, used int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.Photographs++
	r.tally.Faces += used
	switch {
	case len(seen) == 0:
		r.tally.None++
	case used == 0:
		r.tally.Refusals++
	}
	if len(seen) > 0 && seen[0].Total > 1 {
		r.tally.Several++
	}
}
