package people

import (
	"errors"
	"math"
	"path/filepath"
	"testing"
	"time"

	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/server/store"
)

// The rate by chance is that of n independent comparisons, and exact where it is small.
func TestResemblance(t *testing.T) {
	t.Parallel()
	law := frontend.Embedding.Law()
	for _, similarity := range []float64{0, 0.3, 0.6, 0.9} {
		l := resemblance(law, 1, 50000, similarity)
		want := 1 - math.Pow(1-l.FMR, 50000)
		if l.FMR != law.FMR(1, similarity) || math.Abs(l.ByChance-want) > 1e-9 || l.ByChance < l.FMR {
			t.Errorf("%v: %+v, not %v", similarity, l, want)
		}
	}
}

// A collection that was deleted does not stay in memory.
func TestDeletedIsForgotten(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v := New(s, Options{})
	c, err := s.CreateCollection(t.Context(), "tester", "x", 0.01, v.Space())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Calibration(t.Context(), c.ID); err != nil || len(v.engine.all) != 1 {
		t.Fatalf("%d collections, %v", len(v.engine.all), err)
	}
	if err := s.DeleteCollection(t.Context(), "tester", c.ID); err != nil {
		t.Fatal(err)
	}
	v.Forget(t.Context(), c.ID)
	if _, err := v.Calibration(t.Context(), c.ID); !errors.Is(err, store.ErrNotFound) || len(v.engine.all) != 0 {
		t.Errorf("%d collections, %v", len(v.engine.all), err)
	}
}

// While a snapshot is made, others get the one before, but not one with a person whom another process erased.
func TestErasedWhileRenewed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := store.Open(ctx, filepath.Join(t.TempDir(), "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v := New(s, Options{})
	c, err := s.CreateCollection(ctx, "tester", "x", 0.01, v.Space())
	if err != nil {
		t.Fatal(err)
	}
	ann, _, err := s.CreatePerson(ctx, "tester", c.ID, "Ann", store.Known, false)
	if err != nil {
		t.Fatal(err)
	}
	before, err := v.engine.snapshot(ctx, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	renewal := &v.engine.all[c.ID].renewal
	renewal.Lock()
	if _, _, err := s.CreatePerson(ctx, "tester", c.ID, "Ben", store.Known, false); err != nil {
		t.Fatal(err)
	}
	if got, err := v.engine.snapshot(ctx, c.ID); got != before || err != nil {
		t.Errorf("%v, and not the snapshot before: %v", got, err)
	}
	if _, err := s.ErasePerson(ctx, "tester", c.ID, ann.ID, nil); err != nil {
		t.Fatal(err)
	}
	after := make(chan *snapshot)
	go func() {
		got, err := v.engine.snapshot(ctx, c.ID)
		if err != nil {
			t.Error(err)
		}
		after <- got
	}()
	select {
	case got := <-after:
		t.Errorf("%v came before it was made", got.people)
	case <-time.After(50 * time.Millisecond):
		renewal.Unlock()
		if got := <-after; got == nil || got.has(ann.ID) || len(got.people) != 1 {
			t.Errorf("%+v", got)
		}
	}
}
