package network

import (
	"math"
	"strconv"
	"strings"
)

// A dtype is the type of a tensor's elements, numbered as ONNX has it.
type dtype int

const (
	float32s dtype = 1
	uint8s   dtype = 2
	int8s    dtype = 3
	uint16s  dtype = 4
	int16s   dtype = 5
	int32s   dtype = 6
	int64s   dtype = 7
	bools    dtype = 9
	float16s dtype = 10
	float64s dtype = 11
	uint32s  dtype = 12
	uint64s  dtype = 13
)

var dtypes = map[dtype]struct {
	name  string
	bytes int
}{
	float32s: {"float32", 4}, uint8s: {"uint8", 1}, int8s: {"int8", 1}, uint16s: {"uint16", 2}, int16s: {"int16", 2},
	int32s: {"int32", 4}, int64s: {"int64", 8}, bools: {"bool", 1}, float16s: {"float16", 2}, float64s: {"float64", 8},
	uint32s: {"uint32", 4}, uint64s: {"uint64", 8},
}

func (d dtype) known() bool { _, ok := dtypes[d]; return ok }
func (d dtype) bytes() int  { return dtypes[d].bytes }

// held is the bytes that an element takes in a tensor.
func (d dtype) held() int {
	switch {
	case d.float():
		return 4
	case d.bytes() == 1:
		return 1
	}
	return 8
}

func (d dtype) float() bool { return d == float32s || d == float16s || d == float64s }

func (d dtype) String() string {
	if d.known() {
		return dtypes[d].name
	}
	return "type " + strconv.Itoa(int(d))
}

// A types is a set of types, a bit for each.
type types uint

func (s types) has(d dtype) bool { return d > 0 && s>>d&1 != 0 }

func (s types) String() string {
	var names []string
	for d := range dtype(32) {
		if s.has(d) {
			names = append(names, d.String())
		}
	}
	return strings.Join(names, ", ")
}

// wrap cuts an integer to the width of the type.
func (d dtype) wrap(v int64) int64 {
	switch d {
	case uint8s:
		return int64(uint8(v))
	case int8s:
		return int64(int8(v))
	case uint16s:
		return int64(uint16(v))
	case int16s:
		return int64(int16(v))
	case int32s:
		return int64(int32(v))
	case uint32s:
		return int64(uint32(v))
	case bools:
		if v != 0 {
			return 1
		}
	}
	return v
}

// half is the value of the 16 bits of a float16.
func half(b uint16) float32 {
	sign, exponent, fraction := uint32(b>>15)<<31, uint32(b>>10&31), uint32(b&1023)
	switch exponent {
	case 0: // zero and subnormal numbers: fraction·2⁻²⁴
		v := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// round is the nearest value that the floating-point type has, as float32.
func (d dtype) round(v float32) float32 {
	if d != float16s || v != v || math.IsInf(float64(v), 0) {
		return v
	}
	b := math.Float32bits(v)
	if b>>23&255 < 113 { // subnormal: a multiple of 2⁻²⁴
		return float32(math.RoundToEven(float64(v)*(1<<24)) / (1 << 24))
	}
	const drop = 13 // bits of the fraction
	b += 1<<(drop-1) - 1 + b>>drop&1
	v = math.Float32frombits(b &^ (1<<drop - 1))
	if math.Abs(float64(v)) > 65504 {
		return float32(math.Inf(int(v)))
	}
	return v
}
