package metadata

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf16"
)

// Bounds on a packet.
const (
	MaxBytes    = 16 << 20
	maxDepth    = 64
	maxElements = 200_000
)

// Namespaces.
const (
	nsX      = "adobe:ns:meta/"
	nsRDF    = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsMWG    = "http://www.metadataworkinggroup.com/schemas/regions/"
	nsDim    = "http://ns.adobe.com/xap/1.0/sType/Dimensions#"
	nsArea   = "http://ns.adobe.com/xmp/sType/Area#"
	nsIPTC   = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
	nsTIFF   = "http://ns.adobe.com/tiff/1.0/"
	nsMP     = "http://ns.microsoft.com/photo/1.2/"
	nsMPRI   = "http://ns.microsoft.com/photo/1.2/t/RegionInfo#"
	nsMPReg  = "http://ns.microsoft.com/photo/1.2/t/Region#"
	Ours     = "https://nrdl.example/ns/xmp/1.0/" // of what nrdl writes
	xmlnsKey = "xmlns"
)

// An element is one of a packet. Offsets count bytes of the packet.
type element struct {
	name         xml.Name
	attributes   []xml.Attr // without namespaces
	children     []*element
	text         []byte // of the element itself
	start, end   int    // from < of the opening tag to behind > of the closing one
	inner, outer int    // the content; equal to end where the tag closes itself
}

// closesItself reports whether e is one tag, <e/>.
func (e *element) closesItself() bool { return e.inner == e.end }

// ErrEmpty is the error of a packet without content.
var ErrEmpty = errors.New("it is empty")

var errTooLarge = errors.New("the XMP packet is too large")

// plain returns packet as UTF-8, without what stands behind its last element.
func plain(packet []byte) ([]byte, error) {
	if len(packet) > MaxBytes {
		return nil, errTooLarge
	}
	if len(packet) >= 2 &&
		(packet[0] == 0 || packet[1] == 0 || bytes.HasPrefix(packet, []byte{0xff, 0xfe}) || bytes.HasPrefix(packet, []byte{0xfe, 0xff})) {
		little := packet[1] == 0 || packet[0] == 0xff
		units := make([]uint16, len(packet)/2)
		for i := range units {
			lo, hi := packet[2*i], packet[2*i+1]
			if !little {
				lo, hi = hi, lo
			}
			units[i] = uint16(hi)<<8 | uint16(lo)
		}
		return []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")), nil
	}
	return packet, nil
}

// declared matches the encoding that a packet says it has.
var declared = regexp.MustCompile(`^(?:\x{feff})?\s*<\?xml[^>]*\sencoding\s*=\s*["']([^"']*)`)

// isUTF8 reports whether offsets in packet are those of a tree of it, and whether text in UTF-8 may
// stand in it.
func isUTF8(packet []byte) bool {
	p, err := plain(packet)
	m := declared.FindSubmatch(packet)
	return err == nil && bytes.Equal(p, packet) && (m == nil || strings.EqualFold(string(m[1]), "utf-8"))
}

// parse returns the root element of packet, x:xmpmeta or rdf:RDF.
func parse(packet []byte) (*element, error) {
	packet, err := plain(packet)
	if err != nil {
		return nil, err
	}
	packet = bytes.TrimRight(packet, "\x00") // some programs end a packet so
	if len(bytes.TrimSpace(packet)) == 0 {
		return nil, ErrEmpty
	}
	d := xml.NewDecoder(bytes.NewReader(packet))
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) { return in, nil }
	var open []*element
	var root *element
	n := 0
	for {
		before := int(d.InputOffset())
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && root != nil, err != nil && root != nil && len(open) == 0:
			return root, nil
		case err != nil:
			return nil, fmt.Errorf("parse XMP: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if n++; n > maxElements || len(open) >= maxDepth {
				return nil, errTooLarge
			}
			e := &element{name: t.Name, start: before, inner: int(d.InputOffset())}
			for _, a := range t.Attr {
				if a.Name.Space != xmlnsKey && a.Name.Local != xmlnsKey {
					e.attributes = append(e.attributes, a)
				}
			}
			if len(open) > 0 {
				up := open[len(open)-1]
				up.children = append(up.children, e)
			} else if root == nil {
				root = e
			}
			open = append(open, e)
		case xml.EndElement:
			e := open[len(open)-1]
			e.outer, e.end = before, int(d.InputOffset())
			open = open[:len(open)-1]
			if len(open) == 0 {
				return root, nil // padding and xpacket follow
			}
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text = append(open[len(open)-1].text, t...)
			}
		}
	}
}

// is reports whether e is the element local of namespace space.
func (e *element) is(space, local string) bool {
	return e.name.Space == space && e.name.Local == local
}

// child returns the first child of a name; nil if there is none.
func (e *element) child(space, local string) *element {
	for _, c := range e.children {
		if c.is(space, local) {
			return c
		}
	}
	return nil
}

// attribute returns the value of an attribute.
func (e *element) attribute(space, local string) (string, bool) {
	for _, a := range e.attributes {
		if a.Name.Space == space && a.Name.Local == local {
			return a.Value, true
		}
	}
	return "", false
}

// descriptions are the top rdf:Description elements below root.
func descriptions(root *element) []*element {
	rdf := root
	if !rdf.is(nsRDF, "RDF") {
		rdf = root.child(nsRDF, "RDF")
	}
	return rdf.all("Description")
}

// all are the children of e, if there is e, with this name of RDF.
func (e *element) all(name string) []*element {
	if e == nil {
		return nil
	}
	var all []*element
	for _, c := range e.children {
		if c.is(nsRDF, name) {
			all = append(all, c)
		}
	}
	return all
}

// structs are the elements whose attributes and children are the fields of the structure that
// e holds, in one of the forms of RDF: parseType="Resource", attributes of e itself, or a
// description inside.
func (e *element) structs() []*element {
	all := []*element{e}
	for _, c := range e.children {
		if c.is(nsRDF, "Description") || c.is(nsRDF, "value") {
			all = append(all, c)
		}
	}
	return all
}

// field returns the field of the structure that e holds as an element; nil if it is none or an
// attribute.
func (e *element) field(space, local string) *element {
	for _, s := range e.structs() {
		if c := s.child(space, local); c != nil {
			return c
		}
	}
	return nil
}

// value returns the text of a field of the structure that e holds.
func (e *element) value(space, local string) string {
	for _, s := range e.structs() {
		if v, ok := s.attribute(space, local); ok {
			return strings.TrimSpace(v)
		}
		if c := s.child(space, local); c != nil {
			return c.simple()
		}
	}
	return ""
}

// simple is the text that e holds: its own, that of rdf:value, or that of the first item of an
// rdf:Alt.
func (e *element) simple() string {
	for _, s := range e.structs() {
		if v := s.child(nsRDF, "value"); v != nil {
			return strings.TrimSpace(string(v.text))
		}
	}
	if items := e.items(); len(items) > 0 {
		return items[0].simple()
	}
	return strings.TrimSpace(string(e.text))
}

// array is the rdf:Bag, rdf:Seq or rdf:Alt in e; nil if there is none.
func (e *element) array() *element {
	for _, c := range e.children {
		if c.is(nsRDF, "Bag") || c.is(nsRDF, "Seq") || c.is(nsRDF, "Alt") {
			return c
		}
	}
	return nil
}

// items are the rdf:li in the array of e.
func (e *element) items() []*element { return e.array().all("li") }
