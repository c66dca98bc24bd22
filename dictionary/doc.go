// Package dictionary learns dictionaries without labels: from samples X, d×N
// with one a column, a dictionary D, d×K with one atom of unit norm a column,
// over which every sample has a sparse code, X ≈ D·Γ.
//
// KSVD makes passes over all samples; Online learns from small batches, and
// from more samples than fit into memory. Both start from a dictionary that
// FromSamples, Random or Cosines make, or any other. Patches cuts pictures into
// samples. The package knows matrices only: no classes, no files.
//
// # References
//
//	[ksvd]  Aharon, Elad, Bruckstein: K-SVD: an algorithm for designing
//	        overcomplete dictionaries for sparse representation. IEEE TSP 54,
//	        2006.
//	[bomp]  Rubinstein, Zibulevsky, Elad: Efficient implementation of the K-SVD
//	        algorithm using batch orthogonal matching pursuit. Technion CS
//	        2008-08.
//	[lcksvd] Jiang, Lin, Davis: Label consistent K-SVD: learning a
//	        discriminative dictionary for recognition. IEEE PAMI 35, 2013.
//	[odl]   Mairal, Bach, Ponce, Sapiro: Online learning for matrix
//	        factorization and sparse coding. JMLR 11, 2010.
package dictionary
