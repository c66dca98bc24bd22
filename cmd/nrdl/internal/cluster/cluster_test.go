package cluster

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"nrdl.example/nrdl/lab/experiment"
)

// A node is a server of a cluster, which may be lost and come back.
type node struct {
	options server.Options
	*server.Server
}

func (n *node) start(t testing.TB) {
	t.Helper()
	o := n.options
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	n.Server = s
}

func (n *node) lose() {
	n.Shutdown()
	n.WaitForShutdown()
}

// together starts a cluster of n servers with JetStream.
func together(t testing.TB, n int) []*node {
	t.Helper()
	var ports []int
	for range 2 * n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	var routes []*url.URL
	for _, p := range ports[n:] {
		routes = append(routes, &url.URL{Scheme: "nats-route", Host: fmt.Sprintf("127.0.0.1:%d", p)})
	}
	var all []*node
	for i := range n {
		all = append(all, &node{options: server.Options{
			Host: "127.0.0.1", Port: ports[i], ServerName: fmt.Sprint("n", i), NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: filepath.Join(t.TempDir(), fmt.Sprint(i)), SyncAlways: true,
			Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: ports[n+i]}, Routes: routes,
		}})
	}
	return all
}

func addresses(all []*node) string {
	var s []string
	for _, n := range all {
		s = append(s, fmt.Sprintf("nats://127.0.0.1:%d", n.options.Port))
	}
	return strings.Join(s, ",")
}

// A cluster of three servers goes on without one of them; one of two waits until the other
// is back. The records are those of one process.
func TestServersAreLost(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("takes half a minute; NRDL_LONG=1 makes it")
	}
	defer func(before time.Duration) { ackWait = before }(ackWait)
	ackWait = 3 * time.Second
	for _, tt := range []struct {
		servers int
		back    bool // the lost one comes back
	}{{3, false}, {2, true}} {
		t.Run(fmt.Sprint(tt.servers), func(t *testing.T) {
			p := parse(t, smallPlan)
			want := alone(t)
			nodes := together(t, tt.servers)
			for _, n := range nodes {
				n.start(t)
			}
			t.Cleanup(func() {
				for _, n := range nodes {
					n.lose()
				}
			})
			dial := func(name string) *Cluster {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				for {
					c, err := Connect(ctx, Options{URL: addresses(nodes), Name: name, Wait: true, Warn: func(err error) { t.Log(name, err) }})
					if err == nil {
						t.Cleanup(c.Close)
						return c
					}
					if ctx.Err() != nil {
						t.Fatal(err)
					}
					time.Sleep(200 * time.Millisecond) // the servers have no leader yet
				}
			}
			k := dial("coordinator")
			info, err := k.results.Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want := map[int]int{3: 3, 2: 1}[tt.servers]; info.Config.Replicas != want {
				t.Errorf("%d replicas, not %d", info.Config.Replicas, want)
			}
			w := dial("worker")
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_ = (&Worker{Cluster: w, Bench: experiment.Bench{Jobs: 2, Version: "v"}}).Run(ctx)
			}()
			t.Cleanup(func() { cancel(); <-ended })
			path := filepath.Join(t.TempDir(), "x.jsonl")
			lost := slices.IndexFunc(nodes, func(n *node) bool { return n.JetStreamIsLeader() })
			b := experiment.Bench{Jobs: 1, Version: "v", Distribute: k.Bench(path, "v", nil), Progress: func(p experiment.Progress) {
				if p.New == 3 {
					go func() {
						nodes[lost].lose()
						if tt.back {
							time.Sleep(3 * time.Second)
							nodes[lost].start(t)
						}
					}()
				}
			}}
			run, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			if _, err := b.Run(run, p, path); err != nil {
				t.Fatal(err)
			}
			same(t, want, records(t, path))
		})
	}
}
