package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/experiment"
)

// The times of workers.
const (
	noticeEvery = 2 * time.Second
	beatEvery   = 10 * time.Second // a worker tells the queue that it is still at a piece
	refusedWait = 5 * time.Second  // until a worker that cannot make a piece takes the next one

	// What a worker that is told to end still waits for: else the piece is missed only
	// after lost.
	sendTime     = 2 * time.Second        // until a result is sent
	giveBackTime = 100 * time.Millisecond // for the piece that the server may be sending, to give it back
)

// lost is after how long without a beat another worker gets a piece. It is a variable for
// tests.
var lost = 3 * beatEvery

// mostTasks bounds how many tasks of junk a worker remembers.
const mostTasks = 1000

// maxCrashes is how many processes may end by themselves during a piece. The next one
// returns an error as its result.
const maxCrashes = 2

// A Worker makes pieces of work.
type Worker struct {
	*Cluster
	// Bench has the data sets, the version, Jobs and Warn. Work of a coordinator with
	// another Version is refused.
	Bench experiment.Bench
	// Done is called after each run of a plan; may be nil. It is safe for concurrent use.
	Done func(*experiment.Record)
	// at is called with each piece that begins, and with the zero piece when it ends; may
	// be nil.
	at func(piece)

	mu      sync.Mutex
	opened  map[string]*opened // by task: current, what is being opened, and some of junk
	current string
	running map[string]int // how many pieces, by task
	junk    sync.Once      // tells of it
}

// errJunk is of messages in the queue that no coordinator of this version can have put
// there: they are left out at once.
var errJunk = errors.New("what is in the queue is no piece of work")

func junk(err error) error { return fmt.Errorf("%w: %w", errJunk, err) }

// A maker makes the pieces of a task. It is safe for concurrent use.
type maker interface {
	// make returns the result of a piece. What goes wrong in the piece itself is a
	// result; an error is a reason why this worker cannot make it, or wraps errJunk.
	make(ctx context.Context, key string, data []byte) ([]byte, error)

	// fail returns the result of a piece that cannot be made.
	fail(key string, err error) ([]byte, error)
}

// kinds open the tasks of each kind.
var kinds = map[string]func(ctx context.Context, w *Worker, spec json.RawMessage) (maker, error){
	runs: newRunMaker, fits: newFitMaker, photos: newPhotoMaker,
}

type opened struct {
	once  sync.Once
	err   error
	maker maker
}

