package server

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/server/api"
)

// The page is used in one browser, whose start takes as long as most of these tests: one tab
// after the other.
func TestPage(t *testing.T) {
	t.Parallel()
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG starts Chromium")
	}
	ctx := launch(t)
	for name, test := range map[string]func(*testing.T, context.Context){
		"by keyboard": testPageByKeyboard, "of a group": testPageOfGroup, "import stops": testPageImportStops, "signs in": testPageSignsIn,
		"of two windows": testPageOfTwoWindows, "of a mixed person": testPageOfMixedPerson, "is loaded again": testPageIsLoadedAgain,
		"of photographs": testPageOfPhotographs, "in languages": testPageInLanguages, "by hand": testPageByHand, "of facts": testPageOfFacts,
		"behind nginx": testPageBehindNginx, "logs in": testPageLogsIn, "logs in below a path": testPageLogsInBelowPath,
		"of what is sure": testPageSure, "of visitors": testPageOfVisitors, "of a better network": testPageOfBetterNetwork,
		"of an album": testPageOfAlbum,
	} {
		t.Run(name, func(t *testing.T) { test(t, ctx) })
	}
}

// people returns the names and faces of the known people.
func (b *browser) people(at string) map[string]Person {
	b.Helper()
	var page api.Page[Person]
	b.do(200, "GET", at+"/people", nil, &page)
	all := map[string]Person{}
	for _, p := range page.Items {
		all[p.Name] = p
	}
	return all
}

