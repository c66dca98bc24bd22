package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/server/store"
)

// socketPrefix begins an address that is the path of a Unix socket.
const socketPrefix = "unix:"

// CheckAddress returns an error if the address is neither HOST:PORT nor unix:PATH, or if other
// machines can reach it and the database at url does not exist: it has no key. With a login, none is needed.
func CheckAddress(address, url string, hasLogin bool) error {
	if path, ok := strings.CutPrefix(address, socketPrefix); ok {
		if path == "" {
			return advice.Add(fmt.Errorf("listen: %q has no path", address), "for example: --listen unix:/run/nrdl.sock")
		}
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return advice.Add(fmt.Errorf("listen: %q is no address with a port", address), "for example: --listen 127.0.0.1:8080")
	}
	switch {
	case !store.IsNew(url):
		return nil
	case IsPublic(address) && !hasLogin:
		return notYet(address, errNoKeys)
	}
	l, err := net.Listen("tcp", address) // before a database is made for it
	if err != nil {
		return inUse(address, err)
	}
	return l.Close()
}

// inUse is the error of listening at an address because of err, with a way out if that is another program.
func inUse(address string, err error) error {
	err = fmt.Errorf("serve: %w", err)
	if host, _, _ := net.SplitHostPort(address); errors.Is(err, syscall.EADDRINUSE) && host != "" {
		err = advice.Add(err,
			"another program listens there, perhaps another service of nrdl: end it, or take any port that is free: --listen %s",
			net.JoinHostPort(host, "0"))
	}
	return err
}

var errNoKeys = errors.New("there is no key yet, so other machines cannot be answered")

// IsPublic reports whether other machines can reach an address.
func IsPublic(address string) bool {
	if strings.HasPrefix(address, socketPrefix) {
		return false
	}
	a, err := netip.ParseAddrPort(address)
	return err != nil || !a.Addr().IsLoopback()
}

func notYet(address string, err error) error {
	return advice.Add(fmt.Errorf("listen on %s: %w", address, err), "nrdl key create DATA makes the first key")
}

// Listen listens at an address, HOST:PORT or unix:PATH. If other machines can reach it, there
// has to be a key. A socket is for the user of the process only; one that a process left behind
// that has ended is replaced.
func (v *Service) Listen(ctx context.Context, address string) (net.Listener, error) {
	if IsPublic(address) {
		if err := v.CheckPublic(ctx); err != nil {
			return nil, notYet(address, err)
		}
	}
	network := "tcp"
	if path, ok := strings.CutPrefix(address, socketPrefix); ok {
		network, address = "unix", path
		if err := removeStale(path); err != nil {
			return nil, fmt.Errorf("serve: %w", err)
		}
	}
	l, err := net.Listen(network, address)
	if err == nil && network == "unix" {
		if err = os.Chmod(address, 0o600); err != nil {
			l.Close()
		}
	}
	if err != nil {
		return nil, inUse(address, err)
	}
	return l, nil
}

// removeStale removes a socket at which nobody listens.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return nil // Listen says what is wrong
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		c.Close()
		return fmt.Errorf("another process listens at %s", path)
	}
	return os.Remove(path)
}

// CheckPublic returns an error if there is neither key nor login, so that other machines must not reach the
// service.
func (v *Service) CheckPublic(ctx context.Context) error {
	if v.options.Login != nil {
		return nil
	}
	keys, err := v.store.Keys(ctx)
	if err == nil && !slices.ContainsFunc(keys, store.Key.IsOfProgram) {
		err = errNoKeys
	}
	return err
}

// CheckReady returns an error unless the service at an address such as http://127.0.0.1:8080 or
// unix:PATH answers within five seconds that it is ready.
func CheckReady(ctx context.Context, address string) error {
	client := http.DefaultClient
	if socket, ok := strings.CutPrefix(address, socketPrefix); ok {
		client = &http.Client{Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", socket)
			},
		}}
		address = "http://localhost"
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is not an address such as http://127.0.0.1:8080 or unix:/run/nrdl.sock", address)
	}
	u.Path = strings.TrimSuffix(u.Path, "/readyz") // which is not part of the address of the service
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("readyz").String(), nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
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

// A Certificate is a certificate of TLS in two files, which are read again when they change: a
// new certificate needs no restart.
type Certificate struct {
	files [2]string // certificates and key, PEM
	log   *slog.Logger

	mu        sync.Mutex
	failure   string // what was wrong when the files were last read
	modTimes  [2]time.Time
	checkTime time.Time
	pair      *tls.Certificate
}

// LoadCertificate reads a certificate and its key, both PEM. Changes of the files, and why one
// cannot be used, are logged.
func LoadCertificate(certificate, key string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{files: [2]string{certificate, key}, log: log}
	if _, err := c.get(nil); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	return c, nil
}

// Listener returns a listener that speaks TLS on l, version 1.2 or later.
func (c *Certificate) Listener(l net.Listener) net.Listener {
	return tls.NewListener(l, &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12})
}

// get returns the certificate, at most a second old. While the files cannot be read together,
// as between the two writes of a program that renews them, it is the one before.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pair != nil && time.Since(c.checkTime) < time.Second {
		return c.pair, nil
	}
	c.checkTime = time.Now()
	var modified [2]time.Time
	for i, f := range c.files {
		info, err := os.Stat(f)
		if err == nil && c.pair != nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is no longer a file", f) // a pipe would be waited for
		}
		if err != nil {
			return c.orBefore(err)
		}
		modified[i] = info.ModTime()
	}
	if c.pair != nil && modified == c.modTimes {
		return c.pair, nil
	}
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return c.orBefore(err)
	}
	if c.pair != nil {
		c.log.Info("the new certificate is used", "file", c.files[0], "until", pair.Leaf.NotAfter)
	}
	c.pair, c.modTimes, c.failure = &pair, modified, ""
	return c.pair, nil
}

// orBefore returns the certificate before, and logs err once; without one it returns err.
func (c *Certificate) orBefore(err error) (*tls.Certificate, error) {
	if c.pair == nil {
		return nil, err
	}
	if c.failure != err.Error() {
		c.failure = err.Error()
		c.log.Warn("the certificate cannot be read again: the one before stays", "file", c.files[0], "until", c.pair.Leaf.NotAfter, "error", err)
	}
	return c.pair, nil
}
