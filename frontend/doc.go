// Package frontend turns images of faces into the samples that methods learn from
// and classify: pixels or hand-made features (package feature), and then, where a
// Pipeline says so, a projection that is fit to the training images (package
// projection). A Model is a classifier behind a fitted pipeline.
package frontend
