package server

import (
	"bufio"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// listenTo follows the collections with a key; next returns the id of the next event.
func (c *client) listenTo(key, last string) (next func() string) {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Context(), "GET", c.server.URL+"/v1/events", nil)
	if err != nil {
		c.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Last-Event-ID", last)
	a, err := c.server.Client().Do(r)
	if err != nil || a.StatusCode != http.StatusOK {
		c.Fatal(a, err)
	}
	c.Cleanup(func() { a.Body.Close() })
	lines := bufio.NewScanner(a.Body)
	return func() string {
		c.Helper()
		for lines.Scan() {
			if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				return id
			}
		}
		c.Fatal(lines.Err())
		return ""
	}
}

// Who follows the collections gets an event for each state that the key may see, and none for one that
// was seen; that nothing happens is not logged.
func TestFollow(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	one, two := c.collection(), c.collection()
	var admin, narrow struct{ Key string }
	c.do(200, "POST", "/v1/keys", object{"name": "me", "scopes": []string{"admin"}}, &admin)
	c.key = admin.Key
	c.do(200, "POST", "/v1/keys", object{"name": "door", "scopes": []string{"identify"}, "collections": []string{filepath.Base(one)}}, &narrow)
	wide, door := c.listenTo(admin.Key, ""), c.listenTo(narrow.Key, "")
	all, some := wide(), door()
	if all == some {
		t.Error("the key for one collection sees the other")
	}
	again := c.listenTo(narrow.Key, some) // as a browser that comes back
	c.do(200, "PATCH", two, object{"name": "other"}, nil)
	if next := wide(); next == all {
		t.Error("the same state twice")
	}
	c.do(200, "POST", one+"/people", object{"name": "Ann"}, nil)
	for wide() == all { // of the second change, or of both
	}
	if a, b := door(), again(); a == some || a != b {
		t.Errorf("after %s the door hears of %s and %s", some, a, b)
	}
	if strings.Contains(c.log.String(), "GET /v1/events") {
		t.Errorf("it is logged: %s", c.log)
	}
	c.key = "wrong"
	c.send(401, "GET", "/v1/events", "", nil, nil)
	if !strings.Contains(c.log.String(), "GET /v1/events") {
		t.Error("a failure is not logged")
	}
}
