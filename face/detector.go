package face

import (
	"context"
	_ "embed" // the network
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/packed"
	"nrdl.example/nrdl/network"
)

//go:embed networks/yunet.onnx.zst
var yunetFile []byte

// LookOptions say how the network looks at a part of a photograph, and what of its findings is
// taken.
type LookOptions struct {
	Least   float64 // score of a finding, from 0 to 1; lower ones are left out
	Overlap float64 // intersection over union of two boxes, above which the surer one is taken
	Light   LightOptions
}

// LightOptions say how a dark photograph is brightened for a network.
type LightOptions struct {
	Share float64 // of the pixels that are at most as light as the level that is measured
	Dark  int     // level below which a photograph is brightened
	Light float64 // to which the level is brought
	Most  float64 // largest factor
}

// DefaultLight was tried with dark copies of photographs (doc/photographs.md).
var DefaultLight = LightOptions{Share: 0.99, Dark: 140, Light: 230, Most: 8}

// A detectorNet is the network of a detector.
type detectorNet struct {
	file  func() []byte // the content of its ONNX file
	kind  string        // the name of its format
	fixed dataset.Size  // of the input; zero: any multiple of inputUnit

	mu   sync.Mutex
	open map[dataset.Size]*sizedNet
	used []dataset.Size // those of open, the one that was used last at the end
}

// A sizedNet is a network for one size of its input.
type sizedNet struct {
	*network.Network
	decode decoder
	input  pixels
}

// inputUnit is the side of the largest cells of the network, of which the sides of an input are
// multiples, in pixels.
const inputUnit = 32

// mostOpen is how many sizes of a network are kept open: photographs of a few forms, upright and on
// their side. Each holds a few megabytes.
const mostOpen = 16

// builtIn is the network that is built in.
var builtIn = &detectorNet{kind: yunetFormat.name, file: sync.OnceValue(func() []byte { return packed.Bytes(yunetFile) })}

// at returns the network for an input of this size, and keeps it.
func (k *detectorNet) at(ctx context.Context, size dataset.Size) (*sizedNet, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.open[size]
	if n == nil {
		opened, err := network.Open(ctx, k.file(), openAxes(size)...)
		if err != nil {
			return nil, fmt.Errorf("detector: %w", err)
		}
		if n, _, err = newSizedNet(opened, size); err != nil {
			return nil, fmt.Errorf("detector: %w", err)
		}
		if k.open == nil {
			k.open = map[dataset.Size]*sizedNet{}
		}
		k.open[size] = n
	}
	for i, s := range k.used {
		if s == size {
			k.used = append(k.used[:i], k.used[i+1:]...)
			break
		}
	}
	k.used = append(k.used, size)
	if len(k.used) > mostOpen {
		delete(k.open, k.used[0])
		k.used = k.used[1:]
	}
	return n, nil
}

// newSizedNet recognises the format of n, whose input has this size.
func newSizedNet(n *network.Network, size dataset.Size) (sized *sizedNet, kind string, err error) {
	f, err := recognised(n.Outputs(), n.Metadata()["preset"])
	if err != nil {
		return nil, "", err
	}
	decode, err := f.decoder(n.Outputs(), size)
	return &sizedNet{Network: n, decode: decode, input: f.input}, f.name, err
}

// netOf returns the network in the content of an ONNX file.
func netOf(data []byte) (*detectorNet, error) {
	k := &detectorNet{file: func() []byte { return data }, open: map[dataset.Size]*sizedNet{}}
	for _, side := range []int{openSide, openSide / 2} {
		n, err := network.Open(context.Background(), data, openAxes(dataset.Size{Height: side, Width: side})...)
		if err != nil {
			return nil, err
		}
		in := n.Inputs()
		if len(in) != 1 || len(in[0].Shape) != 4 || in[0].Shape[1] != 3 {
			return nil, errors.New("a detector has one input, 1×3×height×width")
		}
		size := dataset.Size{Height: in[0].Shape[2], Width: in[0].Shape[3]}
		sized, kind, err := newSizedNet(n, size)
		if err != nil {
			return nil, err
		}
		k.kind = kind
		if size.Height != side || size.Width != side {
			k.fixed = size
			k.open[size], k.used = sized, []dataset.Size{size}
			break
		}
	}
	return k, nil
}

