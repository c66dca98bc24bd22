// Package gallery keeps the faces of the people who are enrolled: it adds, merges,
// renames and removes them, and finds by cross-validation how well the people are
// told apart, from which the threshold for strangers follows.
package gallery
