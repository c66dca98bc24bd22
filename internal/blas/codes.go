package blas

import "unsafe"

// CodeRows is the number of rows in a block of codes.
const CodeRows = 32

// codeDims is the number of dimensions whose codes of a row lie side by side.
const codeDims = 4

// CodeBytes returns the size of a block of rows with so many dimensions, a multiple of 4.
func CodeBytes(dims int) int { return CodeRows * dims }

// CodeAt returns where in its block the code of row r, below CodeRows, in dimension i is.
func CodeAt(r, i int) int { return i/codeDims*codeDims*CodeRows + r*codeDims + i%codeDims }

// A codesKernel sets the first CodeRows numbers of some rows of out, ldo apart, to the
// inner products of a block of groups·codeDims dimensions with as many rows of q, dims
// apart.
type codesKernel func(groups int, block *uint8, q *int8, dims int, out *int32, ldo int)

// codesKernels do 1, 2, 4 … rows of q.
type codesKernels []codesKernel

// DotCodes sets out[i·ldo+r] = Σ_j rows_rj·q_ij for the queries i, rows of q with so many
// dimensions, a multiple of 4, and the rows r of the blocks one after another in rows,
// each as CodeAt says; ldo is at least the number of rows. The sums are exact up to 2¹⁶
// dimensions. It runs on one thread.
func DotCodes(out []int32, ldo int, rows []uint8, q []int8, dims int) {
	blocks, queries := len(rows)/CodeBytes(dims), len(q)/dims
	if blocks == 0 || queries == 0 {
		return
	}
	_ = out[(queries-1)*ldo+blocks*CodeRows-1]
	kernels := codesFor(current.Load().backend)
	if kernels == nil {
		kernels = goCodes
	}
	for b := range blocks {
		block := rows[b*CodeBytes(dims):]
		for i := 0; i < queries; {
			h := 0
			for h+1 < len(kernels) && 2<<h <= queries-i {
				h++
			}
			kernels[h](dims/codeDims, &block[0], &q[i*dims], dims, &out[i*ldo+b*CodeRows], ldo)
			i += 1 << h
		}
	}
}

// FastCodes reports whether DotCodes is in assembly: then it is faster than a product of
// float32 matrices.
func FastCodes() bool { return codesFor(current.Load().backend) != nil }

// goCodes is the kernel in plain Go.
var goCodes = codesKernels{func(groups int, block *uint8, q *int8, _ int, out *int32, _ int) {
	dst := (*[CodeRows]int32)(unsafe.Pointer(out))
	*dst = [CodeRows]int32{}
	for range groups {
		codes := (*[CodeRows * codeDims]uint8)(unsafe.Pointer(block))
		of := (*[codeDims]int8)(unsafe.Pointer(q))
		a, b, c, d := int32(of[0]), int32(of[1]), int32(of[2]), int32(of[3])
		for r := range dst {
			row := codes[codeDims*r : codeDims*r+codeDims]
			dst[r] += a*int32(row[0]) + b*int32(row[1]) + c*int32(row[2]) + d*int32(row[3])
		}
		block = (*uint8)(unsafe.Add(unsafe.Pointer(block), len(codes)))
		q = (*int8)(unsafe.Add(unsafe.Pointer(q), codeDims))
	}
}}
