package main

import "fmt"

// A vec is a vector of 128 bits of elements of this many bytes; its methods
// write the one instruction of that name. Vector registers are numbers.
type vec int

const (
	f32 vec = 4
	f64 vec = 8
)

func (v vec) lanes() int { return 16 / int(v) }

// shift is the log2 of the element's size.
func (v vec) shift() int { return map[vec]int{f32: 2, f64: 3}[v] }

// name is "d" or "s", the routine, and N for NEON.
func (v vec) name(routine string) string {
	return map[vec]string{f32: "s", f64: "d"}[v] + routine + "N"
}

func (v vec) goType() string { return fmt.Sprintf("float%d", 8*int(v)) }

// arrangement is how the GNU assembler writes the elements, e.g. 4s.
func (v vec) arrangement() string { return map[vec]string{f32: "4s", f64: "2d"}[v] }

// element is how Go's assembler writes one.
func (v vec) element() string { return map[vec]string{f32: "S", f64: "D"}[v] }

// size is the bit of an instruction that says that elements have 8 bytes.
func (v vec) size() uint32 { return map[vec]uint32{f32: 0, f64: 1 << 22}[v] }

// three writes d = m·n or the like; code is the instruction for float32.
func (a *assembler) three(c class, v vec, name string, code uint32, m, n, d int) {
	s := v.arrangement()
	a.word(c, code|v.size()|uint32(m<<16|n<<5|d), fmt.Sprintf("%s v%d.%s, v%d.%s, v%d.%s", name, d, s, n, s, m, s))
}

// byElement is three with one element of m instead of m.
func (a *assembler) byElement(c class, v vec, name string, code uint32, m, i, n, d int) {
	index := uint32(i<<11) & (1 << 11) // H
	if v == f32 {
		index = uint32(i>>1<<11 | i&1<<21) // H, L
	}
	s := v.arrangement()
	a.word(c, code|v.size()|index|uint32(m<<16|n<<5|d), fmt.Sprintf("%s v%d.%s, v%d.%s, v%d.%s[%d]", name, d, s, n, s, m, s[1:], i))
}

func (a *assembler) add(v vec, m, n, d int) { a.three(vector, v, "fadd", 0x4e20d400, m, n, d) }
func (a *assembler) sub(v vec, m, n, d int) { a.three(vector, v, "fsub", 0x4ea0d400, m, n, d) }
func (a *assembler) max(v vec, m, n, d int) { a.three(vector, v, "fmax", 0x4e20f400, m, n, d) }
func (a *assembler) min(v vec, m, n, d int) { a.three(vector, v, "fmin", 0x4e20f400|1<<23, m, n, d) }

// larger sets the lanes of d in which |n| > |m|.
func (a *assembler) larger(v vec, m, n, d int) {
	a.three(vector, v, "facgt", 0x6ea0ec00, m, n, d)
}

// abs is |n|.
func (a *assembler) abs(v vec, n, d int) {
	s := v.arrangement()
	a.word(vector, 0x4ea0f800|v.size()|uint32(n<<5|d), fmt.Sprintf("fabs v%d.%s, v%d.%s", d, s, n, s))
}

// fma adds m·n to d.
func (a *assembler) fma(v vec, m, n, d int) {
	e := fmt.Sprintf("%s%d", v.element(), v.lanes())
	a.ins(fma, "VFMLA V%d.%s, V%d.%s, V%d.%s", m, e, n, e, d, e)
}

// fmaBy adds n times element i of m to d, fmsBy subtracts it, and mulBy sets d.
func (a *assembler) fmaBy(v vec, m, i, n, d int) { a.byElement(fma, v, "fmla", 0x4f801000, m, i, n, d) }

func (a *assembler) fmsBy(v vec, m, i, n, d int) { a.byElement(fma, v, "fmls", 0x4f805000, m, i, n, d) }

func (a *assembler) mulBy(v vec, m, i, n, d int) {
	a.byElement(vector, v, "fmul", 0x4f809000, m, i, n, d)
}

func (a *assembler) zero(d int)    { a.ins(vector, "VEOR V%d.B16, V%d.B16, V%d.B16", d, d, d) }
func (a *assembler) move(n, d int) { a.ins(vector, "VMOV V%d.B16, V%d.B16", n, d) }

// loadOne loads one element of memory, e.g. "8(R0)", into element 0.
func (a *assembler) loadOne(v vec, from string, d int) {
	a.ins(load, "FMOV%s %s, F%d", v.element(), from, d)
}

// broadcast loads one element of memory into all.
func (a *assembler) broadcast(v vec, from string, d int) {
	a.loadOne(v, from, d)
	a.ins(vector, "VDUP V%d.%s[0], V%d.%s%d", d, v.element(), d, v.element(), v.lanes())
}

// row is the address of row i of an element.
func (s strided) row(i int) string {
	if i == 0 {
		return fmt.Sprintf("(%s)", s.base)
	}
	return fmt.Sprintf("(%s)(%s)", s.base, s.offsets[i])
}

