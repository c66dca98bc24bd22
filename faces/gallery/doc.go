// Package gallery keeps the faces of the enrolled people. It adds, merges,
// renames and removes them. It measures by cross-validation how well the people
// are recognised, and estimates the threshold for unknown faces.
//
// Experimental: this package may change in any version.
package gallery
