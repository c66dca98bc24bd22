package metadata

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// Each form in which RDF allows a structure gives the same people.
func TestForms(t *testing.T) {
	const ns = `xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/" ` +
		`xmlns:a="http://ns.adobe.com/xmp/sType/Area#" xmlns:d="http://ns.adobe.com/xap/1.0/sType/Dimensions#"`
	for name, body := range map[string]string{
		"elements": `<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:AppliedToDimensions rdf:parseType="Resource">` +
			`<d:w>400</d:w><d:h>300</d:h></mwg-rs:AppliedToDimensions><mwg-rs:RegionList><rdf:Bag><rdf:li rdf:parseType="Resource">` +
			`<mwg-rs:Area rdf:parseType="Resource"><a:x>0.5</a:x><a:y>0.4</a:y><a:w>0.2</a:w><a:h>0.1</a:h></mwg-rs:Area>` +
			`<mwg-rs:Name>Ann</mwg-rs:Name><mwg-rs:Type>Face</mwg-rs:Type></rdf:li></rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>`,
		"attributes": `<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:AppliedToDimensions d:w="400" d:h="300" d:unit="pixel"/>` +
			`<mwg-rs:RegionList><rdf:Seq><rdf:li><rdf:Description mwg-rs:Name="Ann" mwg-rs:Type="Face"><mwg-rs:Area a:x="0.5" ` +
			`a:y="0.4" a:w="0.2" a:h="0.1" a:unit="normalized"/></rdf:Description></rdf:li></rdf:Seq></mwg-rs:RegionList></mwg-rs:Regions>`,
		"description": `<mwg-rs:Regions><rdf:Description><mwg-rs:AppliedToDimensions><rdf:Description><d:w>400</d:w>` +
			`<d:h>300</d:h></rdf:Description></mwg-rs:AppliedToDimensions><mwg-rs:RegionList><rdf:Bag><rdf:li><rdf:Description>` +
			`<mwg-rs:Name><rdf:Alt><rdf:li xml:lang="x-default">Ann</rdf:li></rdf:Alt></mwg-rs:Name><mwg-rs:Area>` +
			`<rdf:Description a:x="0.5" a:y="0.4"><a:w>0.2</a:w><a:h>0.1</a:h></rdf:Description></mwg-rs:Area></rdf:Description>` +
			`</rdf:li></rdf:Bag></mwg-rs:RegionList></rdf:Description></mwg-rs:Regions>`,
		"pixels": `<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:AppliedToDimensions d:w="400" d:h="300"/><mwg-rs:RegionList>` +
			`<rdf:Bag><rdf:li mwg-rs:Name="Ann"><mwg-rs:Area a:x="200" a:y="120" a:w="80" a:h="30" a:unit="pixel"/></rdf:li>` +
			`</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>`,
	} {
		packet := `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ` + ns + `><rdf:Description rdf:about="">` + body +
			`</rdf:Description></rdf:RDF></x:xmpmeta>`
		p, err := ReadPeople([]byte(packet))
		if err != nil || len(p.Regions) != 1 || p.Dimensions != [2]int{400, 300} {
			t.Errorf("%s: %+v, %v", name, p, err)
			continue
		}
		a := p.Regions[0]
		if a.Name != "Ann" || a.Ours || math.Abs(a.X-0.4)+math.Abs(a.Y-0.35)+math.Abs(a.W-0.2)+math.Abs(a.H-0.1) > 1e-9 {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// A packet of 16 bits a character is read, and not changed.
func TestUTF16(t *testing.T) {
	full, err := Add(Empty(), addition())
	if err != nil {
		t.Fatal(err)
	}
	var wide []byte
	for _, r := range string(full) {
		wide = append(wide, byte(r>>8), byte(r))
	}
	p, err := ReadPeople(wide)
	if err != nil || len(p.Regions) != 1 || p.Regions[0].Name != addition().Faces[0].Name {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := Add(wide, addition()); err == nil {
		t.Error("changed")
	}
}

func TestTurned(t *testing.T) {
	a := Area{0.1, 0.2, 0.3, 0.4}
	for o := 1; o <= 8; o++ {
		if b := a.Turned(o).Stored(o); math.Abs(b.X-a.X)+math.Abs(b.Y-a.Y)+math.Abs(b.W-a.W)+math.Abs(b.H-a.H) > 1e-12 {
			t.Errorf("orientation %d: %+v", o, b)
		}
	}
}

func addition() *Addition {
	return &Addition{
		Faces: []Face{{Area: Area{0.1, 0.2, 0.3, 0.4}, Name: "Zed ☂ <&>", Probability: 0.5}}, Width: 400, Height: 300,
		Names: []string{"Zed ☂ <&>"}, Model: "abc",
	}
}

// What Add adds, Remove removes: any packet is then as before.
func FuzzAdd(f *testing.F) {
	f.Add(Empty())
	full, err := Add(Empty(), addition())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	f.Add([]byte(strings.ReplaceAll(string(full), "nrdl", "other"))) // of another program
	for _, bag := range []string{
		"<rdf:Bag/>", "<rdf:Bag />", "<rdf:Bag> </rdf:Bag>",
		`<rdf:Bag><rdf:li><rdf:Description mwg-rs:Type="Face"><mwg-rs:Area stArea:x="0.25" stArea:y="0.4" stArea:w="0.3" ` +
			`stArea:h="0.4"/></rdf:Description></rdf:li></rdf:Bag>`,
	} {
		f.Add([]byte(`<rdf:RDF xmlns:rdf="` + nsRDF + `" xmlns:mwg-rs="` + nsMWG + `" xmlns:stArea="` + nsArea + `" xmlns:I="` + nsIPTC +
			`"><rdf:Description><mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:RegionList>` +
			bag + `</mwg-rs:RegionList></mwg-rs:Regions><I:PersonInImage><rdf:Bag/></I:PersonInImage></rdf:Description></rdf:RDF>`))
	}
	f.Fuzz(func(t *testing.T, packet []byte) {
		p, err := ReadPeople(packet)
		if err != nil {
			return
		}
		base, err := Remove(packet)
		if err != nil || slices.Contains(p.Names, addition().Names[0]) {
			return
		}
		if again, err := Remove(base); err != nil || !bytes.Equal(again, base) {
			return // marks that nrdl does not make
		}
		a := addition()
		if p, err := ReadPeople(base); err == nil && len(p.Regions) > 0 {
			a.Faces[0].Vacant = p.Regions[len(p.Regions)-1].Vacant
		}
		with, err := Add(base, a)
		if err != nil {
			return
		}
		q, err := ReadPeople(with)
		if err != nil || len(q.Regions) == 0 || !q.Regions[len(q.Regions)-1].Ours {
			t.Fatalf("%v: %s", err, with)
		}
		if back, err := Remove(with); err != nil || !bytes.Equal(back, base) {
			t.Fatalf("%v: %s\nwas\n%s", err, back, base)
		}
	})
}
