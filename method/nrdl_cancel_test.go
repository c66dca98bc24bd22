package method

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Of many classes an update of P takes a minute: it ends with its context, between classes.
func TestUpdateOfPEndsWithItsContext(t *testing.T) {
	s := midway(t, strong(), positive(rand.New(rand.NewPCG(1, 2)), 5, 2, 3, 2), 2)
	before := mat.DenseCopyOf(s.P)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.ctx = ctx
	if err := s.updateP(); !errors.Is(err, context.Canceled) {
		t.Errorf("the update returns %v", err)
	}
	if !mat.Equal(s.P, before) {
		t.Error("P has changed after the end of the context")
	}
}
