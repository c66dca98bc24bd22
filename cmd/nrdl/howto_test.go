package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/faces/synthetic"
)

// What programs write about one face, made from their documented formats: the name is %[1]s, the middle
// and the size of the face %[2]g to %[5]g, as shares of the image, and %[6]d×%[7]d its pixels.
const (
	xmpStart = `<?xpacket begin="` + "\ufeff" +
		`" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about=""` +
		` xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/" xmlns:stDim="http://ns.adobe.com/xap/1.0/sType/Dimensions#" ` +
		`xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#"` +
		` xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" xmlns:lr="http://ns.adobe.com/lightroom/1.0/" ` +
		`xmlns:digiKam="http://www.digikam.org/ns/1.0/"` +
		` xmlns:MP="http://ns.microsoft.com/photo/1.2/" xmlns:MPRI="http://ns.microsoft.com/photo/1.2/t/RegionInfo#" ` +
		`xmlns:MPReg="http://ns.microsoft.com/photo/1.2/t/Region#" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/">`
	xmpEnd = `</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`

	mwgRegion = `<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:AppliedToDimensions stDim:w="%[6]d" stDim:h="%[7]d" ` +
		`stDim:unit="pixel"/><mwg-rs:RegionList><rdf:Bag><rdf:li><rdf:Description mwg-rs:Name="%[1]s" mwg-rs:Type="Face">` +
		`<mwg-rs:Area stArea:x="%[2]g" stArea:y="%[3]g" stArea:w="%[4]g" stArea:h="%[5]g" stArea:unit="normalized"/>` +
		`</rdf:Description></rdf:li></rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>`
	mpRegion = `<MP:RegionInfo rdf:parseType="Resource"><MPRI:Regions><rdf:Bag><rdf:li rdf:parseType="Resource">` +
		`<MPReg:PersonDisplayName>%[1]s</MPReg:PersonDisplayName><MPReg:Rectangle>%[8]g, %[9]g, %[4]g, %[5]g</MPReg:Rectangle>` +
		`</rdf:li></rdf:Bag></MPRI:Regions></MP:RegionInfo>`
	person   = `<Iptc4xmpExt:PersonInImage><rdf:Bag><rdf:li>%[1]s</rdf:li></rdf:Bag></Iptc4xmpExt:PersonInImage>`
	keywords = `<lr:hierarchicalSubject><rdf:Bag><rdf:li>People|%[1]s</rdf:li></rdf:Bag></lr:hierarchicalSubject>`
)

// writers write what a program keeps about the face in the photograph at path.
var writers = map[string]func(path, packet string) error{
	"digikam":      func(path, packet string) error { return os.WriteFile(path+".xmp", []byte(packet), 0o666) },
	"apple-photos": func(path, packet string) error { return os.WriteFile(path+".xmp", []byte(packet), 0o666) },
	"google-photos": func(path, packet string) error {
		return os.WriteFile(path+".supplemental-metadata.json", []byte(packet), 0o666)
	},
	"lightroom": func(path, packet string) error { // into the file
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		body := "http://ns.adobe.com/xap/1.0/\x00" + packet
		n := len(body) + 2
		segment := append([]byte{0xff, 0xe1, byte(n >> 8), byte(n)}, body...)
		return os.WriteFile(path, append(append(data[:2:2], segment...), data[2:]...), 0o666)
	},
}

// formats are the packets of writers.
var formats = map[string]string{
	"digikam": xmpStart + `<digiKam:TagsList><rdf:Seq><rdf:li>People/%[1]s</rdf:li></rdf:Seq></digiKam:TagsList>` + keywords +
		mwgRegion + mpRegion + xmpEnd,
	"lightroom":    xmpStart + keywords + person + mwgRegion + xmpEnd,
	"apple-photos": xmpStart + `<photoshop:DateCreated>2024-05-01T10:00:00</photoshop:DateCreated>` + person + mwgRegion + mpRegion + xmpEnd,
	"google-photos": `{"title": "x.jpg", "photoTakenTime": {"timestamp": "1714557600", "formatted": "01.05.2024,` +
		` 10:00:00 UTC"}, "people": [{"name": "%[1]s"}]}`,
}

// programMaterial is a copy of the material in which photographs of drawn people, in the folder
// library, have what the program of a how-to page writes; "" for a page that is about no
// program.
func programMaterial(t *testing.T, page, material string) string {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(page), ".md")
	if _, ok := formats[name]; !ok || !strings.Contains(page, "how-to") {
		return ""
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(material)); err != nil {
		t.Fatal(err)
	}
	set := synthetic.Photographs{People: 3, PerPerson: 4, Size: dataset.Size{Height: 360, Width: 480}, Seed: materialSeed}
	if err := set.Write(context.Background(), filepath.Join(dir, "drawn"), nil); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(dir, "library")
	if err := os.Mkdir(library, 0o777); err != nil {
		t.Fatal(err)
	}
	for p, who := range []string{"Ben", "Ana", "Chloe"} {
		for k := 1; k <= 4; k++ {
			from := filepath.Join(dir, "drawn", "people", fmt.Sprintf("person%03d", p+1), fmt.Sprintf("%d.jpg", k))
			to := filepath.Join(library, fmt.Sprintf("IMG_%d%d.jpg", p+1, k))
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
			var o results.Object
			line, _, _ := strings.Cut(runBlock(t, dir, "nrdl identify people.nrdl library/"+filepath.Base(to)+" --json 2>/dev/null"), "\n")
			if err := json.Unmarshal([]byte(line), &o); err != nil {
				t.Fatal(err)
			}
			if len(o.Faces) != 1 || o.Orientation != 1 { // areas of turned photographs are a test of their own
				if err := os.Remove(to); err != nil {
					t.Fatal(err)
				}
				continue
			}
			b, w, h := o.Faces[0].Box, float64(o.Size.Width), float64(o.Size.Height)
			x, y, bw, bh := float64(b.X)/w, float64(b.Y)/h, float64(b.Width)/w, float64(b.Height)/h
			text, _, _ := strings.Cut(fmt.Sprintf(formats[name]+"%[8]g", who, x+bw/2, y+bh/2, bw, bh, o.Size.Width, o.Size.Height, x, y),
				fmt.Sprintf("%g%%!(EXTRA", x))
			text = strings.TrimSuffix(text, fmt.Sprintf("%g", x))
			if err := writers[name](to, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "drawn")); err != nil {
		t.Fatal(err)
	}
	return dir
}
