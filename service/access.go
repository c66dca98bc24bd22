package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"golang.org/x/time/rate"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/service/store"
)

// Scopes of keys. Admin includes the others.
var Scopes = []string{"identify", "enrol", "review", "admin", "metrics"}

const cookieName = "nrdl_session"

var (
	errBusy      = huma.ErrorWithHeaders(huma.Error429TooManyRequests("too many requests: try again later"), http.Header{"Retry-After": {"1"}})
	errFull      = huma.ErrorWithHeaders(huma.Error429TooManyRequests("too many images wait to be decoded: try again later"), http.Header{"Retry-After": {"5"}})
	errNoKey     = huma.ErrorWithHeaders(huma.Error401Unauthorized("a key is needed, in the header Authorization: Bearer …"), http.Header{"WWW-Authenticate": {"Bearer"}})
	errUnknown   = huma.ErrorWithHeaders(huma.Error401Unauthorized("the key is not known, or it has expired"), http.Header{"WWW-Authenticate": {"Bearer"}})
	errSignedOut = huma.ErrorWithHeaders(huma.Error401Unauthorized("the session has ended: sign in with a key"), http.Header{"WWW-Authenticate": {"Bearer"}})
	errNotHere   = huma.Error403Forbidden("without a key, only this machine is answered: create one with POST /v1/keys")
	errProxy     = huma.Error403Forbidden("a proxy has sent the request, perhaps for another machine, and without a key only this machine is answered: create a key at http://localhost:8080 or with POST /v1/keys, on the machine of the service and not by way of the proxy")
	errHost      = huma.Error403Forbidden("without a key, the address of a request must be this machine, such as http://localhost:8080, and not the name of another host")
)

// allow is an error unless the sender of r may use an operation for which one of scopes
// is needed. It notes who that is.
func (v *Service) allow(r *http.Request, scopes []string) error {
	secret, ok := bearer(r.Header.Get("Authorization"))
	req := by(r.Context())
	req.bearer, req.secure = ok, isSecure(r)
	if c, err := r.Cookie(cookieName); err == nil {
		req.session = c.Value
	}
	keyOf := v.store.KeyOf
	if !ok {
		secret, keyOf = req.session, v.store.KeyOfSession
	}
	actor := "local"
	if secret == "" {
		keys, err := v.store.Keys(r.Context())
		switch {
		case err != nil:
			return err
		case len(keys) > 0:
			return errNoKey
		case !isLocal(r.RemoteAddr):
			return errNotHere
		case isForwarded(r):
			return errProxy
		case !isLocal(r.Host): // a name of another host may lead here
			return errHost
		}
	} else {
		key, err := keyOf(r.Context(), secret)
		switch {
		case errors.Is(err, store.ErrNotFound) && !ok:
			return errSignedOut
		case errors.Is(err, store.ErrNotFound):
			return errUnknown
		case err != nil:
			return err
		}
		actor = key.ID
		req.actor = actor
		if needed := append(slices.Clone(scopes), "admin"); !slices.ContainsFunc(needed, func(s string) bool { return slices.Contains(key.Scopes, s) }) {
			return huma.Error403Forbidden("the key does not have the scope " + strings.Join(needed, " or "))
		}
		if err := within(r, key.Collections); err != nil {
			return err
		}
		req.collections = key.Collections
	}
	req.actor = actor
	if !v.limiter(actor).Allow() {
		return errBusy
	}
	return nil
}

// bearer returns the key in a header Authorization.
func bearer(header string) (secret string, ok bool) {
	scheme, secret, ok := strings.Cut(header, " ")
	return strings.TrimSpace(secret), ok && strings.EqualFold(scheme, "Bearer")
}

// isSecure reports whether a browser has sent a request by TLS, to this process or to a proxy:
// the browser says so by the origin of its page, and a proxy on this machine or in a private
// network by a header.
func isSecure(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	proto, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	return r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://") || err == nil && isPrivate(peer.Addr()) && strings.EqualFold(strings.TrimSpace(proto), "https")
}