// Run makes pieces until ctx ends: then it gives back those that it has not finished.
func (w *Worker) Run(ctx context.Context) error {
	w.meter.works()
	w.opened, w.running = map[string]*opened{}, map[string]int{}
	var queue jetstream.Consumer
	if err := w.again(ctx, "join the workers", func(ctx context.Context) (err error) {
		queue, err = w.work.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy, AckWait: lost, MaxDeliver: -1, MaxAckPending: -1,
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
	asking, ended := outlasting(ctx, giveBackTime)
	defer ended()
	for ctx.Err() == nil {
		wait, stop := context.WithTimeout(asking, refusedWait)
		batch, err := queue.Fetch(1, jetstream.FetchContext(wait))
		if err == nil {
			for m := range batch.Messages() {
				w.handle(ctx, m)
			}
			err = batch.Error()
		}
		over := wait.Err() != nil
		stop()
		if err != nil && !over && !errors.Is(err, nats.ErrTimeout) {
			select { // no server at the moment: the connection comes back by itself
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
}

// handle makes the piece of m.
func (w *Worker) handle(ctx context.Context, m jetstream.Msg) {
	p := piece{strings.TrimPrefix(m.Subject(), workOf("")), m.Headers().Get(keyHeader), m.Reply()}
	beat, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		tick := time.NewTicker(lost / 3)
		defer tick.Stop()
		for {
			select {
			case <-beat.Done():
				return
			case <-tick.C:
				_ = m.InProgress()
			}
		}
	}()
	w.count(p.Task, 1)
	defer w.count(p.Task, -1)
	w.meter.begun.Inc()
	defer w.meter.ended.Inc()
	if w.at != nil {
		w.at(p)
		defer w.at(piece{})
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
		_ = m.Nak()
		select { // others take it meanwhile
		case <-ctx.Done():
		case <-time.After(refusedWait):
		}
		return
	}
	sending, ended := outlasting(ctx, sendTime)
	defer ended()
	if err := w.publish(sending, doneOf(p.Task), p.Key, result); err != nil {
		_ = m.Nak()
		return
	}
	if w.again(sending, "take a piece from the queue", func(ctx context.Context) error {
		if err := m.DoubleAck(ctx); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return err
		}
		return nil
	}) == nil {
		w.forget(sending, m)
	}
}

// outlasting returns a context that ends so long after ctx.
func outlasting(ctx context.Context, by time.Duration) (context.Context, func()) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(by, func() { cancel(context.Cause(ctx)) })
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
	result, err, panicked := survive(ctx, k, p.Key, data)
	if panicked && ctx.Err() == nil {
		result, err, panicked = survive(ctx, k, p.Key, data)
	}
	if panicked {
		w.warn("%v", err)
		return k.fail(p.Key, err)
	}
	if size := uint64(len(result)); size > maxPiece {
		return k.fail(p.Key, tooLarge("the result", size, maxPiece))
	}
	return result, err
}

// survive is make, or an error if that panics.
func survive(ctx context.Context, k maker, key string, data []byte) (result []byte, err error, panicked bool) {
	defer func() {
		if p := recover(); p != nil {
			err, panicked = fmt.Errorf("the worker panicked: %v", p), true
		}
	}()
	result, err = k.make(ctx, key, data)
	return result, err, false
}

// maker returns what makes the pieces of a task.
func (w *Worker) maker(ctx context.Context, id string) (maker, error) {
	w.mu.Lock()
	one := w.opened[id]
	if one == nil {
		one = &opened{}
		w.opened[id] = one
	}
	w.mu.Unlock()
	one.once.Do(func() {
		one.maker, one.err = w.open(ctx, id)
		w.mu.Lock()
		defer w.mu.Unlock()
		if one.err != nil {
			if !errors.Is(one.err, errJunk) || len(w.opened) > mostTasks {
				delete(w.opened, id) // may work later
			}
			return
		}
		// A worker is at one task, but for the moment of a change.
		if w.current != "" && w.current != id {
			delete(w.opened, w.current)
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
	var t task
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, junk(err)
	}
	if t.Version != w.Bench.Version {
		return nil, advice.Add(fmt.Errorf("the work is of %s, and this worker of %s", t.Version, w.Bench.Version), "run the same nrdl on all machines")
	}
	open := kinds[t.Kind]
	if open == nil {
		return nil, junk(fmt.Errorf("unknown kind of work %.20q", t.Kind))
	}
	return open(ctx, w, t.Spec)
}

func (w *Worker) count(task string, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running[task] += by; w.running[task] == 0 {
		delete(w.running, task)
	}
}

// notify tells coordinators what w does.
func (w *Worker) notify(ctx context.Context) {
	tick := time.NewTicker(noticeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		w.mu.Lock()
		for id := range w.running {
			w.tell(id, notice{Worker: w.Name})
		}
		w.mu.Unlock()
	}
}

func (w *Worker) refuse(id string, err error) {
	why := err.Error()
	if h := advice.Text(err); h != "" {
		why += " (" + h + ")"
	}
	w.warn("%s", why)
	w.tell(id, notice{Worker: w.Name, Refused: why})
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

// notices are what workers tell of a task.
type notices struct {
	sub  *nats.Subscription
	mu   sync.Mutex
	last map[string]notice
	when map[string]time.Time
}

// listen hears the workers of the task, and warns of each that refuses it, once.
func (k *coordinator) listen() (*notices, error) {
	n := &notices{last: map[string]notice{}, when: map[string]time.Time{}}
	refused := map[notice]bool{}
	var err error
	n.sub, err = k.conn.Subscribe(noticeOf(k.ID), func(m *nats.Msg) {
		var one notice
		if json.Unmarshal(m.Data, &one) != nil {
			return
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		if one.Refused != "" && !refused[one] {
			refused[one] = true
			k.meter.refusals.Inc()
			k.warn("worker %s: %s", one.Worker, one.Refused)
		}
		n.last[one.Worker], n.when[one.Worker] = one, time.Now()
	})
	return n, err
}

func (n *notices) stop() { _ = n.sub.Unsubscribe() }

// workers is how many are at a piece.
func (n *notices) workers() (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for worker, when := range n.when {
		if time.Since(when) < heard && n.last[worker].Refused == "" {
			count++
		}
	}
	return count
}

// counts are those of the pieces of a coordinator.
type counts struct {
	mu         sync.Mutex
	given, got int
}

func (c *counts) put(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given += n
}

func (c *counts) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got++
}

func (c *counts) get() (done, left int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got, max(0, c.given-c.got)
}
