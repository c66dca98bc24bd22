// Command peers measures this project beside scikit-learn: orthogonal matching
// pursuit, the lasso and online dictionary learning, in one run, on the same
// samples, with one thread each, and judges the results of both. It
// prints a table in Markdown. The script run beside it calls it.
//
// It uses Extended Yale B, in the folder that NRDL_DATA names.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	_ "embed"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/tools/internal/hint"
)

//go:embed peers.py
var script string

func main() {
	python := flag.String("python", "python3", "the Python that has NumPy and scikit-learn")
	rounds := flag.Int("rounds", 3, "measure so many times and keep the least")
	flag.Parse()
	hint.Exit("peers", compare(os.Stdout, *python, *rounds))
}

// compare measures ours, then theirs.
func compare(w io.Writer, python string, rounds int) error {
	ctx := context.Background()
	runtime.GOMAXPROCS(1)
	tasks, err := draw(ctx)
	if err != nil {
		return err
	}
	own, err := tasks.measure(ctx, rounds)
	if err != nil {
		return err
	}
	peer, err := ask(tasks, python, rounds)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, %s, back end %v, against %s; one thread each, the least processor time of %d runs; Extended Yale B, 32×32.\n\n",
		runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH, blas.Current(), peer.version, rounds)
	return tasks.report(ctx, w, own, peer)
}

// ask has the Python program measure the same tasks, and reads what it wrote.
func ask(t *tasks, python string, rounds int) (*results, error) {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "tasks.npz"), filepath.Join(dir, "results.npz")
	if err := t.write(in); err != nil {
		return nil, err
	}
	cmd := exec.Command(python, "-c", script, in, out, strconv.Itoa(rounds))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	best := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OPENBLAS_CORETYPE=") }) // OpenBLAS chooses
	cmd.Env = append(best, "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1")
	if err := cmd.Run(); err != nil {
		return nil, advice.Add(fmt.Errorf("measure with %s: %w", python, err), "name another one with -python")
	}
	return read(out)
}
