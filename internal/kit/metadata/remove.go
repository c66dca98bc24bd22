package metadata

import (
	"encoding/xml"
	"slices"
)

// Remove returns packet without what Add added.
func Remove(packet []byte) ([]byte, error) {
	root, err := parse(packet)
	if err != nil {
		return nil, err
	}
	all := descriptions(root)
	r := removal{ownNames: writtenNames(all), empty: map[string]string{}}
	for _, d := range all {
		for _, note := range []string{emptyRegions, emptyNames} {
			if v := d.value(Ours, note); v != "" {
				r.empty[note] = v
			}
		}
	}
	var edits []edit
	for _, d := range all {
		gone, kept := r.goes(d)
		if kept == 0 && isProgram(d) && !foreign(d.attributes) {
			gone = []edit{wholly(packet, d)}
		}
		edits = append(edits, gone...)
	}
	if len(edits) == 0 {
		return packet, nil
	}
	if !isUTF8(packet) {
		return nil, ErrForm
	}
	return apply(packet, edits), nil
}

// A removal knows what nrdl wrote into a packet.
type removal struct {
	ownNames []string          // names of PersonInImage
	empty    map[string]string // by note: how a list was written that was empty
}

// goes returns the edits that take what is nrdl's out of the description d, and the number of
// properties that stay.
func (r *removal) goes(d *element) (gone []edit, kept int) {
	for _, c := range d.children {
		whole, note := c, ""
		var list, mine []*element
		switch {
		case c.name.Space == Ours:
			gone = append(gone, cut(c))
			continue
		case c.is(nsMWG, "Regions"):
			list, note = regionItems(c), emptyRegions
			for _, e := range list {
				if fields := named(e); fields != nil {
					for _, f := range fields {
						gone = append(gone, cut(f))
					}
				} else if isOurs(e) {
					mine = append(mine, e)
				}
			}
			if l := c.field(nsMWG, "RegionList"); l != nil {
				whole = l
			}
		case c.is(nsIPTC, "PersonInImage"):
			list, note = c.items(), emptyNames
			mine = slices.DeleteFunc(slices.Clone(list), func(e *element) bool { return !slices.Contains(r.ownNames, e.simple()) })
		}
		all := len(mine) > 0 && len(mine) == len(list)
		if array := whole.array(); array != nil && len(array.children) != len(mine) {
			all = false // it has something that is no item
		}
		switch how := r.empty[note]; {
		case all && how == "":
			gone = append(gone, cut(c))
			continue
		case all && how == closed:
			array := whole.array()
			gone = append(gone, edit{array.inner - 1, array.end, "/>"})
		default:
			for _, e := range mine {
				gone = append(gone, cut(e))
			}
		}
		kept++
	}
	return gone, kept
}

func cut(e *element) edit { return edit{start: e.start, end: e.end} }

// foreign reports whether attributes of a description are properties of others.
func foreign(attributes []xml.Attr) bool {
	return slices.ContainsFunc(attributes, func(a xml.Attr) bool { return a.Name.Space != nsRDF && a.Name.Space != Ours })
}

// wholly cuts d with the space before it and the end of the line behind it, as Add wrote it.
func wholly(packet []byte, d *element) edit {
	e := edit{start: d.start, end: d.end}
	if e.start > 0 && packet[e.start-1] == ' ' {
		e.start--
	}
	if e.end < len(packet) && packet[e.end] == '\n' {
		e.end++
	}
	return e
}
