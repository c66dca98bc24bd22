package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/lab/experiment"
)

// The times of workers.
const (
	noticeEvery = 2 * time.Second
	beatEvery   = 10 * time.Second // a worker prolongs the lease of its piece
	refusedWait = 5 * time.Second  // the longest that a worker or a piece waits after a refusal

	// How long a worker that has to end still waits. Without this, its piece would be free only
	// after ackWait.
	sendTime     = 2 * time.Second        // to send a result
	giveBackTime = 100 * time.Millisecond // to receive a piece that is on its way, and give it back
)

// ackWait is the time without a beat after which another worker gets a piece. It is a variable
// for tests.
var ackWait = 3 * beatEvery

// maxTasks is how many tasks a worker remembers as junk.
const maxTasks = 1000

// maxCrashes is how many processes may end by themselves during a piece. The next process
// returns an error as the result of the piece.
const maxCrashes = 2

// A Worker takes pieces of work from the queue of a Cluster, makes them, and sends the results.
type Worker struct {
	*Cluster
	// Bench has the data sets, the version, Jobs and Warn. Work of a coordinator with
	// another Version is refused.
	Bench experiment.Bench
	// Done is called after each run of a plan; may be nil. It has to be safe for concurrent use.
	Done func(*experiment.Record)
	// report is called with each piece at its start, and with the zero piece at its end; may be
	// nil.
	report func(piece)

	mu      sync.Mutex
	makers  map[string]*openTask // by task: the current one, those that are being opened, and some that are junk
	current string
	active  map[string]int // number of pieces, by task
	junk    sync.Once      // warns of it
}

// errJunk is the error of messages in the queue that no coordinator of this version can have
// sent. They are removed.
var errJunk = errors.New("what is in the queue is no piece of work")

func junk(err error) error { return fmt.Errorf("%w: %w", errJunk, err) }

// decodeJSON reads a message of JSON. Its error is errJunk.
func decodeJSON[T any](data []byte) (v T, err error) {
	if err := json.Unmarshal(data, &v); err != nil {
		return v, junk(err)
	}
	return v, nil
}

// A maker makes the pieces of a task. It is safe for concurrent use.
type maker interface {
	// make returns the result of a piece. If the piece itself fails, that is its result. An
	// error means that this worker cannot make the piece, or wraps errJunk.
	make(ctx context.Context, key string, data []byte) ([]byte, error)

	// fail returns the result of a piece that cannot be made.
	fail(key string, err error) ([]byte, error)
}

// kinds open the tasks of each kind.
var kinds = map[string]func(ctx context.Context, w *Worker, spec json.RawMessage) (maker, error){
	runs: newRunMaker, fits: newFitMaker, photos: newPhotoMaker,
}

// An openTask is a task whose spec is read once.
type openTask struct {
	once  sync.Once
	err   error
	maker maker
}

// Run takes pieces from the queue and makes them until ctx ends. Then it gives back the pieces
// that it has not finished.
func (w *Worker) Run(ctx context.Context) error {
	w.meter.showWorker()
	w.makers, w.active = map[string]*openTask{}, map[string]int{}
	var queue jetstream.Consumer
	if err := w.retry(ctx, "join the workers", func(ctx context.Context) (err error) {
		queue, err = w.work.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1, MaxAckPending: -1,
		})
		return err
	}); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	var all sync.WaitGroup
	for range max(w.Bench.Jobs, 1) {
		all.Go(func() { w.take(ctx, queue) })
	}
	all.Go(func() { w.notify(ctx) })
	all.Wait()
	return context.Cause(ctx)
}

// take makes one piece after the other.
func (w *Worker) take(ctx context.Context, queue jetstream.Consumer) {
	asking, stop := extended(ctx, giveBackTime)
	defer stop()
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(asking, refusedWait)
		batch, err := queue.Fetch(1, jetstream.FetchContext(wait))
		if err == nil {
			for m := range batch.Messages() {
				w.handle(ctx, m)
			}
			err = batch.Error()
		}
		timeout := wait.Err() != nil
		cancel()
		if err != nil && !timeout && !errors.Is(err, nats.ErrTimeout) {
			pause(ctx, 200*time.Millisecond) // without a server; the connection comes back by itself
		}
	}
}

