package face

import (
	"cmp"
	"context"
	"encoding/json"
	"image"
	"math"
	"slices"

	"nrdl.example/nrdl/dataset"
)

// A Search finds the faces in photographs by a network: first in a small copy of the photograph,
// then in larger ones, and in copies that are turned, until a face is certain and no other in
// front can be missing. Whatever is not certain is looked at again, and confirmed or left out.
// README.md tells how, with measurements. A Search is safe for concurrent use.
type Search struct {
	Name   string          `json:"-"` // of the detector; of a network in a file, the file's name
	Digest string          `json:"-"` // SHA-256 of that file, hexadecimal; "" for a built-in detector
	path   string          // of that file
	opened *Search         // what OpenSearch returned; nil for DefaultSearch
	stored json.RawMessage // Settings of a detector whose file is missing
	lost   error           // why the network is missing
	net    *detectorNet

	Look     LookOptions
	Scales   ScaleOptions
	Confirm  ConfirmOptions
	Sighting SightingOptions
	Front    FrontOptions
	OneFaceOptions
	Measure QualityOptions
	Content ContentOptions
}

// ScaleOptions say in which copies of a photograph the network looks, and when it has seen enough.
type ScaleOptions struct {
	LeastSide int     // shorter side of a photograph in which a face is searched, pixels
	LeastFace float64 // side of the box of a face, pixels; buttons and letters that are smaller are like faces

	Glance int     // longer side of the input of the first look, pixels
	Border float64 // of the first look, on each side of the photograph, a share of its longer side, for faces that fill the photograph

	Middle int // longer side of the input of a look between the first two, pixels, where a face is certain that is small in the first

	Whole int // pixels of the copy of the second look; smaller photographs are not enlarged
	Parts int // pixels of the copy that is looked at in tiles, for small faces
	Tile  int // most pixels of the side of a tile
	Share int // pixels that a tile shares with the next: a face at an edge is whole in one of the two

	// The network finds faces from Seen pixels on. The search ends where the largest face that is
	// certain has twice as many: what is smaller than half of it is in the background.
	Seen float64

	// Where no face is certain, faces are searched that are turned by Turns, degrees: at first in the
	// copy of the first look; and, if anything in the upright copies has at least the score Hint, in
	// that of the second look, then by Slants about the Hints surest such places, in the copy of the
	// second look by Oblique, and in tiles.
	Turns   []float64
	Slants  []float64
	Oblique []float64
	Hint    float64
	Hints   int
}

// FrontOptions say which faces are in the background, and which is meant.
type FrontOptions struct {
	Background float64 // faces with less than this share of the largest one's size are in the background, and those that are cut by the edge, where a whole face has this size
	Focus      float64 // and so are those with less than this share of its sharpness: they are out of focus
	Whole      float64 // share of the sides of its square, below which a face is cut by the edge of the photograph
	OffCentre  float64 // share by which the size of a face in a corner counts less than that of one in the middle, for Central
}

// of returns which of faces, the largest first, are in front: not those that are much smaller than the
// largest one, nor those that are cut by the edge of the photograph where a whole one is that large.
func (o FrontOptions) of(faces []Face, size func(Face) float64) (front, behind []Face) {
	cut := func(f Face) bool { // its square box has lost a part
		return float64(min(f.Box.Dx(), f.Box.Dy())) < o.Whole*float64(max(f.Box.Dx(), f.Box.Dy()))
	}
	whole := slices.IndexFunc(faces, func(f Face) bool { return !cut(f) })
	if whole > 0 && size(faces[whole]) < o.Background*size(faces[0]) {
		whole = -1
	}
	for _, f := range faces {
		meant := faces[max(0, whole)]
		if size(f) < o.Background*size(meant) || f.Quality.Sharpness < o.Focus*meant.Quality.Sharpness || cut(f) && whole >= 0 {
			behind = append(behind, f)
		} else {
			front = append(front, f)
		}
	}
	return front, behind
}

// String is the argument of OpenSearch that gives s; "" for nil.
func (s *Search) String() string {
	if s == nil {
		return ""
	}
	return cmp.Or(s.path, s.Name)
}

// DefaultSearch is by the network that is built in, YuNet. README.md says on what its numbers were
// chosen. From an OffCentre of 0.75 on, Central takes the face that is meant in each of the 25
// photographs of LFW with several; LFW has it in the middle.
var DefaultSearch = &Search{
	Name: autoDetector, net: builtIn,
	Look: LookOptions{Least: 0.3, Overlap: 0.3, Light: DefaultLight},
	Scales: ScaleOptions{
		LeastSide: 24, LeastFace: 18, Glance: 160, Border: 0.3, Middle: 320, Whole: 640 * 480, Parts: 1600 * 1000, Tile: 640, Share: 64,
		Seen: 16, Turns: []float64{90, -90, 180}, Slants: []float64{45, -45, 135, -135}, Oblique: []float64{45, -45}, Hint: 0.03, Hints: 8,
	},
	Confirm:        DefaultConfirm,
	Sighting:       DefaultSighting,
	Front:          FrontOptions{Background: 0.5, Focus: 0.4, Whole: 0.93, OffCentre: 0.75},
	OneFaceOptions: DefaultOneFace, Measure: DefaultQuality, Content: DefaultContent,
}

