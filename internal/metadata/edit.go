package metadata

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Face is a region to be added.
type Face struct {
	Area
	Name        string
	Probability float64 // that the name is right; NaN if not known
	Copied      bool    // the photograph itself has the region
}

// An Addition is what nrdl adds to a packet.
type Addition struct {
	Faces         []Face
	Width, Height int      // of the image to which the areas apply
	Names         []string // for PersonInImage
	Model         string   // that named the faces
}

// ErrForm is the error of a packet to which nothing can be added without changing what is there.
var ErrForm = errors.New("its XMP has a form to which nothing can be added")

// program is what New and Add write as the name of the program.
const program = "nrdl"

// empty is a packet without properties.
const empty = `<?xpacket begin="` + "\ufeff" + `" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="` + program + `">
<rdf:RDF xmlns:rdf="` + nsRDF + `">
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>
`

// Empty is a packet of nrdl without properties. A file with it holds nothing.
func Empty() []byte { return []byte(empty) }

// IsEmpty reports whether packet is one that Empty returned, or another program has rewritten
// with no properties left.
func IsEmpty(packet []byte) bool {
	root, err := parse(packet)
	if err != nil || !root.is(nsX, "xmpmeta") {
		return false
	}
	toolkit, _ := root.attribute(nsX, "xmptk")
	return toolkit == program && len(descriptions(root)) == 0
}

// An edit replaces the bytes from start to end by text.
type edit struct {
	start, end int
	text       string
}

// apply makes edits, which do not overlap.
func apply(packet []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.start < at { // inside of what is cut
			continue
		}
		out.Write(packet[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(packet[at:])
	return out.Bytes()
}

// A target is where in a packet something is added.
type target struct {
	rdf            *element
	about          string   // that of the descriptions
	regions, names *element // properties that are there; nil if they are not
}

// targetOf finds the target in packet.
func targetOf(packet []byte) (*target, error) {
	root, err := parse(packet)
	if err != nil {
		return nil, err
	}
	t := &target{rdf: root}
	if !root.is(nsRDF, "RDF") {
		t.rdf = root.child(nsRDF, "RDF")
	}
	if t.rdf == nil || t.rdf.closesItself() || !isUTF8(packet) {
		return nil, ErrForm
	}
	for _, d := range descriptions(root) {
		if v, ok := d.attribute(nsRDF, "about"); ok {
			t.about = v
		}
		if _, ok := d.attribute(nsIPTC, "PersonInImage"); ok {
			return nil, ErrForm
		}
		if e := d.child(nsMWG, "Regions"); e != nil {
			t.regions = e
		}
		if e := d.child(nsIPTC, "PersonInImage"); e != nil {
			t.names = e
		}
	}
	return t, nil
}

// Add returns packet with a. All that was in it stays, byte for byte.
func Add(packet []byte, a *Addition) ([]byte, error) {
	if len(a.Faces) == 0 && len(a.Names) == 0 {
		return packet, nil
	}
	t, err := targetOf(packet)
	if err != nil {
		return nil, err
	}
	var edits []edit
	insert := func(array *element, text string) error {
		if array == nil || array.closesItself() || len(array.children) == 0 {
			return ErrForm
		}
		edits = append(edits, edit{array.outer, array.outer, text})
		return nil
	}
	own := ""
	switch {
	case len(a.Faces) > 0 && t.regions == nil:
		own += a.newRegions()
	case len(a.Faces) > 0:
		list := t.regions.field(nsMWG, "RegionList")
		if list == nil {
			return nil, ErrForm
		}
		if err := insert(list.array(), a.regions(true)); err != nil {
			return nil, err
		}
	}
	switch {
	case len(a.Names) > 0 && t.names == nil:
		own += "  <Iptc4xmpExt:PersonInImage xmlns:Iptc4xmpExt=\"" + nsIPTC + "\">" + bag(a.Names) + "</Iptc4xmpExt:PersonInImage>\n"
	case len(a.Names) > 0:
		if err := insert(t.names.array(), items(a.Names)); err != nil {
			return nil, err
		}
	}
	own = " <rdf:Description xmlns:rdf=\"" + nsRDF + "\" rdf:about=" + quoted(t.about) + " xmlns:nrdl=\"" + Ours + "\">\n" +
		"  <nrdl:Software>" + program + "</nrdl:Software>\n" + a.model() + own
	if len(a.Names) > 0 {
		own += "  <nrdl:PersonInImage>" + bag(a.Names) + "</nrdl:PersonInImage>\n"
	}
	edits = append(edits, edit{t.rdf.outer, t.rdf.outer, own + " </rdf:Description>\n"})
	return apply(packet, edits), nil
}

func (a *Addition) model() string {
	if a.Model == "" {
		return ""
	}
	return "  <nrdl:Model>" + escaped(a.Model) + "</nrdl:Model>\n"
}

// newRegions is the property Regions.
func (a *Addition) newRegions() string {
	return fmt.Sprintf("  <mwg-rs:Regions xmlns:mwg-rs=%q xmlns:stDim=%q rdf:parseType=\"Resource\">\n   <mwg-rs:AppliedToDimensions rdf:parseType=\"Resource\"><stDim:w>%d</stDim:w><stDim:h>%d</stDim:h><stDim:unit>pixel</stDim:unit></mwg-rs:AppliedToDimensions>\n   <mwg-rs:RegionList><rdf:Bag>%s</rdf:Bag></mwg-rs:RegionList>\n  </mwg-rs:Regions>\n",
		nsMWG, nsDim, a.Width, a.Height, a.regions(false))
}

// regions are the items of a list of regions. With alone, they declare all namespaces.
func (a *Addition) regions(alone bool) string {
	declared := ""
	if alone {
		declared = fmt.Sprintf(" xmlns:rdf=%q xmlns:mwg-rs=%q xmlns:nrdl=%q", nsRDF, nsMWG, Ours)
	}
	var b strings.Builder
	for _, f := range a.Faces {
		fmt.Fprintf(&b, "<rdf:li%s rdf:parseType=\"Resource\">", declared)
		if f.Name != "" {
			b.WriteString("<mwg-rs:Name>" + escaped(f.Name) + "</mwg-rs:Name>")
		}
		fmt.Fprintf(&b, "<mwg-rs:Type>Face</mwg-rs:Type><mwg-rs:Area xmlns:stArea=%q rdf:parseType=\"Resource\"><stArea:x>%s</stArea:x><stArea:y>%s</stArea:y><stArea:w>%s</stArea:w><stArea:h>%s</stArea:h><stArea:unit>normalized</stArea:unit></mwg-rs:Area>",
			nsArea, share(f.X+f.W/2), share(f.Y+f.H/2), share(f.W), share(f.H))
		b.WriteString("<mwg-rs:Extensions rdf:parseType=\"Resource\"><nrdl:Software>" + program + "</nrdl:Software>")
		switch {
		case f.Copied:
			b.WriteString("<nrdl:Copied>True</nrdl:Copied>")
		case !math.IsNaN(f.Probability):
			b.WriteString("<nrdl:Probability>" + strconv.FormatFloat(f.Probability, 'f', 4, 64) + "</nrdl:Probability>")
		}
		b.WriteString("</mwg-rs:Extensions></rdf:li>")
	}
	return b.String()
}

func share(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

func bag(names []string) string { return "<rdf:Bag>" + items(names) + "</rdf:Bag>" }

// items are simple items of an array.
func items(names []string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "<rdf:li xmlns:rdf=%q>%s</rdf:li>", nsRDF, escaped(name))
	}
	return b.String()
}

func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}

