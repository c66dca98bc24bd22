package server

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	keyboard "github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nrdl.example/nrdl/faces/face"
)

// One of several faces is added by its box, and one that is not found by its eyes; nonsense is
// refused.
func TestFaceByHand(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	var p Person
	c.do(200, "POST", at+"/people", object{"name": "Ann"}, &p)
	group := "photo=" + filepath.Join(filepath.Dir(photos(t, "others")[0]), "group1.jpg")
	var seen Detection
	c.upload(200, at+"/detect", &seen, group)
	if len(seen.Faces) < 2 {
		t.Fatalf("%d faces", len(seen.Faces))
	}
	b := seen.Faces[len(seen.Faces)-1].Box
	var got Added
	// Nobody knows which one is meant: none is taken, and each has its box.
	c.upload(200, at+"/people/"+p.ID+"/faces", &got, group)
	if len(got.Faces) != 0 || len(got.Refused) < 2 || got.Refused[0].Box == nil ||
		!strings.Contains(got.Refused[0].Why, "nothing says which one is meant") {
		t.Errorf("of an unknown group: %+v", got)
	}
	got = Added{}
	c.upload(200, at+"/people/"+p.ID+fmt.Sprintf("/faces?box=%d,%d,%d,%d", b.X, b.Y, b.Width, b.Height), &got, group)
	if len(got.Faces) != 1 || *got.Faces[0].Box != *b {
		t.Errorf("%+v, want the face in %+v", got, b)
	}

	// No detector sees this one.
	cascade, err := face.OpenSearch("cascade")
	if err != nil {
		t.Fatal(err)
	}
	blind := *cascade
	blind.Cascade.MinSide = 1 << 20
	c = newClient(t, Options{Search: &blind})
	at = c.collection()
	c.do(200, "POST", at+"/people", object{"name": "Ann"}, &p)
	one := seen.Faces[0].Pupils
	eyes := fmt.Sprintf("eyes=%.1f,%.1f,%.1f,%.1f", one[0].X, one[0].Y, one[1].X, one[1].Y)
	got = Added{}
	c.upload(200, at+"/people/"+p.ID+"/faces", &got, group)
	if len(got.Faces) != 0 || len(got.Refused) != 1 {
		t.Errorf("without eyes: %+v", got)
	}
	got = Added{}
	c.upload(200, at+"/people/"+p.ID+"/faces?"+eyes, &got, group)
	if len(got.Faces) != 1 || math.Abs(got.Faces[0].Pupils[0].X-one[0].X) > 0.1 {
		t.Errorf("%s: %+v", eyes, got)
	}
	var named ShownPhotograph
	c.upload(200, at+"/identify?"+eyes, &named, group)
	if len(named.Faces) != 1 || named.Faces[0].Guess == nil || *named.Faces[0].Guess != "Ann" || named.Faces[0].Trained == "" {
		t.Errorf("%+v", named)
	}
	got = Added{}
	c.upload(200, at+"/people/"+p.ID+"/faces?eyes=5,5,5,5", &got, group)
	if len(got.Refused) != 1 {
		t.Errorf("one point is two eyes: %+v", got)
	}
	c.upload(422, at+"/people/"+p.ID+"/faces?eyes=1,2,3", nil, group)
	c.upload(422, at+"/people/"+p.ID+"/faces?box=1,2,3,4&"+eyes, nil, group)
	c.upload(422, at+"/people/"+p.ID+"/faces?"+eyes, nil, group, group)
}

// photoOf is the field with one of the drawn photographs of several people.
func photoOf(t *testing.T, name string) string {
	return "photo=" + filepath.Join(filepath.Dir(photos(t, "others")[0]), name+".jpg")
}

// Of several faces the collection takes the one that it knows as the person; a person that it knows gets no second
// name in silence, by a request, an import of folders, or Double Take.
func TestMeantFace(t *testing.T) {
	c := newClient(t, Options{CompreFace: "people"})
	var made Collection
	c.do(200, "POST", "/v1/collections", object{"name": "people"}, &made)
	at := "/v1/collections/" + made.ID
	group := photoOf(t, "group1")
	var seen Detection
	c.upload(200, at+"/detect", &seen, group)
	place := func(i int) string {
		b := seen.Faces[i].Box
		return fmt.Sprintf("?box=%d,%d,%d,%d", b.X, b.Y, b.Width, b.Height)
	}
	var ann, bob, eve Person
	var got Added
	for i, p := range []*Person{&ann, &bob} {
		c.do(200, "POST", at+"/people", object{"name": []string{"Ann", "Bob"}[i]}, p)
		c.upload(200, at+"/people/"+p.ID+"/faces"+place(i), &got, group)
	}
	for i, p := range []*Person{&ann, &bob} {
		got = Added{}
		c.upload(200, at+"/people/"+p.ID+"/faces", &got, group)
		if len(got.Faces) != 1 || *got.Faces[0].Box != *seen.Faces[i].Box || len(got.Warnings) > 0 {
			t.Errorf("person %d: %+v", i, got)
		}
	}
	c.do(200, "POST", at+"/people", object{"name": "Eve"}, &eve)
	got = Added{}
	c.upload(200, at+"/people/"+eve.ID+"/faces", &got, group)
	if len(seen.Faces) == 2 && (len(got.Faces) != 0 || len(got.Refused) != 2 || !strings.Contains(got.Refused[0].Why, "takes it for Ann")) {
		t.Errorf("everybody is known: %+v", got)
	}
	got = Added{}
	c.upload(200, at+"/people/"+eve.ID+"/faces"+place(0), &got, group)
	if len(got.Faces) != 1 || len(got.Warnings) != 1 || got.Warnings[0].Person != ann.ID || got.Warnings[0].Face != got.Faces[0].ID {
		t.Errorf("Ann as Eve: %+v", got)
	}
	c.do(204, "POST", at+"/undo/"+got.Operations[0], nil, nil)
	kind, form := c.form(strings.Replace(group, "photo=", "file=", 1))
	response, err := http.Post(c.server.URL+"/api/v1/recognition/faces?subject=Zoe", kind, bytes.NewReader(form))
	if err != nil || response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("by Double Take: %v, %v", response, err)
	}
	_ = response.Body.Close()

	var j Job
	data, err := os.ReadFile(strings.TrimPrefix(group, "photo="))
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, 0) // another file, the same photograph
	var result ImportResult
	c.upload(200, at+"/import?folders=people", &j, "archive="+archive(t, map[string][]byte{"Ann/1.jpg": data, "Zoe/1.jpg": append(data, 0)}))
	if c.follow(at, j.ID, &result); result.Faces != 1 || len(result.Refused) != 1 || result.Refused[0].Name != "Zoe/1.jpg" ||
		result.People != 0 {
		t.Errorf("%+v", result)
	}
}

