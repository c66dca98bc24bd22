package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/kit/testing/postgres"
	"nrdl.example/nrdl/internal/testing/lacking"
	"nrdl.example/nrdl/server"
	"nrdl.example/nrdl/server/login"
	"nrdl.example/nrdl/server/store"
)

// A keyed is a service on a database, with which the command works meanwhile.
type keyed struct {
	*testing.T
	db     *store.Store
	proxy  *httptest.Server // as nginx with Connection "": it adds nothing, and names this machine as host
	where  []string         // arguments for the database
	folder string           // in which the command works
	secret string           // of a key that manages
	cookie string           // of a session, instead of the key
}

func newKeyed(t *testing.T, o server.Options, at string, where ...string) *keyed {
	t.Helper()
	db, err := store.Open(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	srv := httptest.NewServer(server.New(db, o))
	t.Cleanup(srv.Close)
	to, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }})
	t.Cleanup(proxy.Close)
	return &keyed{T: t, db: db, proxy: proxy, where: where, folder: t.TempDir()}
}

// command runs nrdl key with a verb, and returns what it prints.
func (k *keyed) command(verb string, args ...string) (printed string, ok bool) {
	status, out, story := nrdlIn(k.T, k.folder, append(append([]string{"key", verb}, k.where...), args...)...)
	return out + story, status == succeeded
}

// request sends JSON by the proxy, with the key if there is one.
func (k *keyed) request(method, path string, body any) (answer string, ok bool) {
	k.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		k.Fatal(err)
	}
	r, err := http.NewRequestWithContext(k.Context(), method, k.proxy.URL+path, bytes.NewReader(text))
	if err != nil {
		k.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if k.secret != "" {
		r.Header.Set("Authorization", "Bearer "+k.secret)
	}
	if k.cookie != "" {
		r.AddCookie(&http.Cookie{Name: "nrdl_session", Value: k.cookie})
	}
	a, err := k.proxy.Client().Do(r)
	if err != nil {
		k.Fatal(err)
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err != nil {
		k.Fatal(err)
	}
	return string(data), a.StatusCode < 300
}

// keys returns the ids of the keys by name.
func (k *keyed) keys() map[string]string {
	k.Helper()
	all, err := k.db.Keys(k.Context())
	if err != nil {
		k.Fatal(err)
	}
	ids := map[string]string{}
	for _, one := range all {
		ids[one.Name] = one.ID
	}
	return ids
}

// Each rule for keys holds for the command as for the interface, on both databases: what one
// refuses, the other refuses, and says why in the same words.
func TestKeyRules(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		data := t.TempDir()
		testKeyRules(newKeyed(t, server.Options{}, filepath.Join(data, "nrdl.db"), data))
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
		testKeyRules(newKeyed(t, server.Options{}, db.URL, "--database", db.URL))
	})
}

func testKeyRules(k *keyed) {
	type key struct {
		Name        string   `json:"name"`
		Scopes      []string `json:"scopes"`
		Expires     string   `json:"expires,omitempty"`
		Collections []string `json:"collections,omitempty"`
	}
	// create tries to make a key both ways; want is what both say, "" if both make it.
	create := func(rule string, one key, want string) {
		k.Helper()
		args := []string{"--name", one.Name}
		for _, s := range one.Scopes {
			args = append(args, "--scope", s)
		}
		for _, c := range one.Collections {
			args = append(args, "--collection", c)
		}
		if one.Expires != "" {
			args = append(args, "--expires", one.Expires)
			one.Expires += "T00:00:00Z"
		}
		printed, byCommand := k.command("create", args...)
		answer, byRequest := k.request("POST", "/v1/keys", one)
		if byCommand != (want == "") || byRequest != (want == "") || !strings.Contains(printed, want) || !strings.Contains(answer, want) {
			k.Errorf("%s: the command says %q, the interface %q", rule, printed, answer)
		}
	}
	const never = "the first key needs the scope admin"
	create("the first key may not be narrow", key{Name: "a", Scopes: []string{"identify"}}, never)
	create("the first key may not end", key{Name: "a", Scopes: []string{"admin"}, Expires: "2999-12-31"}, never)
	secret, ok := k.command("create", "--name", "first")
	if !ok {
		k.Fatal(secret)
	}
	if answer, ok := k.request("GET", "/v1/keys", nil); ok {
		k.Fatalf("with a key in the database a request without one gets %s", answer)
	}
	k.secret = regexp.MustCompile(`nrdl_\S+`).FindString(secret)

	long := strings.Repeat("é", 200)
	create("200 characters are possible", key{Name: long, Scopes: []string{"identify"}}, "")
	create("201 are not", key{Name: long + "é", Scopes: []string{"identify"}}, "200")
	create("a name is there", key{Name: "", Scopes: []string{"identify"}}, "name")
	create("a name is not blank", key{Name: " ", Scopes: []string{"identify"}}, "the name of a key")
	create("a name has one line", key{Name: "a\nb", Scopes: []string{"identify"}}, "the name of a key")
	create("a scope is known", key{Name: "a", Scopes: []string{"everything"}}, "identify, enrol, review, admin, metrics, vectors")
	create("a collection is there",
		key{Name: "a", Scopes: []string{"identify"}, Collections: []string{"0198f0c2-7a3e-7e52-9b1a-2f1c6b1f8e55"}}, "collection not found")
	create("a key ends later than now", key{Name: "a", Scopes: []string{"identify"}, Expires: "2020-01-01"},
		"would have expired on 2020-01-01")
	create("the year 1 is over, too", key{Name: "a", Scopes: []string{"identify"}, Expires: "0001-01-01"}, "would have expired on 0001-01-01")
	create("a key may end", key{Name: "door", Scopes: []string{"admin"}, Expires: "2999-12-31"}, "")
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprintf("0198f0c2-7a3e-7e52-9b1a-%012d", i)
	}
	create("100 collections are most", key{Name: "a", Scopes: []string{"identify"}, Collections: many}, "100")

	// revoke tries to delete a key both ways, which fails.
	revoke := func(rule, id, want string, flags ...string) {
		k.Helper()
		printed, byCommand := k.command("revoke", append([]string{id}, flags...)...)
		answer, byRequest := k.request("DELETE", "/v1/keys/"+id, nil)
		if byCommand || byRequest || !strings.Contains(printed, want) || !strings.Contains(answer, want) {
			k.Errorf("%s: the command says %q, the interface %q", rule, printed, answer)
		}
	}
	const last = "this is the last key with the scope admin that does not expire: create another one first"
	ids := k.keys()
	revoke("a key is there", "0198f0c2-7a3e-7e52-9b1a-2f1c6b1f8e55", "key not found")
	revoke("the last key that makes others stays", ids["first"], last)
	revoke("also if it should open the service, with others there", ids["first"], last, "--open")
	for name := range ids {
		for name != "first" && k.keys()[name] != "" { // both ways have made one
			if printed, ok := k.command("revoke", k.keys()[name]); !ok {
				k.Fatal(printed)
			}
		}
	}
	revoke("the last key of all stays", ids["first"], last)
	printed, ok := k.command("revoke", ids["first"], "--open")
	if !ok || !strings.Contains(printed, "every program of this machine may do everything") {
		k.Fatal(printed)
	}
	if answer, ok := k.request("GET", "/v1/keys", nil); ok {
		k.Errorf("the key of before gets %s", answer)
	}
	k.secret = ""
	if answer, ok := k.request("GET", "/v1/keys", nil); !ok {
		k.Errorf("with --open a request without a key gets %s", answer)
	}
	if printed, ok = k.command("create"); !ok {
		k.Fatal(printed)
	}
	if answer, ok := k.request("GET", "/v1/keys", nil); ok {
		k.Errorf("with a new key a request without one gets %s", answer)
	}
}

