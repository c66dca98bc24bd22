// Command network measures how fast package network runs three face networks:
// beside onnxruntime-node in the same run, on one thread and two, on each back end
// of the processor, a face and 32 faces at a time. It prints a table in Markdown, or
// writes it into doc/network.md with -o. onnxruntime takes the instructions that
// it likes; it is installed by npm into a temporary folder, or taken from -node.
//
//	go -C studies run ./network
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/onnxfile"
	"nrdl.example/nrdl/internal/packed"
	"nrdl.example/nrdl/network"
)

const onnxruntime = "onnxruntime-node@1.30.0"

//go:embed onnxruntime.js
var script []byte

// faces is the largest batch.
const faces = 32

func main() {
	log.SetFlags(0)
	dlib := flag.String("dlib", "../frontend/embedding/weights/dlib.onnx.zst", "`FILE` of dlib's network")
	node := flag.String("node", "", "`DIR` with "+onnxruntime+" in node_modules, in place of npm install")
	seconds := flag.Float64("seconds", 2, "time for each measurement")
	document := flag.String("o", "", "`FILE` to write the table into, between its marks")
	flag.Parse()
	if err := run(*dlib, *node, *seconds, *document); err != nil {
		log.Fatal(err)
	}
}

// A subject is a network that is measured.
type subject struct {
	name, file string
	data       []byte
}

func run(dlib, node string, seconds float64, document string) error {
	dir, err := os.MkdirTemp("", "bench-network")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	subjects := []subject{
		{name: "MobileFaceNet, 112²", data: onnxfile.MobileFaceNet(1)},
		{name: "IR-50, 112²", data: onnxfile.IResNet(1, 112, 512, []int{3, 4, 14, 3}, []int{64, 128, 256, 512})},
	}
	if data, err := os.ReadFile(dlib); err != nil {
		log.Printf("dlib's network is not measured: %v", err)
	} else {
		subjects = append([]subject{{name: "dlib, 150²", data: packed.Bytes(data)}}, subjects...)
	}
	for k := range subjects {
		subjects[k].file = filepath.Join(dir, fmt.Sprintf("%d.onnx", k))
		if err := os.WriteFile(subjects[k].file, subjects[k].data, 0o600); err != nil {
			return err
		}
	}
	peer, err := startPeer(dir, node)
	if err != nil {
		log.Printf("onnxruntime is not measured: %v", err)
	}
	defer peer.close()
	var b strings.Builder
	out := io.MultiWriter(os.Stderr, &b)
	fmt.Fprintf(out, "%s, %s/%s, %d cores; %s, the least time in %g s each.\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), onnxruntime, seconds)
	fmt.Fprintln(out, "| network | back end | threads | batch | ms a face | onnxruntime | ratio | share of the FMA limit | largest difference |")
	fmt.Fprintln(out, "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, s := range subjects {
		if err := s.measure(out, dir, peer, seconds); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if document == "" {
		_, err := os.Stdout.WriteString(b.String())
		return err
	}
	return insert(document, b.String())
}

// insert puts the table between the marks of a document.
func insert(document, table string) error {
	const begin, end = "<!-- speed -->\n", "<!-- end of speed -->"
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for the table", document)
	}
	return os.WriteFile(document, []byte(head+begin+table+end+tail), 0o666)
}

// measure prints the lines of one network.
func (s subject) measure(out io.Writer, dir string, peer *peer, seconds float64) error {
	defer func(b blas.Backend) { _ = blas.Use(b) }(blas.Current())
	defer blas.SetThreads(blas.SetThreads(0))
	type setting struct{ threads, batch int }
	type answer struct {
		ms      float64
		results []float32
	}
	theirs := map[setting]answer{} // measured once, just before the first back end
	for _, backend := range blas.Available() {
		if backend == blas.Go || backend == blas.Gonum { // plain Go: tens of times slower
			continue
		}
		if err := blas.Use(backend); err != nil {
			return err
		}
		n, err := network.Open(context.Background(), s.data)
		if err != nil {
			return err
		}
		in := n.Inputs()[0]
		x := random(faces * in.Len())
		limit := 2 * blas.PeakFMA(200*time.Millisecond) * 1e9 // float32 in vectors of float64's size
		for _, threads := range []int{1, 2} {
			blas.SetThreads(threads)
			for _, batch := range []int{1, faces} {
				at := setting{threads, batch}
				if _, done := theirs[at]; !done {
					a := answer{ms: math.NaN()}
					if peer != nil {
						if a.ms, a.results, err = peer.measure(dir, s.file, in.Shape[1:], x[:batch*in.Len()], threads, batch, seconds); err != nil {
							log.Printf("%s, %d at a time, onnxruntime: %v", s.name, batch, err)
						}
					}
					theirs[at] = a
				}
				ours, own, err := least(n, x[:batch*in.Len()], seconds)
				if err != nil {
					return err
				}
				ours /= float64(batch)
				share := 2 * float64(n.Work()) / (ours / 1e3) / limit / float64(min(threads, batch))
				fmt.Fprintf(out, "| %s | %v | %d | %d | %.2f | %s | %s | %.0f %% | %s |\n", s.name, backend, threads, batch, ours,
					orNone("%.2f", theirs[at].ms), orNone("%.2f", ours/theirs[at].ms), 100*share, orNone("%.1e", difference(own, theirs[at].results)))
			}
		}
	}
	return nil
}

func orNone(format string, v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf(format, v)
}

// least is the shortest time of a run in milliseconds, and its first output.
func least(n *network.Network, x []float32, seconds float64) (ms float64, result []float32, err error) {
	ms = math.Inf(1)
	var out [][]float32
	for end := time.Now().Add(time.Duration(seconds * 1e9)); time.Now().Before(end) || math.IsInf(ms, 1); {
		// The first run makes memory.
		first := out == nil
		start := time.Now()
		if out, err = n.Run(context.Background(), out, x); err != nil {
			return 0, nil, err
		}
		if !first {
			ms = min(ms, float64(time.Since(start))/1e6)
		}
	}
	return ms, out[0], nil
}

// difference is the largest, in units of the largest number of the other.
func difference(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	worst, scale := 0.0, 0.0
	for k := range a {
		worst = max(worst, math.Abs(float64(a[k])-float64(b[k])))
		scale = max(scale, math.Abs(float64(b[k])))
	}
	return worst / scale
}

// random are grey values.
func random(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float32, n)
	for k := range x {
		x[k] = float32(r.IntN(256))
	}
	return x
}

