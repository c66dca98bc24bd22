package login

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"testing"
	"time"
)

// A login of another time is refused before the provider is asked anything.
func TestAge(t *testing.T) {
	t.Parallel()
	p := New(Options{Issuer: "http://127.0.0.1:1", Client: "nrdl"})
	for age, want := range map[time.Duration]string{
		MaxAge + time.Minute: "login_stale", -skew - time.Minute: "login_stale", MaxAge - time.Minute: "provider_away",
	} {
		cookie := strconv.FormatInt(time.Now().Add(-age).Unix(), 10) + ".secret"
		_, err := p.Finish(t.Context(), "", cookie, url.Values{"state": {State(cookie)}, "code": {"x"}})
		var r *Refusal
		if !errors.As(err, &r) || r.Code != want {
			t.Errorf("%v: %v", age, err)
		}
	}
}

// What ParseRoles reads it writes again, and the highest role of somebody counts.
func TestRoles(t *testing.T) {
	t.Parallel()
	const text = "reader=*,editor=cn=a,dc=b,editor=c d,admin=/it"
	r, err := ParseRoles("admin=/it,editor=cn=a,dc=b,reader=*,editor=c d")
	if err != nil || r.String() != text {
		t.Errorf("%v %v", r, err)
	}
	again, err := ParseRoles(r.String())
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("%v %v", again, err)
	}
	for group, want := range map[string]int{"/it": 0, "it": 2, "cn=a,dc=b": 1, "c d": 1, "cn=a": 2, "": 2} {
		if got := r.scopes([]string{"x", group}); !reflect.DeepEqual(got, roles[want].scopes) {
			t.Errorf("%q may %v", group, got)
		}
	}
	if got := (Roles{"admin": {"it"}}).scopes(nil); got != nil {
		t.Errorf("nobody may %v", got)
	}
	if r, err := ParseRoles("reader=staff, editor=R&D , admin=CN=it, OU=b"); err != nil ||
		r.String() != "reader=staff,editor=R&D,admin=CN=it, OU=b" {
		t.Errorf("with spaces: %v %v", r, err)
	}
	for _, wrong := range []string{
		"", "staff", "boss=a", "reader=", "reader=a,admin= ", " reader=a", "x,reader=a",
		"reader=a,editors=b", "reader=a, Admin=b", "admin=a,boss=b", "reader=a,", "reader=a,,admin=b",
	} {
		if r, err := ParseRoles(wrong); err == nil {
			t.Errorf("%q is %v", wrong, r)
		}
	}
}

func TestCheckIssuer(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"https://id.example", "https://id.example/realms/a", "http://localhost:8080",
		"http://[::1]:1", "http://127.0.0.1",
	} {
		if err := CheckIssuer(good); err != nil {
			t.Error(good, err)
		}
	}
	for _, wrong := range []string{"", "id.example", "http://id.example", "https://a?b", "https://a#b", "https://u:p@a", "ftp://a"} {
		if CheckIssuer(wrong) == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

func ExampleParseRoles() {
	roles, err := ParseRoles("reader=staff,editor=photographers,admin=it")
	fmt.Println(roles["editor"], err)
	_, err = ParseRoles("owner=it")
	fmt.Println(err)
	// Output:
	// [photographers] <nil>
	// "owner=it" is not such as reader=staff,editor=photographers,admin=it
}
