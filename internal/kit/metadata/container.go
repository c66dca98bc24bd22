package metadata

import "encoding/binary"

// Items are what a box meta says of the images in a file.
type Items struct {
	Primary    uint32 // ID of the photograph
	Items      []Item
	References []Reference
	Data       []byte // the content of the box idat
}

// An Item is a part of a file.
type Item struct {
	ID         uint32
	Kind       string
	Extents    []Extent
	Properties []Box // in the order in which they hold

	isXMP bool
}

// A Reference leads from an item to others.
type Reference struct {
	Kind    string
	Source  uint32
	Targets []uint32
}

// ReadItems returns what the content of a box meta says. There are at most maxItems items, and
// ten times as many references and properties of items.
func ReadItems(meta []byte) (*Items, error) {
	if len(meta) < 4 {
		return nil, ErrBoxes
	}
	boxes, err := Boxes(meta[4:])
	if err != nil {
		return nil, err
	}
	all := &Items{}
	content := map[string][]byte{}
	for _, b := range boxes {
		if content[b.Kind] == nil {
			content[b.Kind] = b.Content
		}
	}
	all.Data = content["idat"]
	if p := content["pitm"]; len(p) >= 8 && p[0] > 0 {
		all.Primary = binary.BigEndian.Uint32(p[4:])
	} else if len(p) >= 6 {
		all.Primary = uint32(binary.BigEndian.Uint16(p[4:]))
	}
	index := map[uint64]int{}
	if err := eachItem(content["iinf"], func(id uint64, kind string, names []byte) {
		index[id] = len(all.Items)
		all.Items = append(all.Items, Item{ID: uint32(id), Kind: kind, isXMP: kind == "mime" && isXMP(names)})
	}); err != nil {
		return nil, err
	}
	if err := eachLocation(content["iloc"], func(id uint64, parts []Extent) {
		if i, ok := index[id]; ok {
			all.Items[i].Extents = parts
		}
	}); err != nil {
		return nil, err
	}
	if all.References, err = references(content["iref"]); err != nil {
		return nil, err
	}
	return all, all.associate(content["iprp"], index)
}

// references returns those in the content of a box iref.
func references(iref []byte) ([]Reference, error) {
	if len(iref) < 4 {
		return nil, nil
	}
	boxes, err := Boxes(iref[4:])
	if err != nil || len(boxes) > maxItems {
		return nil, errItems
	}
	size, left := 2, 10*maxItems
	if iref[0] > 0 {
		size = 4
	}
	var all []Reference
	for _, b := range boxes {
		n := &numbers{data: b.Content}
		r := Reference{Kind: b.Kind, Source: uint32(n.next(size))}
		for range n.next(2) {
			if left--; left < 0 || n.short {
				return nil, errItems
			}
			r.Targets = append(r.Targets, uint32(n.next(size)))
		}
		all = append(all, r)
	}
	return all, nil
}

// associate gives items the properties that the content of a box iprp has for them.
func (all *Items) associate(iprp []byte, index map[uint64]int) error {
	boxes, err := Boxes(iprp)
	if err != nil {
		return err
	}
	var properties []Box
	left := 10 * maxItems
	for _, b := range boxes {
		switch {
		case b.Kind == "ipco" && properties == nil:
			if properties, err = Boxes(b.Content); err != nil {
				return err
			}
		case b.Kind == "ipma" && len(b.Content) >= 8:
			n := &numbers{data: b.Content[4:]}
			size, wide := 2, b.Content[3]&1 != 0
			if b.Content[0] > 0 {
				size = 4
			}
			for range n.next(4) {
				id := n.next(size)
				for range n.next(1) {
					if left--; left < 0 || n.short {
						return errItems
					}
					p := n.next(1) & 0x7f
					if wide {
						p = p<<8 | n.next(1)
					}
					if i, ok := index[id]; ok && p > 0 && int(p) <= len(properties) {
						all.Items[i].Properties = append(all.Items[i].Properties, properties[p-1])
					}
				}
				if n.short {
					return errItems
				}
			}
		}
	}
	return nil
}
