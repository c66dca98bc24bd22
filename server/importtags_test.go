package server

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/tags"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/store"
)

// regions is a sidecar with a face region for each name, at a middle and of a size.
func regions(all ...string) []byte {
	list := ""
	for _, r := range all {
		var name string
		var x, y, size float64
		if _, err := fmt.Sscanf(r, "%s %f %f %f", &name, &x, &y, &size); err != nil {
			panic(err)
		}
		list += fmt.Sprintf(
			`<rdf:li rdf:parseType="Resource"><mwg-rs:Name>%s</mwg-rs:Name><mwg-rs:Type>Face</mwg-rs:Type>`+
				`<mwg-rs:Area stArea:x="%g" stArea:y="%g" stArea:w="%g" stArea:h="%g"/></rdf:li>`, name, x, y, size, size)
	}
	return []byte(
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
			`<rdf:Description rdf:about="" xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/" ` +
			`xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#"><mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:RegionList><rdf:Bag>` +
			list + `</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions></rdf:Description></rdf:RDF></x:xmpmeta>`)
}

// An import takes the names of face tags: those of faces that are found in the regions. The job
// tells for each photograph who was added, and who has no face.
func TestImportOfTags(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	var found struct {
		Size  struct{ Width, Height float64 }
		Faces []struct {
			Box struct{ X, Y, Width, Height float64 }
		}
	}
	all := slices.Concat(photos(t, "people/person001"), photos(t, "people/person003"))
	photo := all[slices.IndexFunc(all, func(path string) bool { // areas are those of the image as stored
		p, err := tags.Read(path)
		return err == nil && p.Orientation == 1
	})]
	c.upload(200, at+"/detect", &found, "photo="+photo)
	b, w, h := found.Faces[0].Box, found.Size.Width, found.Size.Height
	ann := fmt.Sprintf("Ann %f %f %f", (b.X+b.Width/2)/w, (b.Y+b.Height/2)/h, b.Width/w)
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	other := photos(t, "people/person002")[0]
	zipped := archive(t, map[string][]byte{
		"2024/a.jpg": read(photo), "2024/a.jpg.xmp": regions(ann, "Cy 0.02 0.02 0.02"),
		"2024/b.jpg": read(other), "2024/b.xmp": []byte("no sidecar"),
		"2025/a.xmp": regions(ann), // of another folder
	})
	var j Job
	var got ImportResult
	c.upload(200, at+"/import?tags=regions", &j, "archive="+zipped)
	if j = c.follow(at, j.ID, &got); j.State != store.Succeeded || got.Photos != 2 || got.People != 1 || got.Skipped != 0 ||
		len(got.Tagged) != 2 {
		t.Fatalf("%+v %+v", j, got)
	}
	if a := got.Tagged[0]; a.Name != "2024/a.jpg" || !slices.Equal(a.People, []string{"Ann"}) || !slices.Equal(a.Without, []string{"Cy"}) ||
		a.Problem != "" {
		t.Errorf("%+v", a)
	}
	if b := got.Tagged[1]; b.Name != "2024/b.jpg" || len(b.People) != 0 || b.Problem == "" {
		t.Errorf("%+v", b)
	}
	var people api.Page[Person]
	c.do(200, "GET", at+"/people", nil, &people)
	if len(people.Items) != 1 || people.Items[0].Name != "Ann" || people.Items[0].Faces != 1 {
		t.Errorf("%+v", people.Items)
	}

	// Photographs that are sent one by one bring their sidecars along.
	second := c.collection()
	dir := t.TempDir()
	for name, data := range map[string][]byte{"a.jpg": read(photo), "a.jpg.xmp": regions(ann)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got = ImportResult{}
	c.upload(200, second+"/import?tags=regions", &j, "photo="+filepath.Join(dir, "a.jpg"), "photo="+filepath.Join(dir, "a.jpg.xmp"))
	if j = c.follow(second, j.ID, &got); got.People != 1 || len(got.Tagged) != 1 || got.Tagged[0].Name != "a.jpg" {
		t.Errorf("%+v", got)
	}
	c.upload(422, second+"/import?tags=regions&as=strangers", nil, "photo="+photo)
}

// What lies beside the photographs of a zip is read in every folder: sidecars whose names have another case,
// and the faces of Picasa. The result has what is not used, and also a file that is damaged and used.
func TestImportOfWhatLiesBeside(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	all := slices.Concat(photos(t, "people/person001"), photos(t, "people/person002"), photos(t, "people/person003"))
	all = slices.DeleteFunc(all, func(path string) bool {
		p, err := tags.Read(path)
		return err != nil || p.Orientation != 1
	})
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var found struct {
		Size  struct{ Width, Height float64 }
		Faces []struct {
			Box struct{ X, Y, Width, Height float64 }
		}
		Warnings []string
	}
	area := func(path string) (x, y, w, h float64) {
		c.upload(200, at+"/detect", &found, "photo="+path)
		b := found.Faces[0].Box
		return b.X / found.Size.Width, b.Y / found.Size.Height, b.Width / found.Size.Width, b.Height / found.Size.Height
	}
	x, y, w, h := area(all[0])
	ini := fmt.Sprintf("[a.jpg]\nfaces=rect64(%04x%04x%04x%04x),1;rect64(10),2\n[Contacts2]\n1=Ann;;\n",
		int(x*65535), int(y*65535), int((x+w)*65535), int((y+h)*65535))
	x, y, w, h = area(all[1])
	cut := read(all[2])
	cut = cut[:len(cut)-2]
	zipped := archive(t, map[string][]byte{
		"1/2/a.jpg": read(all[0]), "1/2/.picasa.ini": []byte(ini),
		"3/B.JPG": read(all[1]), "3/B.jpg.xmp": regions(fmt.Sprintf("Bo %f %f %f", x+w/2, y+h/2, w)),
		"4/c.jpg": cut,
	})
	var j Job
	var got ImportResult
	c.upload(200, at+"/import?tags=regions", &j, "archive="+zipped)
	if j = c.follow(at, j.ID, &got); j.State != store.Succeeded || got.Photos != 3 || got.People != 2 || got.Skipped != 0 {
		t.Fatalf("%+v %+v", j, got)
	}
	const isCut = "the JPEG is damaged or its end is missing"
	want := map[string]string{"1/2/a.jpg": "not used of its tags: 1 face of .picasa.ini", "4/c.jpg": isCut}
	for _, o := range got.Warnings {
		if why := want[o.Name]; why != "" && strings.HasPrefix(o.Why, why) {
			delete(want, o.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("%+v lacks %v", got.Warnings, want)
	}
	damaged := filepath.Join(t.TempDir(), "c.jpg")
	if err := os.WriteFile(damaged, cut, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/identify", "/identify?why=true", "/detect", "/search"} {
		found.Warnings = nil
		if c.upload(200, at+path, &found, "photo="+damaged); len(found.Warnings) != 1 || !strings.HasPrefix(found.Warnings[0], isCut) {
			t.Errorf("%s: %v", path, found.Warnings)
		}
		found.Warnings = nil
		if c.upload(200, at+path, &found, "photo="+all[2]); len(found.Warnings) > 0 {
			t.Errorf("%s, whole: %v", path, found.Warnings)
		}
	}
	found.Warnings = nil
	if c.upload(200, at+"/verify", &found, "a="+all[2], "b="+damaged); len(found.Warnings) != 1 ||
		!strings.HasPrefix(found.Warnings[0], isCut) {
		t.Errorf("verify: %v", found.Warnings)
	}
	var added Added
	c.upload(200, at+"/faces", &added, "photo="+damaged)
	if len(added.Warnings) != 1 || !strings.HasPrefix(added.Warnings[0].Why, isCut) {
		t.Errorf("%+v", added.Warnings)
	}
}
