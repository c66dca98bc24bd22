package service

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	keyboard "github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nrdl/dataset"
	"nrdl/synthetic"
)

// A browser shows the page of a service.
type browser struct {
	*client
	ctx context.Context

	mu  sync.Mutex
	bad []string // what no page may cause
}

// browse opens the page in a browser without a window.
func browse(t *testing.T, c *client) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Flag("headless", "new"), chromedp.Flag("disable-dev-shm-usage", true), chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits until the browser has ended, and its folder can be removed
		cancel()
	})
	ctx, cancel = context.WithTimeout(ctx, 4*time.Minute)
	t.Cleanup(cancel)
	b := &browser{client: c, ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	still := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, still); err != nil {
		t.Fatal(err)
	}
	b.run(chromedp.EmulateViewport(1024, 900), chromedp.Navigate(c.server.URL))
	return b
}

// hear notes what no page may cause.
func (b *browser) hear(event any) {
	what := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			for _, a := range e.Args {
				what += fmt.Sprint("console: ", string(a.Value), a.Description)
			}
		}
	case *runtime.EventExceptionThrown:
		what = "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			what += e.ExceptionDetails.Exception.Description
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			what = "log: " + e.Entry.Text + " " + e.Entry.URL
		}
	case *network.EventLoadingFailed:
		if !e.Canceled {
			what = "request: " + e.ErrorText
		}
	case *network.EventResponseReceived:
		if e.Response.Status >= http.StatusBadRequest {
			what = fmt.Sprintf("%d %s", int(e.Response.Status), e.Response.URL)
		}
	}
	if what != "" {
		b.mu.Lock()
		b.bad = append(b.bad, what)
		b.mu.Unlock()
	}
}

func (b *browser) run(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// js returns the value of an expression of the page.
func js[T any](b *browser, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until an expression of the page is true.
func (b *browser) until(expression string) {
	b.Helper()
	const patience = 30 * time.Second
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[any](expression, chromedp.WithPollingTimeout(patience))); err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.Fatalf("%s: %v\n%s\n%s", expression, err, strings.Join(b.bad, "\n"), js[string](b, "location.hash + document.activeElement.outerHTML.slice(0, 300) + document.body.innerText"))
	}
}