// Somebody without a mouse imports a folder, names three groups, identifies a photograph,
// moves the threshold, merges and undoes, and erases. All controls have names, and the
// console stays empty.
func testPageByKeyboard(t *testing.T, ctx context.Context) {
	b := browse(t, newClient(t, Options{Backups: filepath.Join(t.TempDir(), "backups")}), ctx)
	folder, probe := distinct(t)

	b.until(`document.querySelector("#choose-folder") && document.querySelectorAll("#nav a").length === 7`)
	b.named()
	b.tab(".dropzone button.main")
	b.choose("#choose-folder", folder)
	b.until(`document.querySelector("dialog[open]")`) // do the folders have the names of people?
	b.named()
	b.tab("dialog .row button:first-child")
	b.press(kb.Enter)
	b.until(`document.querySelector(".progress a.main")`)
	var collections api.Page[Collection]
	b.do(200, "GET", "/v1/collections", nil, &collections)
	at := "/v1/collections/" + collections.Items[0].ID
	if shown := js[string](b, `document.querySelector(".progress .count").innerText`); !strings.HasPrefix(shown,
		"Import done: 6 photographs, 6 faces, 1 file that is no image") {
		t.Error(shown)
	}
	if shown := js[string](b, `document.querySelector(".failures").textContent`); !strings.Contains(shown, "broken.jpg") ||
		!strings.Contains(shown, "not an image") {
		t.Error(shown)
	}

	b.tab(".progress a.main")
	b.press(kb.Enter)
	b.until(`document.querySelectorAll(".group").length === 3 && document.activeElement.matches("[role=combobox]")`)
	b.named()
	b.press(kb.Escape) // out of the field, to the group
	b.press("?")
	b.until(`document.querySelector("dialog[open] .keys")`)
	b.press("x", kb.Escape)
	b.until(`!document.querySelector("dialog") && [...document.querySelectorAll("[role=combobox]")].every((e) => e.value === "")`)
	b.tab(".face")
	b.press(" ", kb.ArrowRight)
	b.tab("[role=combobox]")
	b.press("One of two", kb.Enter) // splits the group
	b.until(`document.querySelector("#toasts").innerText.includes("1 face named One of two")`)
	if p := b.people(at)["One of two"]; p.Faces != 1 {
		t.Errorf("the group was split: %+v", p)
	}
	b.with(chromedp.ModifierCtrl, "z")
	b.until(`document.querySelectorAll(".group").length === 3 && document.querySelectorAll(".group .face").length === 6`)
	b.tab("[role=combobox]")
	for i, name := range []string{"Ann <b>Smith", "Bo", "נועה"} {
		b.press(name, kb.Enter)
		b.until(fmt.Sprintf(`document.querySelectorAll(".group").length === %d`, 2-i))
	}
	if all := b.people(at); len(all) != 3 || all["Ann <b>Smith"].Faces == 0 {
		t.Fatalf("%+v", all)
	}
	b.until(`document.querySelector(".end")`)

	b.screen("3", ".dropzone")
	b.tab(".dropzone button.main")
	b.choose("#choose-try", probe)
	b.until(`document.querySelector(".seen-face")`)
	b.tab(".seen-face")
	b.press(kb.Enter)
	b.until(`document.activeElement.getAttribute("aria-expanded") === "true" && document.querySelector(".panel:not([hidden]) .strip img")`)
	b.named()

	b.screen("5", "input[type=range]")
	b.tab("input[type=range]")
	b.press(kb.ArrowLeft, kb.ArrowLeft)
	b.tab(".line button.main")
	b.press(kb.Enter)
	b.until(`document.querySelector("#toasts").innerText.includes("strangers may be named")`)
	var c Collection
	b.do(200, "GET", at, nil, &c)
	if math.Abs(c.FPIR-0.01*math.Pow(10, 0.1)) > 1e-4 {
		t.Errorf("the threshold is at %v", c.FPIR)
	}
	var rates Calibration // as the command rounds its limit
	b.do(200, "GET", at+"/calibration", nil, &rates)
	b.until(`document.querySelector(".fact .value").textContent.replaceAll(",", "") === "fewer than 1 in ` +
		legible.AtLeast(1/rates.Strangers.AtLarge.High) + `"`)

	b.screen("4", ".people a")
	b.tab(".people a")
	b.press(kb.ArrowRight, kb.Enter)
	b.until(`document.querySelector(".profile h1")`)
	b.named()
	into := "Ann <b>Smith"
	if js[string](b, `document.querySelector(".profile h1").innerText`) == into {
		into = "Bo"
	}
	b.tab(".profile .row button:nth-child(2)")
	b.press(kb.Enter)
	b.until(`document.activeElement.matches("dialog input")`)
	b.press(into[:2])
	b.until(`document.querySelector("dialog [role=option]")`)
	b.named()
	b.press(kb.ArrowDown, kb.Enter)
	b.until(`document.querySelector("#toasts").innerText.includes("merged with") && document.querySelector(".profile ` +
		`h1")?.innerText.startsWith(` + strconv.Quote(into) + `)`)
	if all := b.people(at); len(all) != 2 {
		t.Errorf("after the merge %+v", all)
	}
	b.with(chromedp.ModifierCtrl, "z")
	b.until(`document.querySelector(".profile h1") && !document.querySelector(".profile h1").innerText.startsWith(` +
		strconv.Quote(into) + `)`)
	if all := b.people(at); len(all) != 3 {
		t.Errorf("after the merge was undone %+v", all)
	}

	name := js[string](b, `document.querySelector(".profile h1").innerText`)
	b.tab(".menu summary")
	b.press(kb.Enter)
	b.tab(".menu .danger")
	b.press(kb.Enter)
	b.until(`document.activeElement.matches("dialog input")`)
	b.press(name, kb.Enter)
	b.until(`document.querySelector("dialog .receipt")`)
	b.named()
	b.run(chromedp.EmulateViewport(390, 900))
	if widest := js[float64](b, `document.querySelector("dialog .receipt dd").getBoundingClientRect().width`); widest < 100 {
		t.Errorf("the values of the receipt have %v pixels", widest)
	}
	b.press(kb.Enter)
	b.until(`document.querySelectorAll(".people a").length === 2`)
	if _, there := b.people(at)[name]; there {
		t.Errorf("%s was not erased", name)
	}

	b.screen("6", "[role=tabpanel]")
	b.screen("7", ".setting")
	b.press("?")
	b.until(`document.querySelector("dialog[open] .keys")`)
	b.named()
	b.press(kb.Escape)
	b.until(`!document.querySelector("dialog")`)
	b.screen("1", ".dropzone")
	b.screen("2", ".groups")
	b.run(chromedp.Reload())
	b.until(`document.querySelector(".groups")`)

	b.mu.Lock()
	defer b.mu.Unlock()
	for _, what := range b.bad {
		t.Error(what)
	}
}

