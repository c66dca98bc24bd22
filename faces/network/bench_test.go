package network_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nrdl.example/nrdl/faces/network"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/kit/packed"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
)

// BenchmarkFace runs four face networks, on each back end of the processor with
// vectors, on one thread and two, a face and 32 faces at a time. Beside the time of a
// face it prints the least, and its share of the FMA limit: the multiply-adds that the
// cores can do in this time if they load no data. The networks are written to the folder
// that NRDL_NETWORKS names, so that tools/network/run has onnxruntime run them too.
func BenchmarkFace(b *testing.B) {
	builtIn := func(name string) []byte {
		data, err := os.ReadFile("../frontend/embedding/weights/" + name + ".onnx.zst")
		if err != nil {
			b.Fatal(err)
		}
		return packed.Bytes(data)
	}
	defer func(old blas.Backend) { _ = blas.Use(old) }(blas.Current())
	defer blas.SetThreads(blas.SetThreads(0))
	for _, net := range []struct {
		name string
		data []byte
	}{
		{"faceplugin", builtIn("faceplugin")},
		{"dlib", builtIn("dlib")},
		{"MobileFaceNet", onnxfile.MobileFaceNet(1)},
		{"IR50", onnxfile.IResNet(1, 112, 512, []int{3, 4, 14, 3}, []int{64, 128, 256, 512})},
	} {
		if folder := os.Getenv("NRDL_NETWORKS"); folder != "" {
			if err := os.WriteFile(filepath.Join(folder, net.name+".onnx"), net.data, 0o666); err != nil {
				b.Fatal(err)
			}
		}
		for _, backend := range blas.Available() {
			if backend == blas.Go || backend == blas.Gonum { // plain Go: tens of times slower
				continue
			}
			for _, threads := range []int{1, 2} {
				for _, batch := range []int{1, 32} {
					b.Run(fmt.Sprintf("net=%s/threads=%d/batch=%d/program=%v", net.name, threads, batch, backend), func(b *testing.B) {
						if err := blas.Use(backend); err != nil {
							b.Fatal(err)
						}
						blas.SetThreads(threads)
						n, err := network.Open(b.Context(), net.data)
						if err != nil {
							b.Fatal(err)
						}
						r := rand.New(rand.NewPCG(1, 1))
						x := make([]float32, batch*n.Inputs()[0].Len())
						for k := range x {
							x[k] = float32(r.IntN(256))
						}
						var out [][]float32
						smallest := math.Inf(1)
						for b.Loop() {
							start := time.Now()
							if out, err = n.Run(b.Context(), out, x); err != nil {
								b.Fatal(err)
							}
							smallest = min(smallest, time.Since(start).Seconds()/float64(batch))
						}
						limit := 2 * blas.PeakFMA(100*time.Millisecond) * 1e9 * float64(threads) // float32 in vectors of float64's size
						b.ReportMetric(1e9*smallest, "ns/face")
						b.ReportMetric(100*2*float64(n.Work())/smallest/limit, "%limit")
					})
				}
			}
		}
	}
}
