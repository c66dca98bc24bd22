package index

import (
	"bytes"
	"encoding/binary"
)

// mostChanges of a state follow each other: then it is written whole. mostChanged bounds
// what changes may make of a state of unknown origin.
const (
	mostChanges = 64
	mostChanged = 1 << 26
)

// pieceEnd ends the pieces of a state that a change keeps or replaces: of JSON, elements
// of a list that end with a list.
var pieceEnd = []byte("]}")

// piece is the first piece of b.
func piece(b []byte) []byte {
	if i := bytes.Index(b, pieceEnd); i >= 0 {
		return b[:i+len(pieceEnd)]
	}
	return b
}

// change returns how state b follows from a: pairs of bytes that are new, and of a part
// of a.
func change(a, b []byte) []byte {
	where := map[string]int{}
	for at := 0; at < len(a); {
		p := piece(a[at:])
		where[string(p)] = at
		at += len(p)
	}
	var out, fresh []byte
	from, n := 0, 0
	end := func() {
		out = append(binary.AppendUvarint(out, uint64(len(fresh))), fresh...)
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(from)), uint64(n))
		fresh, n = nil, 0
	}
	for len(b) > 0 {
		p := piece(b)
		b = b[len(p):]
		if n > 0 && bytes.HasPrefix(a[from+n:], p) {
			n += len(p)
			continue
		}
		if n > 0 {
			end()
		}
		if at, found := where[string(p)]; found {
			from, n = at, len(p)
			continue
		}
		fresh = append(fresh, p...)
	}
	end()
	return out
}

// applyChange is the inverse of change.
func applyChange(a, change []byte) (b []byte, err error) {
	next := func() (n int) {
		v, used := binary.Uvarint(change)
		if used <= 0 || v > mostMeta {
			return -1
		}
		change = change[used:]
		return int(v)
	}
	b = []byte{}
	for len(change) > 0 {
		n := next()
		if n < 0 || n > len(change) {
			return nil, damaged("a change of a state is cut short")
		}
		b, change = append(b, change[:n]...), change[n:]
		from, k := next(), 0
		if from >= 0 {
			k = next()
		}
		if from < 0 || k < 0 || from+k > len(a) || len(b)+k > mostChanged {
			return nil, damaged("a change of a state has parts that are not there")
		}
		b = append(b, a[from:from+k]...)
	}
	return b, nil
}
