// Package login lets people log in with accounts of their own, at a provider of OpenID Connect: it says who
// somebody is, and what the groups of that person may do. It keeps nothing between two requests but what
// the provider says of itself.
//
//	p := login.New(login.Options{Issuer: "https://id.example", Client: "nrdl", Roles: roles})
//	address, cookie, err := p.Begin(ctx, back, false) // the browser goes to the address, with the cookie
//	person, err := p.Finish(ctx, back, cookie, r.URL.Query())
//
// Experimental: this package may change in any version.
package login

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Options say where people log in, and who may do what.
type Options struct {
	Issuer string // address of the provider, as it writes it itself
	Client string // id of the service at the provider
	Secret string // of the client; "": it has none
	Roles  Roles
	Claim  string // with the groups of a person; "": groups
}

// A Person has logged in.
type Person struct {
	Subject, Name, Email string   // the name is never ""
	Scopes               []string // of keys, by the groups; none: the person has no role
	State                string   // of this login alone
	Token                string   // for End; "" if the provider cannot do that
}

// A Refusal is the error of a login that failed. Its Code says why, for programs: "provider_away",
// "login_stale", "login_denied" or "login_invalid".
type Refusal struct {
	Code string
	Err  error
}

func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

func refused(code, format string, args ...any) *Refusal {
	return &Refusal{code, fmt.Errorf(format, args...)}
}

// MaxAge is the longest time between Begin and Finish.
const MaxAge = 10 * time.Minute

// Bounds of a login.
const (
	skew   = time.Minute      // by which the clock of the provider may differ
	answer = 10 * time.Second // longest time for an answer of the provider
	again  = 3 * time.Second  // after which a provider that was away is asked again
)

// A Provider is that of Options. It is safe for concurrent use.
type Provider struct {
	Options
	client *http.Client

	mu       sync.Mutex
	provider *discovered // nil: not yet
	failure  error       // why not
	asked    time.Time
}

// A discovered is what the provider says of itself.
type discovered struct {
	*oidc.Provider
	Scopes     []string `json:"scopes_supported"`
	EndSession string   `json:"end_session_endpoint"`
}

// New returns the provider of o. It is not asked for anything yet, and may be away.
func New(o Options) *Provider {
	o.Claim = cmp.Or(o.Claim, "groups")
	return &Provider{Options: o, client: &http.Client{Timeout: answer}}
}

// CheckIssuer returns an error unless issuer is an address of a provider: https://…, or http://… of this machine.
func CheckIssuer(issuer string) error {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())) {
		return errors.New("not the address of a provider, such as https://id.example/realms/staff (http:// is for this machine only)")
	}
	return nil
}

// Discover asks the provider what it can do, unless it has done so before. It is called by the others.
func (p *Provider) Discover(ctx context.Context) error {
	_, err := p.discover(ctx)
	return err
}

func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.provider != nil || time.Since(p.asked) < again {
		return p.provider, p.failure
	}
	var d discovered
	var err error
	if d.Provider, err = oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.Issuer); err == nil {
		err = d.Claims(&d)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // which says nothing of the provider
	}
	if p.asked = time.Now(); err != nil {
		p.failure = refused("provider_away", "the provider of logins cannot be used: %w", err)
		return nil, p.failure
	}
	p.provider, p.failure = &d, nil
	return p.provider, nil
}

// config is the client, to which the provider sends people back at an address. Some providers refuse
// scopes that they do not have, and some have one for groups.
func (p *Provider) config(d *discovered, back string) *oauth2.Config {
	scopes := []string{oidc.ScopeOpenID}
	for _, s := range []string{"profile", "email", p.Claim} {
		if s != p.Claim && d.Scopes == nil || slices.Contains(d.Scopes, s) {
			scopes = append(scopes, s)
		}
	}
	return &oauth2.Config{ClientID: p.Client, ClientSecret: p.Secret, Endpoint: d.Endpoint(), RedirectURL: back, Scopes: scopes}
}

// derived is a value for one purpose that only who has the cookie can make.
func derived(purpose, cookie string) string {
	sum := sha256.Sum256([]byte(purpose + "\x00" + cookie))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// State is the parameter by which the provider's answer to a login is found: that of the cookie of Begin.
func State(cookie string) string { return derived("state", cookie) }

// Begin returns the address of the provider at which somebody logs in, who is sent back to the address back
// afterwards, and what the cookie of the browser has until then. With again, the provider asks who it is
// also if it knows the browser.
func (p *Provider) Begin(ctx context.Context, back string, again bool) (address, cookie string, err error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", "", err
	}
	cookie = strconv.FormatInt(time.Now().Unix(), 10) + "." + rand.Text()
	options := []oauth2.AuthCodeOption{oidc.Nonce(derived("nonce", cookie)), oauth2.S256ChallengeOption(derived("verifier", cookie))}
	if again {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"))
	}
	return p.config(d, back).AuthCodeURL(State(cookie), options...), cookie, nil
}

