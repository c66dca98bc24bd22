package metadata

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// Compressed packets that are long together are refused, however short the file is.
func TestPacketsAreBoundedTogether(t *testing.T) {
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(make([]byte, maxBytes/2+1)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	body := append([]byte(keyword+"\x01\x00\x00\x00"), packed.Bytes()...)
	chunk := slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(len(body))), []byte("iTXt"), body, make([]byte, 4))
	file := slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk, chunk)
	if _, err := Read(bytes.NewReader(file), int64(len(file))); !errors.Is(err, errTooLong) {
		t.Errorf("two packets in %d bytes: error %v", len(file), err)
	}
}