// A service at which people log in is never open: neither without a key nor when the last person is gone.
// What the command allows of keys and people, the interface allows, too.
func TestLoginRules(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	k := newKeyed(t, server.Options{Login: login.New(login.Options{Issuer: "https://id.example"})}, filepath.Join(data, "nrdl.db"), data)
	logins := 0
	ann := store.Key{ID: "0198f0c2-7a3e-8e52-9b1a-2f1c6b1f8e55", Name: "Ann", Scopes: []string{"admin"}, Subject: "1"}
	logIn := func() {
		t.Helper()
		var err error
		logins++
		if k.cookie, err = k.db.LogIn(t.Context(), ann, fmt.Sprint(logins), ""); err != nil {
			t.Fatal(err)
		}
	}
	// both does something by the command, and then by the interface, and says whether both did so.
	both := func(rule string, want bool, command, request func() (string, bool)) {
		t.Helper()
		printed, byCommand := command()
		answer, byRequest := request()
		if byCommand != want || byRequest != want {
			t.Errorf("%s: the command says %q, the interface %q", rule, printed, answer)
		}
	}
	create := func(name string, scope string) (command, request func() (string, bool)) {
		return func() (string, bool) { return k.command("create", "--name", name+" by command", "--scope", scope) },
			func() (string, bool) {
				return k.request("POST", "/v1/keys", map[string]any{"name": name + " by request", "scopes": []string{scope}})
			}
	}
	closed := func() {
		t.Helper()
		k.cookie = ""
		if answer, ok := k.request("GET", "/v1/collections", nil); ok || !strings.Contains(answer, "a key is needed") {
			t.Errorf("a request without anything gets %s", answer)
		}
	}
	closed()
	command, request := create("narrow", "identify")
	both("without key and login, the first key makes others", false, command, request)
	logIn()
	both("an administrator stands for that key", true, command, request)
	command, request = create("wide", "admin")
	both("and makes such keys", true, command, request)
	ids := k.keys()
	both("the last key that makes others may go", true,
		func() (string, bool) { return k.command("revoke", ids["wide by command"]) },
		func() (string, bool) { return k.request("DELETE", "/v1/keys/"+ids["wide by request"], nil) })
	both("and the others", true,
		func() (string, bool) { return k.command("revoke", ids["narrow by command"]) },
		func() (string, bool) { return k.request("DELETE", "/v1/keys/"+ids["narrow by request"], nil) })
	if printed, ok := k.command("list"); !ok || !strings.Contains(printed, `"Ann (logged in)"`) {
		t.Errorf("who has logged in is not in %s", printed)
	}
	both("people can be logged out", true,
		func() (string, bool) { defer logIn(); return k.command("revoke", ann.ID) },
		func() (string, bool) { return k.request("DELETE", "/v1/keys/"+ann.ID, nil) })
	closed()
	if keyless, err := k.db.IsKeyless(t.Context()); err != nil || keyless {
		t.Errorf("without --oidc-issuer the service is open: %v", err)
	}
}
