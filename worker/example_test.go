package worker_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/internal/testing/natsserver"
	"nrdl.example/nrdl/worker"
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
	coordinator, err := worker.Connect(ctx, worker.Options{URL: url})
	check(err)
	defer coordinator.Close()

	// nrdl worker does this, on any machine that reaches the coordinator.
	cluster, err := worker.Connect(ctx, worker.Options{URL: url})
	check(err)
	ended := make(chan error, 1)
	go func() { ended <- (&worker.Worker{Cluster: cluster}).Run(ctx) }()

	plan, err := experiment.ParsePlan([]byte(`{"name": "small",
		"datasets": [{"name": "drawn", "synthetic": {"people": 3, "per_person": 4, "size": "8x8"}, "split": "half"}],
		"methods": ["crc", "nrc"]}`), "plan.json")
	check(err)
	path := filepath.Join(dir, "records.jsonl")
	bench := experiment.Bench{Distribute: coordinator.Bench(path, "", nil)}
	done, err := bench.Run(ctx, plan, path)
	check(err)
	fmt.Printf("%d runs, %d failed\n", done.New, done.Failed)
	stop()
	<-ended
	cluster.Close()
	// Output: 2 runs, 0 failed
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