// Finish returns who has logged in, by the cookie of Begin and the parameters with which the provider has
// sent the browser back. The caller must refuse a Person whose State was there before. A failure is a *Refusal.
func (p *Provider) Finish(ctx context.Context, back, cookie string, parameters url.Values) (Person, error) {
	ctx = oidc.ClientContext(ctx, p.client)
	begun, _, _ := strings.Cut(cookie, ".")
	at, err := strconv.ParseInt(begun, 10, 64)
	state := State(cookie)
	if age := time.Since(time.Unix(at, 0)); err != nil || age > MaxAge || age < -skew ||
		subtle.ConstantTimeCompare([]byte(state), []byte(parameters.Get("state"))) == 0 {
		return Person{}, refused("login_stale", "the login was not begun by this browser, or too long ago")
	}
	if reason := parameters.Get("error"); reason != "" {
		return Person{}, refused("login_denied", "the provider says %.40q: %.200q", reason, parameters.Get("error_description"))
	}
	if by := parameters.Get("iss"); by != "" && by != p.Issuer {
		return Person{}, refused("login_invalid", "another provider answers: %.200q", by)
	}
	d, err := p.discover(ctx)
	if err != nil {
		return Person{}, err
	}
	config := p.config(d, back)
	tokens, err := config.Exchange(ctx, parameters.Get("code"), oauth2.VerifierOption(derived("verifier", cookie)))
	var answered *oauth2.RetrieveError
	switch {
	case errors.As(err, &answered):
		return Person{}, refused("login_invalid", "the provider does not take the login: %d, %.40q: %.200q",
			answered.Response.StatusCode, answered.ErrorCode, answered.ErrorDescription)
	case err != nil:
		return Person{}, refused("provider_away", "the provider of logins cannot be reached: %w", err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := p.verify(ctx, d, raw, derived("nonce", cookie))
	if err != nil {
		return Person{}, refused("login_invalid", "the token of the provider is refused: %w", err)
	}
	claims, err := p.claims(ctx, d, token, tokens, config)
	if err != nil {
		return Person{}, err
	}
	person := p.person(claims)
	person.Subject, person.State = token.Subject, state
	person.Name = cmp.Or(person.Name, token.Subject)
	if d.EndSession != "" { // otherwise nobody needs it
		person.Token = raw
	}
	return person, nil
}

// verify returns a token of the provider that is signed, for this client, of this login and of now.
func (p *Provider) verify(ctx context.Context, d *discovered, raw, nonce string) (*oidc.IDToken, error) {
	token, err := d.Verifier(&oidc.Config{ClientID: p.Client, Now: func() time.Time { return time.Now().Add(-skew) }}).Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	var more struct {
		Party string `json:"azp"`
	}
	if err := token.Claims(&more); err != nil {
		return nil, err
	}
	switch {
	case token.Subject == "":
		return nil, errors.New("it does not say who it is about")
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) == 0:
		return nil, errors.New("it is of another login")
	case (len(token.Audience) > 1 || more.Party != "") && more.Party != p.Client:
		return nil, errors.New("it was made for another program")
	case time.Until(token.IssuedAt) > skew:
		return nil, fmt.Errorf("it was made in %.0f s from now: the clocks of the provider and of the service differ",
			time.Until(token.IssuedAt).Seconds())
	}
	return token, nil
}

// claims returns what the provider says of a person, in the token or, where that lacks something, when it is asked.
func (p *Provider) claims(ctx context.Context, d *discovered, token *oidc.IDToken, tokens *oauth2.Token,
	c *oauth2.Config,
) (map[string]any, error) {
	all := map[string]any{}
	if err := token.Claims(&all); err != nil {
		return nil, refused("login_invalid", "the token of the provider: %w", err)
	}
	if all[p.Claim] != nil && all["name"] != nil || d.UserInfoEndpoint() == "" {
		return all, nil
	}
	info, err := d.UserInfo(ctx, c.TokenSource(ctx, tokens))
	switch {
	case err != nil:
		return nil, refused("login_invalid", "the provider does not say who it is: %w", err)
	case info.Subject != token.Subject:
		return nil, refused("login_invalid", "the provider speaks of two people")
	}
	if err := info.Claims(&all); err != nil {
		return nil, refused("login_invalid", "what the provider says of somebody: %w", err)
	}
	return all, nil
}

// person returns the name, address and scopes that claims have.
func (p *Provider) person(claims map[string]any) Person {
	text := func(name string) string {
		s, _ := claims[name].(string)
		return short(s)
	}
	var groups []string
	switch g := claims[p.Claim].(type) {
	case string:
		groups = []string{g}
	case []any:
		for _, one := range g {
			if s, ok := one.(string); ok {
				groups = append(groups, s)
			}
		}
	}
	return Person{
		Name: cmp.Or(text("name"), text("preferred_username"), text("email")), Email: text("email"), Scopes: p.Roles.scopes(groups),
	}
}

// short is a text of somebody else as a list can show it.
func short(s string) string {
	const limit = 200
	runes := []rune(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }), " "))
	return string(runes[:min(len(runes), limit)])
}

// End returns the address at which a browser ends the session at the provider, too, and which then sends it
// back; "" if there is none. The token is that of the Person.
func (p *Provider) End(ctx context.Context, token, back string) string {
	d, err := p.discover(ctx)
	if err != nil || d.EndSession == "" {
		return ""
	}
	u, err := url.Parse(d.EndSession)
	if err != nil {
		return ""
	}
	q := u.Query()
	if token != "" {
		q.Set("id_token_hint", token)
	}
	q.Set("client_id", p.Client)
	q.Set("post_logout_redirect_uri", back)
	u.RawQuery = q.Encode()
	return u.String()
}
