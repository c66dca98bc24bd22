package network

import (
	"context"
	"math"
)

// Bounds on what a file may cost, counted before it is spent. A unit of work takes about
// a nanosecond.
const (
	maxRun    = 1 << 28 // units of a run of one item
	maxState  = 3 << 28 // bytes of a run of one item, with its inputs and outputs
	largeFrom = 1 << 27 // bytes of a group of items, from which few threads run at once
	quantum   = 1 << 24 // units between two looks at the context

	baseWork, workPerByte     = 1 << 28, 64 // units of reading a file
	baseMemory, memoryPerByte = 1 << 25, 48 // bytes that a network takes
)

// Units of work.
const (
	callUnits    = 1 << 12 // of a step, whatever it computes
	nodeUnits    = 1 << 12 // of reading a node
	packUnits    = 8       // of packing a weight
	fastProducts = 256     // multiply-adds of a kernel for a unit
)

// A budget is what reading a file may still cost.
type budget struct {
	ctx          context.Context
	work, memory int
	unseen       int // units since the last look at ctx
}

func newBudget(ctx context.Context, file int) *budget {
	return &budget{ctx: ctx, work: baseWork + workPerByte*file, memory: baseMemory + memoryPerByte*file}
}

// spend takes units of work that reading the file takes.
func (b *budget) spend(units int) {
	must(units <= b.work, "it takes too long to prepare for the size of the file")
	b.work -= units
	if b.unseen += units; b.unseen >= quantum {
		b.look()
	}
}

// look ends the reading when the context is done.
func (b *budget) look() {
	b.unseen = 0
	if err := b.ctx.Err(); err != nil {
		panic(refusal{err})
	}
}

// take takes the memory of n elements of some bytes each, which the network keeps.
func (b *budget) take(n, bytes int) {
	n = times(n, bytes)
	must(n <= b.memory, "it takes too much memory for the size of the file")
	b.memory -= n
}

// times is the product of numbers that are not negative, or the largest int that leaves
// room for sums.
func times(numbers ...int) int {
	const limit = math.MaxInt >> 8
	product := 1
	for _, n := range numbers {
		if n == 0 {
			return 0
		}
		product = min(product, limit)
		if product > limit/n {
			product = limit
			continue
		}
		product *= n
	}
	return product
}
