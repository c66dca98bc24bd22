// Package array has what readers of files of arrays share.
package array

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Exact is the largest integer up to which float64 holds every integer.
const Exact = 1 << 53

// A Type is that of a number in a file: b, i, u or f for a bool, an integer with
// or without a sign, or floating point, and its bytes: "f8".
type Type string

// Size returns the bytes of a number; 0 of the empty Type.
func (t Type) Size() int {
	if t == "" {
		return 0
	}
	return int(t[1] - '0')
}

// Reader returns the function that reads a number of this order; nil where there
// is no such type.
func (t Type) Reader(o binary.ByteOrder) func([]byte) float64 {
	switch t {
	case "b1", "u1":
		return func(b []byte) float64 { return float64(b[0]) }
	case "i1":
		return func(b []byte) float64 { return float64(int8(b[0])) }
	case "i2":
		return func(b []byte) float64 { return float64(int16(o.Uint16(b))) }
	case "u2":
		return func(b []byte) float64 { return float64(o.Uint16(b)) }
	case "i4":
		return func(b []byte) float64 { return float64(int32(o.Uint32(b))) }
	case "u4":
		return func(b []byte) float64 { return float64(o.Uint32(b)) }
	case "i8":
		return func(b []byte) float64 { return float64(int64(o.Uint64(b))) }
	case "u8":
		return func(b []byte) float64 { return float64(o.Uint64(b)) }
	case "f2":
		return func(b []byte) float64 { return half(o.Uint16(b)) }
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) }
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }
	}
	return nil
}

// half gives the value of a number of 16 bits: sign, 5 bits of exponent, 10
// of fraction.
func half(h uint16) float64 {
	sign, exponent, fraction := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		return math.Inf(int(sign))
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// Size writes a shape: 3×4.
func Size(shape []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", "×")
}

// CutShort says so of err where it is that of a file that ends too early.
func CutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file is cut short: %w", io.ErrUnexpectedEOF)
	}
	return err
}
