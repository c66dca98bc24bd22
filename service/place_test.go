package service

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nrdl.example/nrdl/face"
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
	blind.Cascade.LeastSide = 1 << 20
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

// Somebody without a mouse chooses one of several faces, and shows with the arrow keys where one is
// that was not found; a click sets an eye.
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
	b.until(`document.querySelectorAll("dialog .eye").length === 2`)
	b.named()
	b.tab("dialog .eye")
	before := js[float64](b, `parseFloat(document.querySelector("dialog .eye").style.left)`)
	b.press(kb.ArrowLeft, kb.ArrowLeft, kb.ArrowUp)
	if moved := before - js[float64](b, `parseFloat(document.querySelector("dialog .eye").style.left)`); math.Abs(moved-2) > 0.01 {
		t.Errorf("the arrow keys moved an eye by %g %%", moved)
	}
	js[bool](b, `(() => { const p = document.querySelector("dialog .photo"), r = p.getBoundingClientRect(); p.dispatchEvent(new MouseEvent("click", { clientX: r.left + 0.25 * r.width, clientY: r.top + 0.5 * r.height, bubbles: true })); return true; })()`)
	if x := js[float64](b, `parseFloat(document.querySelector("dialog .eye").style.left)`); math.Abs(x-25) > 1 {
		t.Errorf("a click puts the eye at %g %%", x)
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
