package tags_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/tags"
)

// total is how many tags of p cannot be used.
func total(p *tags.Photo) (n int) {
	for _, k := range p.Unused {
		n += k
	}
	return n
}

// Decimal commas and sidecars whose names have another case are read; regions with a name and no
// rectangle are counted.
func TestUnusualRegions(t *testing.T) {
	face := func(area string) string {
		return `<rdf:li><rdf:Description mwg-rs:Name="Ann" mwg-rs:Type="Face">` + area + `</rdf:Description></rdf:li>`
	}
	good := face(`<mwg-rs:Area stArea:x="0.2" stArea:y="0.2" stArea:w="0.1" stArea:h="0.1"/>`)
	windows := func(rectangle string) string {
		return packet(`<MP:RegionInfo rdf:parseType="Resource"><MPRI:Regions><rdf:Bag><rdf:li MPReg:PersonDisplayName="Ann"` + rectangle +
			`/></rdf:Bag></MPRI:Regions></MP:RegionInfo>`)
	}
	const acdsee = `<a:Regions xmlns:a="http://ns.acdsee.com/regions/" rdf:parseType="Resource"><a:RegionList><rdf:Bag>` +
		`<rdf:li rdf:parseType="Resource"><a:Name>Ann</a:Name><a:Type>Face</a:Type></rdf:li></rdf:Bag></a:RegionList></a:Regions>`
	for name, c := range map[string]struct {
		sidecar           string
		regions, unusable int
	}{
		"good":      {packet(list("<rdf:Bag>" + good + "</rdf:Bag>")), 1, 0},
		"comma":     {packet(list("<rdf:Bag>" + strings.ReplaceAll(good, "0.", "0,") + "</rdf:Bag>")), 1, 0},
		"no area":   {packet(list("<rdf:Bag>" + good + face("") + "</rdf:Bag>")), 1, 1},
		"no width":  {packet(list("<rdf:Bag>" + face(`<mwg-rs:Area stArea:x="0.2" stArea:y="0.2"/>`) + "</rdf:Bag>")), 0, 1},
		"nobody":    {packet(list("<rdf:Bag>" + strings.Replace(face(""), "Ann", "", 1) + "</rdf:Bag>")), 0, 0},
		"Windows":   {windows(` MPReg:Rectangle="0.15, 0.15, 0.1, 0.1"`), 1, 0},
		"commas":    {windows(` MPReg:Rectangle="0,15, 0,15, 0,1, 0,1"`), 1, 0},
		"rectangle": {windows(""), 0, 1},
		"ACDSee":    {packet(acdsee), 0, 1},
		"both":      {packet(list("<rdf:Bag>"+good+"</rdf:Bag>") + acdsee), 1, 0},
	} {
		for _, file := range []string{"A.JPG.xmp", "A.jpg.xmp", "A.xmp", "a.jpg.xmp", "a.jpg.XMP", "a.xmp"} {
			path := photograph(t, t.TempDir(), "A.JPG", 1)
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), file), []byte(c.sidecar), 0o666); err != nil {
				t.Fatal(err)
			}
			p, err := tags.Read(path)
			if err != nil || len(p.Problems) > 0 || len(p.Regions) != c.regions || total(p) != c.unusable {
				t.Errorf("%s, %s: %+v, %v", name, file, p, err)
			}
			for _, r := range p.Regions {
				if r.Overlap(tags.Area{X: 0.15, Y: 0.15, W: 0.1, H: 0.1}) < 0.99 {
					t.Errorf("%s, %s: at %v", name, file, r.Area)
				}
			}
		}
	}
	// A.jpg.xmp is of A.jpg, if that is there.
	dir := t.TempDir()
	path := photograph(t, dir, "A.JPG", 1)
	other := photograph(t, dir, "A.jpg", 1)
	if a, err := os.Stat(path); err == nil {
		if b, err := os.Stat(other); err != nil || os.SameFile(a, b) {
			return // a file system without case
		}
	}
	if err := os.WriteFile(other+".xmp", []byte(packet(list("<rdf:Bag>"+good+"</rdf:Bag>"))), 0o666); err != nil {
		t.Fatal(err)
	}
	if p, err := tags.Read(path); err != nil || len(p.Regions) > 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// The faces of a .picasa.ini are those of its photographs, in every folder; the rectangle is the example
// that describes the format.
func TestPicasa(t *testing.T) {
	dir := t.TempDir()
	path := photograph(t, dir, "a.jpg", 1)
	photograph(t, dir, "b.jpg", 1)
	ini := "[Picasa]\r\nname=x\r\n[a.jpg]\r\nfaces=rect64(3f845bcb59418507),8e62398ebda8c1a5;rect64(1000100020002000),ffffffffffffffff;rect64(5000500060006000),d1\r\nbackuphash=1\r\n[b.jpg]\r\nfaces=rect64(6000500050006000),8e62398ebda8c1a5\r\n[Contacts2]\r\n8e62398ebda8c1a5=Ann;;\r\n"
	if err := os.WriteFile(filepath.Join(dir, ".picasa.ini"), []byte(ini), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := tags.Read(path)
	if err != nil || len(p.Regions) != 1 || p.Regions[0].Name != "Ann" || total(p) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	want := tags.Area{X: 0x3f84 / 65535., Y: 0x5bcb / 65535., W: (0x5941 - 0x3f84) / 65535., H: (0x8507 - 0x5bcb) / 65535.}
	if p.Regions[0].Overlap(want) < 0.999 {
		t.Errorf("%v, want %v", p.Regions[0].Area, want)
	}
	if p, err := tags.Read(filepath.Join(dir, "b.jpg")); err != nil || len(p.Regions) != 0 || total(p) != 1 {
		t.Errorf("%+v, %v", p, err) // its right side is left of its left side
	}
}
