package face

import (
	"context"
	_ "embed" // the networks
	"fmt"
	"image"
	"math"
	"sync"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/packed"
	"nrdl.example/nrdl/network"
)

//go:embed networks/ssd.onnx.zst
var ssdFile []byte

//go:embed networks/tiny.onnx
var tinyFile []byte

// A NetDetector finds faces by a neural network. It is safe for concurrent use.
type NetDetector struct {
	Side    int     // of the square input, pixels
	Border  float64 // on each side of the photograph, a share of its longest side
	Least   float64 // score
	Overlap float64 // intersection over union of two boxes, above which they show one face

	kind *netKind
}

// A netKind is a network with what is known of its input and outputs.
type netKind struct {
	file   func() []byte
	decode decoder
	size   dataset.Size // of the input; zero: any square
	bgr    bool         // the channels are blue, green, red
	mean   float32      // is subtracted from 0 … 255
	scale  float32      // by which the difference is multiplied; 0 is 1

	mu   sync.Mutex
	open map[int]*network.Network // by side of the input
}

// The networks that are built in.
var (
	ssdKind  = &netKind{file: func() []byte { return packed.Bytes(ssdFile) }, decode: decodeSSD}
	tinyKind = &netKind{file: func() []byte { return tinyFile }, decode: decodeTiny}
)

// at returns the network for an input of this side, and keeps it.
func (k *netKind) at(ctx context.Context, side int) (*network.Network, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := k.open[side]; n != nil {
		return n, nil
	}
	n, err := network.Open(ctx, k.file(), openAxes(side)...)
	if err != nil {
		return nil, fmt.Errorf("detector: %w", err)
	}
	if k.open == nil {
		k.open = map[int]*network.Network{}
	}
	k.open[side] = n
	return n, nil
}

// NewSSD returns face-api's SSD detector with a square input of this side.
func NewSSD(side int) NetDetector {
	return NetDetector{Side: side, Least: 0.5, Overlap: 0.4, kind: ssdKind}
}

// NewTiny returns face-api's tiny detector with a square input of this side.
func NewTiny(side int) NetDetector {
	return NetDetector{Side: side, Least: 0.5, Overlap: 0.4, kind: tinyKind}
}

// input is the size of the input.
func (d NetDetector) input() dataset.Size {
	if d.kind.size.Len() != 0 {
		return d.kind.size
	}
	return dataset.Size{Height: d.Side, Width: d.Side}
}

// Detect implements BoxDetector.
func (d NetDetector) Detect(ctx context.Context, photo *dataset.Photo) ([]Detection, error) {
	return d.turned(ctx, photo, 0)
}

// turned detects faces in photo turned by −degrees, so that what was turned by degrees
// is upright.
func (d NetDetector) turned(ctx context.Context, photo *dataset.Photo, degrees float64) ([]Detection, error) {
	return d.reduce(photo, photo.Grey.Rect).turned(ctx, degrees)
}

// A reducedPhoto is a part of a photograph, as large as a detector takes it.
type reducedPhoto struct {
	by   NetDetector
	part image.Rectangle
	channels
}

// reduce brings the part r of photo to the size that d takes.
func (d NetDetector) reduce(photo *dataset.Photo, r image.Rectangle) reducedPhoto {
	return reducedPhoto{d, r, coloursOf(photo, r, d.scale(r, 0)).lit()}
}

// scale is how many pixels of the part r of a photograph, turned by an angle, become one
// of the input.
func (d NetDetector) scale(r image.Rectangle, angle float64) float64 {
	sin, cos := math.Sincos(angle)
	dx, dy := float64(r.Dx()), float64(r.Dy())
	w, h := math.Abs(cos)*dx+math.Abs(sin)*dy, math.Abs(sin)*dx+math.Abs(cos)*dy
	in := d.input()
	return (1 + 2*d.Border) * max(w/float64(in.Width), h/float64(in.Height))
}

// turned detects faces in what was turned by degrees.
func (p reducedPhoto) turned(ctx context.Context, degrees float64) ([]Detection, error) {
	angle := degrees * math.Pi / 180
	in := p.by.input()
	centre := Point{float64(p.part.Min.X+p.part.Max.X) / 2, float64(p.part.Min.Y+p.part.Max.Y) / 2}
	to := about(float64(in.Width)/2, float64(in.Height)/2, p.by.scale(p.part, angle), angle, centre)
	return p.by.run(ctx, p.channels, to)
}

// prepare brings pixels, RGB and 0 … 255, to what the network takes.
func (k *netKind) prepare(pixels []float32) {
	if k.bgr {
		n := len(pixels) / 3
		for i, v := range pixels[:n] {
			pixels[i], pixels[2*n+i] = pixels[2*n+i], v
		}
	}
	if k.scale != 0 {
		for i, v := range pixels {
			pixels[i] = (v - k.mean) * k.scale
		}
	}
}

// run looks at the input whose point p is that at to.at(p) of the photograph.
func (d NetDetector) run(ctx context.Context, small channels, to similarity) ([]Detection, error) {
	net, err := d.kind.at(ctx, d.Side)
	if err != nil {
		return nil, err
	}
	in := d.input()
	pixels := small.input(to, in.Width, in.Height, 0)
	d.kind.prepare(pixels)
	out, err := net.Run(ctx, nil, pixels)
	if err != nil {
		return nil, fmt.Errorf("detector: %w", err)
	}
	found := suppressed(d.kind.decode(out, in.Width, in.Height, d.Least), d.Overlap)
	for i := range found {
		found[i] = found[i].moved(to)
	}
	return found, nil
}

// moved returns d, of a point p of an image, for to.at(p). The box keeps its centre.
func (d Detection) moved(to similarity) Detection {
	centre := to.at(d.Box.centre().X, d.Box.centre().Y)
	w, h := d.Box.width()*to.scale()/2, d.Box.height()*to.scale()/2
	d.Box = Box{centre.X - w, centre.Y - h, centre.X + w, centre.Y + h}
	d.Angle += math.Atan2(to.b, to.a)
	for i, p := range d.Landmarks {
		d.Landmarks[i] = to.at(p.X, p.Y)
	}
	return d
}
