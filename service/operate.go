package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"nrdl.example/nrdl/service/store"
)

// CheckReady is an error unless the service at an address such as
// http://127.0.0.1:8080 answers within five seconds that it is ready.
func CheckReady(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is not an address such as http://127.0.0.1:8080", address)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("readyz").String(), nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	reason, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the service is not ready: %s %s", answer.Status, strings.TrimSpace(string(reason)))
	}
	return err
}

// CheckScopes is an error unless all of scopes are some of Scopes.
func CheckScopes(scopes []string) error {
	for _, s := range scopes {
		if !slices.Contains(Scopes, s) {
			return fmt.Errorf("scope %q is unknown: there are %s", s, strings.Join(Scopes, ", "))
		}
	}
	return nil
}

// CreateKey makes a key in the database of a service and returns its secret, which
// is not kept. The first key must have the scope admin.
func CreateKey(ctx context.Context, db *store.Store, name string, scopes []string) (secret string, err error) {
	if err := CheckScopes(scopes); err != nil {
		return "", err
	}
	keys, err := db.Keys(ctx)
	if err != nil {
		return "", err
	}
	if name == "" || len(scopes) == 0 || len(name) > 200 {
		return "", errors.New("a key needs a name of at most 200 bytes and a scope")
	}
	if !slices.Contains(scopes, "admin") && !slices.ContainsFunc(keys, func(k store.Key) bool { return slices.Contains(k.Scopes, "admin") }) {
		return "", errors.New("the first key needs the scope admin: otherwise nobody could create another")
	}
	_, secret, err = db.CreateKey(ctx, "operator", name, scopes, nil, time.Time{})
	return secret, err
}
