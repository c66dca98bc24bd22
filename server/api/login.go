package api

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"

	"nrdl.example/nrdl/server/login"
	"nrdl.example/nrdl/server/store"
)

// Cookies of a browser: the session, and the beginning of the names of those of logins that were begun.
const cookieName, loginCookie = "nrdl_session", "nrdl_login"

const loginPath = "/v1/login"

// loginRoutes registers how people log in at Options.Login: a browser goes to the provider, which sends it
// back. The page gets the code of a failure, and shows it.
func (v *Service) loginRoutes() {
	if v.Login == nil {
		return
	}
	v.describe(http.MethodGet, loginPath, plain{summary: "Log in with an account of the provider of OpenID Connect: for a browser, which is sent there"})
	v.Routes.HandleFunc("GET "+loginPath, func(w http.ResponseWriter, r *http.Request) {
		address, cookie, err := "", "", error(errBusy)
		if v.loginLimiter(r).Allow() {
			address, cookie, err = v.Login.Begin(r.Context(), baseOf(r)+loginPath+"/done", r.URL.Query().Has("again"))
		}
		if err != nil {
			v.loginFailed(w, r, err)
			return
		}
		setCookie(w, r, loginCookieOf(login.State(cookie)), cookie, loginPath)
		forgetLogins(w, r)
		http.Redirect(w, r, address, http.StatusSeeOther)
	})
	v.Routes.HandleFunc("GET "+loginPath+"/done", func(w http.ResponseWriter, r *http.Request) {
		setCookie(w, r, loginCookieOf(r.URL.Query().Get("state")), "", loginPath)
		if err := v.finishLogin(w, r); err != nil {
			v.loginFailed(w, r, err)
			return
		}
		http.Redirect(w, r, prefixOf(r)+"/", http.StatusSeeOther)
	})
}

// loginLimiter returns the limiter of who begins or ends a login, by address: few share one by chance, and
// there are never more than 4,096. A proxy adds at the end who has asked it.
func (v *Service) loginLimiter(r *http.Request) *rate.Limiter {
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	if all := r.Header.Values("X-Forwarded-For"); isNear(r) && len(all) > 0 {
		last := all[len(all)-1]
		address = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
	}
	sum := sha256.Sum256([]byte(address))
	return v.limiter(fmt.Sprint(loginPath, " ", binary.BigEndian.Uint16(sum[:])%4096))
}

// loginCookieOf is the name of the cookie of one login: a browser may begin several, each in a tab.
func loginCookieOf(state string) string {
	const enough = 12
	return loginCookie + "_" + state[:min(len(state), enough)]
}

// forgetLogins removes the oldest cookies of logins that were begun and not finished, so that some are left.
func forgetLogins(w http.ResponseWriter, r *http.Request) {
	const maxBegun = 8
	begun := slices.DeleteFunc(r.Cookies(), func(c *http.Cookie) bool { return !strings.HasPrefix(c.Name, loginCookie+"_") })
	for _, c := range begun[:max(len(begun)-maxBegun, 0)] { // a browser sends the oldest first
		setCookie(w, r, c.Name, "", loginPath)
	}
}

// finishLogin starts a session of who has logged in.
func (v *Service) finishLogin(w http.ResponseWriter, r *http.Request) error {
	if !v.loginLimiter(r).Allow() {
		return errBusy
	}
	cookie, err := r.Cookie(loginCookieOf(r.URL.Query().Get("state")))
	if err != nil {
		cookie = &http.Cookie{}
	}
	p, err := v.Login.Finish(r.Context(), baseOf(r)+loginPath+"/done", cookie.Value, r.URL.Query())
	if err != nil {
		return err
	}
	// Who was removed and logs in again has the same id: the audit log knows no names.
	id := uuid.NewHash(sha256.New(), uuid.NameSpaceURL, []byte(v.Login.Issuer+"\x00"+p.Subject), 8).String()
	requestOf(r.Context()).Actor = id
	secret, err := v.store.LogIn(r.Context(),
		store.Key{ID: id, Name: p.Name, Scopes: p.Scopes, Subject: p.Subject, Email: p.Email}, p.State, p.Token)
	switch {
	case errors.Is(err, store.ErrConflict):
		return &login.Refusal{Code: "login_stale", Err: err}
	case err == nil && len(p.Scopes) == 0:
		return &login.Refusal{Code: "login_no_role", Err: errors.New("the person is in no group that has a role")}
	case err == nil:
		setCookie(w, r, cookieName, secret, "/")
	}
	return err
}

// loginFailed sends the browser to the page, which says what is wrong.
func (v *Service) loginFailed(w http.ResponseWriter, r *http.Request, err error) {
	var refusal *login.Refusal
	if !errors.As(err, &refusal) {
		refusal = &login.Refusal{Code: asProblem(v.answerTo(r.Context(), err)).Code}
	}
	code := refusal.Code
	noteCode(w, code)
	v.Log.Warn("login refused", "request", requestOf(r.Context()).ID, "code", code, "error", err.Error())
	http.Redirect(w, r, prefixOf(r)+"/?login="+code, http.StatusSeeOther)
}

// setCookie gives the browser a cookie for a path of the service, also if the provider has sent it here; an
// empty one is removed.
func setCookie(w http.ResponseWriter, r *http.Request, name, value, path string) {
	c := &http.Cookie{Name: name, Value: value, Path: prefixOf(r) + path, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: isSecure(r)}
	switch {
	case value == "":
		c.MaxAge = -1
	case path == loginPath:
		c.MaxAge = int(login.MaxAge.Seconds())
	}
	http.SetCookie(w, c)
}

// baseOf is the address at which a browser sees the service, without a slash at its end.
func baseOf(r *http.Request) string {
	scheme := "http://"
	if isSecure(r) {
		scheme = "https://"
	}
	return scheme + r.Host + prefixOf(r)
}

// A Session says who sends a request.
type Session struct {
	Actor       string     `json:"actor" doc:"Id of the key or person, as in the audit log; local without a key"`
	Name        string     `json:"name,omitempty" doc:"Of the key, or of who has logged in"`
	Email       string     `json:"email,omitempty" doc:"Of who has logged in"`
	Scopes      []string   `json:"scopes"`
	Collections []string   `json:"collections,omitempty" doc:"Which may be used; missing: all"`
	Expires     *time.Time `json:"expires,omitempty"`
}

func whoAsks(ctx context.Context, _ *struct{}) (*body[Session], error) {
	k := keyResponse(requestOf(ctx).key)
	return answered(Session{requestOf(ctx).Actor, k.Name, k.Email, k.Scopes, k.Collections, k.Expires}, nil)
}
