package people

import (
	"context"
	"slices"
	"sync"
)

// turns lets images be decoded, as many at a time as there are slots and memory. What has to wait
// stands in a queue for each caller, and the callers are served in turn: who sends many images waits
// for them alone. An image that is next and does not fit holds up the others, or it might never fit.
type turns struct {
	mu      sync.Mutex
	slots   int   // that are free
	memory  int64 // that is free, in bytes
	callers []string
	queues  map[string][]*turn // by caller; a caller with nothing to wait for has none
}

// A turn is what one image waits for.
type turn struct {
	memory int64
	begun  chan struct{} // closed when the image may be decoded
}

func newTurns(slots int, memory int64) *turns {
	return &turns{slots: slots, memory: memory, queues: map[string][]*turn{}}
}

// wait waits until an image of a caller may be decoded, or ctx ends. The caller calls end afterwards.
func (t *turns) wait(ctx context.Context, caller string, memory int64) error {
	one := &turn{memory, make(chan struct{})}
	t.mu.Lock()
	if t.queues[caller] == nil {
		t.callers = append(t.callers, caller)
	}
	t.queues[caller] = append(t.queues[caller], one)
	t.begin()
	t.mu.Unlock()
	select {
	case <-one.begun:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-one.begun: // meanwhile
		return nil
	default:
	}
	t.leave(caller, one)
	t.begin() // perhaps it has held up others
	return ctx.Err()
}

// end gives back what a turn has had.
func (t *turns) end(memory int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.slots++
	t.memory += memory
	t.begin()
}

// begin lets those whose turn it is begin.
func (t *turns) begin() {
	for len(t.callers) > 0 && t.slots > 0 {
		caller := t.callers[0]
		next := t.queues[caller][0]
		if next.memory > t.memory {
			return
		}
		t.slots--
		t.memory -= next.memory
		close(next.begun)
		t.leave(caller, next)
		if t.queues[caller] != nil {
			t.callers = append(t.callers[1:], caller)
		}
	}
}

// leave takes a turn out of the queue of its caller.
func (t *turns) leave(caller string, one *turn) {
	i := slices.Index(t.queues[caller], one)
	if t.queues[caller] = slices.Delete(t.queues[caller], i, i+1); len(t.queues[caller]) == 0 {
		delete(t.queues, caller)
		t.callers = slices.DeleteFunc(t.callers, func(c string) bool { return c == caller })
	}
}
