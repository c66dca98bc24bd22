package main

import (
	"fmt"
	"strings"
)

// A class is the kind of an instruction, by which the balance is counted.
type class int

const (
	integer class = iota // addresses, counters, branches
	load                 // of one vector or one element
	pair                 // loads of two vectors
	save                 // stores, of one vector or two
	fma                  // multiply-adds of vectors
	vector               // other arithmetic and moves of vectors
	classes
)

// A count is a number of instructions of each class.
type count [classes]int

func (c count) total() (n int) {
	for _, x := range c {
		n += x
	}
	return n
}

// A loop is the instructions of one round of a loop.
type loop struct {
	name   string
	count  count
	chains int // sums that do not depend on each other
}

// A routine is one function of the output.
type routine struct {
	name  string
	count count
	loops []loop
	free  []string       // registers for integers
	args  map[string]int // offsets from the frame pointer
}

// An assembler collects the output.
type assembler struct {
	code, stubs strings.Builder
	routines    []*routine
	*routine    // the one at work
}

// A param is a parameter of a routine, or its result.
type param struct{ name, kind string }

func params(kind string, names ...string) []param {
	var all []param
	for _, n := range names {
		all = append(all, param{n, kind})
	}
	return all
}

// text begins a routine; result is "" or a type.
func (a *assembler) text(name, result string, in ...param) {
	a.routine = &routine{name: name, args: map[string]int{}}
	a.routines = append(a.routines, a.routine)
	for i := range 27 {
		if i != 18 { // the system's
			a.free = append(a.free, fmt.Sprintf("R%d", i))
		}
	}
	size := 0
	var list []string
	for _, p := range in {
		width := 8
		if p.kind == "float32" {
			width = 4
		}
		size = (size + width - 1) / width * width
		a.args[p.name] = size
		size += width
		list = append(list, p.name+" "+p.kind)
	}
	size = (size + 7) / 8 * 8
	if result != "" {
		a.args["ret"] = size
		size += 8
	}
	fmt.Fprintf(&a.stubs, "func %s(%s) %s\n", name, strings.Join(list, ", "), result)
	fmt.Fprintf(&a.code, "\n// func %s(%s) %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", name, strings.Join(list, ", "), result, name, size)
}

// reg is a register for an integer that is not in use.
func (a *assembler) reg() string {
	r := a.free[0]
	a.free = a.free[1:]
	return r
}

// ins writes one instruction in the syntax of Go.
func (a *assembler) ins(c class, format string, args ...any) {
	a.count[c]++
	fmt.Fprintf(&a.code, "\t"+format+"\n", args...)
}

// word writes one that Go's assembler lacks, as the GNU assembler has it.
func (a *assembler) word(c class, code uint32, gnu string) {
	a.ins(c, "WORD $%#08x // %s", code, gnu)
}

func (a *assembler) label(name string) { fmt.Fprintf(&a.code, "%s:\n", name) }

// arg loads a parameter into a new register.
func (a *assembler) arg(name string) string {
	r := a.reg()
	a.ins(load, "MOVD %s+%d(FP), %s", name, a.args[name], r)
	return r
}

// bytes loads a parameter that counts elements and makes it bytes.
func (a *assembler) bytes(v vec, name string) string {
	r := a.arg(name)
	a.ins(integer, "LSL $%d, %s", v.shift(), r)
	return r
}

// repeat writes a loop that runs n > 0 times; n is a register.
func (a *assembler) repeat(name, n string, chains int, body func()) {
	a.label(name)
	before := a.count
	body()
	a.ins(integer, "SUBS $1, %s", n)
	a.ins(integer, "BNE %s", name)
	l := loop{name: name, chains: chains}
	for c := range l.count {
		l.count[c] = a.count[c] - before[c]
	}
	a.loops = append(a.loops, l)
}

// A strided addresses base + i·stride: registers with the multiples.
type strided struct {
	base    string
	offsets []string
}

// strided makes the multiples for rows rows of the stride, in bytes.
func (a *assembler) strided(base, stride string, rows int) strided {
	s := strided{base: base, offsets: []string{"", stride}}
	for i := 2; i < rows; i++ {
		r := a.reg()
		a.ins(integer, "ADD %s, %s, %s", stride, s.offsets[i-1], r)
		s.offsets = append(s.offsets, r)
	}
	return s
}
