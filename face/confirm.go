package face

import (
	"context"
	_ "embed" // the weights
	"encoding/binary"
	"math"
	"sync"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend/feature"
)

// ConfirmOptions say how a finding of the network is confirmed. The network looks at its
// surroundings again, in several sizes and slightly turned: an animal or a pattern is like a face in
// some of them, a face in all. Weights of these scores and of the shapes in and about the finding decide.
type ConfirmOptions struct {
	// Scores of a finding that needs no confirmation, if it is upright in its look: in the small copies of
	// the first looks, and in others, in which more of an animal is like a face.
	Sure, Surer float64

	Same float64 // intersection over union with a finding before, from which it is the same

	Around float64   // side of the square that is looked at again, in sides of the box
	Sides  []float64 // of the inputs of these looks, pixels
	Turned float64   // side of the input of the turned looks
	Tilt   float64   // by which they are turned, degrees
	Steps  []float64 // by which the angle is sought at which the network is surest, degrees

	Certain float64 // sum of the weights from which a face is certain
	Least   float64 // sum from which it is a face

	// A finding with a box of less than Small pixels needs the sum LeastSmall: buttons and letters are
	// like small faces.
	Small, LeastSmall float64

	Alone   float64 // score from which a finding of another network than YuNet is a face
}

// DefaultConfirm was fitted by the study of detectors, on half of each set (README.md).
var DefaultConfirm = ConfirmOptions{
	Sure: 0.9, Surer: 0.92, Same: 0.5, Around: 2.4, Sides: []float64{64, 96, 128}, Turned: 96, Tilt: 20, Steps: []float64{30, 15},
	Certain: 0.8, Least: 0.66, Small: 36, LeastSmall: 0.78, Alone: 0.5,
}

// confirmWeights are the weights of ConfirmFeatures and the number that is added to their sum, in
// single precision, little-endian. `go -C studies run ./detect -confirming` makes it.
//
//go:embed networks/confirm.f32
var confirmWeights []byte

// shapesSide is the side of the square of pixels whose shapes confirm a face, and shapesAround that of
// the square of the photograph, in sides of the box.
const (
	shapesSide   = 64
	shapesAround = 2
)

var shapesHOG = feature.HOG{Cell: 8, Bins: 6, Clip: 1}

var shapesExtractor = sync.OnceValue(func() feature.Extractor {
	e, err := shapesHOG.Over(shapesSide, shapesSide)
	if err != nil {
		panic("face: shapes: " + err.Error())
	}
	return e
})

// confirmed returns d, in place and turned as the closer looks show it. ok: it is a face; certain: so
// certainly that no other is searched that is turned. From the score sure on it is.
func (s *Search) confirmed(ctx context.Context, photo *dataset.Photo, d Detection, sure float64) (better Detection, ok, certain bool, err error) {
	const level = 0.5 // radians
	if d.Score >= sure && len(d.Landmarks) > 0 && math.Abs(math.Remainder(angleOf([2]Point(d.Landmarks))-d.Angle, 2*math.Pi)) < level {
		return d, true, true, nil
	}
	if s.net.kind != yunetFormat.name {
		return d, d.Score >= s.Confirm.Alone, d.Score >= s.Confirm.Alone, nil
	}
	better, features, err := s.closer(ctx, photo, d)
	if err != nil || features == nil {
		return d, false, false, err
	}
	sum, least := weighed(features), s.Confirm.Least
	if better.Box.side() < s.Confirm.Small {
		least = s.Confirm.LeastSmall
	}
	return better, sum >= least, sum >= s.Confirm.Certain, nil
}

// ConfirmFeatures returns what s would have to confirm in photo, in any look, and the features of
// each finding, by which that is decided. The error is that of ctx, or of the network.
func (s *Search) ConfirmFeatures(ctx context.Context, photo *dataset.Photo) (found []Detection, features [][]float64, err error) {
	h := &hunt{Search: s, photo: photo, collect: true}
	if err := h.run(ctx); err != nil {
		return nil, nil, err
	}
	for _, d := range h.judged {
		better, f, err := s.closer(ctx, photo, d)
		if err != nil {
			return nil, nil, err
		}
		if f != nil {
			found, features = append(found, better), append(features, f)
		}
	}
	return found, features, nil
}

