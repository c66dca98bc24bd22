package network

import (
	"encoding/binary"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Bounds on what a file may ask for. They are far above what face networks
// need, and are checked before memory is taken.
const (
	maxFile     = 1 << 30
	maxNodes    = 1 << 14
	maxInputs   = 1 << 12 // of one node
	maxRank     = 8
	maxElements = 1 << 26 // of one tensor
	maxTable    = 1 << 20 // length of an axis that is resized or padded
	maxEnds     = 1 << 8  // inputs, or outputs, of the graph
	maxOpset    = 24
)

// A tensor holds its elements, first axis slowest, in one of three slices:
// floating-point types in f, 8-bit integers and booleans as they are in b, and
// other integers in i. A tensor that is not constant has none of them while a
// file is read.
type tensor struct {
	dtype dtype
	shape []int
	f     []float32
	i     []int64
	b     []byte
}

// elements is the product of a shape. Without its zeros it is at most maxElements, so
// that no loop over some of the axes is longer.
func elements(shape []int) int {
	n, others := 1, 1
	for _, s := range shape {
		if s < 0 || s > maxElements || others*max(s, 1) > maxElements {
			refuse("a tensor of shape %v; at most %d elements are supported", shape, maxElements)
		}
		n, others = n*s, others*max(s, 1)
	}
	return n
}

func (t *tensor) len() int { return elements(t.shape) }

func (t *tensor) allocate() {
	switch n := t.len(); {
	case t.dtype.float():
		t.f = make([]float32, n)
	case t.dtype.held() == 1:
		t.b = make([]byte, n)
	default:
		t.i = make([]int64, n)
	}
}

// at is element k as a float64, exact but for integers above 2⁵³.
func (t *tensor) at(k int) float64 {
	switch {
	case t.f != nil:
		return float64(t.f[k])
	case t.i != nil:
		return float64(t.i[k])
	case t.dtype == int8s:
		return float64(int8(t.b[k]))
	}
	return float64(t.b[k])
}

// set rounds v to the type, toward zero to an integer.
func (t *tensor) set(k int, v float64) {
	switch {
	case t.f != nil:
		t.f[k] = float32(v)
	case t.dtype == bools:
		t.b[k] = 0
		if v != 0 {
			t.b[k] = 1
		}
	case t.i != nil:
		t.i[k] = t.dtype.wrap(int64(v))
	default:
		t.b[k] = byte(int64(v))
	}
}

// decode takes the elements from little-endian bytes.
func (t *tensor) decode(raw []byte, n int) {
	if t.dtype.bytes() == 1 {
		t.b = raw
		return
	}
	t.allocate()
	little := binary.LittleEndian
	for k := range n {
		switch t.dtype {
		case float32s:
			t.f[k] = math.Float32frombits(little.Uint32(raw[4*k:]))
		case float64s:
			t.f[k] = float32(math.Float64frombits(little.Uint64(raw[8*k:])))
		case float16s:
			t.f[k] = half(little.Uint16(raw[2*k:]))
		case uint16s, int16s:
			t.i[k] = t.dtype.wrap(int64(little.Uint16(raw[2*k:])))
		case int32s, uint32s:
			t.i[k] = t.dtype.wrap(int64(little.Uint32(raw[4*k:])))
		default:
			t.i[k] = int64(little.Uint64(raw[8*k:]))
		}
	}
}

// integers are the elements of an integer tensor.
func (t *tensor) integers() []int {
	must(!t.dtype.float(), "wants integers, not %v", t.dtype)
	v := make([]int, t.len())
	for k := range v {
		if t.i != nil {
			v[k] = int(t.i[k])
		} else {
			v[k] = int(t.at(k))
		}
	}
	return v
}

// strides are the distances between neighbours along each axis.
func strides(shape []int) []int {
	s := make([]int, len(shape))
	n := 1
	for a := len(shape) - 1; a >= 0; a-- {
		s[a] = n
		n *= shape[a]
	}
	return s
}

// spread is the strides with which a tensor of shape from is read as one of
// shape to: 0 along the axes that are repeated.
func spread(from, to []int) []int {
	own := strides(from)
	s := make([]int, len(to))
	for a := range from {
		if from[a] != 1 {
			s[len(to)-len(from)+a] = own[a]
		}
	}
	return s
}

// broadcast is the shape of an elementwise result.
func broadcast(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for k, n := range b {
		o := &out[len(a)-len(b)+k]
		must(*o == n || *o == 1 || n == 1, "shapes %v and %v do not go together", a, b)
		if *o == 1 {
			*o = n
		}
	}
	return out
}

// each calls f for all indices of a shape in order, with the offsets of two
// tensors of the given strides.
func each(shape, sa, sb []int, f func(a, b int)) {
	n := 1
	for _, s := range shape {
		n *= s
	}
	var index [maxRank]int
	a, b := 0, 0
	for range n {
		f(a, b)
		for d := len(shape) - 1; d >= 0; d-- {
			index[d]++
			a, b = a+sa[d], b+sb[d]
			if index[d] < shape[d] {
				break
			}
			a, b = a-sa[d]*shape[d], b-sb[d]*shape[d]
			index[d] = 0
		}
	}
}

// A window copies a block of shape from src to dst, each with its first offset
// and strides.
type window struct {
	shape      []int
	end, first int
	dst, src   []int
}

func (w *window) copy(dst, src *tensor) {
	switch {
	case dst.f != nil:
		moveAll(w, dst.f, src.f)
	case dst.i != nil:
		moveAll(w, dst.i, src.i)
	default:
		moveAll(w, dst.b, src.b)
	}
}

func moveAll[T any](w *window, dst, src []T) {
	each(w.shape, w.dst, w.src, func(d, s int) { dst[w.end+d] = src[w.first+s] })
}

// copyAll copies the elements of a tensor of the same number of elements.
func copyAll(dst, src *tensor) { copyPart(dst, src, 0, 0, dst.len()) }

// copyPart copies n elements of src from one on to those of dst from to on.
func copyPart(dst, src *tensor, to, from, n int) {
	switch {
	case dst.f != nil:
		copy(dst.f[to:to+n], src.f[from:])
	case dst.i != nil:
		copy(dst.i[to:to+n], src.i[from:])
	default:
		copy(dst.b[to:to+n], src.b[from:])
	}
}

// readTensor reads a TensorProto. It takes memory in proportion to the bytes
// that are there, whatever shape they claim, and shares those of bytes.
func readTensor(message []byte) (name string, t tensor) {
	var raw []byte
	var floats []float32
	var ints []int64
	has := false
	fields(message, func(v field) {
		switch v.number {
		case 1:
			v.numbers(protowire.VarintType, func(bits uint64) {
				must(len(t.shape) < maxRank, "a tensor has more than %d axes", maxRank)
				must(bits <= maxElements, "a tensor has an axis of length %d", bits)
				t.shape = append(t.shape, int(bits))
			})
		case 2:
			t.dtype = dtype(v.int())
		case 3:
			refuse("a tensor is cut into segments")
		case 4:
			v.numbers(protowire.Fixed32Type, func(bits uint64) { floats = append(floats, math.Float32frombits(uint32(bits))) })
		case 5, 7, 11:
			v.numbers(protowire.VarintType, func(bits uint64) { ints = append(ints, int64(bits)) })
		case 8:
			name = v.text()
		case 9:
			raw, has = v.message(), true
		case 10:
			v.numbers(protowire.Fixed64Type, func(bits uint64) { floats = append(floats, float32(math.Float64frombits(bits))) })
		case 13:
			refuse("a tensor lies in another file (external data)")
		case 14:
			must(v.int() == 0, "a tensor lies in another file (external data)")
		}
	})
	must(t.dtype.known(), "tensor %.80q has elements of type %v", name, t.dtype)
	n := elements(t.shape)
	switch {
	case has:
		must(len(raw) == n*t.dtype.bytes(), "tensor %.80q has %d bytes for shape %v of %v", name, len(raw), t.shape, t.dtype)
		t.decode(raw, n)
	case t.dtype == float16s:
		must(len(ints) == n, "tensor %.80q has %d elements for shape %v", name, len(ints), t.shape)
		t.f = make([]float32, n)
		for i, v := range ints {
			t.f[i] = half(uint16(v))
		}
	case t.dtype.float():
		must(len(floats) == n, "tensor %.80q has %d elements for shape %v", name, len(floats), t.shape)
		t.f = floats
	default:
		must(len(ints) == n, "tensor %.80q has %d elements for shape %v", name, len(ints), t.shape)
		t.allocate()
		for i, v := range ints {
			t.set(i, float64(v))
			if t.i != nil {
				t.i[i] = t.dtype.wrap(v)
			}
		}
	}
	return name, t
}
