//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/tools/internal/cputime"
)

// A rotation takes drawn faces into more dimensions, where their cosines are the same.
type rotation struct {
	d    *drawer
	dims int
	rows []float32 // dims×d.dims
}

func rotate(d *drawer, dims int) *rotation {
	if dims == d.dims {
		return &rotation{d: d, dims: dims}
	}
	rng := rand.New(rand.NewPCG(9, 9))
	a := mat.NewDense(dims, d.dims, nil)
	a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
	var qr mat.QR
	qr.Factorize(a)
	var q mat.Dense
	qr.QTo(&q)
	r := &rotation{d: d, dims: dims}
	for i := range dims {
		for j := range d.dims {
			r.rows = append(r.rows, float32(q.At(i, j)))
		}
	}
	return r
}

// of are rows rotated.
func (r *rotation) of(rows []float32) []float32 {
	if r.rows != nil {
		rows = product(rows, r.rows, r.d.dims)
		for lo := 0; lo < len(rows); lo += r.dims {
			unit(rows[lo : lo+r.dims])
		}
	}
	return rows
}

func (r *rotation) people(first, people, k int) []*index.Person {
	all := r.d.people(first, people, k)
	for _, p := range all {
		p.Vectors = r.of(p.Vectors)
	}
	return all
}

// frame is that of a network that makes vectors of this length.
func (r *rotation) frame() dataset.Frame {
	f := frame()
	if r.dims != r.d.dims {
		f.Embedding.Length, f.Embedding.Name, f.Embedding.Digest = r.dims, "drawn.onnx", strings.Repeat("0", 64)
	}
	return f
}

// costs prints the time and the memory of galleries.
func costs(ctx context.Context, d *drawer) error {
	folder, err := os.MkdirTemp("", "gallery")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	r := rotate(d, *dims)
	for faces := *minFaces; faces <= *maxFaces; faces *= 10 {
		if err := r.cost(ctx, filepath.Join(folder, "model.nrdl"), faces); err != nil {
			return err
		}
	}
	return nil
}

// timed prints the median and the 99th percentile of n calls in wall clock and the mean
// of the processor time.
func timed(what string, n int, f func(i int) error) error {
	var all []time.Duration
	before := cputime.Used()
	for i := range n {
		start := time.Now()
		if err := f(i); err != nil {
			return err
		}
		all = append(all, time.Since(start))
	}
	used := cputime.Used() - before
	slices.Sort(all)
	fmt.Printf("| %s | %s | %s | %s |\n", what, ms(all[n/2]), ms(all[(n-1)*99/100]), ms(used/time.Duration(n)))
	return nil
}

func ms(t time.Duration) string { return fmt.Sprintf("%.2f ms", t.Seconds()*1000) }

// evict removes the file at path from the page cache as far as the system does so.
func evict(path string) {
	if f, err := os.Open(path); err == nil {
		const dontNeed = 4
		_, _, _ = syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, dontNeed, 0, 0)
		f.Close()
	}
}

