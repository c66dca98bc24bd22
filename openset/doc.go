// Package openset decides whether a face is of somebody who is known: from the
// margins of faces it estimates the threshold for a false positive identification
// rate, and the probability that a name is right. It knows numbers only: no images
// and no methods.
package openset
