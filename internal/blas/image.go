package blas

// An Image is an image in NHWC order with a border of zeros: pixel (y, x),
// channel c, is Data[((y+Border)*(W+2*Border)+x+Border)*C + c].
type Image struct {
	Data            []float32
	H, W, C, Border int
}

// Len is the number of elements of Data that the image needs.
func (m Image) Len() int { return (m.H + 2*m.Border) * m.pitch() }

// Row is the W·C elements of row y, without the border.
func (m Image) Row(y int) []float32 {
	i := m.index(y, 0)
	return m.Data[i : i+m.W*m.C]
}

// pitch is the number of elements from a row to the next.
func (m Image) pitch() int { return (m.W + 2*m.Border) * m.C }

// index is the place in Data of the first channel of pixel (y, x), which may
// be in the border.
func (m Image) index(y, x int) int { return (y+m.Border)*m.pitch() + (x+m.Border)*m.C }

func (m Image) at(y, x int) *float32 { return &m.Data[m.index(y, x)] }

// shaped panics unless the image has h×w pixels of c channels, all in Data.
func (m Image) shaped(h, w, c int, what string) {
	check(m.H != h || m.W != w || m.C != c, "wrong shape of "+what)
	check(m.Border < 0 || len(m.Data) < m.Len(), "insufficient length of "+what)
}

// Floats makes n zeros that start at a cache line. Images and scratch need no
// such start, but the kernels are faster with it.
func Floats(n int) []float32 { return aligned[float32](n) }

// An ActivationKind is a function of one value.
type ActivationKind int

const (
	None  ActivationKind = iota
	Relu                 // max(x, 0)
	PRelu                // x, or slope·x below 0
	Clip                 // min(max(x, Min), Max)
)

// An Activation is what is applied to each value of an image. A NaN stays one.
type Activation struct {
	Kind     ActivationKind
	Slopes   []float32 // of PRelu: one, or one a channel
	Min, Max float32   // of Clip
}

// value is the activation of x; slope is that of its channel.
func (a Activation) value(x, slope float32) float32 {
	switch a.Kind {
	case Relu:
		if x < 0 {
			return 0
		}
	case PRelu:
		if x < 0 {
			return x * slope
		}
	case Clip:
		if x < a.Min {
			return a.Min
		}
		if x > a.Max {
			return a.Max
		}
	}
	return x
}

// imageKernels are the kernels for images of one Backend. The argument points to
// a convTile, that of Winograd's to a winTile.
type imageKernels struct {
	lanes       int
	conv        [][]func(*byte) // by vectors-1, pixels-1
	depth       windowKernels   // depthwise convolution
	sum, max    windowKernels   // pooling: the sum times limits[0], or the largest; both start at limits[1]
	winogradIn  func(*byte)
	winogradOut func(*byte)
}

// windowKernels combine the pixels of windows: of whole vectors of channels, by
// the number of windows less one, and of the channels after those, one window.
type windowKernels struct{ whole, remainder []func(*byte) }
