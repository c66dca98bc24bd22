package blas

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A task is work in parts that may run in any order and at the same time.
type task interface{ part(i int) }

// A job is a task on its way through the pool. Whoever holds a reference may
// claim parts; the last one to let go gives the job back.
type job struct {
	task       task
	n          int64
	next       atomic.Int64 // the next part to claim
	unfinished atomic.Int64 // parts not finished
	refs       atomic.Int64
	done       chan struct{} // gets one value if a worker finished the last part
}

var jobs = sync.Pool{New: func() any { return &job{done: make(chan struct{}, 1)} }}

// workers is the pool: goroutines that live as long as the process, as many as
// any call asked for, and cost nothing while there is no work.
var workers struct {
	sync.Mutex
	n     atomic.Int64
	queue chan *job
}

const maxWorkers = 255

func init() { workers.queue = make(chan *job, maxWorkers) }

// Spinning bridges the gap between the phases of one factorization, which is
// shorter than the time to wake a sleeping thread.
const (
	spins     = 200 // polls before a worker or a waiting caller sleeps
	spinPause = 8   // pauses between polls
)

// parallel runs the n parts of t on at most threads goroutines, this one
// among them, and returns when all are done. A part may itself call parallel:
// a caller can always finish its own parts, so nothing waits for a free worker.
func parallel(threads, n int, t task) {
	helpers := min(threads, n, maxWorkers+1) - 1
	if helpers <= 0 {
		for i := range n {
			t.part(i)
		}
		return
	}
	grow(helpers)
	j := jobs.Get().(*job)
	j.task, j.n = t, int64(n)
	j.next.Store(0)
	j.unfinished.Store(j.n)
	j.refs.Store(int64(helpers) + 1)
	sent := 0
	for sent < helpers && offer(j) {
		sent++
	}
	j.refs.Add(int64(sent - helpers))
	if !j.work() {
		j.wait()
	}
	j.release()
}

// offer queues j for one worker unless much waits already: then the workers
// are busy, or have no processor to run on.
func offer(j *job) bool {
	if len(workers.queue) > 4*int(workers.n.Load()) {
		return false
	}
	select {
	case workers.queue <- j:
		return true
	default:
		return false
	}
}

// work does parts until none is left to claim and reports whether it finished
// the last one.
func (j *job) work() (last bool) {
	for i := j.next.Add(1) - 1; i < j.n; i = j.next.Add(1) - 1 {
		j.task.part(int(i))
		last = j.unfinished.Add(-1) == 0
	}
	return last
}

// wait returns when a worker has finished the last part.
func (j *job) wait() {
	for i := 0; i < spins && len(j.done) == 0; i++ {
		pause(spinPause)
	}
	<-j.done
}

func (j *job) release() {
	if j.refs.Add(-1) == 0 {
		j.task = nil
		jobs.Put(j)
	}
}

// grow makes the pool at least n workers.
func grow(n int) {
	if int(workers.n.Load()) >= n {
		return
	}
	workers.Lock()
	defer workers.Unlock()
	for int(workers.n.Load()) < n {
		workers.n.Add(1)
		go worker()
	}
}

func worker() {
	for {
		for i := 0; i < spins && len(workers.queue) == 0; i++ {
			pause(spinPause)
			if i%64 == 63 {
				runtime.Gosched()
			}
		}
		j := <-workers.queue
		if j.work() {
			j.done <- struct{}{}
		}
		j.release()
	}
}
