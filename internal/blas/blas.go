// Package blas gives gonum's blas64 fast matrix products, solves, factorizations,
// sums and inner products, and blas32 fast products: packed and tiled in Go, on a pool
// of workers, with inner kernels in assembly that the programs in asm and asm/neon
// generate. It also convolves and pools float32 images, on one thread: see Conv,
// MaxPool and AveragePool.
//
// Importing it installs the best Backend that the processor can run, or the
// one that the environment variable NRDL_BLAS names. Where there is no assembly
// for it, the kernels are in plain Go.
//
// # What a result depends on
//
// On all back ends but gonum's no result depends on the number of threads. An
// element of a product alpha·op(A)·op(B) + beta·C depends on its row of op(A),
// its column of op(B), its old value, alpha, beta and k, and on nothing else:
// not on its place, nor on the size of the product that it is part of. So a
// batch of one column gives the same bits as that column in a batch of 1000.
// The same holds for the columns (Left) and rows (Right) of a solve. Every
// path keeps this by one rule: k is cut into blocks by its value alone, and in
// a block the products are added in order, in assembly with fused multiply-adds.
//
// On every Backend an element of a convolved or pooled image depends on the
// image, the weights and its place in the image, not on the batch. AVX512, AVX2
// and NEON give the same bits in products, convolved and pooled images, AVX2 and
// NEON also in solves and factorizations.
package blas

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

//go:generate go run ../../tools/asm -out kern_amd64.s -stubs kern_amd64.go -pkg blas
//go:generate go run ../../tools/asm/neon -o kern_arm64

// A Backend is a set of kernels.
type Backend int

const (
	Gonum  Backend = iota // gonum's own code; runs everywhere
	AVX2                  // 256-bit vectors and FMA
	AVX512                // 512-bit vectors
	NEON                  // 128-bit vectors of arm64
	Go                    // tiles in plain Go; runs everywhere
)

// backends is all of them, best first.
var backends = []Backend{AVX512, AVX2, NEON, Go, Gonum}

func (b Backend) String() string {
	switch b {
	case Gonum:
		return "gonum"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	case NEON:
		return "neon"
	case Go:
		return "go"
	}
	return fmt.Sprintf("Backend(%d)", int(b))
}

// EnvVar is the environment variable that forces a Backend.
const EnvVar = "NRDL_BLAS"

// ErrUnavailable means that this machine cannot run a Backend.
var ErrUnavailable = errors.New("not available on this machine")

var (
	current atomic.Pointer[Implementation]
	envErr  error
)

func init() {
	b, err := fromEnv(os.Getenv(EnvVar))
	envErr = err
	if err := Use(b); err != nil {
		panic(err) // b is from Available
	}
}

// fromEnv is the Backend that value names, or the best one.
func fromEnv(value string) (Backend, error) {
	available := Available()
	if value == "" {
		return available[0], nil
	}
	names := make([]string, len(available))
	for i, b := range available {
		if b.String() == value {
			return b, nil
		}
		names[i] = b.String()
	}
	return available[0], fmt.Errorf("blas: %s=%q: want one of %s", EnvVar, value, strings.Join(names, ", "))
}

// EnvError is not nil if the environment variable NRDL_BLAS had a value that
// names no available Backend. The best one is in use then.
func EnvError() error { return envErr }

// Available returns the back ends that this machine can run, best first.
func Available() []Backend {
	var all []Backend
	for _, b := range backends {
		if _, err := For(b); err == nil {
			all = append(all, b)
		}
	}
	return all
}

// Current returns the Backend in use.
func Current() Backend { return current.Load().backend }

// Use installs b in gonum's blas64 and blas32. It must not run at the same time
// as any other use of them. The error is ErrUnavailable.
func Use(b Backend) error {
	impl, err := For(b)
	if err != nil {
		return err
	}
	current.Store(&impl)
	blas64.Use(impl)
	blas32.Use(impl)
	return nil
}

var maxThreads atomic.Int64

// SetThreads limits each call, and each loop of package parallel, to n threads;
// 0, the default, means GOMAXPROCS. It returns the previous limit. Like Use it is
// for the whole process, as gonum has one implementation for a process and its
// calls do not say who calls: only commands and tests call it.
func SetThreads(n int) (old int) {
	return int(maxThreads.Swap(int64(max(n, 0))))
}

// Threads returns the number of threads that a call may use.
func Threads() int {
	if n := maxThreads.Load(); n > 0 {
		return int(n)
	}
	return runtime.GOMAXPROCS(0)
}