// handle makes the piece of m.
func (w *Worker) handle(ctx context.Context, m jetstream.Msg) {
	p := piece{strings.TrimPrefix(m.Subject(), workOf("")), m.Headers().Get(keyHeader), m.Reply()}
	beat, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for pause(beat, ackWait/3) {
			_ = m.InProgress()
		}
	}()
	w.countPieces(p.Task, 1)
	defer w.countPieces(p.Task, -1)
	w.meter.count(piecesBegun)
	defer w.meter.count(piecesEnded)
	if w.report != nil {
		w.report(p)
		defer w.report(piece{})
	}
	result, err := w.make(ctx, p, m)
	if ctx.Err() != nil {
		_ = m.Nak() // another worker gets it at once
		return
	}
	if errors.Is(err, errJunk) {
		w.junk.Do(func() { w.warn("%v; it is left out, and so is more of the kind", err) })
		_ = m.Term()
		return
	}
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		_ = m.Term() // the coordinator has all results
		return
	}
	if err != nil {
		w.refuse(p.Task, err)
		leave(ctx, m)
		return
	}
	sending, cancel := extended(ctx, sendTime)
	defer cancel()
	if err := w.publish(sending, doneOf(p.Task), p.Key, result); err != nil {
		_ = m.Nak()
		return
	}
	if w.retry(sending, "take a piece from the queue", func(ctx context.Context) error {
		if err := m.DoubleAck(ctx); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return err
		}
		return nil
	}) == nil {
		w.removeFile(sending, m)
	}
}

// leave gives back a piece that this worker refuses. The first times, others get it at once, and
// this worker waits meanwhile. A piece that many refused comes back later and later, and takes
// no more time of a worker: NATS sends what was given back before anything new, so that a few
// such pieces would keep workers from all others.
func leave(ctx context.Context, m jetstream.Msg) {
	const atOnce = 4
	times := uint64(atOnce + 1)
	if meta, err := m.Metadata(); err == nil {
		times = meta.NumDelivered
	}
	if times <= atOnce {
		_ = m.Nak()
		pause(ctx, refusedWait)
		return
	}
	_ = m.NakWithDelay(min(100*time.Millisecond<<min(times-atOnce, 10), refusedWait))
}

// extended returns a context that ends a time after ctx.
func extended(ctx context.Context, delay time.Duration) (context.Context, func()) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(delay, func() { cancel(context.Cause(ctx)) })
	})
	return longer, func() { stop(); cancel(nil) }
}

// make returns the result of p.
func (w *Worker) make(ctx context.Context, p piece, m jetstream.Msg) ([]byte, error) {
	k, err := w.maker(ctx, p.Task)
	if err != nil {
		return nil, err
	}
	if n, err := w.crashed(ctx, p); err != nil {
		return nil, err
	} else if n >= maxCrashes {
		return k.fail(p.Key, fmt.Errorf("the process ended during the run, %d times: perhaps the memory was not enough", n))
	}
	data, err := w.data(ctx, m)
	if errors.Is(err, errTooLarge) {
		return k.fail(p.Key, err)
	}
	if err != nil {
		return nil, err
	}
	result, panicked, err := w.recoverMake(ctx, k, p.Key, data)
	if panicked && ctx.Err() == nil {
		result, panicked, err = w.recoverMake(ctx, k, p.Key, data)
	}
	if panicked {
		return k.fail(p.Key, err)
	}
	if size := uint64(len(result)); size > maxPiece {
		return k.fail(p.Key, tooLarge("the result", size, maxPiece))
	}
	return result, err
}