func quoted(text string) string { return `"` + escaped(text) + `"` }

// Remove returns packet without what Add added.
func Remove(packet []byte) ([]byte, error) {
	root, err := parse(packet)
	if err != nil {
		return nil, err
	}
	all := descriptions(root)
	var written []string
	for _, d := range all {
		if names := d.child(Ours, "PersonInImage"); names != nil {
			written = append(written, texts(names)...)
		}
	}
	var edits []edit
	for _, d := range all {
		_, mine := d.attribute(Ours, "Software")
		mine = mine || d.child(Ours, "Software") != nil
		gone, kept := goes(d, written)
		if kept == 0 && mine && !foreign(d.attributes) {
			edits = append(edits, wholly(packet, d))
			continue
		}
		for _, e := range gone {
			edits = append(edits, edit{start: e.start, end: e.end})
		}
	}
	if len(edits) == 0 {
		return packet, nil
	}
	if !isUTF8(packet) {
		return nil, ErrForm
	}
	return apply(packet, edits), nil
}

// goes returns the elements in the description d that are nrdl's, where written are the names
// that it wrote, and the number of properties that stay.
func goes(d *element, written []string) (gone []*element, kept int) {
	for _, c := range d.children {
		var list []*element
		ours := isOurs
		switch {
		case c.name.Space == Ours:
			gone = append(gone, c)
			continue
		case c.is(nsMWG, "Regions"):
			if l := c.field(nsMWG, "RegionList"); l != nil {
				list = l.items()
			}
		case c.is(nsIPTC, "PersonInImage"):
			list = c.items()
			ours = func(e *element) bool { return slices.Contains(written, e.simple()) }
		}
		mine := slices.DeleteFunc(slices.Clone(list), func(e *element) bool { return !ours(e) })
		if len(mine) > 0 && len(mine) == len(list) {
			gone = append(gone, c)
			continue
		}
		gone = append(gone, mine...)
		kept++
	}
	return gone, kept
}

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
