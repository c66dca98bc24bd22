// Package classify has the common parts of all methods: labelled Samples, the
// Method that learns from them, and the learned Classifier. A Classifier has a
// dictionary, a coder that codes a sample over it (package coding) and a Rule
// that turns the code into a score for every class. The package works on
// matrices only: no images, no files, no threshold.
//
// Iterate is the loop of all methods that iterate.
package classify
