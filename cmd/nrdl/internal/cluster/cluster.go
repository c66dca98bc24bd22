// Package cluster distributes work over processes and machines: the runs of a plan, the fits of
// a search for parameters, the photographs to identify. A coordinator puts pieces of work into
// a queue of NATS JetStream, workers take them from there, and the coordinator receives their
// results.
//
// Any process may end at any moment without a loss: a piece leaves the queue when its result is
// in a stream on disk, and a result leaves that stream when the coordinator has used it. A
// piece may be made twice, for example if a worker pauses; its second result is ignored.
// doc/scale.md describes the protocol and its limits.
package cluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
)

// Options describe a connection to a server.
type Options struct {
	// URL of a NATS server, nats://HOST:PORT or tls://HOST:PORT; of several servers, separated
	// by commas.
	URL         string
	Credentials string // a .creds file; "": none
	CA          string // a file with certificates of authorities; "": those of the system
	Name        string // of this process, for servers and coordinators
	Wait        bool   // wait for a server that does not answer yet
	Metrics     string // HOST:PORT of /metrics for Prometheus; "": none

	// Warn is called with problems after which the work continues; may be nil. It has to be safe
	// for concurrent use.
	Warn func(error)
}

// The streams and buckets, and their bounds.
const (
	workStream = "nrdl-work"
	doneStream = "nrdl-done"
	fileBucket = "nrdl-files"
	crashes    = "nrdl-crashes" // number of processes that ended during a piece

	duplicates  = 24 * time.Hour     // a second message of one piece is ignored; no piece takes so long
	maxAge      = 7 * 24 * time.Hour // then the rest of an abandoned task is removed
	maxMessage  = 512 << 10          // bytes; the data of larger messages go into fileBucket
	maxPiece    = 1 << 30            // bytes of a piece or a result
	maxSet      = 8 << 30            // bytes of a data set
	answerLimit = 20 * time.Second   // for a server to answer
)

// A Cluster is a connection to NATS JetStream.
type Cluster struct {
	Options
	conn    *nats.Conn
	js      jetstream.JetStream
	work    jetstream.Stream
	results jetstream.Stream
	files   jetstream.ObjectStore
	parts   jetstream.Stream // of the files
	crash   jetstream.KeyValue
	meter   *meter
}

// Connect connects to a server, and creates the streams there. The caller closes the Cluster.
func Connect(ctx context.Context, o Options) (*Cluster, error) {
	c := &Cluster{Options: o, meter: newMeter()}
	if err := c.connect(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("nats: %w", err)
	}
	if err := c.meter.serve(o.Metrics); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the connection.
func (c *Cluster) Close() {
	c.meter.close()
	if c.conn != nil {
		c.conn.Close()
	}
}

func (c *Cluster) connect(ctx context.Context) error {
	dial := []nats.Option{
		nats.Name("nrdl " + c.Name), nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond), nats.Timeout(5 * time.Second),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.warn("the connection to the NATS server is lost: %v", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { c.warn("the NATS server is back") }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // what matters is returned by calls
	}
	if c.Credentials != "" {
		text, err := os.ReadFile(c.Credentials)
		if err == nil {
			_, err = nkeys.ParseDecoratedNKey(text)
		}
		if err != nil {
			return advice.Add(fmt.Errorf("credentials %s: %w", c.Credentials, err),
				"the administrator of the server makes such a file with `nsc generate creds`")
		}
		dial = append(dial, nats.UserCredentials(c.Credentials))
	}
	if c.CA != "" {
		dial = append(dial, nats.RootCAs(c.CA))
	} else if u, err := url.Parse(c.URL); err != nil || u.Scheme == "tls" {
		dial = append(dial, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
	}
	if strings.HasPrefix(c.URL, "listen:") {
		return advice.Add(errors.New("there is no NATS server in this program any more"), startServer)
	}
	var err error
	for warned := false; ; {
		if c.conn, err = nats.Connect(c.URL, dial...); err == nil {
			break
		}
		if err = explain(err, c.URL); !c.Wait || !errors.Is(err, nats.ErrNoServers) {
			return err
		}
		if !warned {
			c.warn("no server answers at %s yet; waiting for it", legible.Address(c.URL))
			warned = true
		}
		if !pause(ctx, time.Second) {
			return context.Cause(ctx)
		}
	}
	if c.js, err = jetstream.New(c.conn); err != nil {
		return err
	}
	return c.create(ctx)
}

const startServer = "start one, for example with nats-server -js of Debian's package nats-server, and name its " +
	"address nats://HOST:4222; doc/scale.md has its settings"

// explain adds advice to err.
func explain(err error, address string) error {
	address = legible.Address(address)
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		return advice.Add(fmt.Errorf("%s does not accept the credentials: %w", address, err),
			"name a .creds file of this server with %v", advice.Credentials)
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout):
		return advice.Add(fmt.Errorf("no server answers at %s: %w", address, err), startServer)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return advice.Add(fmt.Errorf("the server at %s has no JetStream", address), "start it with -js")
	}
	return err
}

// create creates the streams: on three servers if there is a cluster, else on one.
func (c *Cluster) create(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*answerLimit)
	defer cancel()
	replicas := 1
	if c.conn.ConnectedClusterName() != "" {
		replicas = 3
	}
	for {
		err := c.createOn(ctx, replicas)
		if err == nil || replicas == 1 || ctx.Err() != nil {
			return explain(err, c.URL)
		}
		c.warn("%d servers cannot keep the queue: %v; one keeps it", replicas, err)
		replicas = 1
	}
}

