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
	IsCopy      bool    // the photograph itself has the region
	Vacant      int     // Region.Vacant of the region that gets the name; 0 for a new region
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

// mark is the description of a region that nrdl named. exiftool copies it, and no extensions.
const mark = "named by nrdl"

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
	subject        string   // that of the descriptions
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
			t.subject = v
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
	edits, own, err := a.insertions(packet, t)
	if err != nil {
		return nil, err
	}
	own = " <rdf:Description xmlns:rdf=\"" + nsRDF + "\" rdf:about=\"" + escaped(t.subject) + "\" xmlns:nrdl=\"" + Ours + "\">\n" +
		"  <nrdl:Software>" + program + "</nrdl:Software>\n" + a.model() + own
	if len(a.Names) > 0 {
		own += "  <nrdl:PersonInImage>" + bag(a.Names) + "</nrdl:PersonInImage>\n"
	}
	edits = append(edits, edit{t.rdf.outer, t.rdf.outer, own + " </rdf:Description>\n"})
	return apply(packet, edits), nil
}

// insertions are the edits of the properties that t has, and own, the text of those that it has
// not and of notes for Remove.
func (a *Addition) insertions(packet []byte, t *target) (edits []edit, own string, err error) {
	for _, f := range a.Faces {
		if f.Vacant > 0 {
			edits = append(edits, edit{f.Vacant, f.Vacant, f.naming()})
		}
	}
	switch regions := a.regions(t.regions != nil); {
	case regions == "":
	case t.regions == nil:
		own += a.newRegions(regions)
	default:
		e, note, err := insertion(packet, t.regions.field(nsMWG, "RegionList"), regions, emptyRegions)
		if err != nil {
			return nil, "", err
		}
		edits, own = append(edits, e), own+note
	}
	switch {
	case len(a.Names) == 0:
	case t.names == nil:
		own += "  <Iptc4xmpExt:PersonInImage xmlns:Iptc4xmpExt=\"" + nsIPTC + "\">" + bag(a.Names) + "</Iptc4xmpExt:PersonInImage>\n"
	default:
		e, note, err := insertion(packet, t.names, items(a.Names), emptyNames)
		if err != nil {
			return nil, "", err
		}
		edits, own = append(edits, e), own+note
	}
	return edits, own, nil
}

// Properties of nrdl which say that another program's list was empty before: written as two tags
// (open), or as one (closed).
const (
	emptyRegions = "EmptyRegions"
	emptyNames   = "EmptyPersonInImage"
	open, closed = "open", "closed"
)

// insertion is the edit that puts items at the end of the list in the property e, and a note for
// Remove if the list was empty.
func insertion(packet []byte, e *element, items, note string) (edit, string, error) {
	if e == nil || e.array() == nil {
		return edit{}, "", ErrForm
	}
	array := e.array()
	text := func(how string) string { return "  <nrdl:" + note + ">" + how + "</nrdl:" + note + ">\n" }
	if array.closesItself() {
		tag, ok := bytes.CutSuffix(packet[array.start:array.end], []byte("/>"))
		if !ok {
			return edit{}, "", ErrForm
		}
		name := strings.Fields(string(tag))[0][1:]
		return edit{array.end - 2, array.end, ">" + items + "</" + name + ">"}, text(closed), nil
	}
	if len(array.children) == 0 {
		return edit{array.outer, array.outer, items}, text(open), nil
	}
	return edit{array.outer, array.outer, items}, "", nil
}

func (a *Addition) model() string {
	if a.Model == "" {
		return ""
	}
	return "  <nrdl:Model>" + escaped(a.Model) + "</nrdl:Model>\n"
}

// newRegions is the property Regions.
func (a *Addition) newRegions(regions string) string {
	return fmt.Sprintf(
		"  <mwg-rs:Regions xmlns:mwg-rs=%q xmlns:stDim=%q rdf:parseType=\"Resource\">\n   <mwg-rs:AppliedToDimensions "+
			"rdf:parseType=\"Resource\"><stDim:w>%d</stDim:w><stDim:h>%d</stDim:h><stDim:unit>pixel</stDim:unit></mwg-rs:AppliedToDimensions>\n "+
			"  <mwg-rs:RegionList><rdf:Bag>%s</rdf:Bag></mwg-rs:RegionList>\n  </mwg-rs:Regions>\n",
		nsMWG, nsDim, a.Width, a.Height, regions)
}

// regions are the items of a list of regions, without names for vacant ones. With alone, they
// declare all namespaces.
func (a *Addition) regions(alone bool) string {
	declared := ""
	if alone {
		declared = fmt.Sprintf(" xmlns:rdf=%q xmlns:mwg-rs=%q xmlns:nrdl=%q", nsRDF, nsMWG, Ours)
	}
	var b strings.Builder
	for _, f := range a.Faces {
		if f.Vacant > 0 {
			continue
		}
		fmt.Fprintf(&b, "<rdf:li%s rdf:parseType=\"Resource\">", declared)
		if f.Name != "" {
			b.WriteString("<mwg-rs:Name>" + escaped(f.Name) + "</mwg-rs:Name>")
		}
		fmt.Fprintf(&b,
			"<mwg-rs:Type>Face</mwg-rs:Type><mwg-rs:Area xmlns:stArea=%q rdf:parseType=\"Resource\"><stArea:x>%s</stArea:x><stArea:y>%s</stArea:y><stArea:w>%s</stArea:w><stArea:h>%s</stArea:h><stArea:unit>normalized</stArea:unit></mwg-rs:Area>",
			nsArea, share(f.X+f.W/2), share(f.Y+f.H/2), share(f.W), share(f.H))
		if !f.IsCopy {
			b.WriteString("<mwg-rs:Description>" + mark + "</mwg-rs:Description>")
		}
		b.WriteString("<mwg-rs:Extensions rdf:parseType=\"Resource\"><nrdl:Software>" + program + "</nrdl:Software>")
		switch {
		case f.IsCopy:
			b.WriteString("<nrdl:Copied>True</nrdl:Copied>")
		default:
			b.WriteString(f.probability())
		}
		b.WriteString("</mwg-rs:Extensions></rdf:li>")
	}
	return b.String()
}

// naming are the fields that name a region of another program.
func (f *Face) naming() string {
	const space = " xmlns:mwg-rs=\"" + nsMWG + "\""
	return "<mwg-rs:Name" + space + ">" + escaped(f.Name) + "</mwg-rs:Name><mwg-rs:Description" + space + ">" + mark +
		"</mwg-rs:Description>" +
		"<mwg-rs:Extensions" + space + " xmlns:rdf=\"" + nsRDF + "\" xmlns:nrdl=\"" + Ours +
		"\" rdf:parseType=\"Resource\"><nrdl:Software>" + program +
		"</nrdl:Software><nrdl:Named>True</nrdl:Named>" + f.probability() + "</mwg-rs:Extensions>"
}

// named are the fields that naming wrote into the region item; nil if it did not.
func named(item *element) []*element {
	extensions := item.field(nsMWG, "Extensions")
	if extensions == nil || extensions.value(Ours, "Named") == "" {
		return nil
	}
	fields := []*element{extensions}
	for _, field := range []string{"Name", "Description"} {
		if e := item.field(nsMWG, field); e != nil {
			fields = append(fields, e)
		}
	}
	return fields
}

func (f *Face) probability() string {
	if math.IsNaN(f.Probability) {
		return ""
	}
	return "<nrdl:Probability>" + strconv.FormatFloat(f.Probability, 'f', 4, 64) + "</nrdl:Probability>"
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
