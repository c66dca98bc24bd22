// Package nrdl learns dictionaries from labelled faces and recognises people
// with them. It starts from the paper
//
//	[nrdl] Chen, Wu, Kittler. Non-negative representation based discriminative
//	dictionary learning for face recognition.
//
// A Method (package method has them all) learns a Model from a Set of labelled
// samples; a Model is a dictionary, a way to code a sample over it (package
// coding) and a Rule that turns the code into class scores. Package dataset
// reads folders of images, MATLAB and NumPy files, and draws faces.
//
// Importing the package installs a fast BLAS-3 in gonum's blas64 and blas32
// where the processor has AVX2 or AVX-512; the environment variable NRDL_BLAS
// (avx512, avx2, gonum) forces one.
package nrdl

//go:generate go run ./internal/docgen
