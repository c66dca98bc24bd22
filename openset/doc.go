// Package openset decides whether a face belongs to an enrolled person. It estimates
// the threshold for a false positive identification rate (FPIR), the share of
// strangers who are named, and the probability that a name is right. A stranger is a
// person who is not enrolled; the literature says impostor. It works on numbers only,
// not on images or methods.
//
// A Calibration is fitted to the margins of faces that are left out in turn, or, by
// ByLaw, to embeddings of a network whose distribution of impostor cosines was
// measured.
//
// Experimental: this package may change in any version.
package openset