// closer looks at d again: at the angle at which the network is surest of it, then in other sizes and
// slightly turned.
func (s *Search) closer(ctx context.Context, photo *dataset.Photo, d Detection) (better Detection, features []float64, err error) {
	o := s.Confirm
	colours := s.patch(photo, d)
	again := func(side, angle float64) (Detection, error) { return s.again(ctx, colours, d, side, angle) }
	better, others, err := o.level(d.Angle, func(angle float64) (Detection, error) { return again(o.Turned, angle) })
	if err != nil || better.Score == 0 {
		return d, nil, err
	}
	angle := better.Angle
	if len(better.Landmarks) > 1 {
		angle = angleOf([2]Point(better.Landmarks))
	}
	features = []float64{others}
	looks := [][2]float64{{o.Turned, o.Tilt}, {o.Turned, -o.Tilt}}
	for _, side := range o.Sides {
		looks = append(looks, [2]float64{side, 0})
	}
	finest := better
	for _, l := range looks {
		one, err := again(l[0], angle+l[1]*math.Pi/180)
		if err != nil {
			return d, nil, err
		}
		features = append(features, one.Score)
		if one.Score > 0 && l[1] == 0 {
			finest = one
		}
	}
	finest.Score = max(d.Score, better.Score)
	_, residual := pupilsOf(finest.Landmarks)
	features = append(features, d.Score, residual)
	features = append(features, shapesOf(colours, finest)...)
	return finest, append(features, coverShapes(colours[0], coverPlace(finest.Landmarks))...), nil
}

// level returns what look shows at the angle at which it is surest, near start or one of the right
// angles. YuNet puts its landmarks level in each look, as far as a face is like an upright one: only
// the score tells how the face is turned. others is the highest score at right angles far from that one.
func (o ConfirmOptions) level(start float64, look func(angle float64) (Detection, error)) (best Detection, others float64, err error) {
	const quarter = math.Pi / 2
	at := start // the angle of best
	try := func(angle float64) (score float64, err error) {
		d, err := look(angle)
		if d.Score > best.Score {
			best, at = d, angle
		}
		return d.Score, err
	}
	var quarters [4]float64
	for i := range quarters {
		if quarters[i], err = try(float64(i) * quarter); err != nil {
			return best, 0, err
		}
	}
	const hardly = 1e-6
	if math.Abs(math.Remainder(start, quarter)) > hardly {
		if _, err = try(start); err != nil {
			return best, 0, err
		}
	}
	for _, step := range o.Steps {
		step *= math.Pi / 180
		for _, angle := range []float64{at - step, at + step} {
			if _, err = try(angle); err != nil {
				return best, 0, err
			}
		}
	}
	const far = 1 // radians
	for i, score := range quarters {
		if math.Abs(math.Remainder(float64(i)*quarter-at, 2*math.Pi)) > far {
			others = max(others, score)
		}
	}
	best.Angle = at
	return best, others, nil
}

// again looks at d, in colours, turned by −angle, with an input of this side. It returns the surest
// finding there; with the score 0 for none.
func (s *Search) again(ctx context.Context, colours channels, d Detection, side, angle float64) (best Detection, err error) {
	around := s.Confirm.Around * d.Box.side()
	weak := *s
	weak.Look.Least = 0.02
	found, err := weak.look(ctx, colours, turnedLook(d.Box.centre(), around, around, around/side, angle))
	for _, one := range found {
		if one.Score > best.Score && one.Box.overlap(d.Box) > s.Look.Overlap {
			best = one
		}
	}
	return best, err
}

// patch is a copy of what is around d, for the finest of the closer looks.
func (s *Search) patch(photo *dataset.Photo, d Detection) channels {
	side := s.Confirm.Around * d.Box.side()
	most := s.Confirm.Turned
	for _, v := range s.Confirm.Sides {
		most = max(most, v)
	}
	part := window{Point: d.Box.centre(), side: math.Sqrt2 * side}.box(photo.Grey.Rect)
	if part.Empty() {
		part = photo.Grey.Rect
	}
	return coloursOf(photo, part, side/most, part).lit(s.Look.Light)
}

// shapesOf returns histograms of oriented gradients about d, level.
func shapesOf(colours channels, d Detection) []float64 {
	p, _ := pupilsOf(d.Landmarks)
	scale := shapesAround * d.Box.side() / shapesSide
	to := about(shapesSide/2, shapesSide/2, scale, angleOf(p), d.Box.centre())
	v := colours[0]
	crop := v.warped(v.back.inverse().after(to), shapesSide, shapesSide)
	return histograms(crop, shapesHOG, shapesExtractor())
}

// histograms are those of a square image.
func histograms(v view, hog feature.HOG, e feature.Extractor) []float64 {
	n := v.Rect.Dx()
	pix := make([]float64, n*n)
	for y := range n {
		for x := range n {
			pix[x*n+y] = float64(v.Pix[y*v.Stride+x])
		}
	}
	features := make([]float64, hog.Len(n, n))
	e.Extract(features, pix)
	return features
}

// weighed is the sum of features by confirmWeights.
func weighed(features []float64) float64 { return linear(confirmWeights, features) }

// linear is the sum of features by weights, single-precision numbers in little-endian order, the
// last of which is added.
func linear(weights []byte, features []float64) float64 {
	at := func(k int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(weights[4*k:])))
	}
	sum := at(len(features))
	for k, v := range features {
		sum += at(k) * v
	}
	return sum
}
