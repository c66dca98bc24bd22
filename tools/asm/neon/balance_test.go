package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A core is what a processor can start in a cycle, as its maker or measurements
// of others state it.
type core struct {
	name                  string
	width                 int // instructions
	vectors               int // operations on vectors
	loads, stores, memory int // vectors or elements: loads, stores, both
	latency               int // cycles of a multiply-add
}

var cores = []core{
	{"Cortex-A76", 4, 2, 2, 2, 2, 4},
	{"Apple M1", 8, 4, 3, 2, 4, 4},
}

// cycles is the least time of a round, and what it waits for.
func (c core) cycles(l loop) (cycles float64, why string) {
	n := l.count
	loads, stores := n[load]+2*n[pair], n[save]
	for _, bound := range []struct {
		why        string
		work, rate int
	}{
		{"arithmetic", n[fma] + n[vector], c.vectors},
		{"loads", loads, c.loads},
		{"stores", stores, c.stores},
		{"loads and stores", loads + stores, c.memory},
		{"instructions", n.total(), c.width},
		{"latency", c.latency * min(l.chains, 1), 1},
	} {
		if t := float64(bound.work) / float64(bound.rate); t > cycles {
			cycles, why = t, bound.why
		}
	}
	return cycles, why
}

// shown are the loops of the table, by routine and label, and what they do.
var shown = []struct{ routine, loop, what string }{
	{"dgemmN4x6", "loop", "product in float64, full tile of 4×12"},
	{"sgemmN4x6", "loop", "product in float32, full tile of 4×24"},
	{"sgemmN1x6", "loop", "the same, one row"},
	{"sgemmN4x1", "loop", "the same, one vector of columns"},
	{"sconvN6x4", "k", "convolution, 6 pixels of 16 channels"},
	{"sconvN8x1", "k", "the same, 8 pixels of 4 channels"},
	{"sdepthN12", "x", "depthwise convolution, 12 pixels of 4 channels"},
	{"smostN12", "x", "maximum pooling, 12 pixels of 4 channels"},
	{"swinogradInN", "column", "Winograd's transform of the input, 6 pixels of 4 channels"},
	{"swinogradOutN", "column", "and of the sums"},
	{"ddotN", "rounds", "inner product in float64"},
	{"daxpyN", "rounds", "y + αx in float64"},
}

// table writes the balance in Markdown.
func (a *assembler) table() string {
	var b strings.Builder
	b.WriteString(
		"| loop | instructions | multiply-adds of vectors | other arithmetic | loads | stores | instructions for each " +
			"multiply-add of two numbers |")
	for _, c := range cores {
		fmt.Fprintf(&b, " %s: cycles, bound by | share of peak |", c.name)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", 6) + strings.Repeat(" --- | ---: |", len(cores)) + "\n")
	for _, s := range shown {
		l, v := a.loop(s.routine, s.loop), f32
		if strings.HasPrefix(s.routine, "d") {
			v = f64
		}
		n := l.count
		fmt.Fprintf(&b, "| %s (`%s`) | %d | %d | %d | %d | %d | %s |", s.what, s.routine, n.total(), n[fma],
			n[vector], n[load]+2*n[pair], n[save],
			ratio("%.2f", n.total(), n[fma]*v.lanes()))
		for _, c := range cores {
			t, why := c.cycles(l)
			fmt.Fprintf(&b, " %.1f, %s | %s |", t, why, share(float64(n[fma])/t/float64(c.vectors)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func ratio(format string, a, b int) string {
	if a == 0 || b == 0 {
		return "–"
	}
	return fmt.Sprintf(format, float64(a)/float64(b))
}

func share(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}

// loop finds the loop of a routine.
func (a *assembler) loop(name, label string) loop {
	for _, r := range a.routines {
		for _, l := range r.loops {
			if r.name == name && l.name == label {
				return l
			}
		}
	}
	panic("no loop " + label + " in " + name)
}

// TestTable: doc/performance.md has the table of the kernels, between two markers. With
// UPDATE=1 the table is written.
func TestTable(t *testing.T) {
	const path, begin, end = "../../../doc/performance.md", "<!-- neon -->\n", "<!-- end of neon -->"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	table := kernels().table()
	switch {
	case table == old:
	case os.Getenv("UPDATE") != "":
		if err := os.WriteFile(path, []byte(head+begin+table+end+tail), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of %s is another one; UPDATE=1 writes it", path)
	}
}
