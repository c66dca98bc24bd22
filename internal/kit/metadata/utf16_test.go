package metadata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

// inUTF16 is text in UTF-16, with or without a byte order mark.
func inUTF16(text string, order binary.AppendByteOrder, mark bool) []byte {
	var b []byte
	if mark {
		b = order.AppendUint16(b, 0xfeff)
	}
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return b
}

// Offsets of the tree of a packet in UTF-16 are not those of its bytes, also where it is as long in
// UTF-8: it is left as it is.
func TestUTF16StaysAsItIs(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 9))
	equal := 0
	for range 10_000 {
		// Two bytes in UTF-16 are one in UTF-8 (a), two (é) or three (語): each 語 makes up for an a.
		var text strings.Builder
		for range rng.IntN(300) {
			text.WriteRune([]rune("aé語語語語語語")[rng.IntN(8)])
		}
		packet := `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="` + nsRDF +
			`"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>` +
			text.String() + `</dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`
		if rng.IntN(2) == 0 { // as long as in UTF-8
			if n := len(inUTF16(packet, binary.LittleEndian, false)) - len(packet); n > 0 {
				packet = strings.Replace(packet, "<dc:title>", "<dc:title>"+strings.Repeat("語", n), 1)
			} else {
				packet = strings.Replace(packet, "<dc:title>", "<dc:title>"+strings.Repeat("a", -n), 1)
			}
		}
		order := []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian}[rng.IntN(2)]
		data := inUTF16(packet, order, rng.IntN(2) == 0)
		if p, err := plain(data); err != nil || string(p) != packet {
			t.Fatalf("%q is read as %q, %v", packet, p, err)
		}
		if len(data) == len(packet) {
			equal++
		}
		before := bytes.Clone(data)
		got, err := Add(data,
			&Addition{Faces: []Face{{Area: Area{0.1, 0.1, 0.2, 0.2}, Name: "Ann"}}, Names: []string{"Ann"}, Width: 40, Height: 30})
		if !errors.Is(err, ErrForm) {
			t.Fatalf("%d bytes became %q, %v", len(data), got, err)
		}
		if got, err := Remove(data); err != nil || !bytes.Equal(got, before) {
			t.Fatalf("removing changed %d bytes: %v", len(data), err)
		}
	}
	if equal < 1000 {
		t.Errorf("only %d packets are as long in UTF-8", equal)
	}
}

// What nrdl wrote, and another program has saved in UTF-16, is not taken back by offsets in UTF-8.
func TestRemoveFromUTF16(t *testing.T) {
	written, err := Add(Empty(), &Addition{Names: []string{strings.Repeat("語", 400)}})
	if err != nil {
		t.Fatal(err)
	}
	data := inUTF16(string(written), binary.LittleEndian, true)
	if got, err := Remove(data); !errors.Is(err, ErrForm) {
		t.Errorf("%q, %v", got, err)
	}
}

// A packet that says it is in another encoding gets no text in UTF-8, which its readers would take for
// other letters.
func TestOtherEncodings(t *testing.T) {
	for label, ok := range map[string]bool{"UTF-8": true, "utf-8": true, "ISO-8859-1": false, "windows-1252": false} {
		packet := []byte(`<?xml version="1.0" encoding="` + label + `"?><rdf:RDF xmlns:rdf="` + nsRDF + `"></rdf:RDF>`)
		if _, err := Add(packet, &Addition{Names: []string{"Jürgen"}}); (err == nil) != ok {
			t.Errorf("%s: %v", label, err)
		}
	}
}
