package blas

import "gonum.org/v1/gonum/blas"

// The checks below panic where gonum's own routines do, with the same words,
// and in the same order. They return false if there is nothing to do.

func check(bad bool, message string) {
	if bad {
		panic("blas: " + message)
	}
}

func checkTrans(t blas.Transpose) {
	check(t != blas.NoTrans && t != blas.Trans && t != blas.ConjTrans, "illegal transpose")
}

func checkUplo(ul blas.Uplo) {
	check(ul != blas.Lower && ul != blas.Upper, "illegal triangle")
}

func checkSide(s blas.Side) {
	check(s != blas.Left && s != blas.Right, "illegal side")
}

func checkDiag(d blas.Diag) {
	check(d != blas.NonUnit && d != blas.Unit, "illegal diagonal")
}

// An extent is the size of a row-major matrix in a slice of n elements.
type extent struct {
	rows, cols, n, ld int
}

// checkExtents checks the matrices A, B and C of a routine; c has no columns where there
// is no C. empty says that the result has no elements.
func checkExtents(empty bool, a, b, c extent) bool {
	check(a.ld < max(1, a.cols), "bad leading dimension of A")
	check(b.ld < max(1, b.cols), "bad leading dimension of B")
	check(c.ld < max(1, c.cols), "bad leading dimension of C")
	if empty {
		return false
	}
	check(a.n < (a.rows-1)*a.ld+a.cols, "insufficient length of a")
	check(b.n < (b.rows-1)*b.ld+b.cols, "insufficient length of b")
	check(c.n < (c.rows-1)*c.ld+c.cols, "insufficient length of c")
	return true
}

// operand is the extent of a matrix of which op(A) is rows×cols.
func operand(t blas.Transpose, rows, cols, n, ld int) extent {
	if t != blas.NoTrans {
		rows, cols = cols, rows
	}
	return extent{rows, cols, n, ld}
}

func checkGemm(tA, tB blas.Transpose, m, n, k, lenA, lda, lenB, ldb, lenC, ldc int) bool {
	checkTrans(tA)
	checkTrans(tB)
	check(m < 0, "m < 0")
	check(n < 0, "n < 0")
	check(k < 0, "k < 0")
	return checkExtents(m == 0 || n == 0, operand(tA, m, k, lenA, lda), operand(tB, k, n, lenB, ldb), extent{m, n, lenC, ldc})
}

// checkSyrk checks Syr2k too; for Syrk, B is A.
func checkSyrk(ul blas.Uplo, t blas.Transpose, n, k, lenA, lda, lenB, ldb, lenC, ldc int) bool {
	checkUplo(ul)
	checkTrans(t)
	check(n < 0, "n < 0")
	check(k < 0, "k < 0")
	return checkExtents(n == 0, operand(t, n, k, lenA, lda), operand(t, n, k, lenB, ldb), extent{n, n, lenC, ldc})
}

// checkTriangular checks Trsm and Trmm.
func checkTriangular(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n, lenA, lda, lenB, ldb int) bool {
	checkSide(s)
	checkUplo(ul)
	checkTrans(t)
	checkDiag(d)
	check(m < 0, "m < 0")
	check(n < 0, "n < 0")
	k := n
	if s == blas.Left {
		k = m
	}
	return checkExtents(m == 0 || n == 0, extent{k, k, lenA, lda}, extent{m, n, lenB, ldb}, extent{rows: 1, ld: 1})
}
