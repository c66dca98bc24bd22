package server

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Whoever keeps visitors sees in Review who was not recognised, when and where, gives one a name, and forgets the
// others. The picture that stands for a person can be chosen.
func testPageOfVisitors(t *testing.T, ctx context.Context) {
	c := newClient(t, Options{})
	at, id, ann, bo := c.withAnn()
	b := browse(t, c, ctx)
	b.until(`document.querySelectorAll("#nav a").length === 7`)
	b.screen("6", "[role=tabpanel]")
	tab := func(id string) {
		b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#tab-` + id + `").click()`))
		b.until(`document.querySelector("#tab-` + id + `[aria-selected=true]") && !document.querySelector(".screen[aria-busy]")`)
	}
	tab("visitors")
	b.until(`document.querySelector(".lead").innerText.includes("are not kept")`)
	b.named()
	b.screen("7", ".days input")
	b.tab(".days input")
	b.with(chromedp.ModifierCtrl, "a")
	b.press("3", kb.Enter)
	b.until(`document.querySelector("#toasts").innerText.includes("forgotten after 3 days")`)
	b.named()
	for i, camera := range []string{"door", "Garden gate"} {
		c.upload(200, at+"/identify?source="+strings.ReplaceAll(camera, " ", "%20")+"&reference=event-"+strconv.Itoa(i), nil, bo[i])
	}
	c.upload(200, at+"/identify?source=door", nil, ann[0])
	b.until(`document.querySelector("[data-screen=review] .badge").textContent === "1"`)
	b.screen("6", "[role=tabpanel]")
	tab("visitors")
	b.until(`document.querySelectorAll(".group").length === 1 && document.querySelectorAll(".group time").length === 2`)
	if text := js[string](b, `document.querySelector(".group ul").innerText`); !strings.Contains(text, "· Garden gate") ||
		!strings.Contains(text, "· door event-0") {
		t.Error(text)
	}
	b.named()
	b.tab("[role=combobox]")
	b.press("Bo", kb.Enter)
	b.until(`document.querySelector("#toasts").innerText.includes("2 faces named Bo") && !document.querySelector(".group")`)
	if p := b.people(at)["Bo"]; p.Faces != 2 {
		t.Errorf("%+v", p)
	}
	b.until(`document.querySelector("[data-screen=review] .badge").textContent === ""`)
	b.with(chromedp.ModifierCtrl, "z")
	b.until(`document.querySelectorAll(".group").length === 1`)
	b.until(`document.querySelector(".visiting button:not([hidden])")`)
	b.tab(".group .who > .row button[type=button]") // forget
	b.press(kb.Enter)
	b.until(`!document.querySelector(".group") && document.querySelector("#toasts").innerText.includes("2 faces forgotten")`)
	b.with(chromedp.ModifierCtrl, "z") // it waits until the message is gone
	b.until(`document.querySelectorAll(".group").length === 1`)
	b.tab(".visiting button")
	b.press(kb.Enter)
	b.until(`document.querySelector("dialog button.danger")`)
	b.named()
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("dialog button.danger").click()`))
	b.until(`!document.querySelector(".group") && document.querySelector(".lead").innerText.includes("Nobody was here")`)
	if all := c.visitors(at); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	c.do(200, "PATCH", at+"/people/"+id, object{"born": "1990"}, nil)
	tab("history")
	b.until(`document.querySelector(".history li button:not(:disabled)")`)
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector(".history li button:not(:disabled)").click()`))
	b.until(`document.querySelector(".history .undone button")?.textContent === "Undone"`)
	b.named()
	testPortrait(b, at, id)
}

// testPortrait chooses the other face of a person as portrait.
func testPortrait(b *browser, at, id string) {
	b.Helper()
	b.run(chromedp.Evaluate[chromedp.Void](`location.hash = location.hash.replace(/\/review.*/, "/person/` + id + `")`))
	b.until(`document.querySelector(".screen-person .facts") && !document.querySelector(".screen[aria-busy]")`)
	if text := js[string](b, `document.querySelector(".facts").innerText`); !strings.Contains(text, "Last seen") ||
		!strings.Contains(text, "· door") {
		b.Error(text)
	}
	portrait := func() string {
		return js[string](b, `document.querySelector(".profile img").src.match(/faces\/([^/]*)/)[1]`)
	}
	before := portrait()
	b.run(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".face")].find((f) => f.dataset.face !== "` + before + `").click()`))
	b.named()
	b.run(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".selection button")].find((e) => e.textContent ` +
		`=== "Use as portrait").click()`))
	b.until(`document.querySelector("#toasts").innerText.includes("Another picture stands for Ann")`)
	var p Person
	b.do(200, "GET", at+"/people/"+id, nil, &p)
	if after := portrait(); after == before || p.Portrait != after {
		b.Errorf("the portrait is %s, and was %s: %+v", after, before, p)
	}
	b.with(chromedp.ModifierCtrl, "z")
	b.until(`document.querySelector(".profile img")?.src.includes("` + before + `")`)
}
