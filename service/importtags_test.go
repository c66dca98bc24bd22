package service

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nrdl.example/nrdl/service/store"
	"nrdl.example/nrdl/tags"
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
		list += fmt.Sprintf(`<rdf:li rdf:parseType="Resource"><mwg-rs:Name>%s</mwg-rs:Name><mwg-rs:Type>Face</mwg-rs:Type><mwg-rs:Area stArea:x="%g" stArea:y="%g" stArea:w="%g" stArea:h="%g"/></rdf:li>`, name, x, y, size, size)
	}
	return []byte(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/" xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#"><mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:RegionList><rdf:Bag>` +
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
	if j = c.follow(at, j.ID, &got); j.State != store.Succeeded || got.Photos != 2 || got.People != 1 || got.Skipped != 0 || len(got.Tagged) != 2 {
		t.Fatalf("%+v %+v", j, got)
	}
	if a := got.Tagged[0]; a.Name != "2024/a.jpg" || !slices.Equal(a.People, []string{"Ann"}) || !slices.Equal(a.Without, []string{"Cy"}) || a.Problem != "" {
		t.Errorf("%+v", a)
	}
	if b := got.Tagged[1]; b.Name != "2024/b.jpg" || len(b.People) != 0 || b.Problem == "" {
		t.Errorf("%+v", b)
	}
	var people Page[Person]
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