func (c *Cluster) createOn(ctx context.Context, replicas int) (err error) {
	stream := func(name string, retention jetstream.RetentionPolicy, subjects string) jetstream.Stream {
		if err != nil {
			return nil
		}
		var s jetstream.Stream
		if s, err = c.js.Stream(ctx, name); err == nil {
			return s
		}
		s, err = c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: name, Subjects: []string{subjects}, Retention: retention, Storage: jetstream.FileStorage,
			Duplicates: duplicates, MaxAge: maxAge, Replicas: replicas,
		})
		return s
	}
	c.work = stream(workStream, jetstream.WorkQueuePolicy, "nrdl.work.*")
	c.results = stream(doneStream, jetstream.LimitsPolicy, "nrdl.done.*")
	if err != nil {
		return err
	}
	if c.files, err = c.js.ObjectStore(ctx, fileBucket); err != nil {
		c.files, err = c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: fileBucket, TTL: maxAge, Replicas: replicas})
	}
	if err == nil {
		c.parts, err = c.js.Stream(ctx, "OBJ_"+fileBucket)
	}
	if err != nil {
		return err
	}
	if c.crash, err = c.js.KeyValue(ctx, crashes); err != nil {
		c.crash, err = c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: crashes, TTL: maxAge, Replicas: replicas})
	}
	return err
}

func (c *Cluster) warn(format string, args ...any) {
	if c.Warn != nil {
		c.Warn(fmt.Errorf(format, args...))
	}
}

// errTooLarge is the error of data that are never sent or read.
var errTooLarge = errors.New("too large")

func tooLarge(name string, size, maxBytes uint64) error {
	return fmt.Errorf("%s has %d bytes, %w: at most %d are read", name, size, errTooLarge, maxBytes)
}

// wrap adds to *err what failed, unless it is nil.
func wrap(err *error, what string) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", what, *err)
	}
}

// pause waits for a time, and returns false if ctx has ended.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return ctx.Err() == nil
}

// retry calls f until it succeeds, ctx ends, or its error is errTooLarge or errJunk. It warns
// once if that takes long.
func (c *Cluster) retry(ctx context.Context, what string, f func(ctx context.Context) error) error {
	wait, warned := 100*time.Millisecond, false
	for {
		one, cancel := context.WithTimeout(ctx, answerLimit)
		err := f(one)
		cancel()
		if err == nil || errors.Is(err, errTooLarge) || errors.Is(err, errJunk) {
			return err
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if !warned && wait > time.Second {
			c.warn("%s: %v; trying again", what, err)
			warned = true
		}
		if !pause(ctx, wait) {
			return context.Cause(ctx)
		}
		wait = min(2*wait, 5*time.Second)
	}
}

// publish sends the message of a piece, which the server stores on disk. A second message of
// the piece is ignored.
func (c *Cluster) publish(ctx context.Context, subject, key string, data []byte) error {
	id := subject + "." + key
	if size := uint64(len(data)); size > maxPiece {
		return tooLarge(id, size, maxPiece)
	}
	header := nats.Header{nats.MsgIdHdr: []string{id}, keyHeader: []string{key}}
	if len(data) > maxMessage {
		if err := c.retry(ctx, "store a large message", func(ctx context.Context) error { return c.putFile(ctx, id, data) }); err != nil {
			return err
		}
		header.Set(fileHeader, id)
		data = nil
	}
	return c.retry(ctx, "send to "+subject, func(ctx context.Context) error {
		_, err := c.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Header: header, Data: data})
		return err
	})
}

// Headers of messages.
const (
	keyHeader  = "Nrdl-Key"  // of the piece
	fileHeader = "Nrdl-File" // name of the file with the data, if they are large
)

// data returns the data that publish has sent; nil if their file is missing or incomplete.
func (c *Cluster) data(ctx context.Context, m jetstream.Msg) (data []byte, err error) {
	name := m.Headers().Get(fileHeader)
	if name == "" {
		return m.Data(), nil
	}
	err = c.retry(ctx, "read a large message", func(ctx context.Context) error {
		data, err = c.file(ctx, name, maxPiece)
		if errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, errJunk) {
			data = nil
			return nil
		}
		return err
	})
	return data, err
}

// removeFile removes the file with the data of m, if there is one.
func (c *Cluster) removeFile(ctx context.Context, m jetstream.Msg) {
	if name := m.Headers().Get(fileHeader); name != "" {
		_ = c.files.Delete(ctx, name) // otherwise the server removes it after maxAge
	}
}

func (c *Cluster) putFile(ctx context.Context, name string, data []byte) error {
	_, err := c.files.PutBytes(ctx, name, data)
	return err
}

// file returns a file of at most most bytes. If the file is incomplete, the error wraps
// errJunk: to read it would wait for the rest.
func (c *Cluster) file(ctx context.Context, name string, maxBytes uint64) ([]byte, error) {
	info, err := c.files.GetInfo(ctx, name)
	if err != nil {
		return nil, err
	}
	if info.Size > maxBytes {
		return nil, tooLarge(name, info.Size, maxBytes)
	}
	chunks := "$O." + fileBucket + ".C." + info.NUID
	about, err := c.parts.Info(ctx, jetstream.WithSubjectFilter(chunks))
	if err != nil {
		return nil, err
	}
	if n := about.State.Subjects[chunks]; n != uint64(info.Chunks) {
		return nil, junk(fmt.Errorf("%s has %d of %d parts", name, n, info.Chunks))
	}
	f, err := c.files.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if _, err = b.ReadFrom(io.LimitReader(f, int64(maxBytes))); errors.Is(err, jetstream.ErrDigestMismatch) {
		return nil, junk(err)
	}
	return b.Bytes(), err
}
