// Package classify has what the methods of recognition have in common: labelled
// Samples, the Method that learns from them, and the Classifier that it learns: a
// dictionary, a way to code a sample over it (package coding) and a Rule that
// turns the code into a score for every class. It knows matrices only: no images,
// no files, and no strangers.
//
// Iterate is the loop of all methods that iterate.
package classify
