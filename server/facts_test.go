package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// dated writes a copy of the JPEG file at path that has the date as EXIF, and returns its path.
func dated(t *testing.T, path, date string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var exif bytes.Buffer
	exif.WriteString("Exif\x00\x00II*\x00")
	for _, v := range []any{uint32(8), uint16(1), uint16(0x0132), uint16(2), uint32(20), uint32(26), uint32(0)} {
		_ = binary.Write(&exif, binary.LittleEndian, v)
	}
	exif.WriteString(date + "\x00")
	segment := append([]byte{0xff, 0xe1, 0, byte(exif.Len() + 2)}, exif.Bytes()...)
	to := filepath.Join(t.TempDir(), "dated.jpg")
	if err := os.WriteFile(to, append(append(data[:2:2], segment...), data[2:]...), 0o666); err != nil {
		t.Fatal(err)
	}
	return to
}

// A photograph that was taken before a birth does not show the person, who is somebody else than
// another one until that is undone.
func TestFactsOfPeople(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	ids := c.enrol(at, everybody...)
	photo := dated(t, photos(t, "people/person001")[0], "2010:06:01 12:00:00")
	name := func() Identified {
		t.Helper()
		var got ShownPhotograph
		c.upload(200, at+"/identify", &got, "photo="+photo)
		if len(got.Faces) != 1 {
			t.Fatalf("%+v", got)
		}
		return got.Faces[0].Identified
	}
	if f := name(); f.Name == nil || *f.Name != "person001" {
		t.Fatalf("%+v", f)
	}
	person := at + "/people/" + ids["person001"]
	var done Done
	c.do(200, "PATCH", person, object{"born": "2010-06-03"}, &done)
	if f := name(); f.Name == nil {
		t.Errorf("two days before the birth: %+v", f)
	}
	c.do(200, "PATCH", person, object{"born": "2010-07"}, &done)
	if f := name(); f.Name != nil || f.Unborn != "person001" || !strings.Contains(f.Reason, "before person001 was born") {
		t.Errorf("a month before the birth: %+v", f)
	}
	var p Person
	c.do(200, "GET", person, nil, &p)
	if p.Born != "2010-07" || p.Name != "person001" {
		t.Errorf("%+v", p)
	}
	c.do(204, "POST", at+"/undo/"+done.Operation, nil, nil)
	if f := name(); f.Name == nil {
		t.Errorf("undone: %+v", f)
	}
	c.do(422, "PATCH", person, object{"born": "soon"}, nil)
	c.do(422, "PATCH", person, object{"different": []string{ids["person001"]}}, nil)
	c.do(200, "PATCH", person, object{"born": "", "different": []string{ids["person002"]}}, nil)
	var again Person
	c.do(200, "GET", person, nil, &again)
	if again.Born != "" || len(again.Different) != 1 || again.Different[0] != ids["person002"] {
		t.Errorf("%+v", again)
	}
	if f := name(); f.Name == nil && f.Rival != "person002" {
		t.Errorf("%+v", f)
	}
	c.do(200, "DELETE", at+"/people/"+ids["person002"], nil, nil)
	var erased Person
	if c.do(200, "GET", person, nil, &erased); len(erased.Different) != 0 {
		t.Errorf("erased, and yet %+v", erased)
	}
}

// On the page a person gets a date of birth and is distinguished from another one, and several people
// are merged at once; each is undone.
func testPageOfFacts(t *testing.T, ctx context.Context) {
	c := newClient(t, Options{})
	at := c.collection()
	ids := c.enrol(at, everybody...)
	b := browse(t, c, ctx)
	person := func(id string) (p Person) {
		c.do(200, "GET", at+"/people/"+id, nil, &p)
		return p
	}
	b.run(chromedp.Navigate(c.server.URL + "/#/" + filepath.Base(at) + "/person/" + ids["person001"]))
	b.until(`document.querySelector(".profile .menu")`)
	b.tab(".menu summary")
	b.press(kb.Enter)
	b.tab(".menu button:nth-child(2)")
	b.press(kb.Enter)
	b.until(`document.activeElement.matches("dialog input")`)
	b.named()
	b.press("soon", kb.Enter) // is not taken
	b.with(chromedp.ModifierCtrl, "a")
	b.press("2010-07", kb.Enter)
	b.until(`[...document.querySelectorAll(".fact .value")].some((e) => e.textContent === "2010-07")`)
	b.named()
	if p := person(ids["person001"]); p.Born != "2010-07" {
		t.Errorf("%+v", p)
	}
	b.tab(".fact button.link")
	b.press(kb.Enter)
	b.until(`document.querySelector(".fact button.plain") && !document.querySelector(".fact button.link")`)
	b.named()
	other := person(ids["person001"]).Different
	if len(other) != 1 || !slices.Equal(person(other[0]).Different, []string{ids["person001"]}) {
		t.Errorf("%q", other)
	}
	b.tab(".fact button.plain")
	b.press(kb.Enter)
	b.until(`!document.querySelector(".fact button.plain")`)
	if p := person(ids["person001"]); len(p.Different) != 0 || p.Born != "2010-07" {
		t.Errorf("%+v", p)
	}

	b.screen("4", ".people a")
	b.tab(".tools button:nth-of-type(2)")
	b.press(kb.Enter)
	b.until(`document.querySelector(".people a[role=checkbox]")`)
	b.tab(".people a")
	b.press(" ", kb.ArrowRight, " ", kb.ArrowRight, kb.Enter)
	b.until(`document.querySelector(".sticky").innerText.includes("3 selected")`)
	b.named()
	b.tab(".sticky button")
	b.press(kb.Enter)
	b.until(`document.activeElement.matches("dialog input[type=radio]")`)
	b.named()
	b.press(kb.ArrowDown)
	into := js[string](b, `document.activeElement.nextElementSibling.innerText`)
	b.tab("dialog button.main")
	b.press(kb.Enter)
	b.until(fmt.Sprintf(`document.querySelectorAll(".people a").length === %d && !document.querySelector(".people [role]")`, len(everybody)-2))
	if p := b.people(at)[into]; p.Faces != 6 {
		t.Errorf("%s has %d faces", into, p.Faces)
	}
	b.with(chromedp.ModifierCtrl, "z")
	b.until(fmt.Sprintf(`document.querySelectorAll(".people a").length === %d`, len(everybody)))
	for _, what := range b.bad {
		t.Error(what)
	}
}