// distinct draws a folder with three people, whose faces the network puts into three groups, with
// two files that are no images, and another photograph of one of the people.
func distinct(t *testing.T) (folder, probe string) {
	t.Helper()
	all, folder := filepath.Join(t.TempDir(), "all"), filepath.Join(t.TempDir(), "holidays")
	p := synthetic.Photographs{People: 6, PerPerson: 2, Size: dataset.Size{Height: 240, Width: 320}, Seed: 6}
	if err := p.Write(t.Context(), all, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"person002", "person004", "person005"} {
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join(all, "people", name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"broken.jpg", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(folder, "person002", name), []byte("no image"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder, filepath.Join(all, "others", "person002.jpg")
}

// The names beside the faces of a group can be read, also at the edges of the photograph.
func testPageOfGroup(t *testing.T, ctx context.Context) {
	c := newClient(t, Options{})
	at := c.collection()
	for _, name := range []string{"person001", "person002", "person003"} {
		var p Person
		c.do(200, "POST", at+"/people",
			object{"name": map[string]string{"person001": "Ann", "person002": "Doctor Bartholomew", "person003": "Constance of Ashby"}[name]}, &p)
		c.upload(200, at+"/people/"+p.ID+"/faces", nil, "photo="+photos(t, "people/"+name)[0], "photo="+photos(t, "people/"+name)[1])
	}
	b := browse(t, c, ctx)
	b.until(`document.querySelectorAll("#nav a").length === 7`)
	b.screen("3", ".dropzone")
	b.choose("#choose-try", photos(t, "others")[0])
	b.until(`document.querySelectorAll(".stage .box").length > 1`)
	b.named()
	for _, width := range []int64{390, 1024} {
		b.run(chromedp.EmulateViewport(width, 900))
		b.until(`[...document.querySelectorAll(".stage .box span")].map((e) => e.getBoundingClientRect()).every((r, i, all) =>
			all.every((o, k) => k >= i || r.left >= o.right || o.left >= r.right || r.top >= o.bottom || o.top >= r.bottom))`)
	}
	defer b.screen("4", ".people a")
	if dir := os.Getenv("NRDL_PICTURES"); dir != "" { // the one of the documentation: light, and the whole window
		b.theme("light")
		b.run(chromedp.EmulateViewport(1280, 800), chromedp.Evaluate[chromedp.Void]("scrollTo(0, 0)"))
		data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "service-page.png"), data, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// Pause holds an import, which goes on from there. Stop ends it, and the page says what was
// not imported.
func testPageImportStops(t *testing.T, ctx context.Context) {
	b := browse(t, newClient(t, Options{}), ctx)
	folder := t.TempDir()
	for i := range 5 {
		photo, err := os.ReadFile(photos(t, "people/person001")[0])
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.jpg", i)), photo, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b.until(`document.querySelector("#choose-folder") && document.querySelectorAll("#nav a").length === 7`)
	// A photograph waits here until the test lets it go.
	b.run(chromedp.Evaluate[chromedp.Void](`window.waiting = [];
		const send = window.fetch;
		window.fetch = (path, o) => o?.body instanceof FormData ? new Promise((ok, no) => {
			o.signal.addEventListener("abort", () => no(o.signal.reason));
			window.waiting.push(() => ok(send(path, o)));
		}) : send(path, o);`))
	progress := func() string {
		b.Helper()
		return js[string](b, `document.querySelector(".progress .count").innerText`)
	}
	b.choose("#choose-folder", folder)
	b.until(`window.waiting.length === 2 && document.querySelectorAll(".progress button").length === 2`)
	b.run(chromedp.Evaluate[chromedp.Void](`window.waiting[0]()`))
	b.until(`window.waiting.length === 3 && document.querySelector(".progress .count").innerText.startsWith("1 of 5 files")`)
	b.tab(".progress button") // Pause
	b.press(kb.Enter)
	b.until(`document.activeElement.innerText === "Continue"`)
	b.named()
	if text := progress(); !strings.HasPrefix(text, "1 of 5 files: 1 photograph, 1 face") || js[int](b, `window.waiting.length`) != 3 {
		t.Errorf("paused: %s", text)
	}
	b.press(kb.Enter)
	b.until(`window.waiting.length === 5 && document.activeElement.innerText === "Pause"`) // the two are sent again
	b.tab(".progress button:nth-child(2)")                                                 // Stop
	b.press(kb.Enter)
	b.until(`document.querySelector(".progress a.main")`)
	b.named()
	if text := progress(); text != "Import stopped: 1 photograph, 1 face, 4 files not imported" {
		t.Errorf("stopped: %s", text)
	}

	b.choose("#choose-folder", folder) // before anything is imported
	b.until(`window.waiting.length === 7`)
	b.tab(".progress button:nth-child(2)")
	b.press(kb.Enter)
	b.until(`document.querySelector(".progress .count").innerText === "Import stopped: 0 photographs, 0 faces, 5 files not imported"`)
}

// If two people have the page open, each sees what the other one does, also when that erases
// the person on the screen. A decision by an old list changes nothing, and the page says who
// has the faces now.
func testPageOfTwoWindows(t *testing.T, ctx context.Context) {
	c := newClient(t, Options{})
	at := c.collection()
	folder, _ := distinct(t)
	files, err := filepath.Glob(filepath.Join(folder, "person00[45]", "*.jpg"))
	if err != nil || len(files) != 4 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		c.upload(200, at+"/faces", nil, "photo="+f)
	}
	first, second := browse(t, c, ctx), browse(t, c, ctx)
	for _, b := range []*browser{first, second} {
		b.until(`document.querySelectorAll(".group").length === 2`)
	}
	second.tab("[role=combobox]")
	second.press("Bo")
	var all api.Page[Cluster]
	c.do(200, "GET", at+"/review", nil, &all)
	group := js[string](second, `document.activeElement.closest(".group").querySelector(".face").dataset.face`)
	var faces []string
	for _, g := range all.Items {
		if slices.Contains(g.Faces, group) {
			faces = g.Faces
		}
	}
	c.do(200, "POST", at+"/review/decide", object{"decisions": []object{{"faces": faces, "verb": "is", "name": "Ann"}}}, nil)
	first.until(`document.querySelectorAll(".group").length === 1`)
	second.press(kb.Enter)
	second.until(`document.querySelector("#toasts").innerText.includes("both are of Ann now")`)
	second.named()
	second.until(`document.querySelectorAll(".group").length === 1`)
	people := second.people(at)
	if ann := people["Ann"]; len(people) != 1 || ann.Faces != 2 {
		t.Fatalf("%+v", people)
	}
	for i, b := range []*browser{first, second} {
		b.screen("4", ".people a")
		if i == 0 {
			b.press(kb.Tab)
			b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector(".people a").click()`))
			b.until(`document.querySelector(".profile h1")`)
		}
	}
	c.do(200, "PATCH", at+"/people/"+people["Ann"].ID, object{"name": "Ann Lee"}, nil)
	first.until(`document.querySelector(".profile h1")?.innerText === "Ann Lee"`)
	second.until(`document.querySelector(".people .name").innerText === "Ann Lee"`)
	second.screen("6", "[role=tabpanel]")
	second.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#tab-history").click()`))
	second.until(`document.querySelectorAll(".history li").length > 1`)
	c.do(200, "PATCH", at, object{"name": "Family"}, nil)
	second.until(`document.querySelector("#brand").innerText.includes("Family")`)
	c.do(200, "DELETE", at+"/people/"+people["Ann"].ID, nil, nil)
	first.until(`document.querySelector("main h1")?.innerText === "This is not here any more"`)
	first.named()
	first.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("main a.button").click()`)) // People
	first.until(`document.querySelector("main h1")?.innerText.startsWith("People") && !document.querySelector(".people a")`)
	// A page on which nobody does anything asks for nothing, so nothing is logged.
	asked := func() int {
		return js[int](first, `performance.getEntriesByType("resource").length`) + js[int](second,
			`performance.getEntriesByType("resource").length`)
	}
	before, logged := asked(), 0
	for { // what was done last is shown
		time.Sleep(5 * time.Second)
		if logged = strings.Count(c.log.String(), "\n"); before == asked() {
			break
		}
		before = asked()
	}
	time.Sleep(5 * time.Second)
	if lines := strings.Count(c.log.String(), "\n"); lines != logged || before != asked() {
		t.Errorf("idle pages: %d requests more, and lines of the log: %s", asked()-before, c.log)
	}
	for _, b := range []*browser{first, second} {
		if id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-`).FindString(js[string](b, `document.body.innerText`)); id != "" {
			t.Errorf("the page shows the id %s", id)
		}
	}
}

// A person made of two is asked about, on the screen of the person and in Review, and the
// answer divides them.
func testPageOfMixedPerson(t *testing.T, ctx context.Context) {
	c, at, _ := mixed(t)
	b := browse(t, c, ctx)
	b.until(`document.querySelectorAll("#nav a").length === 7`)
	b.screen("4", ".people a")
	b.run(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".people a")].find((a) => a.innerText.includes("Mixed")).click()`))
	b.until(`document.querySelector(".advice")?.innerText.includes("3 of 7 photographs do not look like the others")`)
	b.named()
	b.screen("6", "[role=tabpanel]")
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#tab-conflict").click()`))
	const doubt = `[...document.querySelectorAll(".doubt")].find((d) => d.innerText.includes("Two people?"))` // the surest is the first
	b.until(doubt + ` != undefined`)
	b.named()
	b.run(chromedp.Evaluate[chromedp.Void](doubt + `.querySelector("button.main").focus()`))
	if text := js[string](b, doubt+`.innerText`); !strings.Contains(text, "These 3 faces of Mixed do not look like the other ones") {
		t.Error(text)
	}
	b.press("n")
	b.until(`document.querySelector(".doubt") && !document.querySelector("main").innerText.includes("Two people?")`)
	if p := b.people(at)["Mixed"]; p.Faces != 4 {
		t.Errorf("%+v", p)
	}
	b.named()
}

