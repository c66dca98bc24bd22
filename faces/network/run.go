package network

import (
	"context"
	"sync"
	"sync/atomic"

	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/parallel"
)

// maxGroup is the number of items that a thread computes together, so that it
// reads large weights once for all of them.
const maxGroup = 8

// A state is the memory of a group of items.
type state struct {
	items   int
	tensors [][]tensor     // by slot and item
	images  [][]blas.Image // by slot and item
	args    [][]arguments  // by step and item, of calls that run as they stand
	scratch []float32
	threads int // of a step, if nothing else runs
}

type arguments struct{ outputs, inputs []*tensor }

// group is the number of items that a state holds: fewer where they are large.
func (p *plan) group() int { return min(max(1, largeFrom/(p.item+1)), maxGroup) }

func (p *plan) newState(items int) *state {
	s := &state{items: items, scratch: blas.Floats(p.scratch), args: make([][]arguments, len(p.steps))}
	arena := blas.Floats(items * p.arena)
	for k, x := range p.slots {
		tensors, images := make([]tensor, items), make([]blas.Image, items)
		for i := range items {
			t, m := &tensors[i], x.image
			t.dtype, t.shape = x.value.dtype, x.shape
			switch {
			case x.buffer >= 0 && m.C > 0:
				m.Data = arena[i*p.arena+x.offset:][:m.Len()]
			case x.buffer >= 0:
				t.f = arena[i*p.arena+x.offset:][:x.value.len()]
			case x.value.constant:
				t.f, t.i, t.b = x.value.f, x.value.i, x.value.b
			case x.root == k && !t.dtype.float():
				t.allocate()
			case x.root == k: // an input, whose elements are the caller's
			default:
				root := s.tensors[x.root][i]
				t.f, t.i, t.b = root.f, root.i, root.b
			}
			images[i] = m
		}
		s.tensors, s.images = append(s.tensors, tensors), append(s.images, images)
	}
	for k, step := range p.steps {
		if step.call == nil {
			continue
		}
		for i := range items {
			s.args[k] = append(s.args[k], arguments{s.at(step.outputs, i), s.at(step.inputs, i)})
		}
	}
	return s
}

func (s *state) at(slots []int, item int) []*tensor {
	list := make([]*tensor, len(slots))
	for k, at := range slots {
		if at >= 0 {
			list[k] = &s.tensors[at][item]
		}
	}
	return list
}

// runAll runs items, a group at a time on each thread, or one group on all threads.
func (p *plan) runAll(ctx context.Context, outputs, inputs [][]float32, items int) error {
	group := min(p.group(), max(1, (items+blas.Threads()-1)/blas.Threads()))
	if items <= group {
		return p.runGroup(ctx, outputs, inputs, 0, items, blas.Threads())
	}
	var first sync.Once
	var failed error
	parallel.For(items, group, func(lo, hi int) {
		if err := p.runGroup(ctx, outputs, inputs, lo, hi, 1); err != nil {
			first.Do(func() { failed = err })
		}
	})
	return failed
}

// running is the number of groups that run in this process. They share the threads: many
// faces run on one thread each.
var running atomic.Int64

// runGroup runs the items lo to hi of a batch, each convolution on up to so many threads.
func (p *plan) runGroup(ctx context.Context, outputs, inputs [][]float32, lo, hi, threads int) error {
	n := hi - lo
	if err := ctx.Err(); n == 0 || err != nil {
		return err
	}
	if p.room != nil {
		select {
		case p.room <- struct{}{}:
			defer func() { <-p.room }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s, _ := p.states.Get().(*state)
	if s == nil || s.items < n {
		s = p.newState(n)
	}
	s.threads = threads
	defer p.states.Put(s)
	for k, at := range p.inputs {
		size := p.slots[at].value.len()
		for i := range n {
			s.load(p, k, i, inputs[k][(lo+i)*size:][:size])
		}
	}
	if err := p.run(ctx, s, n); err != nil {
		return err
	}
	for k, at := range p.outputs {
		size := p.slots[at].value.len()
		for i := range n {
			store(outputs[k][(lo+i)*size:][:size], &s.tensors[at][i])
		}
	}
	return nil
}

// load gives input k its elements, without a copy if they are of its type.
func (s *state) load(p *plan, k, item int, x []float32) {
	t := &s.tensors[p.inputs[k]][item]
	if t.dtype.float() {
		for _, at := range p.views[k] {
			s.tensors[at][item].f = x
		}
		return
	}
	for e, v := range x {
		t.set(e, float64(v))
	}
}

// store copies a result.
func store(x []float32, t *tensor) {
	if t.f != nil {
		copy(x, t.f)
		return
	}
	for e := range x {
		x[e] = float32(t.at(e))
	}
}

// run does the steps for n items. Steps between those with large weights are
// done item by item, so that the images stay in the cache.
func (p *plan) run(ctx context.Context, s *state, n int) error {
	running.Add(1)
	defer running.Add(-1)
	look := watch{ctx: ctx}
	for k := 0; k < len(p.steps); {
		if p.steps[k].joint {
			some := max(1, quantum/p.steps[k].units) // items between two looks
			for lo := 0; lo < n; lo += some {
				hi := min(lo+some, n)
				if err := look.before((hi - lo) * p.steps[k].units); err != nil {
					return err
				}
				p.do(s, k, lo, hi)
			}
			k++
			continue
		}
		end := k + 1
		for end < len(p.steps) && !p.steps[end].joint {
			end++
		}
		for i := range n {
			for j := k; j < end; j++ {
				if err := look.before(p.steps[j].units); err != nil {
					return err
				}
				p.do(s, j, i, i+1)
			}
		}
		k = end
	}
	return nil
}

// A watch looks at a context each quantum of work.
type watch struct {
	ctx   context.Context
	units int // until the next look
}

// before is called before work of some units, and returns why it must not be done.
func (w *watch) before(units int) error {
	if w.units -= units; w.units > 0 {
		return nil
	}
	w.units = quantum
	return w.ctx.Err()
}

func (p *plan) do(s *state, k, lo, hi int) {
	step := &p.steps[k]
	if step.call == nil {
		step.run(s, lo, hi)
		return
	}
	for i := lo; i < hi; i++ {
		step.call.run(s.args[k][i].outputs, s.args[k][i].inputs)
	}
}
