package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"nrdl/dataset"
	"nrdl/experiment"
	"nrdl/internal/hint"
)

// The times of workers.
const (
	noticeEvery = 2 * time.Second
	beatEvery   = 10 * time.Second // a worker tells the queue that it is still at a run
	refusedWait = 5 * time.Second  // until a worker that cannot make a run takes the next one
)

// lost is after how long without a beat another worker gets a run. It is a variable for
// tests.
var lost = 3 * beatEvery

// maxCrashes is how many processes may end by themselves during a run. The next one
// returns an error as its record.
const maxCrashes = 2

// A Worker makes runs of plans.
type Worker struct {
	*Cluster
	// Bench has the data sets, the version, Jobs and Warn. A plan of a coordinator with
	// another Version is refused.
	Bench experiment.Bench
	// Done is called after each run; may be nil. It is safe for concurrent use.
	Done func(*experiment.Record)
	// at is called with each run that begins, and with the zero piece when it ends; may be
	// nil.
	at func(piece)

	mu      sync.Mutex
	runners map[string]*runner // by task
	running map[string]int     // how many runs, by task
}

type runner struct {
	once   sync.Once
	err    error
	runner *experiment.Runner
}

// Run makes runs until ctx ends: then it gives back those that it has not finished.
func (w *Worker) Run(ctx context.Context) error {
	w.runners, w.running = map[string]*runner{}, map[string]int{}
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

// take makes one run after the other.
func (w *Worker) take(ctx context.Context, queue jetstream.Consumer) {
	for ctx.Err() == nil {
		wait, stop := context.WithTimeout(ctx, refusedWait)
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

// handle makes the run of m.
func (w *Worker) handle(ctx context.Context, m jetstream.Msg) {
	var p piece
	if err := json.Unmarshal(m.Data(), &p); err != nil {
		w.warn("what is in the queue is no run: %v", err)
		_ = m.Term()
		return
	}
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
	if w.at != nil {
		w.at(piece{p.Task, p.Key, m.Reply()})
		defer w.at(piece{})
	}
	r, err := w.make(ctx, p)
	if ctx.Err() != nil {
		_ = m.Nak() // another worker gets it at once
		return
	}
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		_ = m.Term() // the coordinator has all records
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
	line, err := r.Line()
	if err != nil {
		w.warn("%v", err)
		return
	}
	if err := w.publish(ctx, doneOf(p.Task), p.Task+p.Key, line); err != nil {
		return
	}
	_ = w.again(ctx, "take a run from the queue", func(ctx context.Context) error {
		if err := m.DoubleAck(ctx); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return err
		}
		return nil
	})
	if w.Done != nil {
		w.Done(r)
	}
}

// make returns the record of p.
func (w *Worker) make(ctx context.Context, p piece) (*experiment.Record, error) {
	r, err := w.runner(ctx, p.Task)
	if err != nil {
		return nil, err
	}
	if n, err := w.crashed(ctx, p); err != nil {
		return nil, err
	} else if n >= maxCrashes {
		return r.Fail(p.Key, fmt.Errorf("the process ended during the run, %d times: perhaps the memory was not enough", n))
	}
	return r.Run(ctx, p.Key)
}

// runner returns what makes the runs of a task.
func (w *Worker) runner(ctx context.Context, id string) (*experiment.Runner, error) {
	w.mu.Lock()
	one := w.runners[id]
	if one == nil {
		one = &runner{}
		clear(w.runners) // a worker is at one plan, but for the moment of a change
		w.runners[id] = one
	}
	w.mu.Unlock()
	one.once.Do(func() { one.runner, one.err = w.open(ctx, id) })
	if one.err != nil {
		w.mu.Lock()
		delete(w.runners, id) // may work later
		w.mu.Unlock()
	}
	return one.runner, one.err
}

func (w *Worker) open(ctx context.Context, id string) (*experiment.Runner, error) {
	text, err := w.file(ctx, taskFile(id))
	if err != nil {
		return nil, err
	}
	var t task
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, err
	}
	if t.Version != w.Bench.Version {
		return nil, hint.Add(fmt.Errorf("the bench is of %s, and this worker of %s", t.Version, w.Bench.Version), "run the same nrdl on all machines")
	}
	plan, err := experiment.ParsePlan(t.Text, t.Plan)
	if err != nil {
		return nil, err
	}
	plan.Name = t.Plan
	return w.Bench.Runner(plan, t.Hash, w.fetch)
}

// fetch returns the data set with this hash from the server.
func (w *Worker) fetch(ctx context.Context, hash string) (*dataset.Images, error) {
	data, err := w.file(ctx, dataFile(hash))
	if err != nil {
		return nil, fmt.Errorf("fetch data: %w", err)
	}
	return decode(ctx, data)
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
	if h := hint.Of(err); h != "" {
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
	n.sub, err = k.conn.Subscribe(noticeOf(k.id), func(m *nats.Msg) {
		var one notice
		if json.Unmarshal(m.Data, &one) != nil {
			return
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		if one.Refused != "" && !refused[one] {
			refused[one] = true
			k.warn("worker %s: %s", one.Worker, one.Refused)
		}
		n.last[one.Worker], n.when[one.Worker] = one, time.Now()
	})
	return n, err
}

func (n *notices) stop() { _ = n.sub.Unsubscribe() }

func (n *notices) status() (s Status) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for worker, when := range n.when {
		if one := n.last[worker]; time.Since(when) < heard && one.Refused == "" {
			s.Workers++
		}
	}
	return s
}
