// Package faces recognises people in photographs. Train makes a Recogniser of
// labelled images, Open reads one from a file; Identify names the faces in a
// photograph, and reports a face that matches nobody as unknown.
//
//	images, err := faces.Read(ctx, "people", faces.ReadOptions{}) // one folder of photographs per person
//	r, err := faces.Train(ctx, images, faces.Defaults(images))
//	photo, err := dataset.ReadPhoto(ctx, "photo.jpg")
//	found, err := r.Identify(ctx, photo)
//
// A Recogniser is made of parts that can be used alone: package face finds and
// aligns faces, frontend makes samples of them, the methods of package method learn
// a classify.Classifier, openset decides whether a face is named, and gallery keeps
// the faces of the people. Package experiment compares methods, report shows the
// results. The project started from the paper
//
//	[nrdl] Chen, Wu, Kittler. Non-negative representation based discriminative
//	dictionary learning for face recognition.
//
// An error that has a next step carries it: advice.Of returns what to do, with the options
// to be set as values.
//
// HEIC and AVIF photographs are read after a program has called Register of the
// package heic beside this one, once, at its start.
//
// # What is stable
//
// This package, dataset, heic and results change only after a minor version in which they are
// deprecated. The other packages of this module are experimental. Package nrdl lists what else is stable.
//
// Importing the package installs a fast BLAS-3 in gonum's blas64, and fast products in blas32, where
// the processor has AVX2, AVX-512 or NEON; the environment variable NRDL_BLAS
// (avx512, avx2, neon, go, gonum) forces one.
package faces
