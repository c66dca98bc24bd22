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
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"nrdl/dataset"
	"nrdl/experiment"
)

// A task is a plan whose runs are in the queue.
type task struct {
	ID      string            `json:"id"`   // of the queue of its runs
	Plan    string            `json:"plan"` // its name
	Text    json.RawMessage   `json:"text"`
	Version string            `json:"version"` // of the coordinator: workers of others do not take part
	Hash    map[string]string `json:"hash"`    // of the data sets
}

// A piece is a run in the queue.
type piece struct {
	Task string `json:"task"`
	Key  string `json:"key"`
	Ack  string `json:"ack,omitempty"` // the subject by which it is given back, of a run that is being made
}

// A notice is what a worker tells a coordinator: now and then, that it is at a run, or why
// it refuses one.
type notice struct {
	Worker  string `json:"worker"`
	Refused string `json:"refused,omitempty"` // why it does not make the runs
}

// names of what a task has on the server.
func workOf(id string) string   { return "nrdl.work." + id }
func doneOf(id string) string   { return "nrdl.done." + id }
func noticeOf(id string) string { return "nrdl.notice." + id }
func taskFile(id string) string { return "task-" + id }
func dataFile(hash string) string {
	return "data-" + hash + ".npz"
}

// fingerprint is the same for the same work that goes to the same file of records on the same
// machine, so that a coordinator that was killed finds its task again.
func fingerprint(t *task, path string) (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	text, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(text, "\x00%s\x00%s", host, path))
	return hex.EncodeToString(sum[:10]), nil
}

// Status is what is known of the workers of a plan.
type Status struct {
	Workers int // processes at a run, by what they told in the last seconds
}

// heard is how long a worker counts after its last notice.
const heard = 3 * noticeEvery

// Bench returns the function that makes the runs of a Bench on the workers of c: its
// Elsewhere. path is that of the records and version that of the program. Tell, which may
// be nil, is called with the status every second. When ctx ends, the runs stay in the
// queue, and the same bench goes on with them.
func (c *Cluster) Bench(path, version string, tell func(Status)) func(context.Context, experiment.Work) error {
	return func(ctx context.Context, w experiment.Work) error {
		k := coordinator{Cluster: c, runs: w, left: map[string]bool{}, tell: tell}
		if err := k.run(ctx, path, version); err != nil {
			return fmt.Errorf("bench on workers: %w", err)
		}
		return nil
	}
}

// A coordinator hands out the runs of a task and stores their records.
type coordinator struct {
	*Cluster
	file string // of the task on the server
	id   string // of this attempt at it: a later bench makes failed runs again
	runs experiment.Work
	left map[string]bool // keys without a record
	tell func(Status)
}

func (k *coordinator) run(ctx context.Context, path, version string) error {
	t := task{Plan: k.runs.Plan.Name, Text: k.runs.Plan.Text(), Version: version, Hash: k.runs.Hash}
	print, err := fingerprint(&t, path)
	if err != nil {
		return err
	}
	k.file = "task-" + print
	for _, key := range k.runs.Keys {
		k.left[key] = true
	}
	if err := k.offer(ctx, &t); err != nil {
		return err
	}
	notices, err := k.listen()
	if err != nil {
		return err
	}
	defer notices.stop()
	var records jetstream.MessagesContext
	err = k.again(ctx, "read records", func(ctx context.Context) error {
		all, err := k.js.OrderedConsumer(ctx, doneStream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{doneOf(k.id)}})
		if err == nil {
			records, err = all.Messages()
		}
		return err
	})
	if err != nil {
		return err
	}
	defer records.Stop()
	failed := make(chan error, 2)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { failed <- k.publishAll(ctx) }()
	go func() { failed <- k.collect(ctx, records) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for collected := false; ; {
		select {
		case err := <-failed:
			if err != nil {
				return err
			}
			if collected {
				return k.clear(ctx)
			}
			collected = true
		case <-tick.C:
			if k.tell != nil {
				k.tell(notices.status())
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// offer puts the plan and its data where workers find them.
func (k *coordinator) offer(ctx context.Context, t *task) error {
	for name, hash := range k.runs.Hash {
		if _, err := k.files.GetInfo(ctx, dataFile(hash)); err == nil {
			continue
		}
		data, err := encode(ctx, k.runs.Data[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := k.again(ctx, "store "+name, func(ctx context.Context) error { return k.putFile(ctx, dataFile(hash), data) }); err != nil {
			return err
		}
	}
	if text, err := k.Cluster.file(ctx, k.file); err == nil { // of a coordinator that was killed
		var old task
		if err := json.Unmarshal(text, &old); err != nil {
			return err
		}
		k.id = old.ID
		return nil
	}
	t.ID = nuid.Next()
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	k.id = t.ID
	return k.again(ctx, "store the plan", func(ctx context.Context) error {
		return errors.Join(k.putFile(ctx, taskFile(k.id), text), k.putFile(ctx, k.file, text))
	})
}

// publishAll puts the runs into the queue. Those of a killed coordinator are in it, or
// were: the server leaves out what has the same id.
func (k *coordinator) publishAll(ctx context.Context) error {
	for _, key := range k.runs.Keys {
		text, err := json.Marshal(piece{Task: k.id, Key: key})
		if err != nil {
			return err
		}
		if err := k.publish(ctx, workOf(k.id), k.id+key, text); err != nil {
			return err
		}
	}
	return nil
}

// collect stores records until there is one of each run.
func (k *coordinator) collect(ctx context.Context, records jetstream.MessagesContext) error {
	for len(k.left) > 0 {
		m, err := records.Next(jetstream.NextContext(ctx))
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			return err
		}
		if err != nil {
			k.warn("read records: %v; trying again", err)
			time.Sleep(100 * time.Millisecond)
			continue
		}
		var data []byte
		if err := k.again(ctx, "read a record", func(ctx context.Context) (err error) {
			data, err = k.data(ctx, m)
			return err
		}); err != nil {
			return err
		}
		r, err := experiment.DecodeRecord(data)
		if err != nil || !k.left[r.Key] {
			if err != nil {
				k.warn("a worker sent what is no record: %v", err)
			}
			continue
		}
		if err := k.runs.Keep(&r); err != nil {
			return err
		}
		delete(k.left, r.Key)
	}
	return nil
}

// clear removes the task from the server.
func (k *coordinator) clear(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerLimit)
	defer cancel()
	err := errors.Join(
		k.done.Purge(ctx, jetstream.WithPurgeSubject(doneOf(k.id))),
		k.work.Purge(ctx, jetstream.WithPurgeSubject(workOf(k.id))),
		k.files.Delete(ctx, k.file), k.files.Delete(ctx, taskFile(k.id)))
	if err != nil {
		k.warn("the rest of the plan stays on the server for %v: %v", maxAge, err)
	}
	if k.own != nil {
		k.Close()
		return os.RemoveAll(k.Store)
	}
	return nil
}

// encode is set as a .npz file.
func encode(ctx context.Context, set *dataset.Images) ([]byte, error) {
	folder, err := os.MkdirTemp("", "nrdl")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "set.npz")
	if err := dataset.Save(ctx, path, set); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// decode is the set that encode wrote.
func decode(ctx context.Context, data []byte) (*dataset.Images, error) {
	folder, err := os.MkdirTemp("", "nrdl")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "set.npz")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, err
	}
	return dataset.Open(ctx, path, dataset.Options{})
}
