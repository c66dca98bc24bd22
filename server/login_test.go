package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"nrdl.example/nrdl/internal/kit/testing/postgres"
	"nrdl.example/nrdl/internal/testing/lacking"
	"nrdl.example/nrdl/server/login"
	"nrdl.example/nrdl/server/store"
)

// A provider is a small one of OpenID Connect at which Ann is logged in already. Tests change what it says.
type provider struct {
	*testing.T
	server *httptest.Server
	key    *ecdsa.PrivateKey

	mu    sync.Mutex
	asked url.Values     // parameters of the last login
	token map[string]any // claims of tokens beside those of the login
	info  map[string]any // claims of userinfo
	sign  func(claims string) string
	isOff bool
}

const secretOfClient = "a secret with + and %"

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{T: t, key: key, info: map[string]any{"sub": "ann", "name": "Ann Example", "email": "ann@id.example"}}
	p.sign = func(claims string) string { return oidctest.SignIDToken(key, "first", "ES256", claims) }
	keys := &oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: key.Public(), KeyID: "first", Algorithm: "ES256"}}}
	m := http.NewServeMux()
	m.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		p.json(w, object{
			"issuer": p.server.URL, "authorization_endpoint": p.server.URL + "/auth", "token_endpoint": p.server.URL + "/token",
			"jwks_uri": p.server.URL + "/keys", "userinfo_endpoint": p.server.URL + "/userinfo", "end_session_endpoint": p.server.URL + "/end?a=b",
			"id_token_signing_alg_values_supported": []string{"ES256", "none", "HS256"}, "scopes_supported": []string{"openid", "profile", "groups"},
		})
	})
	m.Handle("GET /keys", keys)
	m.HandleFunc("GET /auth", func(w http.ResponseWriter, r *http.Request) {
		p.asked = r.URL.Query()
		back, err := url.Parse(p.asked.Get("redirect_uri"))
		if err != nil {
			t.Error(err)
			return
		}
		back.RawQuery = url.Values{"state": {p.asked.Get("state")}, "code": {"code of Ann"}}.Encode()
		http.Redirect(w, r, back.String(), http.StatusFound)
	})
	m.HandleFunc("POST /token", p.giveToken)
	m.HandleFunc("GET /userinfo", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer access" {
			t.Errorf("userinfo is asked with %q", r.Header.Get("Authorization"))
		}
		p.json(w, p.info)
	})
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.isOff {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		m.ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.Close)
	return p
}

func (p *provider) json(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		p.Error(err)
	}
}

// giveToken answers whoever began the login.
func (p *provider) giveToken(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	secret, err := url.QueryUnescape(secret)
	if err != nil || id != "nrdl" || secret != secretOfClient || r.FormValue("code") != "code of Ann" ||
		p.asked.Get("code_challenge_method") != "S256" || p.asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) ||
		r.FormValue("redirect_uri") != p.asked.Get("redirect_uri") {
		w.WriteHeader(http.StatusBadRequest)
		p.json(w, object{"error": "invalid_grant", "error_description": "no"})
		return
	}
	now := time.Now()
	claims := object{
		"iss": p.server.URL, "aud": "nrdl", "sub": "ann", "nonce": p.asked.Get("nonce"), "groups": []string{"staff", "all"},
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	maps.Copy(claims, p.token)
	text, err := json.Marshal(claims)
	if err != nil {
		p.Error(err)
	}
	p.json(w, object{"access_token": "access", "token_type": "Bearer", "id_token": p.sign(string(text))})
}

// says makes the provider say more in its tokens.
func (p *provider) says(token map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token = token
}

// options are those of a service at which people log in.
func (p *provider) options() Options {
	roles, err := login.ParseRoles("reader=staff,editor=photographers,admin=it,admin=cn=ops,dc=example")
	if err != nil {
		p.Fatal(err)
	}
	return Options{Login: login.New(login.Options{Issuer: p.server.URL, Client: "nrdl", Secret: secretOfClient, Roles: roles})}
}

// A visitor is a browser with cookies and without a page.
type visitor struct {
	*testing.T
	http.Client
	at   string
	seen []string // where it was sent
}

func (c *client) visitor() *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		c.Fatal(err)
	}
	v := &visitor{T: c.T, at: c.server.URL}
	v.Client = http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		v.seen = append(v.seen, r.URL.String())
		return nil
	}}
	return v
}