// A peer is a running onnxruntime.
type peer struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startPeer starts onnxruntime, of the folder node or one that is made.
func startPeer(dir, node string) (*peer, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return nil, err
	}
	if node == "" {
		npm, err := exec.LookPath("npm")
		if err != nil {
			return nil, err
		}
		log.Printf("npm install %s", onnxruntime)
		install := exec.Command(npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, onnxruntime)
		install.Stderr = os.Stderr
		if err := install.Run(); err != nil {
			return nil, fmt.Errorf("npm install: %w", err)
		}
		node = dir
	}
	file := filepath.Join(dir, "onnxruntime.js")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		return nil, err
	}
	modules, err := filepath.Abs(filepath.Join(node, "node_modules"))
	if err != nil {
		return nil, err
	}
	p := &peer{command: exec.Command("node", file)}
	p.command.Env = append(os.Environ(), "NODE_PATH="+modules)
	p.command.Stderr = os.Stderr
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.command.Start()
}

func (p *peer) close() {
	if p != nil {
		p.in.Close()
		_ = p.command.Wait()
	}
}

// measure has onnxruntime run a batch.
func (p *peer) measure(dir, file string, shape []int, x []float32, threads, batch int, seconds float64) (ms float64, results []float32, err error) {
	input, output := filepath.Join(dir, "in.f32"), filepath.Join(dir, "out.f32")
	raw := make([]byte, 0, 4*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	if err := os.WriteFile(input, raw, 0o600); err != nil {
		return math.NaN(), nil, err
	}
	request, err := json.Marshal(map[string]any{
		"file": file, "input": input, "output": output, "shape": shape, "threads": threads, "batch": batch, "seconds": seconds,
	})
	if err != nil {
		return math.NaN(), nil, err
	}
	if _, err := p.in.Write(append(request, '\n')); err != nil {
		return math.NaN(), nil, err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return math.NaN(), nil, err
	}
	var answer struct {
		MS    float64
		Error string
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return math.NaN(), nil, err
	}
	if answer.Error != "" {
		return math.NaN(), nil, errors.New(answer.Error)
	}
	if raw, err = os.ReadFile(output); err != nil {
		return math.NaN(), nil, err
	}
	for k := 0; k+4 <= len(raw); k += 4 {
		results = append(results, math.Float32frombits(binary.LittleEndian.Uint32(raw[k:])))
	}
	return answer.MS, results, nil
}
