package network

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"testing"
	"time"
)

func floatsOf(path string) []float32 {
	b, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}

func TestScratch(t *testing.T) {
	for _, name := range []string{"dlib", "mbf", "r50"} {
		t0 := time.Now()
		n, err := OpenFile("/tmp/kort/m/" + name + ".onnx")
		if err != nil {
			t.Fatal(err)
		}
		t.Log(name, "open", time.Since(t0), "steps", len(n.plan.steps), "arena MB", n.plan.arena>>18, "group", n.plan.group())
		in := make([]float32, n.Inputs()[0].Len())
		for i := range in {
			in[i] = float32(i%255) / 255
		}
		if name == "dlib" {
			in = floatsOf("/work/shared/prototypes/network/ref_in.f32")
		}
		out, err := n.Run(context.Background(), nil, in)
		if err != nil {
			t.Fatal(err)
		}
		if name == "dlib" {
			worst := 0.0
			for i, v := range floatsOf("/work/shared/prototypes/network/ref_out.f32") {
				worst = max(worst, math.Abs(float64(v-out[0][i])))
			}
			t.Log("worst", worst)
		}
		best := time.Hour
		for range 40 {
			t0 := time.Now()
			out, _ = n.Run(context.Background(), out, in)
			best = min(best, time.Since(t0))
		}
		t.Log(name, best)
		s := n.plan.newState(1)
		s.load(n.plan, 0, 0, in)
		times := make([]time.Duration, len(n.plan.steps))
		for r := range 20 {
			for k := range n.plan.steps {
				t0 := time.Now()
				n.plan.do(s, k, 0, 1)
				if d := time.Since(t0); r == 0 || d < times[k] {
					times[k] = d
				}
			}
		}
		for k, s := range n.plan.steps {
			v := n.plan.slots[s.out[0]]
			f := n.plan.slots[s.in[0]]
			t.Log(times[k], v.value.name, f.image.H, f.image.C, "->", v.image.H, v.image.W, v.image.C, v.image.Border, s.call != nil, len(s.in), s.together)
		}
	}
}
