//go:build !slim

// Package sandbox runs programs of WebAssembly that decode files of others: libraries in C
// that are compiled for it. A program reaches no memory outside of its own, opens nothing and
// starts nothing; its work is counted, and its memory bounded, by what the caller allows for
// one file.
package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	wasi "github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"nrdl.example/nrdl/internal/kit/packed"
)

// maxMemory is the most memory that a program can have, in pages of 64 KiB.
const maxMemory = 2 << 30 >> 16

// A Program is compiled when the first file asks for it.
type Program func() (*compiled, error)

type compiled struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// Limits are what a program may use for one file.
type Limits struct {
	Turns  int           // of loops; a second makes about 1.2e8
	Memory int           // bytes
	Time   time.Duration // by the clock, however busy the machine is: the last resort
}

// running bounds the number of programs that run at once.
var running = make(chan struct{}, min(runtime.NumCPU(), 4))

// New returns the program in packed, a module of WebAssembly 2.0 compressed by Zstandard. It
// imports proc_exit of WASI, defines a global, and exports malloc.
func New(code []byte) Program {
	return sync.OnceValues(func() (*compiled, error) {
		code, err := meter(packed.Bytes(code))
		if err != nil {
			return nil, err
		}
		ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
		c := &compiled{}
		if c.runtime, c.module, err = compile(ctx, code); err != nil {
			return nil, err
		}
		system := c.runtime.NewHostModuleBuilder(wasi.ModuleName)
		wasi.NewFunctionExporter().ExportFunctions(system)
		system.NewFunctionBuilder().WithFunc(exit).Export("proc_exit")
		_, err = system.Instantiate(ctx)
		return c, err
	})
}

// A Run is one use of a program. After an error its methods do nothing.
type Run struct {
	ctx    context.Context
	module api.Module
	turns  int // that are left
	memory int // bytes that it may have
	err    error
}

type runKey struct{}

// Errors of a program that was ended.
var (
	ErrEnds  = errors.New("the decoder gave up: the file is damaged")
	ErrTurns = errors.New("decoding takes too long: the file is damaged, or made to do harm")
)

// exit is proc_exit for the programs. It returns if the program may go on.
func exit(ctx context.Context, code uint32) {
	r := ctx.Value(runKey{}).(*Run)
	r.turns -= stepsPerCheck
	switch {
	case code != checkCode:
		r.err = ErrEnds
	case r.ctx.Err() != nil:
		r.err = context.Cause(r.ctx)
	case r.turns < 0:
		r.err = ErrTurns
	default:
		return
	}
	panic(r.err) // wazero ends the program and recovers
}

// Do starts the program, lets use call it, and frees its memory. The error is that of the
// run. Do ends soon after ctx.
func (p Program) Do(ctx context.Context, limits Limits, use func(*Run)) (err error) {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case running <- struct{}{}:
		defer func() { <-running }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c, err := p()
	if err != nil {
		return fmt.Errorf("start the decoder: %w", err)
	}
	defer func() {
		if p := recover(); p != nil { // of the run-time system
			err = fmt.Errorf("the decoder failed (%v)", p)
		}
	}()
	if limits.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limits.Time, ErrTurns)
		defer cancel()
	}
	r := &Run{turns: limits.Turns, memory: limits.Memory}
	allocator := experimental.MemoryAllocatorFunc(func(_, all uint64) experimental.LinearMemory {
		return &limited{allocate(min(all, uint64(limits.Memory))), uint64(limits.Memory)}
	})
	r.ctx = context.WithValue(experimental.WithMemoryAllocator(ctx, allocator), runKey{}, r)
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	if r.module, err = c.runtime.InstantiateModule(r.ctx, c.module, config); err != nil {
		return fmt.Errorf("start the decoder: %w", err)
	}
	defer r.module.Close(r.ctx)
	use(r)
	return r.err
}

// Err returns the error of the run.
func (r *Run) Err() error { return r.err }

// Fail gives the run an error, if it has none.
func (r *Run) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Call calls a function of the program.
func (r *Run) Call(name string, arguments ...uint64) uint32 {
	if r.err != nil {
		return 0
	}
	results, err := r.module.ExportedFunction(name).Call(r.ctx, arguments...)
	if err != nil {
		r.Fail(ErrEnds)
	}
	if r.err != nil || len(results) == 0 {
		return 0
	}
	return uint32(results[0])
}

// Malloc returns the address of n bytes of the program's memory, which stay in use to the end
// of the run.
func (r *Run) Malloc(n int) uint64 {
	address := r.Call("malloc", uint64(n))
	if address == 0 {
		r.Fail(ErrEnds)
	}
	return uint64(address)
}

// Read returns n bytes of the program's memory, nil after an error. They are valid until the
// next call.
func (r *Run) Read(address uint64, n int) []byte {
	if r.err != nil {
		return nil
	}
	b, ok := r.module.Memory().Read(uint32(address), uint32(n))
	if !ok || n < 0 || n > maxMemory<<16 {
		r.Fail(ErrEnds)
		return nil
	}
	return b
}

// Store copies data into the program's memory and returns its address.
func (r *Run) Store(data []byte) uint64 {
	address := r.Malloc(len(data))
	copy(r.Read(address, len(data)), data)
	return address
}

// Int returns the integer of 32 bits at address.
func (r *Run) Int(address uint64) int {
	b := r.Read(address, 4)
	if r.err != nil {
		return 0
	}
	return int(int32(binary.LittleEndian.Uint32(b)))
}

// Words returns the text, with a zero at its end, whose address is at address: also after an
// error, which it may explain.
func (r *Run) Words(address uint64) string {
	memory := r.module.Memory()
	at, ok := memory.ReadUint32Le(uint32(address))
	if !ok {
		return ""
	}
	const limit = 200
	text, _ := memory.Read(at, min(limit, memory.Size()-min(at, memory.Size())))
	text, _, _ = bytes.Cut(text, []byte{0})
	return string(text)
}