// Find returns the faces in photo, the largest eye distance first, without those in the
// background (see FrontOptions). The error is that of ctx, or of a network.
func (s *Search) Find(ctx context.Context, photo *dataset.Photo) ([]Face, error) {
	faces, _, err := s.FindAll(ctx, photo)
	return faces, err
}

// FindAll is Find. It also returns the faces in the background that Find sees; it does not search
// for more of them.
func (s *Search) FindAll(ctx context.Context, photo *dataset.Photo) (faces, behind []Face, err error) {
	if s.lost != nil {
		return nil, nil, s.lost
	}
	if size := photo.Grey.Rect; min(size.Dx(), size.Dy()) < s.Scales.LeastSide {
		return nil, nil, nil
	}
	h := &hunt{Search: s, photo: photo, sure: s.Confirm.Sure}
	if err := h.run(ctx); err != nil {
		return nil, nil, err
	}
	s.bySize(h.faces)
	faces, behind = s.Front.of(h.faces, s.size)
	return faces, behind, nil
}

// Detect returns what Find finds, the surest face first.
func (s *Search) Detect(ctx context.Context, photo *dataset.Photo) ([]Detection, error) {
	faces, err := s.Find(ctx, photo)
	found := make([]Detection, len(faces))
	for i, f := range faces {
		found[i] = Detection{Box: boxOf(f.Box), Score: f.Quality.Detection, Angle: f.Quality.Angle * math.Pi / 180, Landmarks: f.Pupils[:]}
	}
	slices.SortStableFunc(found, func(a, b Detection) int { return cmp.Compare(b.Score, a.Score) })
	return found, err
}

// A hunt is a search in one photograph.
type hunt struct {
	*Search
	photo *dataset.Photo

	faces   []Face
	sure    float64     // score of a finding that needs no confirmation
	certain float64     // size of the largest certain face, pixels of the photograph; 0 for none
	judged  []Detection // what was looked at again
	collect bool        // look at nothing again
	hinted  bool        // something was seen that is a little like a face
	hints   []Detection // such things, smaller than half of the photograph
}

// run searches from coarse to fine.
func (h *hunt) run(ctx context.Context) error {
	o := h.Scales
	area := h.photo.Grey.Rect
	whole := h.copyOf(max(1, math.Sqrt(float64(area.Dx())*float64(area.Dy())/float64(o.Whole))))
	glance := h.glance(whole)
	if err := h.over(ctx, glance, o.Border, 0); err != nil || h.settled(glance) {
		return err
	}
	small := glance.scale() > whole.scale()
	if middle := h.reducedTo(whole, o.Middle); h.certain > 0 && middle.scale() > whole.scale() {
		if err := h.over(ctx, middle, 0, 0); err != nil || h.settled(middle) {
			return err
		}
	}
	h.sure = h.Confirm.Surer
	if small {
		if err := h.over(ctx, whole, 0, 0); err != nil || h.settled(whole) {
			return err
		}
	}
	hinted := h.hinted
	if err := h.turned(ctx, glance, o.Border, o.Turns); err != nil || !hinted {
		return err
	}
	if small {
		if err := h.turned(ctx, whole, 0, o.Turns); err != nil {
			return err
		}
	}
	if err := h.aslant(ctx); err != nil {
		return err
	}
	if small {
		if err := h.turned(ctx, whole, 0, o.Oblique); err != nil {
			return err
		}
	}
	fine := max(1, math.Sqrt(float64(area.Dx())*float64(area.Dy())/float64(o.Parts)))
	const finer = 1.3 // times as fine, from which small faces show better
	if whole.scale() < finer*fine || h.settled(whole) {
		return nil
	}
	return h.parts(ctx, h.copyOf(fine))
}

// turned looks at c turned by each angle, until a face is certain.
func (h *hunt) turned(ctx context.Context, c copied, border float64, angles []float64) error {
	for _, degrees := range angles {
		if h.certain > 0 {
			return nil
		}
		if err := h.over(ctx, c, border, degrees); err != nil {
			return err
		}
	}
	return nil
}

// settled reports whether no face in front can be missing after a look at c.
func (h *hunt) settled(c copied) bool { return h.certain >= 2*h.Scales.Seen*c.scale() }

// A copied is a reduced copy of a photograph.
type copied struct{ channels }

func (c copied) scale() float64 { return c.channels[0].back.scale() }

// copyOf is a copy of which a pixel stands for scale×scale of the photograph.
func (h *hunt) copyOf(scale float64) copied {
	r := h.photo.Grey.Rect
	return copied{coloursOf(h.photo, r, scale, r).lit(h.Look.Light)}
}

// glance is the copy for the first look, made of a larger one.
func (h *hunt) glance(whole copied) copied {
	return h.reducedTo(whole, int(float64(h.Scales.Glance)/(1+2*h.Scales.Border)))
}

