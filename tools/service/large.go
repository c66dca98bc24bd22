package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"time"

	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/server/store"
)

// space is how the service calls the vectors of the network that is built in.
func space() (string, int) {
	f := frontend.Embedding.Embedder.Frame()
	return f.String() + " sha256=" + f.Embedding.Digest, f.Len()
}

// near is a random vector of unit norm, near to another one unless that is nil.
func near(rng *rand.Rand, to []float32, n int) []float32 {
	v := make([]float32, n)
	norm := 0.0
	for i := range v {
		x := rng.NormFloat64()
		if to != nil {
			x = float64(to[i]) + 0.3*x/math.Sqrt(float64(n))
		}
		v[i] = float32(x)
		norm += x * x
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(norm))
	}
	return v
}

const quality = `{"eyes":60,"sharpness":0.5,"exposure":1,"angle":0,"detection":100}`

// large measures a collection with many people: how long the service takes from its start
// to the first answer about it, how much longer a photograph takes than with few people,
// and how long it takes until a face is enrolled and used.
func large(dir string) error {
	of, _, err := drawn(dir, 3)
	if err != nil {
		return err
	}
	database := filepath.Join(dir, "nrdl.db")
	rng := rand.New(rand.NewPCG(1, 2))
	id, last, err := fill(context.Background(), database, rng, true)
	if err != nil {
		return err
	}
	in, n := space()
	begun := time.Now()
	p, err := start(database, "")
	if err != nil {
		return err
	}
	defer p.kill()
	at := p.url + "/v1/collections/" + id
	var calibration struct{ People, Faces int }
	if err := must("GET", at+"/calibration", nil, &calibration); err != nil {
		return err
	}
	started := time.Since(begun)
	if calibration.People != *people {
		return fmt.Errorf("%+v", calibration)
	}

	small, err := collection(p, of)
	if err != nil {
		return err
	}
	kind, body := form("photo", first(of))
	identify := func(at string) (time.Duration, error) {
		begun := time.Now()
		err := mustSend("POST", at+"/identify", kind, body, nil)
		return time.Since(begun), err
	}
	const times = 200
	few, many, err := alternately(times, identify, small, at)
	if err != nil {
		return err
	}
	var enrolled, both []time.Duration
	var cost time.Duration // processor time of all enrolments
	for range times {
		begun, used := time.Now(), p.used()
		if err := must("POST", at+"/people/"+last+"/vectors", object{"vector": near(rng, nil, n), "space": in}, nil); err != nil {
			return err
		}
		took := time.Since(begun)
		cost += p.used() - used
		b, err := identify(at)
		if err != nil {
			return err
		}
		enrolled, both = append(enrolled, took), append(both, b)
	}
	now, peak := p.memory()
	fmt.Printf("| people × faces | start | identify, 3 people | identify | after an enrolment | enrol a vector: median " +
		"| p95 | processor time | memory now, at most |\n|---|---|---|---|---|---|---|---|---|\n")
	fmt.Printf("| %d × %d | %.1f s | %.0f ms | %.0f ms | %.0f ms | %.0f ms | %.0f ms | %.0f ms | %.0f MB, %.0f MB |\n",
		*people, each, started.Seconds(),
		quantile(few, 0.5), quantile(many, 0.5), quantile(both, 0.5), quantile(enrolled, 0.5),
		quantile(enrolled, 0.95), float64(cost.Milliseconds())/times, now, peak)
	return nil
}