// do sends a request of the page, with headers in pairs, and returns the answer and its body.
func (v *visitor) do(want int, method, path string, into any, header ...string) *http.Response {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), method, v.at+path, nil)
	if err != nil {
		v.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	a, err := v.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode != want {
		v.Fatalf("%s %s: %d, not %d", method, path, a.StatusCode, want)
	}
	if into != nil {
		if err := json.NewDecoder(a.Body).Decode(into); err != nil {
			v.Fatal(err)
		}
	}
	return a
}

// login logs in, and returns the code of the failure, "" for none.
func (v *visitor) login(header ...string) string {
	v.Helper()
	v.seen = nil
	return v.do(200, "GET", "/v1/login", nil, header...).Request.URL.Query().Get("login")
}

type whoami struct {
	Actor, Name, Email string
	Scopes             []string
	Expires            *time.Time
}

// Somebody logs in, may do what the group says, is named in the audit log, and logs out, also at the provider. The
// service without a key answers nobody else.
func TestLogin(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	o := p.options()
	c := newClient(t, o)
	if err := c.v.CheckPublic(t.Context()); err != nil {
		t.Errorf("with a login: %v", err)
	}
	v := c.visitor()
	for _, path := range []string{"/v1/collections", "/v1/keys", "/v1/session", "/metrics"} {
		v.do(401, "GET", path, nil)
	}
	v.do(401, "POST", "/v1/keys", nil)
	if failed := v.login(); failed != "" {
		t.Fatal(failed, c.log)
	}
	if p.asked.Get("scope") != "openid profile groups" || p.asked.Get("response_type") != "code" ||
		p.asked.Get("redirect_uri") != v.at+"/v1/login/done" {
		t.Errorf("the provider is asked %v", p.asked)
	}
	var me whoami
	v.do(200, "GET", "/v1/session", &me)
	if me.Name != "Ann Example" || me.Email != "ann@id.example" || !slices.Equal(me.Scopes, []string{"identify"}) ||
		time.Until(*me.Expires) > 12*time.Hour {
		t.Errorf("%+v", me)
	}
	v.do(200, "GET", "/v1/collections", nil)
	v.do(403, "POST", "/v1/collections", nil, "Content-Type", "application/json")
	v.do(403, "GET", "/v1/audit", nil)

	p.says(object{"groups": []string{"photographers", "cn=ops,dc=example"}})
	if failed := v.login(); failed != "" {
		t.Fatal(failed)
	}
	var made struct{ Key, ID string }
	first := c.visitor()
	first.Jar = v.Jar
	answer, err := first.Post(v.at+"/v1/keys", "application/json", strings.NewReader(`{"name": "door", "scopes": ["identify"]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.Key == "" {
		t.Fatalf("an administrator without a key makes %d %v", answer.StatusCode, err)
	}
	var log struct {
		Items []struct{ Actor, Who, Verb string }
	}
	v.do(200, "GET", "/v1/audit", &log)
	if len(log.Items) != 3 || log.Items[0].Actor != me.Actor || log.Items[0].Who != "Ann Example <ann@id.example>" ||
		log.Items[0].Verb != "create key" {
		t.Errorf("%+v", log)
	}
	if strings.Contains(c.log.String(), "Ann") || strings.Contains(c.log.String(), "id.example") {
		t.Errorf("the log has names: %s", c.log)
	}
	c.stop() // a session outlives the process
	c.start(c.v.store, o)
	v.at, first.at = c.server.URL, c.server.URL
	cookies := v.Jar.Cookies(mustURL(t, v.at))
	v.do(200, "GET", "/v1/keys", nil)
	other := c.visitor() // and nothing is left of what the cookie is worth
	other.do(401, "GET", "/v1/keys", nil, "Cookie", "nrdl_session="+made.Key)
	end := v.do(204, "DELETE", "/v1/session", nil).Header.Get("Location")
	at := mustURL(t, end)
	if !strings.HasPrefix(end, p.server.URL+"/end?a=b&") || at.Query().Get("post_logout_redirect_uri") != v.at+"/" ||
		at.Query().Get("client_id") != "nrdl" || strings.Count(at.Query().Get("id_token_hint"), ".") != 2 {
		t.Errorf("the session at the provider ends at %s", end)
	}
	other.do(401, "GET", "/v1/keys", nil, "Cookie", cookies[0].String())
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// What the provider says is taken only if it is signed by it, for this service, about this login, now. Who is
// refused has no session.
func TestLoginRefusals(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	c := newClient(t, p.options())
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	good, now := p.sign, time.Now()
	plain := base64.RawURLEncoding
	for _, one := range []struct {
		name, want string
		token      map[string]any
		sign       func(string) string
	}{
		{name: "nothing is wrong"},
		{name: "a clock that is half a minute behind", token: object{
			"exp": now.Add(-30 * time.Second).Unix(),
			"iat": now.Add(-time.Hour).Unix(),
		}},
		{name: "a clock that is half a minute ahead", token: object{"iat": now.Add(30 * time.Second).Unix()}},
		{name: "a clock that is ten minutes ahead", want: "login_invalid", token: object{"iat": now.Add(10 * time.Minute).Unix()}},
		{name: "not yet", want: "login_invalid", token: object{"nbf": now.Add(time.Hour).Unix()}},
		{name: "expired", want: "login_invalid", token: object{"exp": now.Add(-2 * time.Minute).Unix()}},
		{name: "without an end", want: "login_invalid", token: object{"exp": nil}},
		{name: "another audience", want: "login_invalid", token: object{"aud": "shop"}},
		{name: "two audiences, for another program", want: "login_invalid", token: object{"aud": []string{"nrdl", "shop"}, "azp": "shop"}},
		{name: "two audiences, and no authorised party", want: "login_invalid", token: object{"aud": []string{"nrdl", "shop"}}},
		{name: "two audiences, for this one", token: object{"aud": []string{"nrdl", "shop"}, "azp": "nrdl"}},
		{name: "another issuer", want: "login_invalid", token: object{"iss": "https://id.example"}},
		{name: "another nonce", want: "login_invalid", token: object{"nonce": "x"}},
		{name: "no nonce", want: "login_invalid", token: object{"nonce": nil}},
		{name: "nobody", want: "login_invalid", token: object{"sub": ""}},
		{name: "another person in userinfo", want: "login_invalid", token: object{"sub": "bob"}},
		{name: "no group", want: "login_no_role", token: object{"groups": []string{"all"}}},
		{name: "no groups at all", want: "login_no_role", token: object{"groups": nil}},
		{
			name: "another's signature", want: "login_invalid",
			sign: func(c string) string { return oidctest.SignIDToken(stranger, "first", "ES256", c) },
		},
		{
			name: "a key that is not known", want: "login_invalid",
			sign: func(c string) string { return oidctest.SignIDToken(stranger, "second", "ES256", c) },
		},
		{name: "the secret as key", want: "login_invalid", sign: func(c string) string {
			return oidctest.SignIDToken([]byte(strings.Repeat(secretOfClient, 3)), "first", "HS256", c)
		}},
		{name: "no signature", want: "login_invalid", sign: func(c string) string {
			return plain.EncodeToString([]byte(`{"alg":"none"}`)) + "." + plain.EncodeToString([]byte(c)) + "."
		}},
		{name: "no token", want: "login_invalid", sign: func(string) string { return "" }},
	} {
		p.says(one.token)
		p.sign = good
		if one.sign != nil {
			p.sign = one.sign
		}
		v := c.visitor()
		if got := v.login(); got != one.want {
			t.Errorf("%s: %q, not %q\n%s", one.name, got, one.want, c.log)
		}
		status := 200
		if one.want != "" {
			status = 401
		}
		v.do(status, "GET", "/v1/collections", nil)
	}
}

// A login is finished once, by the browser that began it. Where it was begun and finished are two processes.
func TestLoginIsOnce(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nrdl.db"))
		if err != nil {
			t.Fatal(err)
		}
		testLoginIsOnce(t, s, s)
	})
	t.Run("postgres", func(t *testing.T) {
		if os.Getenv("NRDL_LONG") == "" {
			t.Skip("NRDL_LONG starts PostgreSQL")
		}
		db, err := postgres.New(false)
		if err != nil {
			lacking.Skip(t, err)
		}
		t.Cleanup(func() { db.Close() })
		stores := [2]*store.Store{}
		for i := range stores {
			if stores[i], err = store.Open(t.Context(), db.URL); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { stores[1].Close() })
		testLoginIsOnce(t, stores[0], stores[1])
	})
}

func testLoginIsOnce(t *testing.T, s, beside *store.Store) {
	p := newProvider(t)
	c := serving(t, s, p.options())
	second := httptest.NewServer(New(beside, p.options()))
	t.Cleanup(second.Close)
	begin := func() (done string, cookie *http.Cookie) {
		t.Helper()
		v := c.visitor()
		v.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			if strings.HasSuffix(r.URL.Path, "/done") {
				done = r.URL.RequestURI()
				return http.ErrUseLastResponse
			}
			cookie = r.Response.Cookies()[0]
			return nil
		}
		v.do(302, "GET", "/v1/login", nil)
		return done, cookie
	}
	name := func(done string) string { return "nrdl_login_" + mustURL(t, done).Query().Get("state")[:12] }
	finish := func(want, at, done, cookie string) *http.Response {
		t.Helper()
		v := &visitor{T: t, at: at}
		v.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		a := v.do(303, "GET", done, nil, "Cookie", name(done)+"="+cookie, "X-Forwarded-Host", mustURL(t, c.server.URL).Host)
		if got := a.Header.Get("Location"); got != want {
			t.Errorf("%s leads to %s, not %s\n%s", done, got, want, c.log)
		}
		if gone := a.Cookies()[0]; gone.Name != name(done) || gone.MaxAge >= 0 {
			t.Errorf("the cookie of the login stays: %v", gone)
		}
		return a
	}
	const stale = "/?login=login_stale"
	done, cookie := begin()
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/v1/login" || cookie.Secure || cookie.MaxAge != 600 {
		t.Errorf("the cookie is %v", cookie)
	}
	other, cookieOfOther := begin()
	finish(stale, c.server.URL, done, "")
	finish(stale, c.server.URL, done, cookieOfOther.Value)
	finish(stale, c.server.URL, done, "1700000000."+cookie.Value[11:])
	finish(stale, c.server.URL, strings.Replace(done, "state=", "state=x", 1), cookie.Value)
	finish("/?login=login_denied", c.server.URL, strings.Replace(done, "code=", "error=access_denied&c=", 1), cookie.Value)
	finish("/?login=login_invalid", c.server.URL, strings.Replace(done, "code=", "code=x", 1), cookie.Value)
	finish("/?login=login_invalid", c.server.URL, done+"&iss=https://id.example", cookie.Value)
	finish("/?login=login_invalid", c.server.URL, done, cookie.Value) // the provider has another challenge by now
	a := finish("/", second.URL, other, cookieOfOther.Value)
	session := a.Cookies()[1]
	if session.Name != "nrdl_session" || !session.HttpOnly || session.SameSite != http.SameSiteLaxMode ||
		session.Path != "/" || session.Secure {
		t.Errorf("the cookie is %v", session)
	}
	finish(stale, c.server.URL, other, cookieOfOther.Value) // again
	for _, at := range []string{c.server.URL, second.URL} {
		(&visitor{T: t, at: at}).do(200, "GET", "/v1/collections", nil, "Cookie", "nrdl_session="+session.Value)
	}
}

// A browser begins two logins, each in a tab, and finishes both.
func TestLoginInTwoTabs(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	c := newClient(t, p.options())
	v := c.visitor()
	v.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var tabs [2]*url.URL
	for i := range tabs {
		tabs[i] = mustURL(t, v.do(303, "GET", "/v1/login", nil).Header.Get("Location"))
	}
	for _, tab := range tabs {
		a, err := v.Get(tab.String())
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if got := v.do(303, "GET", mustURL(t, a.Header.Get("Location")).RequestURI(), nil).Header.Get("Location"); got != "/" {
			t.Errorf("the login leads to %s\n%s", got, c.log)
		}
		v.do(200, "GET", "/v1/session", nil)
	}
	if left := v.Jar.Cookies(mustURL(t, v.at+"/v1/login/done")); len(left) != 1 || left[0].Name != "nrdl_session" {
		t.Errorf("the browser keeps %v", left)
	}
	const begun, want = 30, 9 + 1 // with the session
	for range begun {
		v.do(303, "GET", "/v1/login", nil)
	}
	if left := v.Jar.Cookies(mustURL(t, v.at+"/v1/login/done")); len(left) != want {
		t.Errorf("of %d logins that were begun, the browser has %v", begun, left)
	}
}

// Changes by the cookie of a login are taken from the page of the service alone.
func TestLoginOfOtherSites(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	c := newClient(t, p.options())
	p.says(object{"groups": []string{"it"}})
	v := c.visitor()
	v.login()
	for _, header := range [][]string{
		{"Origin", "https://evil.example"},
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Origin", "null"},
	} {
		v.do(403, "POST", "/v1/backup", nil, header...)
		v.do(403, "DELETE", "/v1/session", nil, header...)
	}
	v.do(200, "GET", "/v1/session", nil)
	v.do(204, "DELETE", "/v1/session", nil, "Sec-Fetch-Site", "same-origin", "Origin", v.at)
}

// Below a path of a proxy that speaks TLS, the provider sends people back there, and cookies are for the path and TLS alone.
func TestLoginBelowPath(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	c := newClient(t, p.options())
	for _, name := range []string{"X-Forwarded-Prefix", "X-Ingress-Path"} {
		header := []string{name, "/faces", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "photos.example"}
		v := c.visitor()
		v.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		begun := v.do(303, "GET", "/v1/login", nil, header...)
		at := mustURL(t, begun.Header.Get("Location"))
		if got := at.Query().Get("redirect_uri"); got != "https://photos.example/faces/v1/login/done" {
			t.Errorf("people come back to %s", got)
		}
		cookie := begun.Cookies()[0]
		back, err := v.Get(at.String())
		if err != nil {
			t.Fatal(err)
		}
		back.Body.Close()
		done := mustURL(t, back.Header.Get("Location"))
		a := v.do(303, "GET", done.RequestURI(), nil, append(header, "Cookie", cookie.Name+"="+cookie.Value)...)
		if a.Header.Get("Location") != "/faces/" || cookie.Path != "/faces/v1/login" || a.Cookies()[1].Path != "/faces/" ||
			!cookie.Secure || !a.Cookies()[1].Secure {
			t.Errorf("%s: %v %v", name, cookie, a.Header)
		}
		ended := v.do(204, "DELETE", "/faces/v1/session", nil, append(header, "Cookie", "nrdl_session="+a.Cookies()[1].Value)...)
		if got := mustURL(t, ended.Header.Get("Location")).Query().Get("post_logout_redirect_uri"); got != "https://photos.example/faces/" ||
			ended.Cookies()[0].Path != "/faces/" {
			t.Errorf("%s: after it people come back to %s: %v", name, got, ended.Header)
		}
	}
}

// A service begins while the provider is away, says so to whoever logs in, and finds it later.
func TestLoginAway(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.isOff = true
	c := newClient(t, p.options())
	v := c.visitor()
	if got := v.login(); got != "provider_away" || !strings.Contains(c.log.String(), "provider_away") {
		t.Errorf("%q %s", got, c.log)
	}
	p.mu.Lock()
	p.isOff = false
	p.mu.Unlock()
	for deadline := time.Now().Add(time.Minute); v.login() != ""; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(c.log)
		}
	}
	v.do(200, "GET", "/v1/collections", nil)
}

// The sessions of somebody end when an administrator ends them, with the last group, and where nobody can log in.
func TestLoginEnds(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	o := p.options()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	c := serving(t, s, o)
	p.says(object{"groups": []string{"it"}, "sub": "boss"})
	p.info = object{"sub": "boss"}
	boss := c.visitor()
	if failed := boss.login(); failed != "" {
		t.Fatal(failed)
	}
	p.says(nil)
	p.info = object{"sub": "ann", "name": strings.Repeat("x", 300) + "\n", "preferred_username": "ann"}
	ann := c.visitor()
	ann.login()
	var all struct {
		Items []struct{ ID, Name, Subject, Email string }
	}
	boss.do(200, "GET", "/v1/keys", &all)
	i := slices.IndexFunc(all.Items, func(k struct{ ID, Name, Subject, Email string }) bool { return k.Subject == "ann" })
	if len(all.Items) != 2 || i < 0 || all.Items[i].Name != strings.Repeat("x", 200) || all.Items[1-i].Name != "boss" {
		t.Fatalf("%+v", all)
	}
	boss.do(204, "DELETE", "/v1/keys/"+all.Items[i].ID, nil)
	ann.do(401, "GET", "/v1/collections", nil)
	ann.login()
	var me whoami
	if ann.do(200, "GET", "/v1/session", &me); me.Actor != all.Items[i].ID {
		t.Errorf("%s has become %s", all.Items[i].ID, me.Actor)
	}
	p.says(object{"groups": "all"})
	if got := c.visitor().login(); got != "login_no_role" {
		t.Error(got)
	}
	ann.do(401, "GET", "/v1/collections", nil)
	p.says(object{"groups": "staff"})
	if got := ann.login(); got != "" {
		t.Error(got)
	}
	boss.do(204, "DELETE", "/v1/keys/"+all.Items[1-i].ID, nil)
	c.stop()
	c.start(s, Options{}) // without a login, which is not without a key
	if c.v.CheckPublic(t.Context()) == nil {
		t.Error("other machines may reach a service without key and login")
	}
	ann.at = c.server.URL
	ann.do(401, "GET", "/v1/collections", nil)
	c.visitor().do(401, "GET", "/v1/collections", nil)
}