// ofProxies is how the names of headers begin that proxies add, in lower case.
var ofProxies = []string{
	"forwarded", "via", "x-forwarded", "x-real-", "x-original-", "x-client-ip", "x-cluster-client-ip", "x-proxy", "x-envoy-", "x-amzn-trace-id",
	"true-client-ip", "cf-", "cdn-loop", "fastly-", "fly-", "proxy-connection",
}

// isForwarded reports whether a proxy has sent a request: it has a header of one, or it is of
// HTTP/1.0, or asks for a connection other than one that stays. These nginx sends, the second
// with proxy_http_version 1.1, and few programs do.
func isForwarded(r *http.Request) bool {
	for name := range r.Header {
		if slices.ContainsFunc(ofProxies, func(of string) bool { return strings.HasPrefix(strings.ToLower(name), of) }) {
			return true
		}
	}
	connection := strings.Join(r.Header.Values("Connection"), ",")
	return !r.ProtoAtLeast(1, 1) || r.Close || connection != "" && !strings.EqualFold(connection, "keep-alive")
}

// within is an error if a key for these collections, all if there are none, is not for the
// operation of r.
func within(r *http.Request, collections []string) error {
	id := r.PathValue("c")
	switch {
	case len(collections) == 0 || slices.Contains(collections, id):
		return nil
	case id == "" && slices.Contains([]string{"GET /v1/collections", "POST /v1/session", "DELETE /v1/session", "GET /metrics"}, r.Pattern):
		return nil
	}
	return huma.Error403Forbidden("the key is for other collections")
}

// isLocal reports whether the host of an address is this machine.
func isLocal(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// limiter returns the limiter of an actor. There is one for each key.
func (v *Service) limiter(actor string) *rate.Limiter {
	v.mu.Lock()
	defer v.mu.Unlock()
	l := v.limiters[actor]
	if l == nil {
		l = rate.NewLimiter(v.Rate, v.Burst)
		v.limiters[actor] = l
	}
	return l
}

// authorized is allow for the operations of huma.
func (v *Service) authorized(c huma.Context, next func(huma.Context)) {
	scopes, _ := c.Operation().Metadata["scopes"].([]string)
	r, w := humago.Unwrap(c)
	err := v.allow(r, scopes)
	if err == nil {
		err = checkQuery(r, c.Operation())
	}
	if err != nil {
		v.fail(w, r, err)
		return
	}
	if r.Header.Get(onceHeader) == "" {
		next(c)
		return
	}
	v.once(w, r, func(w http.ResponseWriter, r *http.Request) { next(humago.NewContext(c.Operation(), r, w)) })
}

// CheckAddress is an error if the address is not HOST:PORT, or if other machines reach it
// and the database at url is not there yet: it has no key.
func CheckAddress(address, url string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return advice.Add(fmt.Errorf("listen: %q is no address with a port", address), "for example: --listen 127.0.0.1:8080")
	}
	if isPublic(address) && store.IsNew(url) {
		return notYet(address, errNoKeys)
	}
	return nil
}

var errNoKeys = errors.New("there is no key yet, so other machines cannot be answered")

// isPublic reports whether other machines reach an address.
func isPublic(address string) bool {
	a, err := netip.ParseAddrPort(address)
	return err != nil || !a.Addr().IsLoopback()
}

func notYet(address string, err error) error {
	return advice.Add(fmt.Errorf("listen on %s: %w", address, err), "start with --listen 127.0.0.1:8080 and create a key: doc/service.md")
}

// Listen listens at an address: one that other machines reach only if there is a key.
func (v *Service) Listen(ctx context.Context, address string) (net.Listener, error) {
	if isPublic(address) {
		if err := v.CheckPublic(ctx); err != nil {
			return nil, notYet(address, err)
		}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		err = fmt.Errorf("serve: %w", err)
	}
	return l, err
}

// CheckPublic is an error if the service must not listen to other machines.
func (v *Service) CheckPublic(ctx context.Context) error {
	keys, err := v.store.Keys(ctx)
	if err == nil && len(keys) == 0 {
		err = errNoKeys
	}
	return err
}
