package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/stat"
)

// A quarter is what was seen in one part of a soak.
type quarter struct {
	identify, enrol     []time.Duration
	memory, descriptors []float64
	processorTime       time.Duration
	size                int64
	requests, refusals  int
}

// soak sends a few requests a second to a service with many people, as long as asked: it
// identifies, enrols a face and deletes it, searches, creates a person and erases it. What
// the collection holds does not grow, so that what the process holds should not either.
func soak(dir string) error {
	of, _, err := drawn(dir, 20)
	if err != nil {
		return err
	}
	database := filepath.Join(dir, "nrdl.db")
	rng := rand.New(rand.NewPCG(1, 2))
	id, last, err := fill(context.Background(), database, rng, true)
	if err != nil {
		return err
	}
	p, err := start(database, "")
	if err != nil {
		return err
	}
	defer p.kill()
	at := p.url + "/v1/collections/" + id
	in, n := space()
	photos := make([][]byte, 0, len(of))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		photos = append(photos, of[name][0])
	}
	var quarters [4]quarter
	begun, part := time.Now(), time.Duration(*seconds)*time.Second/4
	before := p.used()
	for i := 0; time.Since(begun) < 4*part; i++ {
		q := &quarters[min(3, int(time.Since(begun)/part))]
		kind, body := form("photo", photos[i%len(photos)])
		timed := func(into *[]time.Duration, method, url, kind string, data []byte, answer any) {
			sent := time.Now()
			q.requests++
			if err := mustSend(method, url, kind, data, answer); err != nil {
				q.refusals++
				fmt.Fprintln(os.Stderr, err)
				return
			}
			if into != nil {
				*into = append(*into, time.Since(sent))
			}
		}
		timed(&q.identify, "POST", at+"/identify", kind, body, nil)
		switch i % 10 {
		case 0, 5:
			var made struct{ Faces []struct{ ID string } }
			vector := fmt.Appendf(nil, `{"space": %q, "vector": [%s]}`, in, text(near(rng, nil, n)))
			timed(&q.enrol, "POST", at+"/people/"+last+"/vectors", "application/json", vector, &made)
			for _, f := range made.Faces {
				timed(nil, "DELETE", at+"/faces/"+f.ID, "", nil, nil)
			}
		case 3:
			timed(nil, "POST", at+"/search", kind, body, nil)
		case 7:
			var made struct{ ID string }
			timed(nil, "POST", at+"/people", "application/json", fmt.Appendf(nil, `{"name": "guest %d"}`, i), &made)
			timed(nil, "POST", at+"/people/"+made.ID+"/faces", kind, body, nil)
			timed(nil, "DELETE", at+"/people/"+made.ID, "", nil, nil)
		}
		now, _ := p.memory()
		open, _ := os.ReadDir(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "fd"))
		q.memory, q.descriptors = append(q.memory, now), append(q.descriptors, float64(len(open)))
		q.processorTime, before = q.processorTime+p.used()-before, p.used()
		if f, err := os.Stat(database); err == nil {
			q.size = f.Size()
		}
		time.Sleep(time.Second/2 - time.Since(begun)%(time.Second/2))
	}
	fmt.Printf("%.0f minutes, %d people with %d faces each\n", time.Since(begun).Minutes(), *people, each)
	fmt.Printf("| quarter | requests | not answered 2xx | identify: median | p95 | enrol a vector: median | p95 | processor " +
		"time a request | memory: mean | most | descriptors: mean | most | database |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for i, q := range quarters {
		fmt.Printf("| %d | %d | %d | %.0f ms | %.0f ms | %.0f ms | %.0f ms | %.1f ms | %.0f MB | %.0f MB | %.1f | %.0f | %d MB |\n",
			i+1, q.requests, q.refusals,
			quantile(q.identify, 0.5), quantile(q.identify, 0.95), quantile(q.enrol, 0.5), quantile(q.enrol, 0.95),
			float64(q.processorTime.Milliseconds())/float64(q.requests),
			stat.Mean(q.memory, nil), slices.Max(q.memory), stat.Mean(q.descriptors, nil), slices.Max(q.descriptors), q.size>>20)
	}
	return nil
}

// text is a vector as the numbers of a JSON array.
func text(v []float32) []byte {
	var b []byte
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return b
}
