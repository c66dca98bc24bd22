package heic

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	wasi "github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"nrdl.example/nrdl/internal/packed"
)

// maxMemory is the most memory that one file may need, in pages of 64 KiB.
const maxMemory = 2 << 30 >> 16

// Turns of loops that a file may cost. Photographs take 10 to 60 a pixel, and a
// second makes about 1.2e8 of them.
const (
	minTurns      = 1 << 30
	turnsPerPixel = 200
)

//go:embed wasm/heif.wasm.zst
var heifProgram []byte

//go:embed wasm/avif.wasm.zst
var avifProgram []byte

// transform is the inverse cosine transform by vectors; wasm/idct.c says how it is made.
//
//go:embed wasm/idct.wasm
var transform []byte

// better has bodies for functions of the decoders, by the SHA-256 of the body that each
// takes the place of: transform_idct_add of libde265 takes half of the time of a smooth
// photograph.
var better = map[string][]byte{"f04e6318b09d70bbbbe3e9bb039175be7f7e5f56063e39f13d76d186b0be8112": bodyOf(transform)}

// A decoder is a program that is compiled when the first file asks for it.
type decoder func() (*compiled, error)

type compiled struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

var heif, avif = decoderOf(heifProgram), decoderOf(avifProgram)

// decoding bounds the number of files that are decoded at once, as each may need
// much memory.
var decoding = make(chan struct{}, min(runtime.NumCPU(), 4))

func decoderOf(program []byte) decoder {
	return sync.OnceValues(func() (*compiled, error) {
		code, err := meter(packed.Bytes(program), better)
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

// A run is one use of a decoder.
type run struct {
	ctx    context.Context
	module api.Module
	turns  int // that are left
	err    error
}

type runKey struct{}

var (
	errEnds  = errors.New("the decoder gave up: the file is damaged")
	errTurns = errors.New("decoding takes too long: the file is damaged, or made to do harm")
)

// exit is proc_exit for the programs. It returns if the program may go on.
func exit(ctx context.Context, code uint32) {
	r := ctx.Value(runKey{}).(*run)
	r.turns -= stepsPerCheck
	switch {
	case code != checkCode:
		r.err = errEnds
	case r.ctx.Err() != nil:
		r.err = context.Cause(r.ctx)
	case r.turns < 0:
		r.err = errTurns
	default:
		return
	}
	panic(r.err) // wazero ends the program and recovers
}

// do starts the program for a file of so many pixels, lets use call it, and frees
// its memory.
func (d decoder) do(ctx context.Context, pixels int, use func(*run)) (err error) {
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c, err := d()
	if err != nil {
		return fmt.Errorf("start the decoder: %w", err)
	}
	defer func() {
		if p := recover(); p != nil { // of the run-time system
			err = fmt.Errorf("the decoder failed (%v)", p)
		}
	}()
	r := &run{turns: minTurns + turnsPerPixel*pixels}
	r.ctx = context.WithValue(experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(allocate)), runKey{}, r)
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	if r.module, err = c.runtime.InstantiateModule(r.ctx, c.module, config); err != nil {
		return fmt.Errorf("start the decoder: %w", err)
	}
	defer r.module.Close(r.ctx)
	use(r)
	return r.err
}

// call calls a function of the program. After an error it does nothing.
func (r *run) call(name string, arguments ...uint64) uint32 {
	if r.err != nil {
		return 0
	}
	results, err := r.module.ExportedFunction(name).Call(r.ctx, arguments...)
	if r.err == nil && err != nil {
		r.err = errEnds
	}
	if r.err != nil || len(results) == 0 {
		return 0
	}
	return uint32(results[0])
}

// malloc returns the address of n bytes of the program's memory, which stay in
// use to the end of the run.
func (r *run) malloc(n int) uint64 {
	address := r.call("malloc", uint64(n))
	if address == 0 && r.err == nil {
		r.err = errEnds
	}
	return uint64(address)
}

// read returns n bytes of the program's memory, nil after an error. They are valid
// until the next call.
func (r *run) read(address uint64, n int) []byte {
	if r.err != nil {
		return nil
	}
	b, ok := r.module.Memory().Read(uint32(address), uint32(n))
	if !ok {
		r.err = errEnds
	}
	return b
}

// store copies data into the program's memory and returns its address.
func (r *run) store(data []byte) uint64 {
	address := r.malloc(len(data))
	copy(r.read(address, len(data)), data)
	return address
}
