package blas

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A task is work in parts that may run in any order and at the same time.
type task interface{ part(i int) }

// A job is a task on its way through the pool. Whoever holds a reference may
// claim parts; the last one to let go gives the job back. Each thread has a share of the
// parts, neighbours, which it does before those of others: what it wrote in the job before
// is in its cache.
type job struct {
	task       task
	n, shares  int
	next       [maxShares]atomic.Int64 // the next part of each share
	unfinished atomic.Int64            // parts not finished
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

const (
	maxWorkers = 255
	maxShares  = 16 // threads beyond them share shares
)

func init() { workers.queue = make(chan *job, maxWorkers) }

// Spinning bridges the gap between the phases of one factorization or the layers of one
// network, which is shorter than the time to wake a sleeping thread.
const (
	spins     = 4000 // polls before a worker or a waiting caller sleeps: up to a millisecond
	spinPause = 8    // pauses between polls
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
	j.task, j.n, j.shares = t, n, min(helpers+1, maxShares)
	for i := range j.shares {
		j.next[i].Store(int64(i * n / j.shares))
	}
	j.unfinished.Store(int64(n))
	j.refs.Store(int64(helpers) + 1)
	sent := 0
	for sent < helpers && offer(j) {
		sent++
	}
	j.refs.Add(int64(sent - helpers))
	if !j.work(0) {
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

// work does parts, those of the thread's share first, until none is left to claim. It
// reports whether it finished the last one.
func (j *job) work(thread int) (last bool) {
	for i := range j.shares {
		share := (thread + i) % j.shares
		end := int64((share + 1) * j.n / j.shares)
		for i := j.next[share].Add(1) - 1; i < end; i = j.next[share].Add(1) - 1 {
			j.task.part(int(i))
			last = j.unfinished.Add(-1) == 0
		}
	}
	return last
}

// wait returns when a worker has finished the last part.
func (j *job) wait() {
	spin(j.done)
	<-j.done
}

// spin waits a while for a value in c. It lets other goroutines run.
func spin[T any](c chan T) {
	for k := 0; k < spins && len(c) == 0; k++ {
		pause(spinPause)
		if k%64 == 63 {
			runtime.Gosched()
		}
	}
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
		go worker(int(workers.n.Add(1)))
	}
}

// worker is thread i, counted from 1: thread 0 is the caller.
func worker(i int) {
	for {
		spin(workers.queue)
		j := <-workers.queue
		if j.work(i) {
			j.done <- struct{}{}
		}
		j.release()
	}
}