// recoverMake is k.make, or an error if that panics.
func (w *Worker) recoverMake(ctx context.Context, k maker, key string, data []byte) (result []byte, panicked bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			panicked, err = true, fmt.Errorf("the worker panicked: %v", p)
			w.warn("%w\n%s", err, debug.Stack())
		}
	}()
	result, err = k.make(ctx, key, data)
	return result, false, err
}

// maker returns the maker of the pieces of a task.
func (w *Worker) maker(ctx context.Context, id string) (maker, error) {
	w.mu.Lock()
	one := w.makers[id]
	if one == nil {
		one = &openTask{}
		w.makers[id] = one
	}
	w.mu.Unlock()
	one.once.Do(func() {
		one.maker, one.err = w.open(ctx, id)
		w.mu.Lock()
		defer w.mu.Unlock()
		if one.err != nil {
			if !errors.Is(one.err, errJunk) || len(w.makers) > maxTasks {
				delete(w.makers, id) // may work later
			}
			return
		}
		// A worker works on one task, except while it changes to another one.
		if w.current != "" && w.current != id {
			delete(w.makers, w.current)
		}
		w.current = id
	})
	return one.maker, one.err
}

func (w *Worker) open(ctx context.Context, id string) (maker, error) {
	text, err := w.file(ctx, taskFile(id), maxPiece)
	if err != nil {
		return nil, err
	}
	t, err := decodeJSON[task](text)
	if err != nil {
		return nil, err
	}
	if t.Version != w.Bench.Version {
		return nil, advice.Add(fmt.Errorf("the work is of %s, and this worker of %s", t.Version, w.Bench.Version),
			"run the same nrdl on all machines")
	}
	open := kinds[t.Kind]
	if open == nil {
		return nil, junk(fmt.Errorf("unknown kind of work %.20q", t.Kind))
	}
	return open(ctx, w, t.Spec)
}

func (w *Worker) countPieces(task string, change int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active[task] += change; w.active[task] == 0 {
		delete(w.active, task)
	}
}

// notify sends notices to the coordinators of the pieces that w makes.
func (w *Worker) notify(ctx context.Context) {
	for pause(ctx, noticeEvery) {
		w.mu.Lock()
		for id := range w.active {
			w.tell(id, notice{Worker: w.Name})
		}
		w.mu.Unlock()
	}
}

func (w *Worker) refuse(id string, err error) {
	w.warn("%w", err)
	w.tell(id, notice{Worker: w.Name, Refusal: failureOf(err)})
}

func (w *Worker) tell(id string, n notice) {
	text, err := json.Marshal(n)
	if err == nil {
		err = w.conn.Publish(noticeOf(id), text)
	}
	if err != nil {
		w.warn("tell the coordinator: %v", err)
	}
}

// notices are the last notices of the workers of a task.
type notices struct {
	sub    *nats.Subscription
	mu     sync.Mutex
	latest map[string]datedNotice // by worker
}

type datedNotice struct {
	notice
	arrival time.Time
}

// listen receives the notices of the workers, and warns once of each refusal.
func (k *coordinator) listen() (*notices, error) {
	n := &notices{latest: map[string]datedNotice{}}
	warned := map[[2]string]bool{} // by worker and reason
	var err error
	n.sub, err = k.conn.Subscribe(noticeOf(k.ID), func(m *nats.Msg) {
		one, err := decodeJSON[notice](m.Data)
		if err != nil {
			return
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		if f := one.Refusal; f != nil && !warned[[2]string{one.Worker, f.Text}] {
			warned[[2]string{one.Worker, f.Text}] = true
			k.meter.count(workerRefusals)
			k.warn("worker %s: %w", one.Worker, f.err())
		}
		n.latest[one.Worker] = datedNotice{one, time.Now()}
	})
	return n, err
}

func (n *notices) stop() { _ = n.sub.Unsubscribe() }

// workers returns the number of workers that make a piece.
func (n *notices) workers() (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, last := range n.latest {
		if time.Since(last.arrival) < noticeAge && last.Refusal == nil {
			count++
		}
	}
	return count
}
