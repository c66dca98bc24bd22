package worker

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
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
)

// A task is work of one kind whose pieces are in the queue.
type task struct {
	ID      string          `json:"id"`      // of the queue of its pieces
	Kind    string          `json:"kind"`    // one of kinds
	Spec    json.RawMessage `json:"spec"`    // of that kind: what a worker must know to make pieces
	Version string          `json:"version"` // of the coordinator: workers of others do not take part
}

// A piece is a part of a task that a worker is at.
type piece struct {
	Task string `json:"task"`
	Key  string `json:"key"` // of the piece in the task
	Ack  string `json:"ack"` // the subject by which it is given back
}

// A notice is what a worker tells a coordinator: now and then, that it is at a piece, or why
// it refuses one.
type notice struct {
	Worker  string `json:"worker"`
	Refused string `json:"refused,omitempty"` // why it does not make the pieces
}

// names of what a task has on the server.
func workOf(id string) string   { return "nrdl.work." + id }
func doneOf(id string) string   { return "nrdl.done." + id }
func noticeOf(id string) string { return "nrdl.notice." + id }
func taskFile(id string) string { return "task-" + id }

// Status is how far the work of a coordinator is.
type Status struct {
	Workers int     // processes at a piece, by what they told in the last seconds
	Done    int     // pieces with a result, of this coordinator
	Left    int     // pieces without one that are handed out
	Rate    float64 // results a second, over all of the time
}

// heard is how long a worker counts after its last notice.
const heard = 3 * noticeEvery

// A coordinator hands out the pieces of a task and receives their results.
type coordinator struct {
	*Cluster
	task
	file    string // of the task on the server, by what a later coordinator knows too
	tell    func(Status)
	notices *notices
	counts  counts
	start   time.Time
}

// begin puts the task where workers find it. A coordinator that is begun with the same task,
// and the same origin on the same machine, as one that was killed, goes on with its queue,
// if goOn is set; else that queue is removed. Tell, which may be nil, is called with the
// status every second until the coordinator ends.
func (c *Cluster) begin(ctx context.Context, t task, origin string, goOn bool, tell func(Status)) (*coordinator, error) {
	print, err := fingerprint(&t, origin)
	if err != nil {
		return nil, err
	}
	k := &coordinator{Cluster: c, task: t, file: "task-" + print, tell: tell, start: time.Now()}
	if text, err := c.file(ctx, k.file, maxPiece); err == nil { // of a coordinator that was killed
		var old task
		if err := json.Unmarshal(text, &old); err != nil {
			return nil, err
		}
		k.ID = old.ID
		if !goOn {
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
		if err := k.again(ctx, "store the task", func(ctx context.Context) error {
			return errors.Join(k.putFile(ctx, taskFile(k.ID), text), k.putFile(ctx, k.file, text))
		}); err != nil {
			return nil, err
		}
	}
	k.meter.coordinates()
	k.notices, err = k.listen()
	return k, err
}

// fingerprint is the same for the same task of the same origin on the same machine.
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

// put puts a piece into the queue. The server leaves out one with the same key.
func (k *coordinator) put(ctx context.Context, key string, data []byte) error {
	k.counts.put(1)
	return k.publish(ctx, workOf(k.ID), key, data)
}

// receive calls use with each result, those of a killed coordinator too, until use returns
// false or an error. It fetches the data of a large result only if wanted says so.
func (k *coordinator) receive(ctx context.Context, wanted func(key string) bool, use func(key string, data []byte) (more bool, err error)) error {
	var results jetstream.MessagesContext
	if err := k.again(ctx, "read results", func(ctx context.Context) error {
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
			time.Sleep(100 * time.Millisecond)
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
		k.counts.done()
		k.meter.results.Inc()
		if more, err := use(key, data); err != nil || !more {
			return err
		}
		k.forget(ctx, m)
	}
}

// report calls tell every second until stop is called.
func (k *coordinator) report() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			s := Status{Workers: k.notices.workers()}
			s.Done, s.Left = k.counts.get()
			s.Rate = float64(s.Done) / time.Since(k.start).Seconds()
			k.meter.workers.Set(float64(s.Workers))
			k.meter.left.Set(float64(s.Left))
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

// purge removes what the task has on the server.
func (k *coordinator) purge(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerLimit)
	defer cancel()
	err := errors.Join(
		k.done.Purge(ctx, jetstream.WithPurgeSubject(doneOf(k.ID))),
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

// offer puts a file where workers find it, unless it is there.
func (c *Cluster) offer(ctx context.Context, name string, data func() ([]byte, error)) error {
	if _, err := c.files.GetInfo(ctx, name); err == nil {
		return nil
	}
	bytes, err := data()
	if err != nil {
		return err
	}
	return c.again(ctx, "store "+name, func(ctx context.Context) error { return c.putFile(ctx, name, bytes) })
}
