//go:build !slim

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"nrdl.example/nrdl/internal/kit/packed"
)

// In looping, run(n) turns a loop until n, which it counts down, is 0; fill(n) fills n bytes, and
// grow(n) traps where it gets no n pages of memory.
const looping = "\x00asm\x01\x00\x00\x00" +
	"\x01\x05\x01\x60\x01\x7f\x00" + // type (i32) → ()
	"\x02\x24\x01\x16wasi_snapshot_preview1\x09proc_exit\x00\x00" +
	"\x03\x04\x03\x00\x00\x00" + // three functions of that type
	"\x05\x03\x01\x00\x01" + // a page of memory
	"\x06\x06\x01\x7f\x01\x41\x00\x0b" + // a global
	"\x07\x1e\x04\x03run\x00\x01\x04fill\x00\x02\x04grow\x00\x03\x06memory\x02\x00" +
	"\x0a\x2a\x03" +
	"\x0e\x00\x03\x40\x20\x00\x41\x01\x6b\x22\x00\x0d\x00\x0b\x0b" +
	"\x0b\x00\x41\x00\x41\x00\x20\x00\xfc\x0b\x00\x0b" +
	"\x0d\x00\x20\x00\x40\x00\x41\x7f\x46\x04\x40\x00\x0b\x0b"

// A loop of n turns calls the host once in stepsPerCheck of them.
func TestMeter(t *testing.T) {
	program := []byte(looping)
	metered, err := meter(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code  []byte
		turns int
		want  int
	}{{program, 3*stepsPerCheck + 5, 0}, {metered, stepsPerCheck - 1, 0}, {metered, stepsPerCheck, 1}, {metered, 3*stepsPerCheck + 5, 3}} {
		checks := 0
		runtime := wazero.NewRuntime(t.Context())
		_, err := runtime.NewHostModuleBuilder("wasi_snapshot_preview1").NewFunctionBuilder().WithFunc(func(code uint32) {
			if code == checkCode {
				checks++
			}
		}).Export("proc_exit").Instantiate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m, err := runtime.Instantiate(t.Context(), c.code)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.ExportedFunction("run").Call(t.Context(), uint64(c.turns)); err != nil || checks != c.want {
			t.Errorf("%d turns: %d checks, want %d (%v)", c.turns, checks, c.want, err)
		}
		runtime.Close(t.Context())
	}
	without := bytes.Replace(program, []byte("proc_exit"), []byte("proc_exot"), 1)
	for _, bad := range [][]byte{nil, {0}, program[:len(program)-3], without} {
		if _, err := meter(bad); err == nil {
			t.Errorf("%d bytes that are no program with proc_exit are metered", len(bad))
		}
	}
}

// A run ends when its work, its memory, its time or its context is used up; bytes that are
// filled are work.
func TestLimits(t *testing.T) {
	code, err := packed.Pack([]byte(looping))
	if err != nil {
		t.Fatal(err)
	}
	p := New(code)
	const page = 1 << 16
	gone := errors.New("gone")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	for name, c := range map[string]struct {
		limits Limits
		call   func(*Run)
		want   error
	}{
		"little": {Limits{Turns: 5 * stepsPerCheck, Memory: page}, func(r *Run) { r.Call("run", 4*stepsPerCheck) }, nil},
		"turns":  {Limits{Turns: 2 * stepsPerCheck, Memory: page}, func(r *Run) { r.Call("run", 4*stepsPerCheck) }, ErrTurns},
		"calls": {
			Limits{Turns: 2 * stepsPerCheck, Memory: page},
			func(r *Run) { r.Call("run", 2*stepsPerCheck); r.Call("run", 2*stepsPerCheck) }, ErrTurns,
		},
		"filling": {Limits{Turns: 2 * stepsPerCheck, Memory: page}, func(r *Run) {
			for range 4 * stepsPerCheck / (page / 64) {
				r.Call("fill", page)
			}
		}, ErrTurns},
		"memory": {Limits{Turns: stepsPerCheck, Memory: 3 * page}, func(r *Run) { r.Call("grow", 2) }, nil},
		"more":   {Limits{Turns: stepsPerCheck, Memory: 3 * page}, func(r *Run) { r.Call("grow", 3) }, ErrEnds},
		"time":   {Limits{Turns: 1 << 60, Memory: page, Time: time.Nanosecond}, func(r *Run) { r.Call("run", 4*stepsPerCheck) }, ErrTurns},
		"context": {
			Limits{Turns: 1 << 60, Memory: page},
			func(r *Run) { r.ctx = context.WithValue(ended, runKey{}, r); r.Call("run", 4*stepsPerCheck) }, gone,
		},
	} {
		if err := p.Do(t.Context(), c.limits, c.call); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