// search measures how long a search among many faces of nobody takes, and one after a face was
// added.
func search(dir string) error {
	of, _, err := drawn(dir, 3)
	if err != nil {
		return err
	}
	database := filepath.Join(dir, "nrdl.db")
	id, _, err := fill(context.Background(), database, rand.New(rand.NewPCG(1, 2)), false)
	if err != nil {
		return err
	}
	p, err := start(database, "")
	if err != nil {
		return err
	}
	defer p.kill()
	at := p.url + "/v1/collections/" + id
	var begin time.Duration
	var one, changed []time.Duration
	var cost [2]time.Duration // processor time of searches but the first, and of those after a change
	const times = 200
	kind, body := form("photo", first(of))
	for i := range times {
		if i >= times/2 { // each face is new to the search then
			if err := mustSend("POST", at+"/faces", kind, body, nil); err != nil {
				return err
			}
		}
		begun, used := time.Now(), p.used()
		if err := mustSend("POST", at+"/search", kind, body, nil); err != nil {
			return err
		}
		if i > 0 {
			cost[2*i/times] += p.used() - used
		}
		switch took := time.Since(begun); {
		case i == 0:
			begin = took
		case i < times/2:
			one = append(one, took)
		default:
			changed = append(changed, took)
		}
	}
	now, peak := p.memory()
	fmt.Printf("| faces of nobody | first search | search: median | p95 | processor time | after a face was added: " +
		"median | p95 | processor time | memory now, at most |\n|---|---|---|---|---|---|---|---|---|\n")
	fmt.Printf("| %d | %.1f s | %.0f ms | %.0f ms | %.0f ms | %.0f ms | %.0f ms | %.0f ms | %.0f MB, %.0f MB |\n",
		*people*each, begin.Seconds(),
		quantile(one, 0.5), quantile(one, 0.95), float64(cost[0].Milliseconds())/(times/2-1),
		quantile(changed, 0.5), quantile(changed, 0.95), float64(cost[1].Milliseconds())/(times/2), now, peak)
	return nil
}

// first is a photograph, the same in every run: of some, no detector is sure, and these take
// several times as long.
func first(of map[string][][]byte) []byte { return of[slices.Min(slices.Collect(maps.Keys(of)))][0] }

// alternately measures identify at a and at b in turn.
func alternately(times int, identify func(at string) (time.Duration, error), a, b string) (atA, atB []time.Duration, err error) {
	for range times {
		first, err := identify(a)
		if err != nil {
			return nil, nil, err
		}
		second, err := identify(b)
		if err != nil {
			return nil, nil, err
		}
		atA, atB = append(atA, first), append(atB, second)
	}
	return atA, atB, nil
}

// each is the number of vectors of a person.
const each = 5

// fill makes a collection of drawn people in a new database, whose faces are of nobody yet
// unless named is set, and returns its id and that of the last person.
func fill(ctx context.Context, database string, rng *rand.Rand, named bool) (id, last string, err error) {
	db, err := store.Open(ctx, database)
	if err != nil {
		return "", "", err
	}
	defer db.Close()
	in, n := space()
	c, err := db.CreateCollection(ctx, "bench", "large", 0.01, in)
	if err != nil {
		return "", "", err
	}
	for i := range *people {
		var p store.Person
		if named {
			if p, _, err = db.CreatePerson(ctx, "bench", c.ID, fmt.Sprintf("person %d", i), store.Known, true); err != nil {
				return "", "", err
			}
		}
		centre := near(rng, nil, n)
		faces := make([]store.NewFace, each)
		for j := range faces {
			faces[j] = store.NewFace{Face: store.Face{Source: store.Vector, Quality: []byte(quality)}, Space: in, Vector: near(rng, centre, n)}
		}
		if _, err := db.AddFaces(ctx, "bench", c.ID, nil, p.ID, faces); err != nil {
			return "", "", err
		}
		last = p.ID
	}
	return c.ID, last, nil
}

// withoutVectors adds a collection with many faces whose crops are those of the collection
// at, and whose vectors are of another network that is gone. It returns its id.
func withoutVectors(database, at string, faces int) (string, error) {
	ctx := context.Background()
	db, err := store.Open(ctx, database)
	if err != nil {
		return "", err
	}
	defer db.Close()
	from := path.Base(at)
	all, err := db.Faces(ctx, from, nil, "", faces)
	if err != nil {
		return "", err
	}
	c, err := db.CreateCollection(ctx, "bench", "old", 0.01, "old")
	if err != nil {
		return "", err
	}
	for i := range faces {
		crop, err := db.Crop(ctx, from, all[i%len(all)].ID)
		if err != nil {
			return "", err
		}
		f := []store.NewFace{{Face: store.Face{Source: store.Upload, Quality: []byte(quality)}, Crop: crop, Space: "old", Vector: []float32{1}}}
		if _, err := db.AddFaces(ctx, "bench", c.ID, nil, "", f); err != nil {
			return "", err
		}
	}
	return c.ID, nil
}
