package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/studies/internal/cputime"
)

// load has many clients identify photographs at once. The throughput is compared with
// that of the library on the same photographs, which is what nrdl identify does: by the
// clock, where the clients take processor time too, and by processor time.
func load(dir string) error {
	of, _, err := drawn(dir, 20)
	if err != nil {
		return err
	}
	var photos [][]byte
	for _, some := range of {
		photos = append(photos, some...)
	}
	images, err := nrdl.Read(context.Background(), filepath.Join(dir, "photos", "people"), nrdl.ReadOptions{})
	if err != nil {
		return err
	}
	r, err := nrdl.Train(context.Background(), images, nrdl.Defaults(images))
	if err != nil {
		return err
	}
	const rounds = 10
	library, rate := math.Inf(1), 0. // processor seconds a photograph, photographs a second
	for range 2 {
		before, begun := cputime.Used(), time.Now()
		n := 0
		for _, err := range r.IdentifyAll(context.Background(), func(yield func(nrdl.Photo) bool) {
			for range rounds {
				for _, data := range photos {
					if !yield(nrdl.Photo{Name: "photo", Load: func() ([]byte, error) { return data, nil }}) {
						return
					}
				}
			}
		}) {
			if err != nil {
				return err
			}
			n++
		}
		library = min(library, (cputime.Used()-before).Seconds()/float64(n))
		rate = max(rate, float64(n)/time.Since(begun).Seconds())
	}

	p, err := start(filepath.Join(dir, "nrdl.db"), "")
	if err != nil {
		return err
	}
	defer p.kill()
	at, err := collection(p, of)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	statuses := map[int]int{}
	failed := map[string]int{}
	var memory []float64
	end := time.Now().Add(time.Duration(*seconds) * time.Second)
	before := p.used()
	begun := time.Now()
	var all sync.WaitGroup
	for c := range *clients {
		all.Go(func() {
			kind, body := form("photo", photos[c%len(photos)])
			for time.Now().Before(end) {
				a, err := send("POST", at+"/identify", kind, body, "", nil)
				mu.Lock()
				if err != nil {
					failed[err.Error()]++
				} else {
					statuses[a.status]++
				}
				mu.Unlock()
				if wait, _ := strconv.Atoi(a.header.Get("Retry-After")); wait > 0 {
					time.Sleep(time.Duration(wait) * time.Second)
				}
			}
		})
	}
	for time.Now().Before(end) {
		time.Sleep(time.Second)
		now, _ := p.memory()
		memory = append(memory, now)
	}
	all.Wait()
	took, used := time.Since(begun), p.used()-before
	served, served200 := used.Seconds()/float64(statuses[200]), float64(statuses[200])/took.Seconds()
	third := len(memory) / 3
	mean := func(v []float64) float64 {
		var sum float64
		for _, x := range v {
			sum += x
		}
		return sum / float64(len(v))
	}
	fmt.Printf("| clients | seconds | answers 200 | 429 | others | photographs/s | of the library | processor time a photograph | of the library | memory, second and last third |\n|---|---|---|---|---|---|---|---|---|---|\n")
	fmt.Printf("| %d | %.0f | %d | %d | %d | %.1f | %.1f (%.0f %%) | %.1f ms | %.1f ms (%.0f %%) | %.0f MB, %.0f MB |\n", *clients, took.Seconds(), statuses[200], statuses[429],
		total(statuses)-statuses[200]-statuses[429]+total(failed), served200, rate, 100*served200/rate, served*1000, library*1000, 100*library/served,
		mean(memory[third:2*third]), mean(memory[2*third:]))
	for k, n := range statuses {
		if k != 200 && k != 429 {
			fmt.Printf("status %d: %d\n", k, n)
		}
	}
	for k, n := range failed {
		fmt.Printf("%d times: %s\n", n, k)
	}
	return nil
}

func total[K comparable](counts map[K]int) (n int) {
	for _, v := range counts {
		n += v
	}
	return n
}

// refit measures how fast photographs are identified one after another, without other
// work and while refits make the vectors of faces anew.
func refit(dir string) error {
	of, _, err := drawn(dir, 20)
	if err != nil {
		return err
	}
	database := filepath.Join(dir, "nrdl.db")
	p, err := start(database, "")
	if err != nil {
		return err
	}
	at, err := collection(p, of)
	if err != nil {
		p.kill()
		return err
	}
	p.kill()
	other, err := withoutVectors(database, at, 2000)
	if err != nil {
		return err
	}
	if p, err = start(database, ""); err != nil {
		return err
	}
	defer p.kill()
	at = p.url + at[len("http://127.0.0.1:00000"):]
	for _, some := range of {
		kind, body := form("photo", some[0])
		measure := func() ([]time.Duration, error) {
			var times []time.Duration
			for end := time.Now().Add(time.Duration(*seconds) * time.Second / 2); time.Now().Before(end); {
				begun := time.Now()
				if err := mustSend("POST", at+"/identify", kind, body, nil); err != nil {
					return nil, err
				}
				times = append(times, time.Since(begun))
				time.Sleep(10 * time.Millisecond)
			}
			return times, nil
		}
		idle, err := measure()
		if err != nil {
			return err
		}
		var j struct {
			ID, State string
			Progress  struct{ Done int }
			Result    json.RawMessage
		}
		if err := must("POST", p.url+"/v1/collections/"+other+"/jobs", object{"kind": "refit"}, &j); err != nil {
			return err
		}
		busy, err := measure()
		if err != nil {
			return err
		}
		if err := must("GET", p.url+"/v1/collections/"+other+"/jobs/"+j.ID, nil, &j); err != nil {
			return err
		}
		fmt.Printf("| | requests | median | p99 |\n|---|---|---|---|\n")
		fmt.Printf("| without other work | %d | %.0f ms | %.0f ms |\n", len(idle), quantile(idle, 0.5), quantile(idle, 0.99))
		fmt.Printf("| while a refit makes vectors (%d made, then %s) | %d | %.0f ms | %.0f ms |\n", j.Progress.Done, j.State, len(busy), quantile(busy, 0.5), quantile(busy, 0.99))
		return nil
	}
	return nil
}
