// Package scatter makes seeds of numbers.
package scatter

// Bits spreads v over 64 bits (SplitMix64), so that neighbours have nothing in
// common.
func Bits(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}
