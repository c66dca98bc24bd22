package server

import (
	"testing"

	"nrdl.example/nrdl/faces/dataset"
)

// The default shares of requests and images fit into the memory, however little there is, and larger
// ones are refused.
func TestShares(t *testing.T) {
	t.Parallel()
	for memory := int64(24_000_000); memory <= dataset.MaxDecoding; memory += 7_000_000 {
		var o Options
		o.Bodies, o.MaxImageBytes = shares(memory)
		if err := o.fits(memory); err != nil || o.Bodies <= 0 || o.MaxImageBytes <= 0 {
			t.Errorf("%d: %+v, %v", memory, o, err)
		}
		if o.MaxImageBytes++; memory < dataset.MaxDecoding && o.fits(memory) == nil {
			t.Errorf("%d: more than there is is taken", memory)
		}
	}
}
