//go:build !slim

package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// stepsPerCheck is the number of turns of loops between two calls of the host:
// some milliseconds.
const stepsPerCheck = 1 << 20

// checkCode is the exit code that a metered program gives to proc_exit to have its
// work looked at; the host returns and the program goes on.
const checkCode = 0x6e72646c

// meter returns a WebAssembly program that does what program does and also calls
// its import proc_exit with checkCode once in stepsPerCheck turns of its loops, so
// that the host can stop it at any time. The run-time system's own check at every
// turn makes the decoder four times as slow; this one costs some percent. 64 bytes that one
// instruction copies or fills count as a turn.
// The input is a binary module of WebAssembly 2.0 that imports proc_exit and defines a
// global.
func meter(program []byte) (metered []byte, err error) {
	defer func() {
		if e, ok := recover().(errWASM); ok {
			metered, err = nil, e
		}
	}()
	in := &reader{data: program}
	out := append([]byte(nil), in.bytes(8)...)
	exit, global := -1, -1
	for len(in.data) > 0 {
		id := in.byte()
		section := &reader{data: in.bytes(in.length())}
		whole := section.data
		switch id {
		case 2:
			exit = exitImport(section)
		case 6:
			global = section.length()
			whole = appendLEB(nil, uint64(global+2))
			whole = append(whole, section.data...)
			whole = append(whole, 0x7f, 1, 0x41) // i32, mutable, i32.const
			whole = append(appendSigned(whole, stepsPerCheck), 0x0b)
			whole = append(whole, 0x7f, 1, 0x41, 0, 0x0b)
		case 10:
			if exit < 0 || global < 0 {
				return nil, errors.New("the program has no proc_exit or no global")
			}
			whole = meterBodies(section, check(exit, global), bulk(exit, global))
		}
		out = append(appendLEB(append(out, id), uint64(len(whole))), whole...)
	}
	return out, nil
}

// check returns the instructions that begin each turn of a loop.
func check(exit, global int) []byte {
	get, set := appendLEB([]byte{0x23}, uint64(global)), appendLEB([]byte{0x24}, uint64(global))
	code := append([]byte(nil), get...)
	code = append(code, 0x41, 1, 0x6b) // i32.const 1; i32.sub
	code = append(append(code, set...), get...)
	code = append(code, 0x45, 0x04, 0x40) // i32.eqz; if
	code = appendSigned(append(code, 0x41), checkCode)
	code = appendLEB(append(code, 0x10), uint64(exit)) // call
	code = appendSigned(append(code, 0x41), stepsPerCheck)
	return append(append(code, set...), 0x0b) // end
}

// bulk returns the instructions before one that copies or fills as many bytes as the number on
// the top of the stack says. The global after that of the turns keeps this number meanwhile.
func bulk(exit, global int) []byte {
	get, set := appendLEB([]byte{0x23}, uint64(global)), appendLEB([]byte{0x24}, uint64(global))
	bytes := appendLEB(nil, uint64(global+1))
	code := append(append([]byte{0x24}, bytes...), 0x23) // global.set; global.get
	code = append(append(code, bytes...), get...)
	code = append(append(code, 0x23), bytes...)
	code = append(code, 0x41, 6, 0x76, 0x6b) // i32.const 6; i32.shr_u; i32.sub
	code = append(code, set...)
	code = append(append(code, 0x02, 0x40, 0x03, 0x40), get...) // block; loop
	code = append(code, 0x41, 0, 0x4a, 0x0d, 1)                 // i32.const 0; i32.gt_s; br_if the block
	code = appendSigned(append(code, 0x41), checkCode)
	code = append(appendLEB(append(code, 0x10), uint64(exit)), get...) // call
	code = appendSigned(append(code, 0x41), stepsPerCheck)
	code = append(append(code, 0x6a), set...) // i32.add
	return append(code, 0x0c, 0, 0x0b, 0x0b)  // br the loop; end; end
}

// exitImport returns the index of the function proc_exit, -1 without one.
func exitImport(r *reader) int {
	functions, exit := 0, -1
	for range r.length() {
		r.bytes(r.length())
		name := string(r.bytes(r.length()))
		switch kind := r.byte(); kind {
		case 0:
			r.length()
			if name == "proc_exit" {
				exit = functions
			}
			functions++
		default:
			panic(errWASM(fmt.Sprintf("import of kind %d", kind)))
		}
	}
	return exit
}

