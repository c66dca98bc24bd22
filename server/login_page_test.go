package server

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"nrdl.example/nrdl/internal/testing/lacking"
	"nrdl.example/nrdl/server/login"
)

// A realProvider is the address at which a provider is going to run.
type realProvider struct {
	*testing.T
	port string
}

// options are those of a service at which its people log in.
func (p realProvider) options() Options {
	roles, err := login.ParseRoles("reader=staff,editor=photographers,admin=it")
	if err != nil {
		p.Fatal(err)
	}
	return Options{Login: login.New(login.Options{Issuer: "http://127.0.0.1:" + p.port, Client: "nrdl", Secret: secretOfClient, Roles: roles})}
}

func newRealProvider(t *testing.T) realProvider {
	t.Helper()
	for _, program := range []string{"npm", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			lacking.Skip(t, "there is no "+program)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return realProvider{t, port}
}

// start starts the provider of testdata/login, which npm gets, for a service at an address, until the test ends.
func (p realProvider) start(service string) {
	p.Helper()
	dir := p.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/login")); err != nil {
		p.Fatal(err)
	}
	npm := exec.CommandContext(p.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		p.Fatalf("npm ci: %v: %s", err, out)
	}
	ctx, stop := context.WithCancel(context.Background())
	node := exec.CommandContext(ctx, "node", "provider.mjs", p.port, secretOfClient, service)
	node.Dir = dir
	out, err := node.StdoutPipe()
	if err == nil {
		err = node.Start()
	}
	if err != nil {
		p.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "ready" {
			break
		}
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines.Scan() {
		}
	})
	p.Cleanup(func() { stop(); reading.Wait(); _ = node.Wait() })
}

// arrive waits until an expression is true, also on another page than now, to which the browser goes.
func (b *browser) arrive(expression string) {
	b.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			b.Fatalf("%s: %v\n%s", expression, err, js[string](b, "location.href + document.body.innerText"))
		}
	}
}

