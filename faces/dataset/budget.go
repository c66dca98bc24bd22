package dataset

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"

	"nrdl.example/nrdl/advice"
)

const (
	// MaxDecoding is the largest number of bytes that decoding an image may take.
	MaxDecoding = 1_200_000_000

	// What a process takes besides images: the program, its networks, a small model.
	resident = 72_000_000
	// The memory for images where there is hardly any: a photograph of three megapixels.
	minBudget = 24_000_000

	// Memory for a file of fewBytes, and more for each byte beyond. An image of flat colour is
	// small, however many pixels it claims; a photograph is not.
	fewBytes     = 100_000
	memoryOfFew  = 160_000_000
	memoryOfByte = 10_000

	// An image that takes more is collected when it is no longer needed.
	collected = 16_000_000

	// The content of a file counts if it is larger than this, or than this share of Budget.
	maxUncounted   = 8_000_000
	uncountedShare = 32
)

// Budget returns the number of bytes that the images which are decoded at one time may take,
// in all goroutines together: MaxDecoding, or what the memory limit of the runtime (GOMEMLIMIT)
// leaves for them, if that is less. The limit that holds when the first image is decoded counts.
func Budget() int64 { return budget().size }

type pool struct {
	*semaphore.Weighted
	size int64
}

var budget = sync.OnceValue(func() pool {
	size := budgetFor(debug.SetMemoryLimit(-1))
	return pool{semaphore.NewWeighted(size), size}
})

func budgetFor(limit int64) int64 {
	if limit == math.MaxInt64 {
		return MaxDecoding
	}
	return max(minBudget, min(limit-resident, MaxDecoding))
}

// admissibleMemory returns an error if so much memory is too much for an image in a file of this
// many bytes.
func admissibleMemory(memory int64, bytes int) error {
	few := memoryOfFew + memoryOfByte*int64(max(0, bytes-fewBytes))
	switch {
	case memory+counted(bytes) > Budget():
		err := fmt.Errorf("for which decoding takes %d MB of memory; at most %d MB are taken", mega(memory),
			mega(max(0, Budget()-counted(bytes))))
		if Budget() < MaxDecoding {
			return advice.Add(fmt.Errorf("%w, as the memory of this process is limited", err), "give it more memory, or make the image smaller")
		}
		return advice.Add(err, "make the image smaller, or save it as a JPEG that is not progressive")
	case memory > few:
		return advice.Add(fmt.Errorf("for which decoding takes %d MB of memory; at most %d MB are taken for a file of %d bytes",
			mega(memory), mega(few), bytes), "make the image smaller: no photograph of this size is so small a file")
	}
	return nil
}

// counted is the memory that counts for the content of a file.
func counted(bytes int) int64 {
	if n := int64(bytes); n > min(maxUncounted, Budget()/uncountedShare) {
		return n
	}
	return 0
}

func mega(bytes int64) int64 { return bytes / 1_000_000 }

type reservedKey struct{}

// Reserve waits until the memory is free that decoding the image file data takes, and holds it
// until done is called: when the image is no longer needed. Whatever is decoded under the
// context that it returns does not wait again. If the header is damaged or ctx ends, Reserve
// returns at once; decoding then returns the error.
func Reserve(ctx context.Context, data []byte) (_ context.Context, done func()) {
	if ctx.Value(reservedKey{}) != nil {
		return ctx, func() {}
	}
	_, memory, err := claimed(data, 0)
	if err != nil {
		return ctx, func() {}
	}
	release, err := acquire(ctx, memory)
	if err != nil {
		return ctx, func() {}
	}
	return context.WithValue(ctx, reservedKey{}, true), func() {
		release()
		if memory > collected { // so that images of the past do not lie beside the next ones
			runtime.GC()
		}
	}
}

// acquire waits for so much memory, unless the context has it, or until ctx ends.
func acquire(ctx context.Context, memory int64) (release func(), err error) {
	if ctx.Value(reservedKey{}) != nil {
		return func() {}, nil
	}
	memory = min(memory, Budget())
	if err := budget().Acquire(ctx, memory); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { budget().Release(memory) }, nil
}
