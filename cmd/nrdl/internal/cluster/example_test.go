package cluster_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/cmd/nrdl/internal/cluster"
	"nrdl.example/nrdl/cmd/nrdl/internal/natsserver"
	"nrdl.example/nrdl/lab/experiment"
)

// Make the runs of a plan on workers: here one, in this process.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	dir, err := os.MkdirTemp("", "worker")
	check(err)
	defer os.RemoveAll(dir)
	url, stopServer, err := natsserver.Start(0, filepath.Join(dir, "queue")) // nats-server -js does the same
	check(err)
	defer stopServer()
	coordinator, err := cluster.Connect(ctx, cluster.Options{URL: url})
	check(err)
	defer coordinator.Close()

	// nrdl worker does this, on any machine that reaches the coordinator.
	machines, err := cluster.Connect(ctx, cluster.Options{URL: url})
	check(err)
	ended := make(chan error, 1)
	go func() { ended <- (&cluster.Worker{Cluster: machines}).Run(ctx) }()

	plan, err := experiment.ParsePlan([]byte(`{"name": "small",
		"datasets": [{"name": "drawn", "synthetic": {"people": 3, "per_person": 4, "size": "8x8"}, "split": "half"}],
		"methods": ["crc", "nrc"]}`), "plan.json")
	check(err)
	path := filepath.Join(dir, "records.jsonl")
	bench := experiment.Bench{Distribute: coordinator.Bench(path, "", nil)}
	done, err := bench.Run(ctx, plan, path)
	check(err)
	fmt.Printf("%d runs, %d failed\n", done.New, done.Failures)
	stop()
	<-ended
	machines.Close()
	// Output: 2 runs, 0 failed
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