// After an import that loading the page again has ended, the page says what was not sent.
func testPageIsLoadedAgain(t *testing.T, ctx context.Context) {
	b := browse(t, newClient(t, Options{}), ctx)
	folder := t.TempDir()
	for i := range 5 {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.jpg", i)), []byte("no image"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.until(`document.querySelector("#choose-folder") && document.querySelectorAll("#nav a").length === 7`)
	b.run(chromedp.Evaluate[chromedp.Void](`window.waiting = [];
		const send = window.fetch;
		window.fetch = (path, o) => o?.body instanceof FormData ? new Promise((ok) => window.waiting.push(() => ok(send(path, o)))) : send(path, o);`))
	b.choose("#choose-folder", folder)
	b.until(`window.waiting.length === 2`)
	b.run(chromedp.Evaluate[chromedp.Void](`window.waiting[0]()`))
	b.until(`window.waiting.length === 3 && document.querySelector(".progress .count").innerText.startsWith("1 of 5 files")`)
	b.run(chromedp.Reload())
	b.until(`document.querySelector(".dropzone") && document.querySelector("#toasts").innerText.includes("4 files of ` +
		`the last drop were not sent, of 5")`)
	b.screen("1", ".dropzone")
	b.until(`document.querySelector(".screen .hint").innerText.includes("4 files of the last drop were not sent, of 5")`)
	b.choose("#choose-folder", folder)
	b.until(`document.querySelector(".progress a.main") && !document.querySelector(".screen > .hint")`)
	b.run(chromedp.Reload())
	b.until(`document.querySelector(".dropzone") && !document.querySelector("#toasts .toast") && ` +
		`document.querySelectorAll("#nav a").length === 7`)
}

// With a key in the store, the page asks for it and goes on.
func testPageSignsIn(t *testing.T, ctx context.Context) {
	c := newClient(t, Options{})
	var k struct {
		Key string `json:"key"`
	}
	c.do(200, "POST", "/v1/keys", object{"name": "me", "scopes": []string{"admin"}}, &k)
	b := browse(t, c, ctx)
	b.until(`document.activeElement.matches("dialog input[type=password]")`)
	b.named()
	b.press("wrong", kb.Enter)
	b.until(`document.querySelector("dialog .bad").innerText !== ""`)
	b.with(chromedp.ModifierCtrl, "a")
	b.press(k.Key, kb.Enter)
	b.until(`document.querySelector(".dropzone") && !document.querySelector("dialog")`)
}

// policy lets the page load and send nothing but from and to this service.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// The page is sent with a policy that lets nothing in from elsewhere, its files can be kept
// for ever, and the page itself is asked for again.
func TestPageHeaders(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	get := func(path, tag string, want int) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("If-None-Match", tag)
		a, err := c.server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != want {
			t.Fatalf("%s: %d", path, a.StatusCode)
		}
		return a
	}
	text := string(c.send(200, "GET", "/", "", nil, nil))
	a := get("/", "", 200)
	for name, want := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	get("/", a.Header.Get("ETag"), 304)
	files := regexp.MustCompile(`page/[^"]*`).FindAllString(text, -1)
	if len(files) != 3 { // the modules are one file
		t.Fatalf("%q", files)
	}
	for _, f := range files {
		if got := get("/"+f, "", 200).Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: %q", f, got)
		}
	}
	get("/page/0000000000000000/page.js", "", 404)
	all, err := fs.Glob(pageFiles, "page/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		data, err := fs.ReadFile(pageFiles, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, forbidden := range []string{"innerHTML", "eval(", "style=", "https://"} {
			if strings.Contains(string(data), forbidden) && !strings.Contains(string(data), `placeholder: "https://"`) {
				t.Errorf("%s has %s", f, forbidden)
			}
		}
	}
}

