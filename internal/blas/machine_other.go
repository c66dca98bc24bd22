//go:build !amd64 && !arm64

package blas

func available(Backend) bool { return false }

func machines(Backend) (*machine[float64], *machine[float32]) { return nil, nil }

func imagesFor(Backend) *imageKernels { return &goImages }

func pause(int) {}

func codesFor(Backend) codesKernels { return nil }
