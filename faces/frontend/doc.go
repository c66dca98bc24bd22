// Package frontend turns images of faces into samples for learning and
// classification: pixels or fixed features (package feature), followed by an
// optional projection that is fit to the training images (package projection).
// A Model is a classifier behind a fitted pipeline.
//
// Experimental: this package may change in any version.
package frontend
