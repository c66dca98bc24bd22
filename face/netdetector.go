package face

import (
	"context"
	_ "embed" // the networks
	"fmt"
	"math"
	"sync"

	"nrdl/dataset"
	"nrdl/network"
)

//go:embed networks/ssd.onnx
var ssdFile []byte

//go:embed networks/tiny.onnx
var tinyFile []byte

// A NetDetector finds faces by a neural network. It is safe for concurrent use.
type NetDetector struct {
	Side    int     // of the square input, pixels
	Border  float64 // on each side of the photograph, a share of its longest side
	Fill    float32 // of the border, 0 … 255
	Least   float64 // score
	Overlap float64 // intersection over union of two boxes, above which they show one face

	net    func() (*network.Network, error)
	decode decoder
}

func netDetector(file []byte, side int, decode decoder) NetDetector {
	return NetDetector{Side: side, Least: 0.5, Overlap: 0.4, decode: decode, net: sync.OnceValues(func() (*network.Network, error) {
		return network.Open(file, network.Axis{Name: "height", Size: side}, network.Axis{Name: "width", Size: side})
	})}
}

// NewSSD returns face-api's SSD detector with a square input of this side.
func NewSSD(side int) NetDetector { return netDetector(ssdFile, side, decodeSSD) }

// NewTiny returns face-api's tiny detector with a square input of this side.
func NewTiny(side int) NetDetector { return netDetector(tinyFile, side, decodeTiny) }

// Detect implements BoxDetector.
func (d NetDetector) Detect(ctx context.Context, photo *dataset.Photo) ([]Detection, error) {
	longest := float64(max(photo.Grey.Rect.Dx(), photo.Grey.Rect.Dy()))
	inner := float64(d.Side) / (1 + 2*d.Border) // of the input, is the photograph
	small := coloursOf(photo, photo.Grey.Rect, longest/inner)
	return d.detect(ctx, small, photo, 0)
}

// detect looks at small, an image of photo, turned by −degrees.
func (d NetDetector) detect(ctx context.Context, small channels, photo *dataset.Photo, degrees float64) ([]Detection, error) {
	size := photo.Grey.Rect
	angle := degrees * math.Pi / 180
	sin, cos := math.Sincos(angle)
	dx, dy := float64(size.Dx()), float64(size.Dy())
	w, h := math.Abs(cos)*dx+math.Abs(sin)*dy, math.Abs(sin)*dx+math.Abs(cos)*dy
	scale := max(w, h) * (1 + 2*d.Border) / float64(d.Side)
	half := float64(d.Side) / 2
	to := about(half, half, scale, angle, Point{dx / 2, dy / 2})
	return d.run(ctx, small, to)
}

// run looks at the square input whose point p is that at to.at(p) of the photograph.
func (d NetDetector) run(ctx context.Context, small channels, to similarity) ([]Detection, error) {
	net, err := d.net()
	if err != nil {
		return nil, fmt.Errorf("detector: %w", err)
	}
	out, err := net.Run(ctx, nil, small.input(to, d.Side, d.Side, d.Fill))
	if err != nil {
		return nil, fmt.Errorf("detector: %w", err)
	}
	found := suppressed(d.decode(out, d.Side, d.Side, d.Least), d.Overlap)
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
