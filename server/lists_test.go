package server

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/server/store"
)

// fast3G is "Fast 3G" of the developer tools of Chromium.
var fast3G = network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{
	{Latency: 562.5, DownloadThroughput: 1.6e6 * 0.9 / 8, UploadThroughput: 750e3 * 0.9 / 8},
}}

// populated is a service whose lists have several pages each: people, faces of one person, who is
// returned, faces of nobody, and operations.
func populated(t *testing.T, people int) (c *client, at, person string) {
	c = newClient(t, Options{})
	at = c.collection()
	id, db := filepath.Base(at), c.v.store
	for i := range people {
		p, _, err := db.CreatePerson(t.Context(), "tester", id, fmt.Sprintf("Person %05d", i), store.Known, false)
		if err != nil {
			t.Fatal(err)
		}
		person = p.ID
	}
	space := c.v.people.Space()
	var crop bytes.Buffer
	if err := jpeg.Encode(&crop, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	add := func(person string, n int, photo *store.Photo, vector func(i int) []float32) {
		faces := make([]store.NewFace, n)
		for i := range faces {
			faces[i] = store.NewFace{Face: store.Face{Source: store.Upload}, Crop: crop.Bytes(), Space: space, Vector: vector(i)}
		}
		if _, err := db.AddFaces(t.Context(), "tester", id, photo, person, faces); err != nil {
			t.Fatal(err)
		}
	}
	one := func(i int) []float32 { // many vectors that are not alike
		const of = 64
		v := make([]float32, frontend.Embedding.Embedder.Frame().Len())
		v[i%of], v[of+i/of] = math.Sqrt2/2, math.Sqrt2/2
		return v
	}
	for i := range 130 { // more photographs than a page has
		add(person, 5, &store.Photo{SHA256: fmt.Sprintf("%064d", i), Width: 640, Height: 480}, func(int) []float32 { return one(0) })
	}
	add("", 200, nil, func(i int) []float32 { return one(1 + i) })
	c.publish(at)
	return c, at, person
}

// Whoever leaves a list while it loads, on a slow network, is at the next screen, and the page still
// works: at each request of each list.
func TestLists(t *testing.T) {
	t.Parallel()
	type list struct {
		screen   string
		requests int // of it, at each of which it is left
	}
	sizes, lists := []int{400}, []list{{"people", 4}}
	if os.Getenv("NRDL_LONG") != "" {
		sizes = append(sizes, 10_000)
		lists = append(lists, list{"groups", 1}, list{"person", 5}, list{"photos", 2}, list{"review/doubtful", 1},
			list{"review/conflict", 1}, list{"review/history", 2}, list{"line", 1}, list{"settings", 4})
	}
	ctx := launch(t)
	for _, n := range sizes {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			c, at, person := populated(t, n)
			b := browse(t, c, ctx)
			b.until(`document.querySelectorAll("#nav a").length === 7`)
			if _, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, fast3G); err != nil {
				t.Fatal(err)
			}
			// When the page has sent so many requests of the screen, it goes to another one.
			b.run(chromedp.Evaluate[chromedp.Void](`(() => {
				const send = fetch;
				setInterval(() => scrollTo(0, document.body.scrollHeight), 50);
				window.begin = (from, to, at) => { window.left = false; window.leave = { to, at, sent: 0 }; location.hash = from; };
				window.fetch = (path, o) => {
					const answer = send(path, o);
					if (window.leave && o.signal && ++window.leave.sent === window.leave.at) {
						location.hash = window.leave.to;
						window.leave = null;
						window.left = true;
					}
					return answer;
				};
			})()`))
			base := "#/" + filepath.Base(at) + "/"
			to := base + "add"
			for _, list := range lists {
				from := base + list.screen
				if list.screen == "person" || list.screen == "photos" {
					from += "/" + person
				}
				for i := range list.requests {
					b.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("begin(%q, %q, %d)", from, to, i+1)))
					b.until(fmt.Sprintf(
						`window.left && location.hash === %q && document.querySelector(".dropzone") && !document.querySelector(".screen[aria-busy]")`, to))
				}
			}
			b.run(chromedp.Evaluate[chromedp.Void]("window.leave = null"))
			b.press("4")
			b.until(`document.querySelectorAll(".people a").length > 120`)
			b.mu.Lock()
			defer b.mu.Unlock()
			for _, what := range b.bad {
				t.Error(what)
			}
		})
	}
}
