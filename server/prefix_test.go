package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// nginxConf shows a service below /faces/, as the documents say, and below /ingress/ as Home Assistant
// does: with the whole path, under another Host, in a frame.
const nginxConf = `
daemon off; pid %[1]s/pid; error_log %[1]s/errors;
events {}
http {
	access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	server {
		listen %[2]s;
		location /faces/ {
			proxy_pass %[3]s/;
			proxy_set_header Host $http_host;
			proxy_set_header X-Forwarded-Prefix /faces;
			proxy_set_header X-Forwarded-Proto $scheme;
		}
		location /ingress/ {
			proxy_pass %[3]s;
			proxy_set_header X-Forwarded-Host $http_host;
			proxy_set_header X-Ingress-Path /ingress;
		}
	}
}`

// behindNginx returns the address of an nginx before a service.
func behindNginx(t *testing.T, service string) string {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program = "/usr/sbin/nginx"; !isFile(program) {
			lacking.Skip(t, "there is no nginx: apt-get install nginx-light")
		}
	}
	for range 5 { // somebody may take the port meanwhile
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		at, dir := l.Addr().String(), t.TempDir()
		l.Close()
		conf := filepath.Join(dir, "conf")
		if err := os.WriteFile(conf, fmt.Appendf(nil, nginxConf, dir, at, service), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		cmd := exec.CommandContext(ctx, program, "-c", conf, "-p", dir)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { defer close(ended); _ = cmd.Wait() }()
		t.Cleanup(func() { stop(); <-ended })
		for isRunning := true; isRunning; {
			if c, err := net.Dial("tcp", at); err == nil {
				c.Close()
				return "http://" + at
			}
			select {
			case <-ended:
				isRunning = false
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	t.Fatal("nginx does not start")
	return ""
}

func isFile(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// Below a path of nginx the service answers, its cookie is for that path alone, a page of the same site
// may send changes, and one of another site may not. Only what comes from near is believed.
func TestBelowPath(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	var k struct{ Key string }
	c.do(200, "POST", "/v1/keys", object{"name": "me", "scopes": []string{"admin"}}, &k)
	top := behindNginx(t, c.server.URL)
	send := func(method, path, origin string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, top+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+k.Key)
		r.Header.Set("Origin", origin)
		a, err := c.server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a
	}
	for prefix, frames := range map[string]string{"/faces": "'none'", "/ingress": "'self'"} {
		if a := send("GET", prefix+"/", top); a.StatusCode != 200 ||
			!strings.Contains(a.Header.Get("Content-Security-Policy"), "frame-ancestors "+frames) {
			t.Errorf("%s: %d %v", prefix, a.StatusCode, a.Header)
		}
		if a := send("POST", prefix+"/v1/session", top); a.StatusCode != 204 || a.Cookies()[0].Path != prefix+"/" {
			t.Errorf("%s: %d %v", prefix, a.StatusCode, a.Header)
		}
		if a := send("POST", prefix+"/v1/session", "http://evil.example"); a.StatusCode != 403 {
			t.Errorf("%s: another site gets %d", prefix, a.StatusCode)
		}
	}
	for _, bad := range []string{"faces", "/a/../b", "/a;Domain=x", "//evil.example", "/a b"} {
		r := httptest.NewRequest("POST", "/v1/session", nil)
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("X-Forwarded-Prefix", bad)
		r.Header.Set("Authorization", "Bearer "+k.Key)
		w := httptest.NewRecorder()
		c.v.ServeHTTP(w, r)
		if cookie := w.Result().Cookies()[0]; cookie.Path != "/" {
			t.Errorf("%s: %s", bad, cookie)
		}
	}
	r := httptest.NewRequest("POST", "/v1/session", nil) // another machine
	r.RemoteAddr = "192.0.2.1:1"
	r.Header.Set("X-Forwarded-Prefix", "/faces")
	r.Header.Set("X-Forwarded-Host", "evil.example")
	r.Header.Set("Origin", "http://evil.example")
	w := httptest.NewRecorder()
	if c.v.ServeHTTP(w, r); w.Code != 403 {
		t.Errorf("%d", w.Code)
	}
}

// The page works below a path of nginx: it signs in, shows pictures, sees what others change, and
// changes something itself.
func testPageBehindNginx(t *testing.T, ctx context.Context) {
	c := newClient(t, Options{})
	at := c.collection()
	c.enrol(at, everybody...)
	var k struct{ Key string }
	c.do(200, "POST", "/v1/keys", object{"name": "me", "scopes": []string{"admin"}}, &k)
	c.key = k.Key
	top := behindNginx(t, c.server.URL)
	for _, prefix := range []string{"/faces/", "/ingress/"} {
		b := browse(t, c, ctx)
		b.until(`document.querySelector("dialog input[type=password]")`)
		b.mu.Lock()
		b.bad = nil // without a key
		b.mu.Unlock()
		b.run(chromedp.Navigate(top + prefix))
		b.until(`document.activeElement.matches("dialog input[type=password]")`)
		b.press(k.Key, kb.Enter)
		b.until(`document.querySelectorAll("#nav a").length === 7 && !document.querySelector("dialog, .screen[aria-busy]")`)
		b.screen("4", ".people a")
		b.until(`[...document.querySelectorAll(".people img")].length === 3 && [...document.querySelectorAll(".people ` +
			`img")].every((i) => i.naturalWidth > 0)`)
		var p Person
		c.do(200, "POST", at+"/people", object{"name": "Zoe " + strings.Trim(prefix, "/")}, &p)
		b.until(fmt.Sprintf(`document.querySelector(".people").innerText.includes(%q)`, p.Name))
		b.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`[...document.querySelectorAll(".people a")].find((a) => `+
			`a.innerText.includes(%q)).click()`, p.Name)))
		b.until(`document.querySelector(".profile h1")`)
		if outside := js[string](b, fmt.Sprintf(`performance.getEntriesByType("resource").map((e) => e.name).filter((n) `+
			`=> !n.startsWith(%q)).join()`, top+prefix)); outside != "" {
			t.Errorf("requests outside of %s: %s", prefix, outside)
		}
	}
}
