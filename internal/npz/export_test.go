package npz

import "io"

// ReadArray reads the array of a .npy file, to its end, and names it.
func ReadArray(r io.Reader, name string, lim Limits) (Array, error) {
	d := decoder{remaining: lim.Bytes, lim: lim}
	return d.array(r, name)
}