// Text is readable on each ground on which it stands, light and dark: the contrast is 4.5
// or more, as WCAG 2.2 asks for.
func TestPagePalette(t *testing.T) {
	t.Parallel()
	css, err := fs.ReadFile(pageFiles, "page/page.css")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`:root \{[^}]*--paper[^}]*\}`).FindAllString(string(css), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d palettes", len(blocks))
	}
	for _, block := range blocks {
		colour := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{3,6})`).FindAllStringSubmatch(block, -1) {
			colour[m[1]] = luminance(t, m[2])
		}
		for ground, texts := range map[string][]string{
			"paper": {"ink", "soft", "accent", "danger"}, "raised": {"ink", "soft", "accent", "danger"},
			"faint": {"ink", "soft", "accent"}, "tint": {"ink", "soft", "accent"}, "accent": {"on-accent"},
		} {
			for _, text := range texts {
				a, b := colour[ground]+0.05, colour[text]+0.05
				if contrast := max(a, b) / min(a, b); contrast < 4.5 {
					t.Errorf("%s on %s: %.2f", text, ground, contrast)
				}
			}
		}
		if a, b := colour["paper"]+0.05, colour["edge"]+0.05; max(a, b)/min(a, b) < 3 { // of controls
			t.Errorf("edge: %.2f", max(a, b)/min(a, b))
		}
	}
}

// luminance is the relative luminance of a colour, as WCAG defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if hex = hex[1:]; len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		c := float64(v>>(8*i)&255) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// Who has a better network reads before learning again what that would change, and it is what happens.
func testPageOfBetterNetwork(t *testing.T, ctx context.Context) {
	c, at, _ := outdated(t)
	b := browse(t, c, ctx)
	b.screen("7", "#refit li:nth-child(3)")
	list := js[string](b, `[...document.querySelectorAll("#refit li")].map((l) => l.textContent).join(" ")`)
	for _, part := range []string{"Learnt anew: 6 faces, in about ", "no picture of them is kept: 3 faces.", "no other face: 1 person."} {
		if !strings.Contains(list, part) {
			t.Errorf("%q lacks %q", list, part)
		}
	}
	b.picture()
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("[aria-describedby=refit]").click()`))
	b.until(`document.querySelector("#refit li")?.textContent.startsWith("All faces that can be learnt by it")`)
	var jobs api.Page[Job]
	if b.do(200, "GET", at+"/jobs?kind=refit", nil, &jobs); len(jobs.Items) != 1 ||
		!strings.Contains(string(jobs.Items[0].Result), `"embedded":6`) {
		t.Errorf("%+v", jobs.Items)
	}
}
