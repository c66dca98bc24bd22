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

	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/tools/internal/cputime"
)

// load has many clients identify photographs at once. The throughput is compared with
// that of the library on the same photographs, which is what nrdl identify does: by the
// clock, where the clients take processor time too, and by processor time. A client that
// gets the status 429 comes back later, which usual tools for loads do not.
func load(dir string) error {
	of, _, err := drawn(dir, 20)
	if err != nil {
		return err
	}
	var photos [][]byte
	for _, some := range of {
		photos = append(photos, some...)
	}
	library, rate, err := alone(filepath.Join(dir, "photos", "people"), photos)
	if err != nil {
		return err
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
	answers := answers{statuses: map[int]int{}, failures: map[string]int{}}
	var memory []float64
	end := time.Now().Add(time.Duration(*seconds) * time.Second)
	before := p.used()
	begun := time.Now()
	var all sync.WaitGroup
	for c := range *clients {
		all.Go(func() { answers.client(at, photos[c%len(photos)], end) })
	}
	for time.Now().Before(end) {
		time.Sleep(time.Second)
		now, _ := p.memory()
		memory = append(memory, now)
	}
	all.Wait()
	took, used := time.Since(begun), p.used()-before
	n := answers.statuses
	served, served200 := used.Seconds()/float64(n[200]), float64(n[200])/took.Seconds()
	third := len(memory) / 3
	fmt.Printf("| clients | seconds | answers 200 | 429 | others | photographs/s | of the library | processor time a " +
		"photograph | of the library | memory, second and last third |\n|---|---|---|---|---|---|---|---|---|---|\n")
	fmt.Printf("| %d | %.0f | %d | %d | %d | %.1f | %.1f (%.0f %%) | %.1f ms | %.1f ms (%.0f %%) | %.0f MB, %.0f MB |\n",
		*clients, took.Seconds(), n[200], n[429],
		total(n)-n[200]-n[429]+total(answers.failures), served200, rate, 100*served200/rate, served*1000, library*1000, 100*library/served,
		stat.Mean(memory[third:2*third], nil), stat.Mean(memory[2*third:], nil))
	for k, n := range n {
		if k != 200 && k != 429 {
			fmt.Printf("status %d: %d\n", k, n)
		}
	}
	for k, n := range answers.failures {
		fmt.Printf("%d times: %s\n", n, k)
	}
	return nil
}

// alone trains the library on a folder of people, and returns its processor seconds a
// photograph and photographs a second.
func alone(folder string, photos [][]byte) (seconds, rate float64, err error) {
	ctx := context.Background()
	images, err := faces.Read(ctx, folder, faces.ReadOptions{})
	if err != nil {
		return 0, 0, err
	}
	r, err := faces.Train(ctx, images, faces.Defaults(images))
	if err != nil {
		return 0, 0, err
	}
	const rounds = 10
	many := func(yield func(faces.Photo) bool) {
		for range rounds {
			for _, data := range photos {
				if !yield(faces.Photo{Name: "photo", Load: func() ([]byte, error) { return data, nil }}) {
					return
				}
			}
		}
	}
	seconds = math.Inf(1)
	for range 2 {
		before, begun := cputime.Used(), time.Now()
		for _, err := range r.IdentifyAll(ctx, many) {
			if err != nil {
				return 0, 0, err
			}
		}
		n := float64(rounds * len(photos))
		seconds = min(seconds, (cputime.Used()-before).Seconds()/n)
		rate = max(rate, n/time.Since(begun).Seconds())
	}
	return seconds, rate, nil
}

// answers counts those that clients got, by status and by error.
type answers struct {
	mu       sync.Mutex
	statuses map[int]int
	failures map[string]int
}

// client asks the collection at for the name of a photograph until end.
func (a *answers) client(at string, photo []byte, end time.Time) {
	kind, body := form("photo", photo)
	for time.Now().Before(end) {
		got, err := send("POST", at+"/identify", kind, body, "", nil)
		a.mu.Lock()
		if err != nil {
			a.failures[err.Error()]++
		} else {
			a.statuses[got.status]++
		}
		a.mu.Unlock()
		if wait, _ := strconv.Atoi(got.header.Get("Retry-After")); wait > 0 {
			time.Sleep(time.Duration(wait) * time.Second)
		}
	}
}

func total[K comparable](counts map[K]int) (n int) {
	for _, v := range counts {
		n += v
	}
	return n
}

// identifyTimes measures how long photo takes in the collection at an address, one request
// after another for half of the seconds.
func identifyTimes(at string, photo []byte) (times []time.Duration, err error) {
	kind, body := form("photo", photo)
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

// refit measures how fast photographs are identified one after another, without other
// work and while refits make the vectors of faces again.
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
		idle, err := identifyTimes(at, some[0])
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
		busy, err := identifyTimes(at, some[0])
		if err != nil {
			return err
		}
		if err := must("GET", p.url+"/v1/collections/"+other+"/jobs/"+j.ID, nil, &j); err != nil {
			return err
		}
		fmt.Printf("| | requests | median | p99 |\n|---|---|---|---|\n")
		fmt.Printf("| without other work | %d | %.0f ms | %.0f ms |\n", len(idle), quantile(idle, 0.5), quantile(idle, 0.99))
		fmt.Printf("| while a refit makes vectors (%d made, then %s) | %d | %.0f ms | %.0f ms |\n",
			j.Progress.Done, j.State, len(busy), quantile(busy, 0.5), quantile(busy, 0.99))
		return nil
	}
	return nil
}
