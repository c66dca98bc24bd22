package blas

import "golang.org/x/sys/cpu"

// available reports whether the processor has what a Backend in assembly needs.
func available(b Backend) bool {
	x := &cpu.X86
	avx2 := x.HasAVX2 && x.HasFMA
	switch b {
	case AVX512:
		return avx2 && x.HasBMI2 && x.HasAVX512F && x.HasAVX512VL && x.HasAVX512DQ && x.HasAVX512BW
	case AVX2:
		return avx2
	}
	return false
}

// machines returns the kernels of b, nil if they are not in assembly.
func machines(b Backend) (*machine[float64], *machine[float32]) {
	switch b {
	case AVX512:
		return &avx512d, &avx512s
	case AVX2:
		return &avx2d, &avx2s
	}
	return nil, nil
}

// imagesFor returns the kernels of b for images.
func imagesFor(b Backend) *imageKernels {
	switch b {
	case AVX512:
		return &avx512Images
	case AVX2:
		return &avx2Images
	}
	return &goImages
}

// codesFor returns the kernels of b for codes, nil if there are none in assembly.
func codesFor(b Backend) codesKernels {
	switch {
	case b == AVX512 && cpu.X86.HasAVX512VNNI:
		return codesKernels{codesZ1, codesZ2, codesZ4, codesZ8}
	case b == AVX512 || b == AVX2:
		return codesKernels{codesY1}
	}
	return nil
}

var avx512d = machine[float64]{
	mr: 8, nr: 24, wide: 3, lanes: 8, masked: true,
	gemm: [4][6]gemmKernel[float64]{
		{dgemmZ1x1, dgemmZ1x2, dgemmZ1x3},
		{dgemmZ2x1, dgemmZ2x2, dgemmZ2x3},
		{dgemmZ4x1, dgemmZ4x2, dgemmZ4x3},
		{dgemmZ8x1, dgemmZ8x2, dgemmZ8x3},
	},
	trsm: [4][6]trsmKernel[float64]{
		{dtrsmZ1x1, dtrsmZ1x2, dtrsmZ1x3},
		{dtrsmZ2x1, dtrsmZ2x2, dtrsmZ2x3},
		{dtrsmZ4x1, dtrsmZ4x2, dtrsmZ4x3},
		{dtrsmZ8x1, dtrsmZ8x2, dtrsmZ8x3},
	},
	square: 8, trans: dtransposeZ, copy: dcopyZ, peak: dpeakZ,
	dot: ddotZ, axpy: daxpyZ, maxAbs: dmaxAbsZ,
}

var avx512s = machine[float32]{
	mr: 8, nr: 48, wide: 3, lanes: 16, masked: true,
	gemm: [4][6]gemmKernel[float32]{
		{sgemmZ1x1, sgemmZ1x2, sgemmZ1x3},
		{sgemmZ2x1, sgemmZ2x2, sgemmZ2x3},
		{sgemmZ4x1, sgemmZ4x2, sgemmZ4x3},
		{sgemmZ8x1, sgemmZ8x2, sgemmZ8x3},
	},
	square: 8, trans: stransposeY, copy: scopyZ,
}

var avx2d = machine[float64]{
	mr: 4, nr: 12, wide: 3, lanes: 4, masked: false,
	gemm: [4][6]gemmKernel[float64]{
		{dgemmY1x1, dgemmY1x2, dgemmY1x3},
		{dgemmY2x1, dgemmY2x2, dgemmY2x3},
		{dgemmY4x1, dgemmY4x2, dgemmY4x3},
	},
	trsm: [4][6]trsmKernel[float64]{
		{dtrsmY1x1, dtrsmY1x2, dtrsmY1x3},
		{dtrsmY2x1, dtrsmY2x2, dtrsmY2x3},
		{dtrsmY4x1, dtrsmY4x2, dtrsmY4x3},
	},
	square: 4, trans: dtransposeY, copy: dcopyY, peak: dpeakY,
	dot: ddotY, axpy: daxpyY, maxAbs: dmaxAbsY,
}

var avx2s = machine[float32]{
	mr: 4, nr: 24, wide: 3, lanes: 8, masked: false,
	gemm: [4][6]gemmKernel[float32]{
		{sgemmY1x1, sgemmY1x2, sgemmY1x3},
		{sgemmY2x1, sgemmY2x2, sgemmY2x3},
		{sgemmY4x1, sgemmY4x2, sgemmY4x3},
	},
	square: 8, trans: stransposeY, copy: scopyY,
}

var avx512Images = imageKernels{
	lanes: 16,
	conv: [][]func(*byte){
		{
			sconvZ1x1, sconvZ2x1, sconvZ3x1, sconvZ4x1, sconvZ5x1, sconvZ6x1, sconvZ7x1, sconvZ8x1, sconvZ9x1,
			sconvZ10x1, sconvZ11x1, sconvZ12x1, sconvZ13x1, sconvZ14x1,
		},
		{
			sconvZ1x2, sconvZ2x2, sconvZ3x2, sconvZ4x2, sconvZ5x2, sconvZ6x2, sconvZ7x2, sconvZ8x2, sconvZ9x2,
			sconvZ10x2, sconvZ11x2, sconvZ12x2, sconvZ13x2, sconvZ14x2,
		},
	},
	depth: windowKernels{
		[]func(*byte){sdepthZ1, sdepthZ2, sdepthZ3, sdepthZ4, sdepthZ5, sdepthZ6, sdepthZ7, sdepthZ8},
		[]func(*byte){sdepthZ0},
	},
	sum:        windowKernels{[]func(*byte){ssumZ1, ssumZ2, ssumZ3, ssumZ4}, []func(*byte){ssumZ0}},
	max:        windowKernels{[]func(*byte){smostZ1, smostZ2, smostZ3, smostZ4}, []func(*byte){smostZ0}},
	winogradIn: swinogradInZ, winogradOut: swinogradOutZ,
}

var avx2Images = imageKernels{
	lanes: 8,
	conv: [][]func(*byte){
		{sconvY1x1, sconvY2x1, sconvY3x1, sconvY4x1, sconvY5x1, sconvY6x1},
		{sconvY1x2, sconvY2x2, sconvY3x2, sconvY4x2, sconvY5x2, sconvY6x2},
	},
	depth: windowKernels{
		[]func(*byte){sdepthY1, sdepthY2, sdepthY3, sdepthY4, sdepthY5, sdepthY6, sdepthY7, sdepthY8},
		[]func(*byte){sdepthY0},
	},
	sum:        windowKernels{[]func(*byte){ssumY1, ssumY2, ssumY3, ssumY4}, []func(*byte){ssumY0}},
	max:        windowKernels{[]func(*byte){smostY1, smostY2, smostY3, smostY4}, []func(*byte){smostY0}},
	winogradIn: swinogradInY, winogradOut: swinogradOutY,
}
