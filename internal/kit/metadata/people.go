package metadata

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxPeople bounds the regions and the names of a packet.
const maxPeople = 5_000

// An Area is a part of an image: its left upper corner and its size, as shares of the width and
// the height.
type Area struct{ X, Y, W, H float64 }

// A Region is an area with a name.
type Region struct {
	Area
	Name string // "" for a face without a name
	Ours bool   // nrdl wrote it

	// Vacant is the offset in the packet at which a name can be put into a region that has none;
	// 0 if there is no such place.
	Vacant int
}

// People are the people in a packet.
type People struct {
	Regions    []Region // those of the Metadata Working Group
	Dimensions [2]int   // width and height of the image to which Regions apply; 0 if not known
	Turn       Turn     // how faces stand in that image
	Microsoft  []Region
	Shapes     []Shape  // those of IPTC
	Names      []string // of PersonInImage, without those that nrdl wrote
	OwnNames   []string // of PersonInImage: those that nrdl wrote
	Keywords   []Keyword
	Unused     Unused

	keywords []string
}

// A Turn says what the Rotation of regions tells of the image to which they apply.
type Turn byte

// The turns. Lightroom writes that of the photograph; a face that is a little tilted tells nothing.
const (
	Untold       Turn = iota
	NoTurn            // 0: people stand upright
	QuarterTurns      // they do not
)

// turnOf is the Turn of a Rotation, in radians.
func turnOf(rotation string) Turn {
	quarters := number(rotation) / (math.Pi / 2)
	switch whole := math.Round(quarters); {
	case !(math.Abs(quarters-whole) < 0.01 && math.Abs(whole) <= 4):
		return Untold
	case math.Mod(whole, 4) == 0:
		return NoTurn
	}
	return QuarterTurns
}

// ReadPeople returns the people in packet. Regions that are no faces of people, such as pets and
// focus points, are left out.
func ReadPeople(packet []byte) (*People, error) {
	root, err := parse(packet)
	if err != nil {
		return nil, err
	}
	p := &People{}
	var named []string
	for _, d := range descriptions(root) {
		if info := d.child(nsMWG, "Regions"); info != nil {
			p.readRegions(info)
		}
		if info := d.child(nsMP, "RegionInfo"); info != nil {
			p.readMicrosoft(info)
		}
		p.readShapes(d)
		p.countACDSee(d)
		p.readKeywords(d)
		if names := d.child(nsIPTC, "PersonInImage"); names != nil {
			named = append(named, texts(names)...)
		}
		if v, ok := d.attribute(nsIPTC, "PersonInImage"); ok && len(named) < maxPeople {
			named = append(named, v)
		}
	}
	p.Keywords = Keywords(p.keywords)
	written := writtenNames(descriptions(root))
	for _, name := range named {
		if slices.Contains(written, name) {
			p.OwnNames = append(p.OwnNames, name)
		} else {
			p.Names = append(p.Names, name)
		}
	}
	return p, nil
}

// writtenNames are the names of PersonInImage in all, the descriptions of a packet, that nrdl wrote.
// If another program left nothing of nrdl but marks in regions, they are the names of these.
func writtenNames(all []*element) []string {
	var written, marked []string
	known := false
	for _, d := range all {
		known = known || isProgram(d)
		if ours := d.child(Ours, "PersonInImage"); ours != nil {
			written = append(written, texts(ours)...)
		}
		for _, item := range regionItems(d.child(nsMWG, "Regions")) {
			if isMarked(item) && len(marked) < maxPeople {
				marked = append(marked, item.value(nsMWG, "Name"))
			}
		}
	}
	if known {
		return written
	}
	return marked
}

// isProgram reports whether the description d says that nrdl wrote into the packet.
func isProgram(d *element) bool {
	_, attribute := d.attribute(Ours, "Software")
	return attribute || d.child(Ours, "Software") != nil
}

// regionItems are the items of a property Regions; none for nil.
func regionItems(info *element) []*element {
	if info == nil {
		return nil
	}
	list := info.field(nsMWG, "RegionList")
	if list == nil {
		return nil
	}
	return list.items()
}

// texts are the items of an array, or the text of an element without one.
func texts(e *element) (all []string) {
	items := e.items()
	if e.array() == nil {
		items = []*element{e}
	}
	for _, i := range items[:min(len(items), maxPeople)] {
		if t := i.simple(); t != "" {
			all = append(all, t)
		}
	}
	return all
}

