package blas

// imageKernels are the kernels for images of one Backend. The argument points to
// a convTile, that of Winograd's to a winTile.
type imageKernels struct {
	lanes       int
	conv        [][]func(*byte) // by vectors-1, pixels-1
	depth       windowKernels   // depthwise convolution
	sum, most   windowKernels   // pooling: the sum times limits[0], or the largest; both start at limits[1]
	winogradIn  func(*byte)
	winogradOut func(*byte)
}

// windowKernels combine the pixels of windows: of whole vectors of channels, by
// the number of windows less one, and of the channels after those, one window.
type windowKernels struct{ whole, rest []func(*byte) }
