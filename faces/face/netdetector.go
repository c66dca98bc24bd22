package face

import (
	"context"
	_ "embed" // the networks
	"errors"
	"fmt"
	"image"
	"math"
	"sync"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
	"nrdl.example/nrdl/internal/kit/packed"
)

//go:embed networks/ssd.onnx.zst
var ssdFile []byte

//go:embed networks/tiny.onnx.zst
var tinyFile []byte

// A NetDetector finds faces by a neural network. It is safe for concurrent use.
type NetDetector struct {
	Side     int     // of the square input, pixels
	Border   float64 // on each side of the photograph, a share of its longest side
	MinScore float64 // score
	Overlap  float64 // intersection over union of two boxes, above which they show one face
	Light    LightOptions

	net *detectorNet
}

// LightOptions say how a dark photograph is brightened for a network.
type LightOptions struct {
	Share     float64 // of the pixels that are at most as light as the level that is measured
	Dark      int     // level below which a photograph is brightened
	Light     float64 // to which the level is brought
	MaxFactor float64 // largest factor
}

// DefaultLight was tried with dark copies of photographs (doc/photographs.md).
var DefaultLight = LightOptions{Share: 0.99, Dark: 140, Light: 230, MaxFactor: 8}

// A detectorNet is the network of a detector.
type detectorNet struct {
	file   func() []byte // the content of its ONNX file
	decode decoder
	input  pixels
	size   dataset.Size // of the input; zero: any square

	mu   sync.Mutex
	open map[int]*network.Network // by side of the input
}

// The networks that are built in.
var (
	builtInSSD  = &detectorNet{file: func() []byte { return packed.Bytes(ssdFile) }, decode: decodeSSD}
	builtInTiny = &detectorNet{file: func() []byte { return packed.Bytes(tinyFile) }, decode: decodeTiny}
)

// at returns the network for an input of this side, and keeps it.
func (k *detectorNet) at(ctx context.Context, side int) (*network.Network, error) {
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

// netOf returns the network in the content of an ONNX file, and the side of its input.
func netOf(data []byte) (*detectorNet, int, error) {
	n, err := network.Open(context.Background(), data, openAxes(openSide)...)
	if err != nil {
		return nil, 0, err
	}
	in := n.Inputs()
	if len(in) != 1 || len(in[0].Shape) != 4 || in[0].Shape[1] != 3 {
		return nil, 0, errors.New("a detector has one input, 1×3×height×width")
	}
	k := &detectorNet{file: func() []byte { return data }, size: dataset.Size{Height: in[0].Shape[2], Width: in[0].Shape[3]}}
	if err := k.recognise(n.Outputs(), n.Metadata()["preset"]); err != nil {
		return nil, 0, err
	}
	side := max(k.size.Height, k.size.Width)
	k.open = map[int]*network.Network{side: n}
	return k, side, nil
}

// recognise sets how the outputs are decoded and what the input is. name is that of a
// format, or "".
func (k *detectorNet) recognise(outputs []network.Info, name string) error {
	f, err := recognised(outputs, name)
	if err != nil {
		return err
	}
	k.input = f.input
	k.decode, err = f.decoder(outputs, k.size)
	return err
}

// openSide is the side of the input where the file leaves it open.
const openSide = 640

// openAxes gives the height and width of an image, by the names that files give them.
func openAxes(side int) (axes []network.Axis) {
	for _, name := range []string{"height", "width", "h", "w", "H", "W"} {
		axes = append(axes, network.Axis{Name: name, Size: side})
	}
	for _, in := range []string{"image", "input", "input.1", "input_1", "images", "data", "x"} {
		axes = append(axes, network.Axis{Name: in + ":2", Size: side}, network.Axis{Name: in + ":3", Size: side})
	}
	return axes
}

// NewSSD returns face-api's SSD detector with a square input of this side.
func NewSSD(side int) NetDetector {
	return NetDetector{Side: side, MinScore: 0.5, Overlap: 0.4, Light: DefaultLight, net: builtInSSD}
}

// NewTiny returns face-api's tiny detector with a square input of this side.
func NewTiny(side int) NetDetector {
	return NetDetector{Side: side, MinScore: 0.5, Overlap: 0.4, Light: DefaultLight, net: builtInTiny}
}

// input is the size of the input.
func (d NetDetector) input() dataset.Size {
	if d.net.size.Len() != 0 {
		return d.net.size
	}
	return dataset.Size{Height: d.Side, Width: d.Side}
}

// Detect implements BoxDetector.
func (d NetDetector) Detect(ctx context.Context, photo *dataset.Photo) ([]Detection, error) {
	return d.reduce(photo, photo.Grey.Rect).turned(ctx, 0)
}

// A reducedPhoto is a part of a photograph, as large as a detector takes it.
type reducedPhoto struct {
	detector NetDetector
	part     image.Rectangle
	channels
}

// reduce brings the part r of photo to the size that d takes.
func (d NetDetector) reduce(photo *dataset.Photo, r image.Rectangle) reducedPhoto {
	return reducedPhoto{d, r, coloursOf(photo, r, d.scale(r, 0), r).lit(d.Light)}
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

// turned detects faces in p turned by −degrees, so that faces turned by degrees are upright.
func (p reducedPhoto) turned(ctx context.Context, degrees float64) ([]Detection, error) {
	angle := degrees * math.Pi / 180
	in := p.detector.input()
	centre := Point{float64(p.part.Min.X+p.part.Max.X) / 2, float64(p.part.Min.Y+p.part.Max.Y) / 2}
	to := about(float64(in.Width)/2, float64(in.Height)/2, p.detector.scale(p.part, angle), angle, centre)
	return p.detector.run(ctx, p.channels, to)
}

// run detects faces in the input whose point p is the point to.at(p) of the photograph.
func (d NetDetector) run(ctx context.Context, small channels, to similarity) ([]Detection, error) {
	net, err := d.net.at(ctx, d.Side)
	if err != nil {
		return nil, err
	}
	in := d.input()
	planes := small.input(to, in.Width, in.Height, 0)
	d.net.input.prepare(planes)
	out, err := net.Run(ctx, nil, planes)
	if err != nil {
		return nil, fmt.Errorf("detector: %w", err)
	}
	found := suppressed(d.net.decode(out, in.Width, in.Height, d.MinScore), d.Overlap)
	for i := range found {
		found[i] = found[i].moved(to)
	}
	return found, nil
}

// moved maps d by to. The box stays upright about its mapped centre.
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