// Somebody without a mouse chooses one of several faces, and shows by a box or by two eyes where one
// is that was not found; with a mouse the box is drawn and dragged.
func testPageByHand(t *testing.T, ctx context.Context) {
	c := newClient(t, Options{})
	at := c.collection()
	ids := c.enrol(at, everybody...)
	group := filepath.Join(filepath.Dir(photos(t, "others")[0]), "group1.jpg")
	b := browse(t, c, ctx)
	b.run(chromedp.Navigate(c.server.URL + "/#/" + filepath.Base(at) + "/person/" + ids["person001"]))
	b.until(`document.querySelector(".profile input[type=file]")`)
	b.choose(".profile input[type=file]", group)
	b.until(`document.querySelectorAll("dialog .box").length > 1`)
	b.named()
	b.tab("dialog .box:last-child")
	b.press(kb.Enter)
	b.until(`document.querySelector(".profile") && !document.querySelector("dialog")`)
	b.until(`[...document.querySelectorAll(".fact .value")].some((e) => e.textContent === "3")`)

	empty := filepath.Join(t.TempDir(), "empty.png")
	writeGrey(t, empty)
	b.choose(".profile input[type=file]", empty)
	b.until(`document.querySelector("dialog .drawn") && document.activeElement.closest("dialog")`)
	b.named()
	left := func(selector, side string) float64 {
		return js[float64](b, fmt.Sprintf(`parseFloat(document.querySelector("dialog %s").style.%s)`, selector, side))
	}
	b.tab("dialog .drawn")
	at0, wide := left(".drawn", "left"), left(".drawn", "width")
	b.press(kb.ArrowLeft, kb.ArrowLeft)
	b.with(chromedp.ModifierShift, kb.ArrowRight)
	if moved, grown := at0-left(".drawn", "left"), left(".drawn", "width")-wide; math.Abs(moved-2) > 0.01 || math.Abs(grown-1) > 0.01 {
		t.Errorf("the arrow keys moved the box by %g %%, and made it %g %% wider", moved, grown)
	}
	drag := func(from, to [2]float64) { // shares of the photograph
		t.Helper()
		r := js[[]float64](b,
			`(() => { const r = document.querySelector("dialog .photo").getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`)
		for i, p := range [][2]float64{from, to, to} {
			kind := []keyboard.DispatchMouseEventType{
				keyboard.DispatchMouseEventTypeMousePressed,
				keyboard.DispatchMouseEventTypeMouseMoved, keyboard.DispatchMouseEventTypeMouseReleased,
			}[i]
			e := keyboard.DispatchMouseEventParams{
				Type: kind, X: r[0] + p[0]*r[2], Y: r[1] + p[1]*r[3],
				Button: keyboard.MouseButtonLeft, ClickCount: 1,
			}
			if _, err := chromedp.Call(b.ctx, keyboard.DispatchMouseEvent, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	drag([2]float64{0.9, 0.9}, [2]float64{0.7, 0.6})
	if l, w := left(".drawn", "left"), left(".drawn", "width"); math.Abs(l-70) > 1 || math.Abs(w-20) > 1 {
		t.Errorf("a box was drawn at %g %%, %g %% wide", l, w)
	}
	drag([2]float64{0.8, 0.8}, [2]float64{0.3, 0.8})
	if l, w := left(".drawn", "left"), left(".drawn", "width"); math.Abs(l-20) > 1 || math.Abs(w-20) > 1 {
		t.Errorf("a box was dragged to %g %%, and is %g %% wide", l, w)
	}
	b.tab("dialog .row button:nth-child(2)") // point at the eyes
	b.press(kb.Enter)
	b.until(`document.querySelector("dialog .drawn").hidden`)
	b.named()
	drag([2]float64{0.25, 0.5}, [2]float64{0.25, 0.5})
	if x := left(".eye", "left"); math.Abs(x-25) > 1 {
		t.Errorf("a click puts the eye at %g %%", x)
	}
	b.press(kb.ArrowLeft)
	if x := left(".eye", "left"); math.Abs(x-24) > 1 {
		t.Errorf("the arrow keys put the eye at %g %%", x)
	}
	b.tab("dialog button.main")
	b.press(kb.Enter)
	b.until(`!document.querySelector("dialog") && /dark|blurred|bright/.test(document.body.innerText)`) // refused, with the reason
	for _, what := range b.bad {
		t.Error(what)
	}
}

// writeGrey writes a photograph of nothing.
func writeGrey(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 300, 200))); err != nil {
		t.Fatal(err)
	}
}