// meterBodies returns the code section with turn at the start of each loop, and bulk before each
// instruction that copies or fills memory.
func meterBodies(r *reader, turn, bulk []byte) []byte {
	n := r.length()
	out := appendLEB(nil, uint64(n))
	for range n {
		body := &reader{data: r.bytes(r.length())}
		whole := body.data
		for range body.length() { // locals
			body.length()
			body.byte()
		}
		metered := append([]byte(nil), whole[:len(whole)-len(body.data)]...)
		for len(body.data) > 0 {
			before := body.data
			loop := body.instruction()
			if before[0] == 0xfc && (before[1] == 10 || before[1] == 11) { // memory.copy, memory.fill
				metered = append(metered, bulk...)
			}
			metered = append(metered, before[:len(before)-len(body.data)]...)
			if loop {
				metered = append(metered, turn...)
			}
		}
		out = append(appendLEB(out, uint64(len(metered))), metered...)
	}
	return out
}

// errWASM is a module that meter does not understand.
type errWASM string

func (e errWASM) Error() string { return "WebAssembly module: " + string(e) }

// A reader takes apart a binary module. Its methods panic with an errWASM.
type reader struct{ data []byte }

func (r *reader) byte() byte { return r.bytes(1)[0] }

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.data) {
		panic(errWASM("it is cut short"))
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

// length reads an unsigned number in LEB128.
func (r *reader) length() int {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v > 1<<31 {
		panic(errWASM("a number is damaged"))
	}
	r.data = r.data[n:]
	return int(v)
}

// skip passes n numbers in LEB128, signed or not.
func (r *reader) skip(n int) {
	for range n {
		for r.byte()&0x80 != 0 {
		}
	}
}

// instruction passes one instruction and says whether it opens a loop.
func (r *reader) instruction() (loop bool) {
	op := r.byte()
	switch {
	case op == 0x02 || op == 0x03 || op == 0x04: // block, loop, if
		r.skip(1)
	case op == 0x0c || op == 0x0d || op == 0x10: // br, br_if, call
		r.skip(1)
	case op == 0x0e: // br_table
		r.skip(r.length() + 1)
	case op == 0x11: // call_indirect
		r.skip(2)
	case op == 0x1c: // select with types
		r.skip(r.length())
	case 0x20 <= op && op <= 0x26: // local, global, table
		r.skip(1)
	case 0x28 <= op && op <= 0x3e: // load, store
		r.skip(2)
	case 0x3f <= op && op <= 0x42: // memory.size, memory.grow, i32.const, i64.const
		r.skip(1)
	case op == 0x43: // f32.const
		r.bytes(4)
	case op == 0x44: // f64.const
		r.bytes(8)
	case op == 0xd0 || op == 0xd2: // ref.null, ref.func
		r.skip(1)
	case op == 0xfc:
		switch sub := r.length(); {
		case sub <= 7: // saturating truncation
		case sub == 9 || sub == 11 || sub == 13 || 15 <= sub && sub <= 17:
			r.skip(1)
		case sub <= 14:
			r.skip(2)
		default:
			panic(errWASM(fmt.Sprintf("instruction fc %d", sub)))
		}
	case op == 0xfd:
		r.vector()
	case op <= 0x01, op == 0x05, op == 0x0b, op == 0x0f, op == 0x1a, op == 0x1b, 0x45 <= op && op <= 0xc4, op == 0xd1:
	default:
		panic(errWASM(fmt.Sprintf("instruction %#x", op)))
	}
	return op == 0x03
}

// vector passes what follows the prefix of an instruction on vectors.
func (r *reader) vector() {
	switch op := r.length(); {
	case op <= 11, op == 92, op == 93: // load, store
		r.skip(2)
	case op == 12, op == 13: // constant, shuffle
		r.bytes(16)
	case 21 <= op && op <= 34: // a lane
		r.byte()
	case 84 <= op && op <= 91: // load or store a lane
		r.skip(2)
		r.byte()
	case op > 255:
		panic(errWASM(fmt.Sprintf("instruction fd %d", op)))
	}
}

func appendLEB(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

// appendSigned appends a signed number in LEB128.
func appendSigned(b []byte, v int32) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
