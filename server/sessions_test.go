package server

import (
	"net/http"
	"strings"
	"testing"
)

// The page signs in with a key, and its cookie is a session that ends with sign-out or with
// the key. Requests with it are those of the key.
func TestSessions(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Rate: 1e-9, Burst: 6})
	var admin, other struct{ ID, Key string }
	c.do(200, "POST", "/v1/keys", object{"name": "me", "scopes": []string{"admin"}}, &admin)
	c.key = admin.Key
	c.do(200, "POST", "/v1/keys", object{"name": "other", "scopes": []string{"identify", "enrol"}}, &other)
	send := func(want int, method, path string, header ...string) *http.Cookie {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, c.server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		a, err := c.server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != want {
			t.Fatalf("%s %s %v: %d, not %d", method, path, header, a.StatusCode, want)
		}
		if len(a.Cookies()) == 0 {
			return nil
		}
		return a.Cookies()[0]
	}
	signIn := func(header ...string) *http.Cookie {
		t.Helper()
		cookie := send(204, "POST", "/v1/session", append(header, "Authorization", "bearer "+other.Key)...)
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || strings.Contains(cookie.String(), other.Key) ||
			len(cookie.Value) < 40 {
			t.Fatalf("the cookie is %s", cookie)
		}
		return cookie
	}
	first, second := signIn(), signIn("X-Forwarded-Proto", "https")
	if first.Secure || !second.Secure || first.Value == second.Value ||
		!signIn("Origin", strings.Replace(c.server.URL, "http:", "https:", 1)).Secure {
		t.Fatalf("the cookies are %s and %s", first, second)
	}
	send(401, "GET", "/v1/collections", "Cookie", "nrdl_session="+other.Key) // the key is no session
	send(401, "GET", "/v1/collections", "Cookie", "nrdl_key="+other.Key)
	send(401, "POST", "/v1/session", "Cookie", first.String()) // and a session begins with a key; this takes a turn
	send(200, "GET", "/v1/collections", "Cookie", first.String())
	if !strings.Contains(c.log.String(), `"actor":"`+other.ID) {
		t.Errorf("who asked is not in %s", c.log)
	}
	// Signing out ends this session alone, whoever has a copy of the cookie.
	if gone := send(204, "DELETE", "/v1/session", "Cookie", first.String()); gone.MaxAge >= 0 {
		t.Errorf("the cookie stays: %s", gone)
	}
	send(401, "GET", "/v1/collections", "Cookie", first.String())
	send(429, "GET", "/v1/collections", "Cookie", second.String()) // the six turns of the key are over
	c.do(204, "DELETE", "/v1/keys/"+other.ID, nil, nil)
	send(401, "GET", "/v1/collections", "Cookie", second.String())
}

// A browser sends the cookies of one service to each other one of the same host, whatever the port: one that
// needs no key answers all the same, and one that needs a key does not.
func TestSessionOfAnotherService(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	send := func(want int) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", c.server.URL+"/v1/collections", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", "nrdl_session=of-another-service")
		a, err := c.server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != want {
			t.Errorf("%d, not %d", a.StatusCode, want)
		}
	}
	send(200)
	c.do(200, "POST", "/v1/keys", object{"name": "me", "scopes": []string{"admin"}}, nil)
	send(401)
}