// click clicks what a selector selects, if several that with a text.
func (b *browser) click(selector, text string) {
	b.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll(%q)].find((e) => e.textContent.includes(%q))`, selector, text)
	b.arrive(find)
	b.run(chromedp.Evaluate[chromedp.Void](find + ".click()"))
}

// logIn logs in as somebody by the form of the provider, from the dialog of the page.
func (b *browser) logIn(button, who string) {
	b.Helper()
	const form, away = `document.querySelector("input[name=login]")`,
		`document.querySelector("dialog .bad")?.textContent.includes("cannot be reached")`
	for isAway := true; isAway; isAway = !js[bool](b, "Boolean("+form+")") { // it is asked again a few seconds later
		b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("dialog .bad")?.remove()`))
		b.click("dialog a.button", button)
		b.arrive(form + " || " + away)
	}
	b.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("input[name=login]").value = %q;
		document.querySelector("input[name=password]").value = "x"; document.querySelector("form button").click()`, who)))
	b.click("form button", "Continue") // the service may have name, address and groups
	b.arrive(`document.querySelector("#nav a, dialog a.button")`)
}

// signOut ends the session, also at the provider, which asks whether that is wanted.
func (b *browser) signOut() {
	b.Helper()
	b.click("#foot .me button", "Sign out")
	b.click("button", "Yes") // which is outside of its form
	b.arrive(`document.querySelector("dialog a.button")?.textContent === "Log in"`)
	b.arrive(`location.search === "" && !document.querySelector("#nav a")`)
}

// screens are the names of the screens that the page shows.
func (b *browser) screens() string {
	b.Helper()
	b.arrive(`document.querySelector(".screen:not([aria-busy]) h1")`)
	return js[string](b, `[...document.querySelectorAll("#nav a .long")].map((a) => a.textContent).join(", ")`)
}

func (b *browser) has(selector, text string) bool {
	b.Helper()
	return js[bool](b, fmt.Sprintf(`[...document.querySelectorAll(%q)].some((e) => e.textContent.includes(%q))`, selector, text))
}

// Four people log in at a real provider: one of no group reads that, a reader sees no buttons for changes, an
// editor makes one and the audit log says who, and an administrator logs others out.
func testPageLogsIn(t *testing.T, ctx context.Context) {
	p := newRealProvider(t)
	c := newClient(t, p.options())
	var err error
	if _, c.key, err = c.v.store.CreateKey(t.Context(), "tester", "me", []string{"admin"}, nil, time.Time{}); err != nil {
		t.Fatal(err)
	}
	at := c.collection()
	c.enrol(at, everybody...)
	b := browse(t, c, ctx)
	b.click("dialog a.button", "Log in") // the provider does not run yet
	b.arrive(`document.querySelector("dialog .bad")?.textContent.includes("cannot be reached")`)
	b.picture()
	p.start(c.server.URL)
	b.logIn("Log in", "eve")
	b.arrive(`document.querySelector("dialog .bad")?.textContent.includes("none of your groups has a role")`)
	b.picture()
	b.logIn("somebody else", "ann")
	if got := b.screens(); got != "Try it, People, Strangers, Settings" {
		t.Errorf("a reader has %s", got)
	}
	if !b.has("#foot .me", "Ann Example") {
		t.Error("nobody says who is logged in")
	}
	b.click("#nav a", "People")
	b.arrive(`document.querySelector(".people a")`)
	b.picture()
	if b.has("main button", "New person") || b.has("main button", "Select") {
		t.Error("a reader may change people")
	}
	b.click(".people a", "")
	b.arrive(`document.querySelector(".profile h1") && document.querySelector(".face img")`)
	for _, change := range []string{"Rename", "Merge", "Add photos", "Move to", "Erase"} {
		if b.has("main button", change) {
			t.Errorf("a reader may %s", change)
		}
	}
	b.picture()
	b.click("#nav a", "Settings")
	b.arrive(`document.querySelector("section.setting .who")?.textContent.includes("ann@id.example")`)
	b.arrive(`document.querySelector(".screen:not([aria-busy]) h1")`)
	for _, change := range []string{"New key", "Back up", "New collection", "Erase", "Learn again", "Check all lines", "New address"} {
		if b.has("main button", change) {
			t.Errorf("a reader may %s", change)
		}
	}
	b.picture()
	b.signOut()

	b.logIn("Log in", "ben")
	b.click("#nav a", "People")
	b.click(".people a", "")
	b.click(".profile button", "Rename")
	b.arrive(`document.querySelector("dialog input")`)
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("dialog input").value = "Zoe";` +
		` document.querySelector("dialog button.main").click()`))
	b.arrive(`document.querySelector(".profile h1")?.textContent === "Zoe"`)
	var log struct {
		Items []struct{ Who, Verb string }
	}
	c.do(200, "GET", "/v1/audit?limit=1", nil, &log)
	if log.Items[0].Who != "Ben Example <ben@id.example>" || log.Items[0].Verb != "change person" {
		t.Errorf("the audit log has %+v", log)
	}
	old := b.cookie()
	b.signOut()
	c.visitor().do(401, "GET", "/v1/session", nil, "Cookie", old)

	b.logIn("Log in", "boss")
	b.click("#nav a", "Settings")
	b.arrive(`[...document.querySelectorAll("section.setting li")].some((l) => l.textContent.includes("Ben Example <ben@id.example>"))`)
	b.arrive(`document.querySelector(".screen:not([aria-busy]) h1")`)
	b.picture()
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("button[aria-label='Log Ann Example out']").click()`))
	b.click("dialog button", "Log out")
	b.arrive(`document.querySelector("#main button[aria-label='Log Ben Example out']") && ` +
		`!document.querySelector("button[aria-label='Log Ann Example out']")`)
}

// cookie is that of the session.
func (b *browser) cookie() string {
	b.Helper()
	all, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{b.server.URL + "/"}})
	if err != nil {
		b.Fatal(err)
	}
	for _, one := range all.Cookies {
		if one.Name == "nrdl_session" {
			if !one.HTTPOnly || one.SameSite != network.CookieSameSiteLax {
				b.Errorf("the cookie is %+v", one)
			}
			return one.Name + "=" + one.Value
		}
	}
	b.Fatal("there is no cookie")
	return ""
}

func testPageLogsInBelowPath(t *testing.T, ctx context.Context) {
	p := newRealProvider(t)
	c := newClient(t, p.options())
	top := behindNginx(t, c.server.URL)
	p.start(top + "/faces")
	b := browse(t, c, ctx)
	b.run(chromedp.Navigate(top + "/faces/"))
	b.logIn("Log in", "boss")
	if got := b.screens(); !strings.HasPrefix(got, "Add photos, Groups, Try it") {
		t.Errorf("an administrator has %s", got)
	}
	if at := js[string](b, "location.href"); !strings.HasPrefix(at, top+"/faces/#") {
		t.Errorf("the page is at %s", at)
	}
	b.signOut()
	if at := js[string](b, "location.href"); !strings.HasPrefix(at, top+"/faces/") {
		t.Errorf("after the logout the page is at %s", at)
	}
}