func (p *People) readRegions(info *element) {
	if d := info.field(nsMWG, "AppliedToDimensions"); d != nil {
		p.Dimensions = [2]int{whole(d.value(nsDim, "w")), whole(d.value(nsDim, "h"))}
	}
	for _, item := range regionItems(info) {
		if len(p.Regions) >= maxPeople {
			return
		}
		kind, name := item.value(nsMWG, "Type"), item.value(nsMWG, "Name")
		area := item.field(nsMWG, "Area")
		if kind != "" && !strings.EqualFold(kind, "Face") {
			if name != "" {
				p.Unused.Count(UnusedKind)
			}
			continue
		}
		if area == nil {
			p.noteUnusable(name)
			continue
		}
		x, y, w, h := number(area.value(nsArea, "x")), number(area.value(nsArea, "y")), number(area.value(nsArea, "w")),
			number(area.value(nsArea, "h"))
		if unit := area.value(nsArea, "unit"); unit == "pixel" && p.Dimensions[0] > 0 && p.Dimensions[1] > 0 {
			aw, ah := float64(p.Dimensions[0]), float64(p.Dimensions[1])
			x, y, w, h = x/aw, y/ah, w/aw, h/ah
		}
		p.Turn = max(p.Turn, turnOf(item.value(nsMWG, "Rotation")))
		r := Region{Area: Area{x - w/2, y - h/2, w, h}, Name: name, Ours: isOurs(item), Vacant: item.vacancy()}
		if !r.valid() {
			p.noteUnusable(r.Name)
			continue
		}
		p.Regions = append(p.Regions, r)
	}
}

// isOurs reports whether nrdl wrote the region item.
func isOurs(item *element) bool {
	extensions := item.field(nsMWG, "Extensions")
	return extensions != nil && extensions.value(Ours, "Software") != "" || isMarked(item)
}

// isMarked reports whether the region item has the mark of nrdl that programs keep which drop its
// extensions.
func isMarked(item *element) bool { return item.value(nsMWG, "Description") == mark }

// vacancy is where in a region without a name one can be put: at the end of the structure; 0 if
// there is no such place.
func (e *element) vacancy() (at int) {
	for _, s := range e.structs() {
		for _, field := range []string{"Name", "Description", "Extensions"} {
			if _, ok := s.attribute(nsMWG, field); ok || s.child(nsMWG, field) != nil {
				return 0
			}
		}
		if s.child(nsMWG, "Area") != nil {
			at = s.outer
		}
	}
	return at
}

func (p *People) readMicrosoft(info *element) {
	list := info.field(nsMPRI, "Regions")
	if list == nil {
		return
	}
	for _, item := range list.items() {
		if len(p.Microsoft) >= maxPeople {
			return
		}
		var v [4]float64
		parts := strings.Split(item.value(nsMPReg, "Rectangle"), ",")
		if len(parts) == 8 { // decimal commas
			for i := range 4 {
				parts[i] = parts[2*i] + "." + parts[2*i+1]
			}
			parts = parts[:4]
		}
		for i := range min(len(parts), 4) {
			v[i] = number(strings.TrimSpace(parts[i]))
		}
		r := Region{Area: Area{v[0], v[1], v[2], v[3]}, Name: item.value(nsMPReg, "PersonDisplayName")}
		if len(parts) != 4 || !r.valid() {
			p.noteUnusable(r.Name)
			continue
		}
		p.Microsoft = append(p.Microsoft, r)
	}
}

// noteUnusable counts a region that has a name and no area.
func (p *People) noteUnusable(name string) {
	if name != "" {
		p.Unused.Count(UnusedPlace)
	}
}

// number is NaN for what is none. Some programs write 0,5.
func number(text string) float64 {
	v, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// whole is 0 for what is no size of an image. Some programs write 4000.0.
func whole(text string) int {
	v := number(text)
	if !(v >= 1 && v <= 1<<30) {
		return 0
	}
	return int(v)
}

// valid reports whether a is a part of an image. Regions may reach a little beyond it.
func (a Area) valid() bool {
	return a.W > 0 && a.H > 0 && a.W <= 2 && a.H <= 2 && a.X > -1 && a.Y > -1 && a.X < 1 && a.Y < 1
}

// Overlap is the intersection of a and b over their union.
func (a Area) Overlap(b Area) float64 {
	w := min(a.X+a.W, b.X+b.W) - max(a.X, b.X)
	h := min(a.Y+a.H, b.Y+b.H) - max(a.Y, b.Y)
	if w <= 0 || h <= 0 {
		return 0
	}
	return w * h / (a.W*a.H + b.W*b.H - w*h)
}

// Turned is the area of the upright image that a is of the stored one, with an EXIF orientation
// from 1 to 8.
func (a Area) Turned(orientation int) Area {
	x, y := 1-a.X-a.W, 1-a.Y-a.H // of the mirrored image
	switch orientation {
	case 2:
		return Area{x, a.Y, a.W, a.H}
	case 3:
		return Area{x, y, a.W, a.H}
	case 4:
		return Area{a.X, y, a.W, a.H}
	case 5:
		return Area{a.Y, a.X, a.H, a.W}
	case 6:
		return Area{y, a.X, a.H, a.W}
	case 7:
		return Area{y, x, a.H, a.W}
	case 8:
		return Area{a.Y, x, a.H, a.W}
	}
	return a
}

// Stored is the area of the stored image that a is of the upright one.
func (a Area) Stored(orientation int) Area {
	switch orientation { // the others are their own inverses
	case 6:
		orientation = 8
	case 8:
		orientation = 6
	}
	return a.Turned(orientation)
}
