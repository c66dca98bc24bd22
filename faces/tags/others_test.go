package tags_test

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/faces/tags"
)

// bo is a face away from those that other programs name here.
var bo = []tags.Face{{Name: "Bo", Box: image.Rect(200, 150, 220, 170), Probability: 0.9}}

// packet is a sidecar with properties.
func packet(properties string) string {
	return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/" ` +
		`xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" ` +
		`xmlns:MP="http://ns.microsoft.com/photo/1.2/" xmlns:MPRI="http://ns.microsoft.com/photo/1.2/t/RegionInfo#" ` +
		`xmlns:MPReg="http://ns.microsoft.com/photo/1.2/t/Region#">` +
		properties + "</rdf:Description></rdf:RDF></x:xmpmeta>\n"
}

// list is a property with a list of regions.
func list(bag string) string {
	return `<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:RegionList>` + bag + `</mwg-rs:RegionList></mwg-rs:Regions>`
}

const (
	annsRegion = `<rdf:li rdf:parseType="Resource"><mwg-rs:Name>Ann</mwg-rs:Name><mwg-rs:Type>Face</mwg-rs:Type>` +
		`<mwg-rs:Area stArea:x="0.2" stArea:y="0.2" stArea:w="0.1" stArea:h="0.1"/></rdf:li>`
	nobodys = `<rdf:li><rdf:Description mwg-rs:Type="Face"><mwg-rs:Area stArea:x="0.82" stArea:y="0.83" stArea:w="0.1" ` +
		`stArea:h="0.12"/></rdf:Description></rdf:li>`
)

// tagged are the names in regions of others and of nrdl.
func tagged(t *testing.T, path string) (others, written []string) {
	t.Helper()
	p, err := tags.Read(path)
	if err != nil || len(p.Problems) > 0 {
		t.Fatal(err, p.Problems)
	}
	for _, r := range p.Regions {
		if r.Written {
			written = append(written, r.Name)
		} else {
			others = append(others, r.Name)
		}
	}
	return others, written
}

// Whatever list another program has, it is added to, its people are in PersonInImage, and Remove
// gives back what was there.
func TestListsOfOthers(t *testing.T) {
	for name, c := range map[string]struct{ sidecar, people, regions string }{
		"people": {packet(list("<rdf:Bag>" + annsRegion + "</rdf:Bag>")), "Ann, Bo", "Ann Bo"},
		"vacant": {packet(list("<rdf:Bag>" + annsRegion + nobodys + "</rdf:Bag>")), "Ann, Bo", "Ann Bo"},
		"nobody": {packet(list("<rdf:Bag>" + nobodys + "</rdf:Bag>")), "Bo", "Bo"},
		"names": {packet(list("<rdf:Bag>"+annsRegion+"</rdf:Bag>") +
			"<Iptc4xmpExt:PersonInImage><rdf:Bag><rdf:li>Zoë</rdf:li></rdf:Bag></Iptc4xmpExt:PersonInImage>"), "Zoë, Ann, Bo", "Ann Bo"},
		"open": {
			packet(list("<rdf:Bag> </rdf:Bag>") + "<Iptc4xmpExt:PersonInImage><rdf:Bag></rdf:Bag></Iptc4xmpExt:PersonInImage>"),
			"Bo", "Bo",
		},
		"closed": {packet(list("<rdf:Bag />") + "<Iptc4xmpExt:PersonInImage><rdf:Bag/></Iptc4xmpExt:PersonInImage>"), "Bo", "Bo"},
		"Windows": {packet(
			`<MP:RegionInfo rdf:parseType="Resource"><MPRI:Regions><rdf:Bag><rdf:li MPReg:PersonDisplayName="Ann" MPReg:Rectangle="0.15,` +
				` 0.15, 0.1, 0.1"/></rdf:Bag></MPRI:Regions></MP:RegionInfo>`), "Ann, Bo", "Ann Bo"},
		"somebody": {packet(
			`<MP:RegionInfo rdf:parseType="Resource"><MPRI:Regions><rdf:Bag><rdf:li MPReg:Rectangle="0.15, 0.15, 0.1, 0.1"/>` +
				`</rdf:Bag></MPRI:Regions></MP:RegionInfo>`), "Bo", "Bo"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := photograph(t, dir, "a.jpg", 1)
			if err := os.WriteFile(path+".xmp", []byte(c.sidecar), 0o666); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, dir)
			var w tags.Writer
			if out, err := w.Write(t.Context(), path, bo); err != nil || !out.Changed || out.Additions != 1 {
				t.Fatalf("%+v, %v", out, err)
			}
			validate(t, path+".xmp")
			if got := strings.TrimSpace(exiftool(t, "-s3", "-PersonInImage", path+".xmp")); got != c.people {
				t.Errorf("in the image: %s, want %s", got, c.people)
			}
			if _, names := regions(t, path+".xmp"); strings.Join(names, " ") != c.regions {
				t.Errorf("regions of %q, want %s", names, c.regions)
			}
			if out, err := w.Write(t.Context(), path, bo); err != nil || out.Changed {
				t.Errorf("twice is not once: %v", err)
			}
			if _, err := w.Remove(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			same(t, before, snapshot(t, dir))
		})
	}
}

