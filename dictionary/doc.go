// Package dictionary learns dictionaries without labels: from samples X, d×N
// with one per column, a dictionary D, d×K with one atom of unit norm a column,
// over which every sample has a sparse code, X ≈ D·Γ.
//
// KSVD makes passes over all samples; Online learns from small batches, and
// from more samples than fit into memory. Both start from a dictionary that
// FromSamples makes, or any other. Patches cuts pictures into samples. The package
// knows matrices only: no classes, no files.
//
// Tags such as [ksvd] are the keys of doc/references.bib.
//
// Experimental: this package may change in any version.
package dictionary