// loadAt loads the vector of row i.
func (a *assembler) loadAt(s strided, i, d int) {
	if i == 0 {
		a.ins(load, "FMOVQ (%s), F%d", s.base, d)
		return
	}
	a.atOffset(load, "ldr", 0x3ce06800, s, i, d)
}

func (a *assembler) storeAt(n int, s strided, i int) {
	if i == 0 {
		a.ins(save, "FMOVQ F%d, (%s)", n, s.base)
		return
	}
	a.atOffset(save, "str", 0x3ca06800, s, i, n)
}

func (a *assembler) atOffset(c class, name string, code uint32, s strided, i, x int) {
	var base, offset int
	fmt.Sscanf(s.base, "R%d", &base)
	fmt.Sscanf(s.offsets[i], "R%d", &offset)
	a.word(c, code|uint32(offset<<16|base<<5|x), fmt.Sprintf("%s q%d, [x%d, x%d]", name, x, base, offset))
}

// loads loads the vectors that follow p into registers.
func (a *assembler) loads(p string, x []int) {
	i := 0
	for ; i+1 < len(x); i += 2 {
		a.ins(pair, "FLDPQ %d(%s), (F%d, F%d)", 16*i, p, x[i], x[i+1])
	}
	if i < len(x) {
		a.ins(load, "FMOVQ %d(%s), F%d", 16*i, p, x[i])
	}
}

func (a *assembler) stores(x []int, p string) {
	i := 0
	for ; i+1 < len(x); i += 2 {
		a.ins(save, "FSTPQ (F%d, F%d), %d(%s)", x[i], x[i+1], 16*i, p)
	}
	if i < len(x) {
		a.ins(save, "FMOVQ F%d, %d(%s)", x[i], 16*i, p)
	}
}

// A rest is the elements of the last vector of a row if they are fewer than its
// lanes. There are no masks: of float32 the offsets of the second and third
// element are those of the last one that is there, and storing goes backwards.
type rest struct {
	v              vec
	second, third  string
	place, element string // scratch
}

// rest makes the offsets from the number of elements, which it overwrites. It is
// of use only if that is less than the number of lanes.
func (a *assembler) rest(v vec, last string) rest {
	r := rest{v: v, place: a.reg()}
	if v == f32 {
		r.element, r.second, r.third = a.reg(), a.reg(), last
		a.ins(integer, "SUB $1, %s", last)
		a.ins(integer, "LSL $2, %s", last)
		a.ins(integer, "MOVD $4, %s", r.second)
		a.ins(integer, "CMP $4, %s", last)
		a.ins(integer, "CSEL LT, %s, %s, %s", last, r.second, r.second)
	}
	return r
}

// loadRest loads the rest that is disp bytes after p and zeros.
func (a *assembler) loadRest(r rest, p string, disp, d int) {
	if r.v == f64 {
		a.loadOne(r.v, fmt.Sprintf("%d(%s)", disp, p), d)
		return
	}
	a.ins(integer, "ADD $%d, %s, %s", disp, p, r.place)
	a.loadOne(r.v, fmt.Sprintf("(%s)", r.place), d)
	for i, offset := range []string{r.second, r.third} {
		a.ins(integer, "ADD %s, %s, %s", offset, r.place, r.element)
		a.ins(load, "VLD1 (%s), V%d.S[%d]", r.element, d, i+1)
	}
}

func (a *assembler) storeRest(r rest, n int, p string, disp int) {
	if r.v == f64 {
		a.ins(save, "FMOVD F%d, %d(%s)", n, disp, p)
		return
	}
	a.ins(integer, "ADD $%d, %s, %s", disp, p, r.place)
	for i, offset := range []string{r.third, r.second} {
		a.ins(integer, "ADD %s, %s, %s", offset, r.place, r.element)
		a.ins(save, "VST1 V%d.S[%d], (%s)", n, 2-i, r.element)
	}
	a.ins(save, "FMOVS F%d, (%s)", n, r.place)
}

// loadRow loads the vectors that follow p; of the last one the rest, unless nil.
func (a *assembler) loadRow(r *rest, p string, x []int) {
	if r == nil {
		a.loads(p, x)
		return
	}
	n := len(x) - 1
	a.loads(p, x[:n])
	a.loadRest(*r, p, 16*n, x[n])
}

func (a *assembler) storeRow(r *rest, x []int, p string) {
	if r == nil {
		a.stores(x, p)
		return
	}
	n := len(x) - 1
	a.stores(x[:n], p)
	a.storeRest(*r, x[n], p, 16*n)
}

// rectangle makes rows×vecs registers from the first on.
func rectangle(first, rows, vecs int) [][]int {
	x := make([][]int, rows)
	for i := range x {
		for j := range vecs {
			x[i] = append(x[i], first+i*vecs+j)
		}
	}
	return x
}

// series is n registers from the first on.
func series(first, n int) []int { return rectangle(first, 1, n)[0] }