// reducedTo is a copy whose longer side has at most side pixels, made of a larger one.
func (h *hunt) reducedTo(whole copied, side int) copied {
	r := whole.channels[0].Rect
	factor := float64(max(r.Dx(), r.Dy())) / float64(side)
	if factor <= 1 {
		return whole
	}
	var c channels
	for i, v := range whole.channels {
		if i > 0 && whole.grey() {
			c[i] = c[0]
			continue
		}
		small := reduced(v.Gray, v.Rect, factor)
		c[i] = view{small.Gray, v.back.after(small.back)}
	}
	return copied{c}
}

// over looks at all of c, continued by a border, turned by −degrees.
func (h *hunt) over(ctx context.Context, c copied, border, degrees float64) error {
	r := h.photo.Grey.Rect
	beyond := 2 * border * float64(max(r.Dx(), r.Dy()))
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	dx, dy := float64(r.Dx()), float64(r.Dy())
	l := turnedLook(Point{dx / 2, dy / 2}, math.Abs(cos)*dx+math.Abs(sin)*dy+beyond, math.Abs(sin)*dx+math.Abs(cos)*dy+beyond, c.scale(), degrees*math.Pi/180)
	back := c.channels[0].back
	l.to = back.after(back.inverse().after(l.to).snapped())
	return h.see(ctx, c, l)
}

// parts looks at all tiles of c.
func (h *hunt) parts(ctx context.Context, c copied) error {
	across := h.Scales.tiles(c.channels[0].Rect.Dx())
	down := h.Scales.tiles(c.channels[0].Rect.Dy())
	for _, y := range down {
		for _, x := range across {
			tile := image.Rect(x[0], y[0], x[1], y[1])
			centre := c.channels[0].back.at(float64(x[0]+x[1])/2, float64(y[0]+y[1])/2)
			l := turnedLook(centre, float64(tile.Dx())*c.scale(), float64(tile.Dy())*c.scale(), c.scale(), 0)
			if err := h.see(ctx, c, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// aslant looks by Slants at the places that are a little like a face, where no face is certain.
func (h *hunt) aslant(ctx context.Context) error {
	slices.SortStableFunc(h.hints, func(a, b Detection) int { return cmp.Compare(b.Score, a.Score) })
	for _, hint := range h.hints[:min(len(h.hints), h.Scales.Hints)] {
		colours := h.patch(h.photo, hint)
		for _, degrees := range h.Scales.Slants {
			if h.certain > 0 {
				return nil
			}
			d, err := h.again(ctx, colours, hint, h.Confirm.Turned, hint.Angle+degrees*math.Pi/180)
			if err != nil {
				return err
			}
			if d.Score >= h.Look.Least && d.Box.side() >= h.Scales.LeastFace {
				if err := h.judge(ctx, d); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// tiles cuts a side of n pixels into tiles of equal length, and returns where each begins and ends.
func (o ScaleOptions) tiles(n int) (tiles [][2]int) {
	count := max(1, (n-o.Share+o.Tile-o.Share-1)/(o.Tile-o.Share))
	length := (n - o.Share + count - 1) / count
	for i := range count {
		tiles = append(tiles, [2]int{i * length, min(n, (i+1)*length+o.Share)})
	}
	return tiles
}

// see judges what the network finds in a look.
func (h *hunt) see(ctx context.Context, c copied, l look) error {
	weak := *h.Search
	weak.Look.Least = min(h.Look.Least, h.Scales.Hint)
	found, err := weak.look(ctx, c.channels, l)
	if err != nil {
		return err
	}
	for _, d := range found {
		if d.Box.side() < h.Scales.LeastFace {
			continue
		}
		h.hinted = h.hinted || d.Score >= h.Scales.Hint
		if d.Score < h.Look.Least {
			if small := d.Box.side() < 0.5*float64(longest(h.photo.Grey)); small && d.Score >= h.Scales.Hint {
				h.hints = append(h.hints, d)
			}
			continue
		}
		if err := h.judge(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// judge adds the face of d, if it is one that is not known yet.
func (h *hunt) judge(ctx context.Context, d Detection) error {
	const surer = 0.1 // than before, so that it is worth another look
	for _, before := range h.judged {
		if before.Box.overlap(d.Box) >= h.Confirm.Same && d.Score < before.Score+surer {
			return nil
		}
	}
	h.judged = append(h.judged, d)
	if h.collect {
		return nil
	}
	d, ok, certain, err := h.confirmed(ctx, h.photo, d, h.sure)
	if err != nil || !ok {
		return err
	}
	f, ok, err := h.faceOf(ctx, h.photo, d)
	if err != nil || !ok {
		return err
	}
	if i := slices.IndexFunc(h.faces, func(one Face) bool { return h.alike([]Face{one}, f) }); i >= 0 {
		if h.faces[i].Quality.Detection >= f.Quality.Detection {
			return nil
		}
		h.faces = slices.Delete(h.faces, i, i+1)
	}
	h.faces = append(h.faces, f)
	if certain {
		h.certain = max(h.certain, d.Box.side())
	}
	return nil
}
