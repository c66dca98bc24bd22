package blas

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

func TestUse(t *testing.T) {
	old := Current()
	defer func() {
		if err := Use(old); err != nil {
			t.Fatal(err)
		}
	}()
	usable := map[Backend]bool{}
	for _, b := range Available() {
		usable[b] = true
	}
	if !usable[Gonum] {
		t.Error("gonum is not available")
	}
	for _, b := range append([]Backend{Backend(99), Backend(-1)}, backends...) {
		before := Current()
		err := Use(b)
		if !usable[b] {
			if !errors.Is(err, ErrUnavailable) || Current() != before {
				t.Errorf("Use(%v): %v, in use %v", b, err, Current())
			}
			continue
		}
		if err != nil || Current() != b {
			t.Errorf("Use(%v): %v, in use %v", b, err, Current())
		}
		if impl, ok := blas64.Implementation().(Implementation); !ok || impl.backend != b {
			t.Errorf("blas64 does not use %v", b)
		}
		if impl, ok := blas32.Implementation().(Implementation); !ok || impl.backend != b {
			t.Errorf("blas32 does not use %v", b)
		}
	}
}

// childVar tells the test process that it is the child of TestEnv.
// The back end that NRDL_BLAS names is here, and in use.
func TestNamedBackend(t *testing.T) {
	if err := EnvError(); err != nil {
		t.Fatal(err)
	}
	if name := os.Getenv(EnvVar); name != "" && name != Current().String() {
		t.Errorf("%s is in use, not %s", Current(), name)
	}
}

const childVar = "NRDL_BLAS_TEST_CHILD"

func TestEnv(t *testing.T) {
	if os.Getenv(childVar) != "" {
		fmt.Printf("uses %v, error %v.\n", Current(), EnvError())
		return
	}
	best := Available()[0]
	for _, b := range backends {
		want := fmt.Sprintf("uses %v, error <nil>.", b)
		if _, err := For(b); err != nil {
			want = fmt.Sprintf("uses %v, error blas: NRDL_BLAS=%q: want one of", best, b.String())
		}
		expectChild(t, b.String(), want)
	}
	expectChild(t, "", fmt.Sprintf("uses %v, error <nil>.", best))
	names := make([]string, 0, 3)
	for _, b := range Available() {
		names = append(names, b.String())
	}
	expectChild(t, "mkl", fmt.Sprintf("uses %v, error blas: NRDL_BLAS=%q: want one of %s.", best, "mkl", strings.Join(names, ", ")))
}

// expectChild runs TestEnv in a process with NRDL_BLAS=value and fails unless
// it prints want.
func expectChild(t *testing.T, value, want string) {
	t.Helper()
	child := func(command ...string) ([]byte, error) {
		cmd := exec.Command(command[0], append(command[1:], "-test.run=^TestEnv$", "-test.v")...)
		cmd.Env = append(os.Environ(), childVar+"=1", EnvVar+"="+value)
		return cmd.CombinedOutput()
	}
	out, err := child(os.Args[0])
	if errors.Is(err, syscall.ENOEXEC) { // this process runs in an emulator
		out, err = child("qemu-aarch64", os.Args[0])
	}
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%s=%q: %v\n%s\nwant %s", EnvVar, value, err, out, want)
	}
}

func TestSetThreads(t *testing.T) {
	first := SetThreads(3)
	if old := SetThreads(-1); old != 3 {
		t.Errorf("SetThreads returned %d, want 3", old)
	}
	if old := SetThreads(first); old != 0 {
		t.Errorf("a negative number was kept: %d", old)
	}
}

// TestRates: the measures are positive and leave the settings alone. How large
// they are is for the benchmarks.
func TestRates(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		if got := PeakFMA(time.Millisecond); got <= 0 {
			t.Errorf("PeakFMA: %v", got)
		}
		if testing.Short() {
			return
		}
		if got := MeasureGEMM(1, time.Millisecond); got <= 0 {
			t.Errorf("MeasureGEMM: %v", got)
		}
		if old := SetThreads(2); old != 2 {
			t.Errorf("MeasureGEMM leaves %d threads", old)
		}
	})
}

// TestChecks: bad arguments panic exactly as gonum's own routines do.
func TestChecks(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		ref := gonum.Implementation{}
		x := make([]float64, 12)
		values := []int{-1, 0, 1, 2, 3, 4}
		step := 6*6*6*6*6/trials(6*6*6*6*6) + 1 // prime to 6: all values of each argument
		for i := 0; i < 6*6*6*6*6; i += step {
			m, n, k := values[i%6], values[i/6%6], values[i/36%6]
			ld, size := values[i/216%6], 2+2*values[i/1296]
			tr := []blas.Transpose{blas.NoTrans, blas.Trans, 'x'}[i%3]
			s := []blas.Side{blas.Left, blas.Right, 'x'}[i/7%3]
			ul := []blas.Uplo{blas.Upper, blas.Lower, 'x'}[i/11%3]
			d := []blas.Diag{blas.Unit, blas.NonUnit, 'x'}[i/5%3]
			a, b := x[:size], x[:12]
			if i%2 == 0 {
				a, b = b, a
			}
			same(t, "gemm", func(f blas.Float64) { f.Dgemm(tr, blas.NoTrans, m, n, k, 0, a, ld, b, 3, 1, x, 4) }, impl, ref)
			same(t, "gemm B", func(f blas.Float64) { f.Dgemm(blas.NoTrans, tr, m, n, k, 0, a, 3, b, ld, 1, x, 4) }, impl, ref)
			same(t, "gemm C", func(f blas.Float64) { f.Dgemm(blas.NoTrans, tr, m, n, k, 0, x, 4, x, 4, 1, a, ld) }, impl, ref)
			same(t, "syrk", func(f blas.Float64) { f.Dsyrk(ul, tr, n, k, 0, a, ld, 1, b, 3) }, impl, ref)
			same(t, "syr2k", func(f blas.Float64) { f.Dsyr2k(ul, tr, n, k, 0, a, ld, b, 3, 1, x, 4) }, impl, ref)
			same(t, "trsm", func(f blas.Float64) { f.Dtrsm(s, ul, blas.Trans, d, m, n, 0, a, ld, b, 3) }, impl, ref)
			same(t, "trmm", func(f blas.Float64) { f.Dtrmm(s, ul, tr, d, m, n, 0, a, ld, b, 3) }, impl, ref)
		}
	})
}

// same fails unless call panics with the same value, or not, on both.
func same(t *testing.T, name string, call func(blas.Float64), got, want blas.Float64) {
	t.Helper()
	if g, w := outcome(call, got), outcome(call, want); g != w {
		t.Fatalf("%s: panics with %v, gonum with %v", name, g, w)
	}
}

func outcome(call func(blas.Float64), f blas.Float64) (panicked any) {
	defer func() { panicked = recover() }()
	call(f)
	return nil
}
