package people

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// Whoever waits is served in turn: while one caller has hundreds of images, an image of another one
// begins after at most one of each caller who waits. No more than the slots and the memory are taken,
// whatever comes, and those who leave have no turn.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const slots, memory = 4, 100
		all := newTurns(slots, memory)
		rng := rand.New(rand.NewPCG(1, 2))
		type image struct {
			caller string
			memory int64
			leave  context.CancelFunc
		}
		var mu sync.Mutex
		var begun []*image
		decoding, waiting := map[*image]bool{}, []*image{}
		add := func(caller string, need int64) *image {
			ctx, leave := context.WithCancel(t.Context())
			one := &image{caller, need, leave}
			waiting = append(waiting, one)
			go func() {
				if all.wait(ctx, caller, need) == nil {
					mu.Lock()
					defer mu.Unlock()
					begun = append(begun, one)
				}
			}()
			synctest.Wait()
			return one
		}
		// seen moves what has begun, and checks the bounds.
		seen := func() {
			for _, one := range begun {
				decoding[one] = true
				waiting = slices.DeleteFunc(waiting, func(o *image) bool { return o == one })
			}
			begun = nil
			sum := int64(0)
			for one := range decoding {
				sum += one.memory
			}
			if len(decoding) > slots || sum > memory {
				t.Fatalf("%d images with %d bytes", len(decoding), sum)
			}
		}
		end := func() {
			for one := range decoding {
				delete(decoding, one)
				all.end(one.memory)
				break
			}
			synctest.Wait()
			seen()
		}
		for range 200 {
			add("many", 10)
		}
		seen()
		for i := range 50 {
			one := add(fmt.Sprint("other ", i%3), 10)
			add("third", 10)
			for range 4 { // many, the other one and third, and one of before
				end()
			}
			if slices.Contains(waiting, one) {
				t.Fatalf("image %d of another caller still waits", i)
			}
		}
		for range 2000 { // whatever comes
			switch n := rng.IntN(4); {
			case n < 2:
				add(fmt.Sprint(rng.IntN(5)), 1+rng.Int64N(memory))
				seen()
			case n == 2 && len(waiting) > 0:
				one := waiting[rng.IntN(len(waiting))]
				one.leave()
				waiting = slices.DeleteFunc(waiting, func(o *image) bool { return o == one })
				synctest.Wait()
				seen()
			default:
				end()
			}
		}
		for len(decoding) > 0 {
			end()
		}
		if len(waiting) > 0 || all.slots != slots || all.memory != memory || len(all.queues)+len(all.callers) > 0 {
			t.Errorf("%d wait for ever: %+v", len(waiting), all)
		}
	})
}
