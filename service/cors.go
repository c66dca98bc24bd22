package service

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// CheckOrigin returns an error unless origin is that of a page, such as https://door.example.
func CheckOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || origin != u.Scheme+"://"+u.Host || strings.ContainsAny(u.Host, "*@") {
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