// A region without a name is not copied into a new sidecar.
func TestNobodyIsCopied(t *testing.T) {
	path := photograph(t, t.TempDir(), "a.jpg", 1)
	exiftool(t, "-overwrite_original", "-RegionInfo={RegionList=[{Type=Face,Area={X=0.8,Y=0.8,W=0.1,H=0.1,Unit=normalized}}]}", path)
	if _, err := new(tags.Writer).Write(t.Context(), path, bo); err != nil {
		t.Fatal(err)
	}
	if _, names := regions(t, path+".xmp"); !slices.Equal(names, []string{"Bo"}) {
		t.Errorf("%q", names)
	}
}

// What a.xmp says may be of a.cr2 or of a.png as well: it is read, and a.jpg.xmp is written.
func TestSharedSidecar(t *testing.T) {
	for _, other := range []string{"", "a.CR2", "a.png", "a.mov"} {
		dir := t.TempDir()
		path := photograph(t, dir, "a.jpg", 1)
		for name, content := range map[string]string{"a.xmp": packet(list("<rdf:Bag>" + annsRegion + "</rdf:Bag>")), other: "content"} {
			if name == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		before := snapshot(t, dir)
		var w tags.Writer
		out, err := w.Write(t.Context(), path, bo)
		want := map[bool]string{true: "a.jpg.xmp", false: "a.xmp"}[other == "a.CR2" || other == "a.png"]
		if err != nil || filepath.Base(out.Path) != want {
			t.Errorf("%s: %+v, %v", other, out, err)
		}
		if others, written := tagged(t, path); !slices.Equal(others, []string{"Ann"}) || !slices.Contains(written, "Bo") {
			t.Errorf("%s: of others %q, of nrdl %q", other, others, written)
		}
		if _, names := regions(t, out.Path); strings.Join(names, " ") != "Ann Bo" {
			t.Errorf("%s: regions of %q", other, names)
		}
		if _, err := w.Remove(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		same(t, before, snapshot(t, dir))
	}
}

// exiftool copies a sidecar into the photograph without the extensions of regions. What nrdl
// wrote is known all the same, and what a person wrote as well.
func TestCopiedIntoThePhotograph(t *testing.T) {
	path := photograph(t, t.TempDir(), "a.jpg", 1)
	exiftool(t, "-overwrite_original", "-RegionInfo={RegionList=[{Name=Ann,Type=Face,Area={X=0.2,Y=0.2,W=0.1,H=0.1,Unit=normalized}}]}",
		"-XMP-iptcExt:PersonInImage=Ann", path)
	var w tags.Writer
	if _, err := w.Write(t.Context(), path, bo); err != nil {
		t.Fatal(err)
	}
	exiftool(t, "-overwrite_original", "-tagsfromfile", path+".xmp", "-all:all", path)
	if err := os.Remove(path + ".xmp"); err != nil {
		t.Fatal(err)
	}
	p, err := tags.Read(path)
	if others, written := tagged(t, path); err != nil || !slices.Equal(others, []string{"Ann"}) || !slices.Equal(written, []string{"Bo"}) ||
		!slices.Equal(p.Names, []string{"Ann"}) {
		t.Errorf("of others %q, of nrdl %q, in the image %q, %v", others, written, p.Names, err)
	}
	if _, err := w.Remove(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	_, names := regions(t, path)
	if people := strings.TrimSpace(exiftool(t, "-s3", "-PersonInImage", path)); !slices.Equal(names, []string{"Ann"}) || people != "Ann" {
		t.Errorf("after Remove: %q, %s", names, people)
	}
}

// A photograph without a date has that of its file, which stays.
func TestEmbedKeepsTheTime(t *testing.T) {
	path := photograph(t, t.TempDir(), "a.jpg", 1)
	at := time.Date(2015, 3, 28, 10, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	w := tags.Writer{Embed: true}
	out, err := w.Write(t.Context(), path, bo)
	if info, statErr := os.Stat(path); err != nil || statErr != nil || !out.Changed || !info.ModTime().Equal(at) {
		t.Error(out, err, statErr, info.ModTime())
	}
}

func TestEmptySidecar(t *testing.T) {
	path := photograph(t, t.TempDir(), "a.jpg", 1)
	if err := os.WriteFile(path+".xmp", []byte("\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := new(tags.Writer).Write(t.Context(), path, bo); err == nil || !strings.Contains(err.Error(), "a.jpg.xmp: it is empty") {
		t.Error(err)
	}
	if p, err := tags.Read(path); err != nil || len(p.Problems) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}