func (r *rotation) cost(ctx context.Context, path string, faces int) error {
	people := faces / each
	start, used := time.Now(), cputime.Used()
	if err := r.write(ctx, path, people, r.people); err != nil {
		return err
	}
	fmt.Printf("\n%d faces of %d people, %d dimensions; made, calibrated and written in %.1f s, %.1f s of processor time\n\n",
		faces, people, r.dims, time.Since(start).Seconds(), (cputime.Used() - used).Seconds())
	evict(path)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// A process that has not made the gallery tells what it costs to use it.
	c := exec.CommandContext(ctx, self, "-data", *data, "-dims", fmt.Sprint(r.dims), "-numpy", *numpy,
		"-faces", fmt.Sprint(faces), "-opened", path)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

// opened prints what it costs to use the model file at path.
func (r *rotation) opened(ctx context.Context, path string, faces int) error {
	people := faces / each
	runtime.GC()
	before := cputime.Memory(0, "RssAnon") + cputime.Memory(0, "RssFile")
	start, used := time.Now(), cputime.Used()
	g, err := file.Open(path, file.Options{})
	if err != nil {
		return err
	}
	fmt.Printf("opened in %.2f s, %.2f s of processor time\n\n| | p50 | p99 | processor |\n| --- | ---: | ---: | ---: |\n",
		time.Since(start).Seconds(), (cputime.Used() - used).Seconds())
	var probes []*index.Person
	const n = 256
	for i := range n {
		p := i * (people / n)
		probes = append(probes, &index.Person{Name: fmt.Sprintf("drawn %d", p), IDs: []string{"new"}, Vectors: r.of(r.d.faces(p, 1, each, 1))})
	}
	asked := imagesOf(probes, r.dims, r.frame())
	var queries []float32
	for _, p := range probes {
		queries = append(queries, p.Vectors...)
	}
	if err := timed("identify one face", n, func(i int) error {
		_, err := g.Identify(ctx, asked.Select([]int{i}))
		return err
	}); err != nil {
		return err
	}
	if err := timed("search alone", n, func(i int) error {
		_, err := g.Enrolled.Faces.Nearest(ctx, queries[i*r.dims:(i+1)*r.dims], 64)
		return err
	}); err != nil {
		return err
	}
	runtime.GC()
	anon, file := cputime.Memory(0, "RssAnon"), cputime.Memory(0, "RssFile")
	start, used = time.Now(), cputime.Used()
	for range 4 {
		if _, err := g.Identify(ctx, asked); err != nil {
			return err
		}
	}
	perSecond, perCPU := 4*n/time.Since(start).Seconds(), 4*n/(cputime.Used()-used).Seconds()
	if err := r.changes(ctx, path, g); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Printf("\n%.0f faces a second identified in batches of %d (%.0f a second of processor time)\nbytes a face: %.0f "+
		"scanned, %.0f of file, %.0f resident after the searches, more than before (in all %.0f of process, %.0f of file)\n",
		perSecond, n, perCPU, float64(g.Enrolled.Faces.Scanned())/float64(faces), float64(info.Size())/float64(faces),
		float64(anon+file-before)/float64(faces), float64(anon)/float64(faces), float64(file)/float64(faces))
	if *numpy == "" {
		return nil
	}
	return r.numpy(ctx, path, people, queries)
}

// write makes the model file of a gallery of people. It appends part by part, so that only the codes
// of all faces are in memory.
func (r *rotation) write(ctx context.Context, path string, people int, of func(first, people, k int) []*index.Person) error {
	const part, together = 250_000, 25_000
	few := imagesOf(of(0, min(people, 1000), each), r.dims, r.frame())
	g, err := grow(ctx, few, method.Mean{})
	if err != nil {
		return err
	}
	x, common := index.New(g.Enrolled.Faces.Dims()), g.Enrolled.Common()
	for first := 0; first < people; {
		for end := min(people, first+part); first < end; first += together {
			if x, err = x.With(of(first, min(together, end-first), each)...); err != nil {
				return err
			}
		}
		if g, err = g.Refit(ctx, gallery.Indexed(x, common), classify.Run{}); err != nil {
			return err
		}
		if first >= people {
			if g, err = g.Calibrate(ctx, openset.Default, nil, nil); err != nil {
				return err
			}
		}
		if err := file.Save(ctx, path, g); err != nil {
			return err
		}
		if g, err = file.Open(path, file.Options{}); err != nil {
			return err
		}
		x = g.Enrolled.Faces
	}
	return nil
}

// changes times adding and removing people.
func (r *rotation) changes(ctx context.Context, path string, g *gallery.Gallery) error {
	const n = 100
	var people []*dataset.Images
	for _, p := range r.people(200_000_000, n, each) {
		people = append(people, imagesOf([]*index.Person{p}, r.dims, r.frame()))
	}
	if _, err := enrol(ctx, g, people[0]); err != nil { // reads the held-out faces
		return err
	}
	var err error
	if err := timed("add a person", n, func(i int) error {
		g, err = enrol(ctx, g, people[i])
		return err
	}); err != nil {
		return err
	}
	remove := func(name string) error {
		e, err := g.Enrolled.Without(name)
		if err == nil {
			g, err = g.Refit(ctx, e, classify.Run{})
		}
		return err
	}
	if err := timed("rename a person", n, func(i int) error {
		e, _, err := g.Enrolled.Rename(fmt.Sprintf("drawn %d", i*11+1), fmt.Sprintf("renamed %d", i))
		if err == nil {
			g, err = g.Refit(ctx, e, classify.Run{})
		}
		return err
	}); err != nil {
		return err
	}
	if err := timed("remove a person", n, func(i int) error { return remove(fmt.Sprintf("drawn %d", i*7*11)) }); err != nil {
		return err
	}
	return timed("remove a person, and store it", 20, func(i int) error {
		if err := remove(fmt.Sprintf("drawn %d", 200_000_000+i)); err != nil {
			return err
		}
		return file.Save(ctx, path, g)
	})
}

// numpy times the exact search of NumPy on the same vectors.
func (r *rotation) numpy(ctx context.Context, path string, people int, queries []float32) error {
	const program = `
import sys, time, numpy as np
d, k = int(sys.argv[3]), 64
x = np.fromfile(sys.argv[1], np.float32).reshape(-1, d)
q = np.fromfile(sys.argv[2], np.float32).reshape(-1, d)
def search(q):
    c = q @ x.T
    near = np.argpartition(-c, k, axis=1)[:, :k]
    return np.take_along_axis(c, near, 1)
search(q[:1])
t, cpu = [], time.process_time()
for i in range(32):
    s = time.perf_counter(); search(q[i:i+1]); t.append(time.perf_counter() - s)
cpu = (time.process_time() - cpu) / 32
s, c = time.perf_counter(), time.process_time()
for lo in range(0, 128, 64): search(q[lo:lo+64])
s, c = time.perf_counter() - s, time.process_time() - c
t.sort()
maps = open("/proc/self/maps").read()
blas = next((name for name in ("openblas", "mkl", "blis") if name in maps), "its slow BLAS: apt-get install libopenblas0-pthread")
print("| NumPy, search alone | %.2f ms | %.2f ms | %.2f ms |" % (t[16]*1e3, t[31]*1e3, cpu*1e3))
print("\nNumPy %s with %s, batches of 64: %.0f faces a second (%.0f a second of processor time), %d bytes a face" % (np.__version__, blas, 128/s, 128/c, 4*d))
`
	vectors, asked := path+".vectors", path+".queries"
	defer os.Remove(vectors)
	f, err := os.Create(vectors)
	if err != nil {
		return err
	}
	defer f.Close()
	const together = 10000
	for first := 0; first < people; first += together {
		if _, err := f.Write(bytesOf(r.of(r.d.faces(first, min(together, people-first), 0, each)))); err != nil {
			return err
		}
	}
	if err := os.WriteFile(asked, bytesOf(queries), 0o600); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, *numpy, "-c", program, vectors, asked, fmt.Sprint(r.dims))
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		fmt.Printf("NumPy: %v\n", err)
	}
	return nil
}

func bytesOf(v []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 4*len(v))
}
