//go:build !amd64 && !arm64

package blas

func available(b Backend) bool { return b == Gonum }

func machines(Backend) (*machine[float64], *machine[float32]) { return nil, nil }

func imagesFor(Backend) *imageKernels { return &goImages }

func pause(int) {}
