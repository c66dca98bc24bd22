// Package openset decides whether a face belongs to an enrolled person. From
// the margins of faces it estimates the threshold for a false positive
// identification rate (FPIR), and the probability that a name is right. It
// works on numbers only, not on images or methods.
package openset
