package blas

// available reports whether the processor has what a Backend in assembly needs:
// every arm64 processor has NEON.
func available(b Backend) bool { return b == NEON }

// machines returns the kernels of b, nil if they are not in assembly.
func machines(b Backend) (*machine[float64], *machine[float32]) {
	if b == NEON {
		return &neond, &neons
	}
	return nil, nil
}

// imagesFor returns the kernels of b for images.
func imagesFor(b Backend) *imageKernels {
	if b == NEON {
		return &neonImages
	}
	return &goImages
}

var neond = machine[float64]{
	mr: 4, nr: 12, wide: 6, lanes: 2, masked: true,
	gemm: [4][6]gemmKernel[float64]{
		{dgemmN1x1, dgemmN1x2, dgemmN1x3, dgemmN1x4, dgemmN1x5, dgemmN1x6},
		{dgemmN2x1, dgemmN2x2, dgemmN2x3, dgemmN2x4, dgemmN2x5, dgemmN2x6},
		{dgemmN4x1, dgemmN4x2, dgemmN4x3, dgemmN4x4, dgemmN4x5, dgemmN4x6},
	},
	trsm: [4][6]trsmKernel[float64]{
		{dtrsmN1x1, dtrsmN1x2, dtrsmN1x3, dtrsmN1x4, dtrsmN1x5, dtrsmN1x6},
		{dtrsmN2x1, dtrsmN2x2, dtrsmN2x3, dtrsmN2x4, dtrsmN2x5, dtrsmN2x6},
		{dtrsmN4x1, dtrsmN4x2, dtrsmN4x3, dtrsmN4x4, dtrsmN4x5, dtrsmN4x6},
	},
	square: 2, trans: dtransposeN, copy: dcopyN, peak: dpeakN,
	dot: ddotN, axpy: daxpyN, maxAbs: dmaxAbsN, level2: true,
}

var neons = machine[float32]{
	mr: 4, nr: 24, wide: 6, lanes: 4, masked: true,
	gemm: [4][6]gemmKernel[float32]{
		{sgemmN1x1, sgemmN1x2, sgemmN1x3, sgemmN1x4, sgemmN1x5, sgemmN1x6},
		{sgemmN2x1, sgemmN2x2, sgemmN2x3, sgemmN2x4, sgemmN2x5, sgemmN2x6},
		{sgemmN4x1, sgemmN4x2, sgemmN4x3, sgemmN4x4, sgemmN4x5, sgemmN4x6},
	},
	square: 4, trans: stransposeN, copy: scopyN,
}

var neonImages = imageKernels{
	lanes: 4,
	conv: [][]func(*byte){
		{sconvN1x1, sconvN2x1, sconvN3x1, sconvN4x1, sconvN5x1, sconvN6x1, sconvN7x1, sconvN8x1},
		{sconvN1x2, sconvN2x2, sconvN3x2, sconvN4x2, sconvN5x2, sconvN6x2, sconvN7x2, sconvN8x2},
		{sconvN1x3, sconvN2x3, sconvN3x3, sconvN4x3, sconvN5x3, sconvN6x3, sconvN7x3, sconvN8x3},
		{sconvN1x4, sconvN2x4, sconvN3x4, sconvN4x4, sconvN5x4, sconvN6x4},
	},
	depth: windowKernels{[]func(*byte){
		sdepthN1, sdepthN2, sdepthN3, sdepthN4, sdepthN5, sdepthN6,
		sdepthN7, sdepthN8, sdepthN9, sdepthN10, sdepthN11, sdepthN12,
	}, []func(*byte){sdepthN0}},
	sum: windowKernels{[]func(*byte){
		ssumN1, ssumN2, ssumN3, ssumN4, ssumN5, ssumN6, ssumN7,
		ssumN8, ssumN9, ssumN10, ssumN11, ssumN12,
	}, []func(*byte){ssumN0}},
	max: windowKernels{[]func(*byte){
		smostN1, smostN2, smostN3, smostN4, smostN5, smostN6, smostN7,
		smostN8, smostN9, smostN10, smostN11, smostN12,
	}, []func(*byte){smostN0}},
	winogradIn: swinogradInN, winogradOut: swinogradOutN,
}

func codesFor(Backend) codesKernels { return nil }
