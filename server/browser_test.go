package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	keyboard "github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	screens "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// A browser shows the page of a service.
type browser struct {
	*client
	ctx context.Context

	mu  sync.Mutex
	bad []string // what no page may cause

	pictures int // that were kept
}

// launch starts a browser without a window, and returns the context for its tabs.
func launch(t *testing.T) context.Context {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		lacking.Skip(t, "there is no Chromium: apt-get install chromium")
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
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// browse opens the page in a new tab.
func browse(t *testing.T, c *client, ctx context.Context) *browser {
	t.Helper()
	ctx, cancel := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits until the tab is closed, which the next one would be behind
		cancel()
	})
	ctx, cancel = context.WithTimeout(ctx, 20*time.Minute)
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
	if _, err := chromedp.Call(ctx, screens.BringToFront, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	b.run(chromedp.EmulateViewport(1024, 900), chromedp.Navigate(c.server.URL))
	return b
}

// hear notes what no page may cause.
func (b *browser) hear(event any) {
	what := ""
	switch e := event.(type) {
	case *screens.EventJavascriptDialogOpening: // whether to leave the page
		go func() {
			_, _ = chromedp.Call(b.ctx, screens.HandleJavaScriptDialog, screens.HandleJavaScriptDialogParams{Accept: true})
		}()
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
	const patience = 2 * time.Minute
	ctx, cancel := context.WithTimeout(b.ctx, 2*patience) // a page that is frozen does not poll
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[any](expression, chromedp.WithPollingTimeout(patience))); err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if ctx.Err() != nil {
			b.Fatalf("%s: the page is frozen\n%s", expression, strings.Join(b.bad, "\n"))
		}
		b.Fatalf("%s: %v\n%s\n%s", expression, err, strings.Join(b.bad, "\n"),
			js[string](b, "location.hash + document.activeElement.outerHTML.slice(0, 300) + document.body.innerText"))
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
	const limit = 80
	at := "document.activeElement.matches(" + strconv.Quote(selector) + ")"
	for range limit {
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
var controls = []string{
	"button", "link", "textbox", "searchbox", "combobox", "checkbox", "slider",
	"listbox", "option", "tab", "tablist", "dialog", "navigation", "progressbar", "image",
}

// clipped is a text of the page that is cut off, without an ellipsis and without a way to
// scroll to it; "" if there is none.
const clipped = `(() => {
	for (const e of document.querySelectorAll("main *")) {
		const own = [...e.childNodes].filter((n) => n.nodeType === 3 && n.textContent.trim());
		if (!own.length || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
		const range = document.createRange();
		range.selectNodeContents(e);
		const r = range.getBoundingClientRect();
		for (let p = e; p !== document.body; p = p.parentElement) {
			const s = getComputedStyle(p), c = p.getBoundingClientRect(), at = s.overflowX + s.overflowY + s.textOverflow;
			if (/auto|scroll|ellipsis/.test(at) || c.width <= 1) break;
			if (p.matches(".stage") && (r.left < c.left - 1 || r.right > c.right + 1)) return "beside the photograph: " + e.outerHTML.slice(0, 200);
			if (/hidden|clip/.test(at) && (r.left < c.left - 1 || r.right > c.right + 1 || r.top < c.top - 4 || r.bottom > c.bottom + 4)) return e.outerHTML.slice(0, 200);
		}
	}
	return "";
})()`

// wider is an element that is wider than the window, or makes the page so; "" if there is none.
const wider = `(() => {
	const over = (e) => { const r = e.getBoundingClientRect(); return e.checkVisibility() && (r.right > innerWidth + 1 || r.left < -1); };
	const page = document.documentElement, all = [...document.querySelectorAll("main *")].filter(over);
	if (!all.length && page.scrollWidth > page.clientWidth) all.push(...[...document.querySelectorAll("body *")].filter(over), page);
	return all[0] ? all[0].outerHTML.slice(0, 200) : "";
})()`

// broken is a word of a name that is on two lines; "" if there is none.
const broken = `(() => {
	for (const e of document.querySelectorAll("main [dir=auto], dialog [dir=auto]")) {
		for (const n of e.childNodes) for (const word of n.nodeType === 3 ? n.data.matchAll(/\p{L}{2,12}/gu) : []) {
			const range = document.createRange();
			range.setStart(n, word.index);
			range.setEnd(n, word.index + word[0].length);
			if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) return word[0] + " in " + e.outerHTML.slice(0, 200);
		}
	}
	return "";
})()`

// crowded is a word of the navigation that reaches into the next one; "" if there is none.
const crowded = `(() => {
	for (const e of document.querySelectorAll("#nav .short")) {
		const r = e.getBoundingClientRect(), a = e.parentElement.getBoundingClientRect();
		if (r.width && (e.scrollWidth > e.clientWidth + 1 || r.left < a.left - 2 || r.right > a.right + 2)) return e.textContent;
	}
	return "";
})()`

// named checks that all controls have a name, that nothing is wider than the window, that no
// text is cut off, and that no word of a name is on two lines.
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
	for _, width := range []int64{320, 390, 1024} {
		b.run(chromedp.EmulateViewport(width, 900))
		if wide := js[string](b, wider); wide != "" {
			b.Errorf("%s: wider than %d: %s", js[string](b, "location.hash"), width, wide)
		}
		if word := js[string](b, crowded); word != "" {
			b.Errorf("%s: no room for %q in the navigation at a width of %d", js[string](b, "location.hash"), word, width)
		}
		if word := js[string](b, broken); word != "" {
			b.Errorf("%s: broken at a width of %d: %s", js[string](b, "location.hash"), width, word)
		}
		if cut := js[string](b, clipped); cut != "" {
			b.Errorf("%s: cut off at a width of %d: %s", js[string](b, "location.hash"), width, cut)
		}
	}
	b.accessible()
	b.picture()
}

// accessible has axe-core look for barriers, where NRDL_AXE is the path of its axe.min.js.
func (b *browser) accessible() {
	b.Helper()
	file := os.Getenv("NRDL_AXE")
	if file == "" {
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	b.run(chromedp.Evaluate[chromedp.Void](string(text)))
	barriers, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](
		`axe.run(document).then((r) => r.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.map((n) => `+
			`n.html.slice(0, 200)).join(" ")))`,
		chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatal(err)
	}
	for _, one := range barriers {
		b.Errorf("%s: %s", js[string](b, "location.hash"), one)
	}
}

// theme makes the page light or dark.
func (b *browser) theme(name string) {
	b.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}, {Name: "prefers-color-scheme", Value: name}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		b.Fatal(err)
	}
}

// picture keeps pictures of the page in the folder NRDL_PICTURES, if it is set: for looking
// at them, light and dark, on a telephone and on screens.
func (b *browser) picture() {
	b.Helper()
	dir := os.Getenv("NRDL_PICTURES")
	if dir == "" {
		return
	}
	b.pictures++
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		for _, width := range []int64{1600, 390, 1024} {
			b.run(chromedp.EmulateViewport(width, 900))
			data, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%02d-%d-%s.png", filepath.Base(b.Name()), b.pictures, width, theme)), data, 0o600)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// choose gives files or a folder to the file input.
func (b *browser) choose(selector string, paths ...string) {
	b.Helper()
	r, err := chromedp.Call(b.ctx, runtime.Evaluate,
		runtime.EvaluateParams{Expression: "document.querySelector(" + strconv.Quote(selector) + ")"})
	if err == nil {
		_, err = chromedp.Call(b.ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: r.Result.ObjectID})
	}
	if err != nil {
		b.Fatal(err)
	}
}
