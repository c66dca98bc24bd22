package api

import (
	"net/http"
	"net/netip"
	"path"
	"regexp"
	"strings"

	"nrdl.example/nrdl/server/jobs"
)

// ingressHeader is the path below which Home Assistant shows the page, in a frame of its own.
const ingressHeader = "X-Ingress-Path"

var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)+$`)

// isNear reports whether a request comes from this machine or a private network, as those of a proxy do.
func isNear(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return r.RemoteAddr == socketPeer || err == nil && jobs.IsPrivate(peer.Addr())
}

// prefixOf is the path below which a proxy shows the service, such as /faces; "" at the top.
func prefixOf(r *http.Request) string {
	for _, name := range []string{"X-Forwarded-Prefix", ingressHeader} {
		prefix := strings.TrimSuffix(r.Header.Get(name), "/")
		if isNear(r) && plainPath.MatchString(prefix) && path.Clean(prefix) == prefix {
			return prefix
		}
	}
	return ""
}

// asSeen returns a request as whoever asked a proxy has sent it, but below no prefix. A page of another
// site cannot make a browser send these headers.
func asSeen(r *http.Request) *http.Request {
	host, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Host"), ",")
	rest, isBelow := strings.CutPrefix(r.URL.Path, prefixOf(r)+"/")
	isBelow = isBelow && prefixOf(r) != ""
	if !isNear(r) || host == "" && !isBelow {
		return r
	}
	r = r.Clone(r.Context())
	if host != "" {
		r.Host = strings.TrimSpace(host)
	}
	if isBelow {
		r.URL.Path, r.URL.RawPath = "/"+rest, ""
	}
	return r
}
