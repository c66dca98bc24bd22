package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
)

// A task is work of one kind. Its pieces are in the queue.
type task struct {
	ID      string          `json:"id"`      // of the queue of its pieces
	Kind    string          `json:"kind"`    // one of kinds
	Spec    json.RawMessage `json:"spec"`    // what workers have to know, in the form of the kind
	Version string          `json:"version"` // of the coordinator; workers of other versions refuse
}

// A piece is a part of a task that a worker makes.
type piece struct {
	Task string `json:"task"`
	Key  string `json:"key"` // of the piece in the task
	Ack  string `json:"ack"` // the subject by which the worker gives it back
}

// A notice is a message of a worker to a coordinator: regularly, that it makes a piece, or why
// it refuses one.
type notice struct {
	Worker  string   `json:"worker"`
	Refusal *failure `json:"refused,omitempty"` // why it does not make the pieces; nil: it does
}

// Names on the server, by the ID of a task.
func workOf(id string) string   { return "nrdl.work." + id }
func doneOf(id string) string   { return "nrdl.done." + id }
func noticeOf(id string) string { return "nrdl.notice." + id }
func taskFile(id string) string { return "task-" + id }

// Status is the progress of a coordinator.
type Status struct {
	Workers    int     // processes that sent a notice in the last six seconds that they make a piece
	Results    int     // pieces with a result, of this coordinator
	OpenPieces int     // pieces that are handed out and have no result
	Rate       float64 // results a second since the start
}

// noticeAge is how long a worker counts after its last notice.
const noticeAge = 3 * noticeEvery

// A coordinator hands out the pieces of a task and receives their results.
type coordinator struct {
	*Cluster
	task
	file    string // of the task on the server; a later coordinator can compute its name
	tell    func(Status)
	notices *notices
	start   time.Time

	handedOut, resultCount atomic.Int64 // pieces, and results
}

// begin puts a task on the server. If a coordinator with the same task and origin was killed on
// this machine, it continues with the queue of that one if resume is set, and removes the queue
// otherwise. tell is called with the status every second until the coordinator ends; it may be
// nil.
func (c *Cluster) begin(ctx context.Context, t task, origin string, resume bool, tell func(Status)) (*coordinator, error) {
	print, err := fingerprint(&t, origin)
	if err != nil {
		return nil, err
	}
	k := &coordinator{Cluster: c, task: t, file: "task-" + print, tell: tell, start: time.Now()}
	if text, err := c.file(ctx, k.file, maxPiece); err == nil { // of a coordinator that was killed
		old, err := decodeJSON[task](text)
		if err != nil {
			return nil, err
		}
		k.ID = old.ID
		if !resume {
			k.purge(ctx)
			k.ID = ""
		}
	}
	if k.ID == "" {
		k.ID = uuid.NewString()
		text, err := json.Marshal(k.task)
		if err != nil {
			return nil, err
		}
		if err := k.retry(ctx, "store the task", func(ctx context.Context) error {
			return errors.Join(k.putFile(ctx, taskFile(k.ID), text), k.putFile(ctx, k.file, text))
		}); err != nil {
			return nil, err
		}
	}
	k.meter.showCoordinator()
	k.notices, err = k.listen()
	return k, err
}

// fingerprint is a hash of a task, its origin and this machine.
func fingerprint(t *task, origin string) (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	if origin, err = filepath.Abs(origin); err != nil {
		return "", err
	}
	text, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(text, "\x00%s\x00%s", host, origin))
	return hex.EncodeToString(sum[:10]), nil
}

// put puts a piece into the queue. The server ignores a second piece with the same key.
func (k *coordinator) put(ctx context.Context, key string, data []byte) error {
	k.handedOut.Add(1)
	return k.publish(ctx, workOf(k.ID), key, data)
}

// receive calls use with each result, also with those of a killed coordinator, until use
// returns false or an error. It fetches the data of a result only if wanted returns true.
func (k *coordinator) receive(ctx context.Context, wanted func(key string) bool,
	use func(key string, data []byte) (more bool, err error),
) error {
	var results jetstream.MessagesContext
	if err := k.retry(ctx, "read results", func(ctx context.Context) error {
		all, err := k.js.OrderedConsumer(ctx, doneStream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{doneOf(k.ID)}})
		if err == nil {
			results, err = all.Messages()
		}
		return err
	}); err != nil {
		return err
	}
	defer results.Stop()
	stop := k.report()
	defer stop()
	for {
		m, err := results.Next(jetstream.NextContext(ctx))
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			return err
		}
		if err != nil {
			k.warn("read results: %v; trying again", err)
			pause(ctx, 100*time.Millisecond)
			continue
		}
		key := m.Headers().Get(keyHeader)
		if !wanted(key) {
			continue
		}
		data, err := k.data(ctx, m)
		if err != nil {
			return fmt.Errorf("the result of piece %s: %w", key, err)
		}
		k.resultCount.Add(1)
		k.meter.count(resultsReceived)
		if more, err := use(key, data); err != nil || !more {
			return err
		}
		k.removeFile(ctx, m)
	}
}

// report calls tell every second until stop is called.
func (k *coordinator) report() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for pause(ctx, time.Second) {
			s := Status{Workers: k.notices.workers(), Results: int(k.resultCount.Load())}
			s.OpenPieces = max(0, int(k.handedOut.Load())-s.Results)
			s.Rate = float64(s.Results) / time.Since(k.start).Seconds()
			k.meter.gauge(busyWorkers, float64(s.Workers))
			k.meter.gauge(piecesLeft, float64(s.OpenPieces))
			if k.tell != nil {
				k.tell(s)
			}
		}
	}()
	return cancel
}

// end removes the task from the server.
func (k *coordinator) end(ctx context.Context) {
	k.notices.stop()
	k.purge(ctx)
}

// purge removes everything of the task from the server.
func (k *coordinator) purge(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerLimit)
	defer cancel()
	err := errors.Join(
		k.results.Purge(ctx, jetstream.WithPurgeSubject(doneOf(k.ID))),
		k.work.Purge(ctx, jetstream.WithPurgeSubject(workOf(k.ID))),
		k.files.Delete(ctx, k.file), k.files.Delete(ctx, taskFile(k.ID)))
	if files, listed := k.files.List(ctx); listed == nil { // ErrNoObjectsFound if there is none
		for _, f := range files {
			if strings.HasPrefix(f.Name, workOf(k.ID)) || strings.HasPrefix(f.Name, doneOf(k.ID)) {
				err = errors.Join(err, k.files.Delete(ctx, f.Name))
			}
		}
	}
	if err != nil {
		k.warn("the rest of the work stays on the server for %v: %v", maxAge, err)
	}
}

// offer puts a file on the server, unless it is there.
func (c *Cluster) offer(ctx context.Context, name string, data func() ([]byte, error)) error {
	if _, err := c.files.GetInfo(ctx, name); err == nil {
		return nil
	}
	content, err := data()
	if err != nil {
		return err
	}
	return c.retry(ctx, "store "+name, func(ctx context.Context) error { return c.putFile(ctx, name, content) })
}
