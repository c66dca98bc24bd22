package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"golang.org/x/time/rate"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// Scopes are the scopes of keys. The scope admin includes the others.
var Scopes = []string{"identify", "enrol", "review", "admin", "metrics", "vectors"}

var (
	errBusy = headed(coded("rate_limited", people.Failed(http.StatusTooManyRequests, "too many requests: try again later")),
		"Retry-After", "1")
	errNoKey = headed(coded("key_missing",
		people.Failed(http.StatusUnauthorized, "a key is needed, in the header Authorization: Bearer …")), "WWW-Authenticate", "Bearer")
	errUnknown = headed(coded("key_unknown", people.Failed(http.StatusUnauthorized, "the key is not known, or it has expired")),
		"WWW-Authenticate", "Bearer")
	errSignedOut = headed(coded("session_ended", people.Failed(http.StatusUnauthorized, "the session has ended: sign in again")),
		"WWW-Authenticate", "Bearer")
	errNotHere = coded("local_only", people.Failed(http.StatusForbidden,
		"without a key, only this machine is answered: nrdl key create DATA makes one, or POST /v1/keys"))
	errProxy = coded("local_only", people.Failed(http.StatusForbidden,
		"a proxy has sent the request, perhaps for another machine, and without a key only this machine is answered: create a key with nrdl key create DATA, at http://localhost:8080 or with POST /v1/keys, on the machine of the service and not by way of the proxy"))
	errHost = coded("local_only", people.Failed(http.StatusForbidden,
		"without a key, the address of a request must be this machine, such as http://localhost:8080, and not the name of another host"))
)

// allow returns an error unless the sender of r may use an operation that needs one of scopes.
// It sets the fields of the request of the context.
func (v *Service) allow(r *http.Request, scopes []string) error {
	req := requestOf(r.Context())
	secret, ok := bearer(r.Header.Get("Authorization"))
	req.bearer, req.isSecure, req.prefix, req.base = ok, isSecure(r), prefixOf(r), baseOf(r)
	if c, err := r.Cookie(cookieName); err == nil {
		req.session = c.Value
	}
	var err error
	switch {
	case ok && secret != "":
		err = v.allowKey(r, scopes, v.store.KeyOf, secret, errUnknown)
	case !ok && req.session != "":
		err = v.allowKey(r, scopes, v.store.KeyOfSession, req.session, errSignedOut)
		if errors.Is(err, errSignedOut) && v.allowLocal(r) == nil {
			err = nil // a browser sends its cookies to each service of a host, whatever the port
		}
	default:
		err = v.allowLocal(r)
	}
	if err == nil && !v.limiter(req.Actor).Allow() {
		err = errBusy
	}
	return err
}

// socketPeer is the address of a client that sends a request by a Unix socket. Only the user of
// the process can do that.
const socketPeer = "@"

// allowLocal returns an error unless r comes from this machine and the service needs neither key nor login.
func (v *Service) allowLocal(r *http.Request) error {
	keyless, err := v.store.IsKeyless(r.Context())
	switch {
	case err != nil:
		return err
	case !keyless || v.Login != nil:
		return errNoKey
	case !isLocal(r.RemoteAddr) && r.RemoteAddr != socketPeer:
		return errNotHere
	case isForwarded(r):
		return errProxy
	case !isLocal(r.Host): // the name of another host may lead here
		return errHost
	}
	req := requestOf(r.Context())
	req.Actor, req.key.Scopes = "local", []string{"admin"}
	return nil
}

// allowKey returns an error unless the key that find returns for a secret has one of scopes
// and is for the collection of r. If there is no such key, the error is errMissing.
func (v *Service) allowKey(r *http.Request, scopes []string, find func(context.Context, string) (store.Key, error),
	secret string, errMissing error,
) error {
	key, err := find(r.Context(), secret)
	if errors.Is(err, store.ErrNotFound) || err == nil && key.Subject != "" && v.Login == nil {
		return errMissing
	}
	if err != nil {
		return err
	}
	req := requestOf(r.Context())
	req.Actor, req.key = key.ID, key
	if needed := withAdmin(scopes); !slices.ContainsFunc(needed,
		func(s string) bool { return slices.Contains(key.Scopes, s) }) {
		return coded("scope_missing", people.Failed(http.StatusForbidden, "%s", "the key does not have the scope "+strings.Join(needed, " or ")))
	}
	return checkCollection(r, key.Collections)
}