// openSide is the side of the input with which a file is tried that leaves it open.
const openSide = 640

// openAxes gives the height and width of an image, by the names that files give them.
func openAxes(size dataset.Size) (axes []network.Axis) {
	for _, name := range []string{"height", "h", "H"} {
		axes = append(axes, network.Axis{Name: name, Size: size.Height})
	}
	for _, name := range []string{"width", "w", "W"} {
		axes = append(axes, network.Axis{Name: name, Size: size.Width})
	}
	for _, in := range []string{"image", "input", "input.1", "input_1", "images", "data", "x"} {
		axes = append(axes, network.Axis{Name: in + ":2", Size: size.Height}, network.Axis{Name: in + ":3", Size: size.Width})
	}
	return axes
}

// A look is a rectangle of a copy of a photograph as the network sees it.
type look struct {
	to            similarity // from the pixels of the input to those of the photograph
	width, height int        // pixels of the input
}

// turnedLook is a look at what lies within width and height pixels of the photograph about centre,
// turned by −angle (radians): what is turned by angle there is upright. One pixel of the input
// stands for scale of the photograph.
func turnedLook(centre Point, width, height, scale, angle float64) look {
	l := look{width: roundedUp(width / scale), height: roundedUp(height / scale)}
	l.to = about(float64(l.width)/2, float64(l.height)/2, scale, angle, centre)
	return l
}

// fill is what the input shows beyond the edge of the copy: where that lies aslant in the input, the
// edge goes on, as dark corners are somewhat like a face.
func (l look) fill() float32 {
	const level = 0.1 // of the scale
	if min(math.Abs(l.to.a), math.Abs(l.to.b)) > level*l.to.scale() {
		return edgeGoesOn
	}
	return 0
}

// roundedUp is the next side of an input.
func roundedUp(pixels float64) int {
	unit := inputUnit
	const large = 8 // units, from which sides are multiples of two units, so that fewer sizes are opened
	if pixels > large*inputUnit {
		unit *= 2
	}
	const hardly = 1e-6
	return max(1, int(math.Ceil(pixels/float64(unit)-hardly))) * unit
}

// inputs are slices that were inputs of networks.
var inputs = sync.Pool{New: func() any { return new([]float32) }}

// look returns what the network finds in l of colours, which are a copy of a photograph: the
// detections are in pixels of that photograph.
func (s *Search) look(ctx context.Context, colours channels, l look) ([]Detection, error) {
	if fixed := s.net.fixed; fixed.Len() > 0 { // l in the middle of the input, reduced if it has no room
		scale := max(1, float64(l.width)/float64(fixed.Width), float64(l.height)/float64(fixed.Height))
		to := about(float64(fixed.Width)/2, float64(fixed.Height)/2, scale, 0, Point{float64(l.width) / 2, float64(l.height) / 2})
		l = look{l.to.after(to), fixed.Width, fixed.Height}
	}
	net, err := s.net.at(ctx, dataset.Size{Height: l.height, Width: l.width})
	if err != nil {
		return nil, err
	}
	buffer := inputs.Get().(*[]float32)
	defer inputs.Put(buffer)
	*buffer = slices.Grow((*buffer)[:0], 3*l.width*l.height)
	planes := colours.inputIn((*buffer)[:3*l.width*l.height], l.to, l.width, l.height, l.fill())
	net.input.prepare(planes)
	out, err := net.Run(ctx, nil, planes)
	if err != nil {
		return nil, fmt.Errorf("detector: %w", err)
	}
	found := suppressed(net.decode(out, l.width, l.height, s.Look.Least), s.Look.Overlap)
	for i := range found {
		found[i] = found[i].moved(l.to)
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