// press presses keys one after the other.
func (b *browser) press(keys ...string) {
	b.Helper()
	for _, k := range keys {
		if k != kb.Enter {
			b.run(chromedp.KeyEvent(k))
			continue
		}
		// KeyEvent sends the character by itself, which what gets the focus meanwhile takes.
		for _, kind := range []keyboard.DispatchKeyEventType{keyboard.DispatchKeyEventTypeKeyDown, keyboard.DispatchKeyEventTypeKeyUp} {
			enter := keyboard.DispatchKeyEventParams{Type: kind, Key: "Enter", Code: "Enter", Text: kb.Enter, WindowsVirtualKeyCode: '\r'}
			if _, err := chromedp.Call(b.ctx, keyboard.DispatchKeyEvent, enter); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// with presses a key with a modifier.
func (b *browser) with(m chromedp.Modifier, key string) {
	b.Helper()
	b.run(chromedp.KeyEvent(key, chromedp.KeyModifiers(m)))
}

// tab presses Tab until what a selector selects has the focus, as who has no mouse does.
func (b *browser) tab(selector string) {
	b.Helper()
	const most = 80
	at := "document.activeElement.matches(" + strconv.Quote(selector) + ")"
	for range most {
		if js[bool](b, at) {
			return
		}
		b.press(kb.Tab)
	}
	b.Fatalf("%s is not reached by Tab on %s", selector, js[string](b, "document.body.innerText"))
}

// screen goes to one by its digit, waits for a selector, and checks names and widths.
func (b *browser) screen(digit, selector string) {
	b.Helper()
	b.run(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"))
	b.press(digit)
	b.until(fmt.Sprintf("document.querySelector(%q) && !document.querySelector('.screen[aria-busy]')", selector))
	b.named()
}

// controls are the roles that need a name.
var controls = []string{"button", "link", "textbox", "searchbox", "combobox", "checkbox", "slider", "listbox", "option", "tab", "tablist", "dialog", "navigation", "progressbar", "image"}

// named checks that all controls have a name, and that nothing is wider than the window.
func (b *browser) named() {
	b.Helper()
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.Fatal(err)
	}
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			_ = json.Unmarshal(v.Value, &s)
		}
		return s
	}
	found := 0
	for _, n := range tree.Nodes {
		if n.Ignored || !slices.Contains(controls, text(n.Role)) {
			continue
		}
		found++
		if strings.TrimSpace(text(n.Name)) == "" {
			b.Errorf("%s: a %s has no name", js[string](b, "location.hash"), text(n.Role))
		}
	}
	if found == 0 {
		b.Error("there is no control")
	}
	for _, width := range []int64{390, 1024} {
		b.run(chromedp.EmulateViewport(width, 900))
		if wide := js[string](b, `[...document.querySelectorAll("main *")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 200))[0] ?? ""`); wide != "" {
			b.Errorf("%s: wider than %d: %s", js[string](b, "location.hash"), width, wide)
		}
	}
}

// choose gives files or a folder to the file input.
func (b *browser) choose(selector string, paths ...string) {
	b.Helper()
	r, err := chromedp.Call(b.ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.querySelector(" + strconv.Quote(selector) + ")"})
	if err == nil {
		_, err = chromedp.Call(b.ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: r.Result.ObjectID})
	}
	if err != nil {
		b.Fatal(err)
	}
}

// people returns the names and faces of the known people.
func (b *browser) people(at string) map[string]Person {
	b.Helper()
	var page Page[Person]
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
func TestPageByKeyboard(t *testing.T) {
	b := browse(t, newClient(t, Options{Backups: filepath.Join(t.TempDir(), "backups")}))
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
	var collections Page[Collection]
	b.do(200, "GET", "/v1/collections", nil, &collections)
	at := "/v1/collections/" + collections.Items[0].ID
	if told := js[string](b, `document.querySelector(".progress .count").innerText`); !strings.HasPrefix(told, "7 photographs done · 6 faces found · 1 file skipped") {
		t.Error(told)
	}
	if told := js[string](b, `document.querySelector(".failures").textContent`); !strings.Contains(told, "broken.jpg") || !strings.Contains(told, "not an image") {
		t.Error(told)
	}

	b.tab(".progress a.main")
	b.press(kb.Enter)
	b.until(`document.querySelectorAll(".group").length === 3 && document.activeElement.matches("[role=combobox]")`)
	b.named()
	b.press(kb.Escape) // out of the field, to the group
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
	b.until(`document.querySelector("#toasts").innerText.includes("The line is at")`)
	var c Collection
	b.do(200, "GET", at, nil, &c)
	if math.Abs(c.FPIR-0.01*math.Pow(10, 0.1)) > 1e-4 {
		t.Errorf("the threshold is at %v", c.FPIR)
	}

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
	b.until(`document.querySelector("#toasts").innerText.includes("merged with") && document.querySelector(".profile h1")?.innerText.startsWith(` + strconv.Quote(into) + `)`)
	if all := b.people(at); len(all) != 2 {
		t.Errorf("after the merge %+v", all)
	}
	b.with(chromedp.ModifierCtrl, "z")
	b.until(`document.querySelector(".profile h1") && !document.querySelector(".profile h1").innerText.startsWith(` + strconv.Quote(into) + `)`)
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

// distinct draws a folder with three people, of whom the network makes three groups, with
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

// With a key in the store, the page asks for it and goes on.
func TestPageSignsIn(t *testing.T) {
	c := newClient(t, Options{})
	var k struct {
		Key string `json:"key"`
	}
	c.do(200, "POST", "/v1/keys", object{"name": "me", "scopes": []string{"admin"}}, &k)
	b := browse(t, c)
	b.until(`document.activeElement.matches("dialog input[type=password]")`)
	b.named()
	b.press("wrong", kb.Enter)
	b.until(`document.querySelector("dialog .bad").innerText !== ""`)
	b.with(chromedp.ModifierCtrl, "a")
	b.press(k.Key, kb.Enter)
	b.until(`document.querySelector(".dropzone") && !document.querySelector("dialog")`)
}

// The page is sent with a policy that lets nothing in from elsewhere, its files can be kept
// for ever, and the page itself is asked for again.
func TestPageHeaders(t *testing.T) {
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
	for name, want := range map[string]string{"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache"} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	get("/", a.Header.Get("ETag"), 304)
	files := regexp.MustCompile(`page/[^"]*`).FindAllString(text, -1)
	if len(files) != 3 {
		t.Fatalf("%q", files)
	}
	for _, f := range files {
		if got := get("/"+f, "", 200).Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: %q", f, got)
		}
	}
	get("/page/0000000000000000/app.js", "", 404)
	all, err := fs.Glob(pageFiles, "page/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		data, err := pageFiles.ReadFile(f)
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
	css, err := pageFiles.ReadFile("page/page.css")
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
			"paper": {"ink", "soft", "accent", "danger"}, "raised": {"ink", "soft", "accent", "danger"}, "faint": {"ink", "soft", "accent"}, "tint": {"ink", "soft", "accent"}, "accent": {"on-accent"},
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