// bearer returns the secret in a header Authorization.
func bearer(header string) (secret string, ok bool) {
	scheme, secret, ok := strings.Cut(header, " ")
	return strings.TrimSpace(secret), ok && strings.EqualFold(scheme, "Bearer")
}

// isSecure reports whether a browser has sent a request by TLS, to this process or to a proxy.
// The browser says so by the origin of its page; a proxy on this machine or in a private
// network says so by a header.
func isSecure(r *http.Request) bool {
	proto, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	return r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://") ||
		isNear(r) && strings.EqualFold(strings.TrimSpace(proto), "https")
}

// proxyHeaders are the beginnings of headers that proxies add, in lower case.
var proxyHeaders = []string{
	"forwarded", "via", "x-forwarded", "x-real-", "x-original-", "x-client-ip", "x-cluster-client-ip",
	"x-proxy", "x-ingress-", "x-envoy-", "x-amzn-trace-id",
	"true-client-ip", "cf-", "cdn-loop", "fastly-", "fly-", "proxy-connection",
}

// isForwarded reports whether a proxy has sent a request: it has a header of proxies, or is of
// HTTP/1.0, or closes its connection. nginx does the second, and the third with
// proxy_http_version 1.1; few other programs do.
func isForwarded(r *http.Request) bool {
	for name := range r.Header {
		if slices.ContainsFunc(proxyHeaders, func(prefix string) bool { return strings.HasPrefix(strings.ToLower(name), prefix) }) {
			return true
		}
	}
	connection := strings.Join(r.Header.Values("Connection"), ",")
	return !r.ProtoAtLeast(1, 1) || r.Close || connection != "" && !strings.EqualFold(connection, "keep-alive")
}

// checkCollection returns an error if a key for some collections, none for all, may not be used
// for the operation of r.
func checkCollection(r *http.Request, collections []string) error {
	id := r.PathValue("collection")
	switch {
	case len(collections) == 0 || slices.Contains(collections, id):
		return nil
	case id == "" &&
		slices.Contains([]string{"GET /v1/collections", followRoute, "GET /v1/session", "POST /v1/session", "DELETE /v1/session", "GET /metrics"}, r.Pattern):
		return nil
	}
	return coded("other_collections", people.Failed(http.StatusForbidden, "the key is for other collections"))
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

// limiter returns the limiter of an actor.
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

// authorized is the middleware of huma that calls allow.
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

// CheckScopes returns an error unless Scopes has all of scopes.
func CheckScopes(scopes []string) error {
	for _, s := range scopes {
		if !slices.Contains(Scopes, s) {
			return fmt.Errorf("scope %q is unknown: there are %s", s, strings.Join(Scopes, ", "))
		}
	}
	return nil
}

// CheckOrigin returns an error unless origin is that of a page, such as https://door.example.
func CheckOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || origin != u.Scheme+"://"+u.Host ||
		strings.ContainsAny(u.Host, "*@") {
		return fmt.Errorf("%q is not the origin of a page, such as https://door.example: every origin is named, without a path", origin)
	}
	return nil
}

// cors lets pages of Options.Origins send requests and read the answers. They send a key: a
// browser gives them no cookie of the service.
func (v *Service) cors(next http.Handler) http.Handler {
	const methods, headers = "GET, POST, PATCH, DELETE", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Add("Vary", "Origin")
		if origin := r.Header.Get("Origin"); origin != "" && slices.Contains(v.Origins, origin) {
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				h.Set("Access-Control-Allow-Methods", methods)
				h.Set("Access-Control-Allow-Headers", headers)
				h.Set("Access-Control-Max-Age", "600")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
