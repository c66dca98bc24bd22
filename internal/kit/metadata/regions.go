package metadata

import (
	"encoding/xml"
	"math"
	"path"
	"slices"
	"strings"
)

// A Shape is a region of IPTC (Photo Metadata Standard 2023, Image Region): a rectangle, a circle or a
// polygon, in shares of the image or in pixels.
type Shape struct {
	Name   string
	pixels bool
	box    Area // X and Y are the left upper corner; of a circle, of its square in units of the width
	circle bool
}

// Region is the region that encloses s in an image of this size; false if it is not in the image.
func (s Shape) Region(width, height int) (Region, bool) {
	r := Region{Area: s.box, Name: s.Name}
	w, h := float64(width), float64(height)
	switch {
	case (s.pixels || s.circle) && (width == 0 || height == 0):
		return r, false
	case s.pixels:
		r.Area = Area{s.box.X / w, s.box.Y / h, s.box.W / w, s.box.H / h}
	case s.circle: // its radius counts in widths
		r.H = s.box.W * w / h
		r.Y += s.box.H/2 - r.H/2
	}
	return r, r.valid()
}

// readShapes reads the regions of IPTC in a description.
func (p *People) readShapes(d *element) {
	list := d.child(nsIPTC, "ImageRegion")
	if list == nil {
		return
	}
	items := list.items()
	if list.array() == nil {
		items = []*element{list}
	}
	for _, item := range items[:min(len(items), maxPeople)] {
		boundary := item.field(nsIPTC, "RegionBoundary")
		name, sure := personOf(item)
		switch {
		case name == "" && !sure:
			continue // a part of the image that is nobody
		case !sure:
			p.Unused.Count(UnusedUnsaid)
			continue
		case boundary == nil:
			p.Unused.Count(UnusedPlace)
			continue
		}
		s := shapeOf(boundary)
		s.Name = name
		p.Shapes = append(p.Shapes, s)
	}
}

// personOf is the name of the person in a region of IPTC; sure is false where the name may be that
// of something else, or there are several.
func personOf(item *element) (name string, sure bool) {
	var names []string
	if list := item.field(nsIPTC, "PersonInImage"); list != nil {
		names = texts(list)
	}
	if list := item.field(nsIPTC, "PersonInImageWDetails"); list != nil {
		for _, person := range list.items() {
			if name := person.value(nsIPTC, "PersonName"); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	switch len(names) {
	case 0:
		name = item.value(nsIPTC, "Name")
		isPerson := saysPerson(item.field(nsIPTC, "rCtype")) || saysPerson(item.field(nsIPTC, "rRole"))
		return name, name != "" && isPerson
	case 1:
		return names[0], true
	}
	return names[0], false
}

// saysPerson reports whether a kind or a role of a region, of a vocabulary of IPTC such as
// http://cv.iptc.org/newscodes/imageregiontype/human or in words, is that of a person.
func saysPerson(e *element) bool {
	if e == nil {
		return false
	}
	is := func(text string) bool {
		word := strings.ToLower(path.Base(strings.TrimSpace(text)))
		return slices.Contains([]string{"human", "person", "people", "face"}, word)
	}
	return is(string(e.text)) || slices.ContainsFunc(e.children, saysPerson) ||
		slices.ContainsFunc(e.attributes, func(a xml.Attr) bool { return is(a.Value) })
}

// shapeOf is the shape of a boundary; not valid if numbers are missing.
func shapeOf(b *element) Shape {
	at := func(e *element, field string) float64 { return number(e.value(nsIPTC, field)) }
	s := Shape{pixels: strings.EqualFold(b.value(nsIPTC, "rbUnit"), "pixel")}
	x, y := at(b, "rbX"), at(b, "rbY")
	switch strings.ToLower(b.value(nsIPTC, "rbShape")) {
	case "circle":
		radius := at(b, "rbRx")
		s.circle, s.box = true, Area{x - radius, y - radius, 2 * radius, 2 * radius}
	case "polygon":
		left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		if vertices := b.field(nsIPTC, "rbVertices"); vertices != nil {
			for _, v := range vertices.items() {
				x, y := at(v, "rbX"), at(v, "rbY")
				left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
			}
		}
		s.box = Area{left, top, right - left, bottom - top}
	default:
		s.box = Area{x, y, at(b, "rbW"), at(b, "rbH")}
	}
	return s
}
