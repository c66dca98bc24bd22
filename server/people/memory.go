package people

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"nrdl.example/nrdl/faces/dataset"
)

// imagesPerProcessor is how many images are decoded at one time for each processor. More of them would
// let those of one caller keep the processors from the next one.
const imagesPerProcessor = 2

// Memory bounds that of the images that are decoded at one time.
type Memory struct {
	limit    int64
	wait     time.Duration
	turns    *turns
	bytes    atomic.Int64 // of the images that are decoded now
	requests atomic.Int64 // requests that look at images
}

func newMemory(limit int64, wait time.Duration) *Memory {
	return &Memory{limit: limit, wait: wait, turns: newTurns(imagesPerProcessor*runtime.GOMAXPROCS(0), limit)}
}

// Used returns how many requests look at images now, and the memory of these in bytes.
func (m *Memory) Used() (requests, bytes int64) { return m.requests.Load(), m.bytes.Load() }

var errFull = &Failure{
	http.StatusTooManyRequests, "decoding_full", "too many images wait to be decoded: try again later",
	http.Header{"Retry-After": {"5"}},
}

// Look counts a request that looks at images, until the caller calls done.
func (m *Memory) Look() (done func()) {
	m.requests.Add(1)
	return func() { m.requests.Add(-1) }
}

// Reserve waits until images may be decoded, which takes so much memory in bytes: a job without a
// limit. Callers are served in turn. The caller calls done afterwards.
func (m *Memory) Reserve(ctx context.Context, bytes int64) (done func(), err error) {
	if bytes > m.limit {
		f := Invalid(
			"to decode what was sent takes %d MB of memory; at most %d MB are taken: make the images smaller, or start the service with a larger --max-decoding", bytes/1_000_000, m.limit/1_000_000)
		f.Code = "image_too_large"
		return nil, f
	}
	caller := CallerOf(ctx)
	queue := caller.Actor
	if caller.Job {
		queue += " job" // it does not hold up requests with the same key
	} else {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, m.wait)
		defer cancel()
	}
	if m.turns.wait(ctx, queue, bytes) != nil {
		return nil, errFull
	}
	m.bytes.Add(bytes)
	return func() {
		m.bytes.Add(-bytes)
		m.turns.end(bytes)
	}, nil
}

// Decoded runs do when the images may be decoded.
func (m *Memory) Decoded(ctx context.Context, do func() error, images ...[]byte) error {
	var bytes int64
	for _, data := range images {
		one, err := dataset.DecodingMemory(data, "photo")
		if err != nil {
			return Unusable(err)
		}
		bytes += one
	}
	done, err := m.Reserve(ctx, bytes)
	if err != nil {
		return err
	}
	defer done()
	if !CallerOf(ctx).Job {
		defer m.Look()()
	}
	err = do()
	if err != nil && ctx.Err() == nil && AsAnswered(err) == nil {
		err = Unusable(err) // what cannot be decoded
	}
	return err
}

// giveWay lets a job wait a little while somebody else waits for an answer.
func (m *Memory) giveWay(ctx context.Context) {
	const limit, step = 100, 2 * time.Millisecond
	for range limit {
		if m.requests.Load() == 0 {
			return
		}
		Pause(ctx, step, nil)
	}
}

// noting returns a context under which it is noted what is wrong with image files that are used all
// the same, and a function that returns what was noted.
func noting(ctx context.Context) (context.Context, func() []string) {
	var mu sync.Mutex
	var all []string
	ctx = dataset.WithWarnings(ctx, func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if alone := errors.Unwrap(err); alone != nil { // without the name, which stands for all files
			err = alone
		}
		all = append(all, err.Error())
	})
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}
