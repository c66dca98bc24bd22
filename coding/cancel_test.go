package coding_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

func TestCodeReturnsTheCauseOfACancelledContext(t *testing.T) {
	why := errors.New("no time")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	d, y := faces(20, 40, 4, 5, 0.02), faces(21, 40, 4, 2, 0.02)
	eachCoder(t, func(t *testing.T, c coding.Coder) {
		over, err := c.Over(coding.Basis{D: d})
		if err != nil {
			t.Fatal(err)
		}
		if err := over.Code(ctx, mat.NewDense(20, 8, nil), y); !errors.Is(err, why) {
			t.Errorf("the error is %v", err)
		}
	})
}

// A countdown is cancelled once it was asked left times.
type countdown struct {
	context.Context
	left  int64
	asked *atomic.Int64
}

func (c countdown) Err() error {
	if c.asked.Add(1) > c.left {
		return context.Canceled
	}
	return nil
}

// TestCodeStopsInTheMiddle: every coder asks often, and no more than a few
// times once the answer is that it must stop.
func TestCodeStopsInTheMiddle(t *testing.T) {
	d, y := faces(22, 40, 4, 5, 0.02), faces(23, 40, 4, 300, 0.02)
	eachCoder(t, func(t *testing.T, c coding.Coder) {
		over, err := c.Over(coding.Basis{D: d})
		if err != nil {
			t.Fatal(err)
		}
		ctx := countdown{context.Background(), 2, new(atomic.Int64)}
		if err := over.Code(ctx, mat.NewDense(20, 1200, nil), y); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		if asked := ctx.asked.Load(); asked > 1300 { // once a column that is left
			t.Errorf("asked %d times", asked)
		}
	})
}
