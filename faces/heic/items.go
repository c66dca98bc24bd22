package heic

import (
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"io"
	"slices"

	"nrdl.example/nrdl/internal/kit/metadata"
)

// A container is the structure of a HEIC or AVIF file: items, one of which is the photograph.
type container struct {
	data          []byte
	inner         []byte // the content of the box idat, which holds data of items
	items         map[uint32]*item
	primary       *item
	width, height int  // of the photograph before it is turned
	videoRange    bool // luma 16 … 235, chroma 16 … 240, and not 0 … 255
}

// An item is an image in a file, coded or made of others.
type item struct {
	id         uint32
	kind       string
	extents    []metadata.Extent
	properties []metadata.Box // in their order
	parts      []uint32       // items of which it is made
	alpha      uint32         // item with its transparency; 0 without one
}

// property returns the content of the first property of a kind, nil if there is none.
func (i *item) property(kind string) []byte {
	for _, p := range i.properties {
		if p.Kind == kind {
			return p.Content
		}
	}
	return nil
}

// size returns the width and height that the file claims for i, 0×0 if it does not.
func (i *item) size() (int, int) {
	b := i.property("ispe")
	if len(b) < 12 {
		return 0, 0
	}
	return int(binary.BigEndian.Uint32(b[4:])), int(binary.BigEndian.Uint32(b[8:]))
}

// noStill is the error of a file without a still image; moves is whether it has moving ones.
func noStill(moves bool) error {
	if moves {
		return unsupported("a sequence of images, without a still one")
	}
	return errors.New("it holds no still image")
}

// read returns the structure of data.
func read(data []byte) (*container, error) {
	boxes, err := metadata.Boxes(data)
	if err != nil {
		return nil, err
	}
	var meta []byte
	moves := false
	for _, b := range boxes {
		switch {
		case b.Kind == "moov":
			moves = true
		case b.Kind == "meta" && meta == nil:
			meta = b.Content
		case b.Kind == "mini":
			return nil, unsupported("its image is described in short form (a box mini)")
		}
	}
	if meta == nil {
		return nil, noStill(moves)
	}
	all, err := metadata.ReadItems(meta)
	if err != nil {
		return nil, err
	}
	f := &container{data: data, inner: all.Data, items: map[uint32]*item{}}
	for _, i := range all.Items {
		f.items[i.ID] = &item{id: i.ID, kind: i.Kind, extents: i.Extents, properties: i.Properties}
	}
	for _, r := range all.References {
		from := f.items[r.Source]
		switch {
		case from == nil || len(r.Targets) == 0:
		case r.Kind == "dimg":
			from.parts = append(from.parts, r.Targets...)
		case r.Kind == "auxl" && isAlpha(from.property("auxC")):
			for _, to := range r.Targets {
				if of := f.items[to]; of != nil {
					of.alpha = from.id
				}
			}
		}
	}
	if f.primary = f.items[all.Primary]; f.primary == nil {
		return nil, noStill(moves)
	}
	if f.width, f.height = f.primary.size(); f.width == 0 && f.height == 0 {
		return nil, errors.New("it does not tell the size of its image")
	}
	if f.width <= 0 || f.height <= 0 {
		return nil, metadata.ErrBoxes
	}
	f.videoRange = !f.isAVIF() && f.colours(f.primary, maxDepth).video // the decoder of AVIF makes RGB
	return f, nil
}

// isAlpha reports whether a box auxC is that of transparency.
func isAlpha(auxC []byte) bool {
	const mpeg, hevc = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"
	if len(auxC) < 5 {
		return false
	}
	name := auxC[4:]
	if end := slices.Index(name, 0); end >= 0 {
		name = name[:end]
	}
	return string(name) == mpeg || string(name) == hevc
}

// isAVIF reports whether the photograph is coded by AV1.
func (f *container) isAVIF() bool {
	first := f.primary
	if first.kind == "grid" && len(first.parts) > 0 && f.items[first.parts[0]] != nil {
		first = f.items[first.parts[0]]
	}
	return first.kind == "av01"
}

// A code is what a file says of the numbers for colours.
type code struct {
	video  bool // see container
	planes bool // that are green, blue and red
}

// colours returns the code of an item, or that of the first item of which it is made.
func (f *container) colours(i *item, depth int) code {
	for _, p := range i.properties {
		if p.Kind == "colr" && len(p.Content) >= 11 && string(p.Content[:4]) == "nclx" {
			return code{video: p.Content[10]&0x80 == 0, planes: binary.BigEndian.Uint16(p.Content[8:]) == 0}
		}
	}
	if depth > 0 && len(i.parts) > 0 && f.items[i.parts[0]] != nil {
		return f.colours(f.items[i.parts[0]], depth-1)
	}
	return code{}
}

// content returns the data of an item.
func (f *container) content(i *item) ([]byte, error) {
	var all []byte
	for _, e := range i.extents {
		from := f.data
		if e.InData {
			from = f.inner
		}
		n := uint64(len(from))
		if e.Offset > n || e.Length > n-e.Offset {
			return nil, io.ErrUnexpectedEOF
		}
		length := e.Length
		if length == 0 { // to the end
			length = n - e.Offset
		}
		if len(all)+int(length) > len(f.data) {
			return nil, errStructure
		}
		if len(i.extents) == 1 {
			return from[e.Offset:][:length], nil
		}
		all = append(all, from[e.Offset:][:length]...)
	}
	return all, nil
}

// DecodeConfig returns the size of the photograph in a HEIC or AVIF file, before it is turned
// upright.
func DecodeConfig(data []byte) (image.Config, error) {
	f, err := read(data)
	if err != nil {
		return image.Config{}, err
	}
	return image.Config{ColorModel: color.YCbCrModel, Width: f.width, Height: f.height}, nil
}
