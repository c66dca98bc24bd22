package packed

import (
	"bytes"
	"testing"
)

func TestPack(t *testing.T) {
	for _, data := range [][]byte{{}, []byte("a"), bytes.Repeat([]byte("abcdefg"), 1<<16)} {
		small, err := Pack(data)
		if err != nil || !bytes.Equal(Bytes(small), data) || len(data) > 1000 && len(small) > len(data)/10 {
			t.Errorf("%d bytes become %d (%v)", len(data), len(small), err)
		}
	}
}

// Damaged data are our bug.
func TestDamaged(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Bytes([]byte("nothing"))
}
