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

func checkGemm(tA, tB blas.Transpose, m, n, k, lenA, lda, lenB, ldb, lenC, ldc int) bool {
	checkTrans(tA)
	checkTrans(tB)
	check(m < 0, "m < 0")
	check(n < 0, "n < 0")
	check(k < 0, "k < 0")
	rowA, colA, rowB, colB := m, k, k, n
	if tA != blas.NoTrans {
		rowA, colA = k, m
	}
	if tB != blas.NoTrans {
		rowB, colB = n, k
	}
	check(lda < max(1, colA), "bad leading dimension of A")
	check(ldb < max(1, colB), "bad leading dimension of B")
	check(ldc < max(1, n), "bad leading dimension of C")
	if m == 0 || n == 0 {
		return false
	}
	check(lenA < (rowA-1)*lda+colA, "insufficient length of a")
	check(lenB < (rowB-1)*ldb+colB, "insufficient length of b")
	check(lenC < (m-1)*ldc+n, "insufficient length of c")
	return true
}

// checkSyrk checks Syr2k too; for Syrk, B is A.
func checkSyrk(ul blas.Uplo, t blas.Transpose, n, k, lenA, lda, lenB, ldb, lenC, ldc int) bool {
	checkUplo(ul)
	checkTrans(t)
	check(n < 0, "n < 0")
	check(k < 0, "k < 0")
	row, col := k, n
	if t == blas.NoTrans {
		row, col = n, k
	}
	check(lda < max(1, col), "bad leading dimension of A")
	check(ldb < max(1, col), "bad leading dimension of B")
	check(ldc < max(1, n), "bad leading dimension of C")
	if n == 0 {
		return false
	}
	check(lenA < (row-1)*lda+col, "insufficient length of a")
	check(lenB < (row-1)*ldb+col, "insufficient length of b")
	check(lenC < (n-1)*ldc+n, "insufficient length of c")
	return true
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
	check(lda < max(1, k), "bad leading dimension of A")
	check(ldb < max(1, n), "bad leading dimension of B")
	if m == 0 || n == 0 {
		return false
	}
	check(lenA < lda*(k-1)+k, "insufficient length of a")
	check(lenB < ldb*(m-1)+n, "insufficient length of b")
	return true
}

func checkSymm(s blas.Side, ul blas.Uplo, m, n, lenA, lda, lenB, ldb, lenC, ldc int) bool {
	checkSide(s)
	checkUplo(ul)
	check(m < 0, "m < 0")
	check(n < 0, "n < 0")
	k := n
	if s == blas.Left {
		k = m
	}
	check(lda < max(1, k), "bad leading dimension of A")
	check(ldb < max(1, n), "bad leading dimension of B")
	check(ldc < max(1, n), "bad leading dimension of C")
	if m == 0 || n == 0 {
		return false
	}
	check(lenA < lda*(k-1)+k, "insufficient length of a")
	check(lenB < ldb*(m-1)+n, "insufficient length of b")
	check(lenC < ldc*(m-1)+n, "insufficient length of c")
	return true
}
