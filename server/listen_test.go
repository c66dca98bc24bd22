package server

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/store"
)

// writeCertificate makes a certificate with a serial number, and its key.
func writeCertificate(t *testing.T, certificate, key string, serial int64, modified time.Time) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Unix(0, 0),
		NotAfter: time.Unix(1<<33, 0), DNSNames: []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	for path, b := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
	}
}

// The service speaks TLS, and takes a new certificate when its files change; while they do not
// belong together, the one before stays.
func TestCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	var logged bytes.Buffer // the lock of the certificate guards it
	log := slog.New(slog.NewTextHandler(&logged, nil))
	if _, err := LoadCertificate(cert, key, log); err == nil {
		t.Error("files that are not there are taken")
	}
	writeCertificate(t, cert, key, 1, time.Unix(1, 0))
	c, err := LoadCertificate(cert, key, log)
	if err != nil {
		t.Fatal(err)
	}
	v := newClient(t, Options{}).v
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- v.Serve(ctx, c.Listener(plain)) }()
	serial := func() int64 {
		t.Helper()
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		a, err := client.Get("https://" + plain.Addr().String() + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	forget := func() { // that the files were looked at a moment ago
		c.mu.Lock()
		defer c.mu.Unlock()
		c.checkTime = time.Time{}
	}
	if n := serial(); n != 1 {
		t.Errorf("certificate %d", n)
	}
	writeCertificate(t, filepath.Join(dir, "other.pem"), key, 2, time.Unix(2, 0))
	forget()
	if n := serial(); n != 1 {
		t.Errorf("certificate %d while the files do not belong together", n)
	}
	if err := os.Rename(filepath.Join(dir, "other.pem"), cert); err != nil {
		t.Fatal(err)
	}
	forget()
	if n := serial(); n != 2 {
		t.Errorf("certificate %d after the change", n)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if text := logged.String(); strings.Count(text, "level=WARN") != 1 || strings.Count(text, "level=INFO") != 1 {
		t.Errorf("logged: %s", text)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// By a Unix socket the service answers as from this machine. A socket that was left is replaced,
// one that is in use is not.
func TestSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "nrdl") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	if err := CheckAddress(socketPrefix+path, "x", false); err != nil {
		t.Error(err)
	}
	if CheckAddress(socketPrefix, "x", false) == nil {
		t.Error("an empty path is taken")
	}
	v := newClient(t, Options{}).v
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Skip(err)
	}
	left.SetUnlinkOnClose(false)
	if _, err := v.Listen(t.Context(), socketPrefix+path); err == nil {
		t.Error("a socket in use is replaced")
	}
	left.Close()
	l, err := v.Listen(t.Context(), socketPrefix+path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- v.Serve(ctx, l) }()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	r, err := http.NewRequest("GET", "http://localhost/v1/collections", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	client.CloseIdleConnections()
	if a.StatusCode != http.StatusOK {
		t.Errorf("%d", a.StatusCode)
	}
	for !v.people.IsLoaded.Load() {
		time.Sleep(time.Millisecond)
	}
	if err := CheckReady(t.Context(), socketPrefix+path); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if CheckReady(t.Context(), socketPrefix+path) == nil {
		t.Error("a service that has ended is ready")
	}
}

// A port that is in use is an error with a way out, which can be listened at.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	v := newClient(t, Options{}).v
	other, err := v.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, err = v.Listen(t.Context(), other.Addr().String())
	_, address, found := strings.Cut(advice.Text(err), "--listen ")
	if err == nil || !found {
		t.Fatalf("%v; %q", err, advice.Text(err))
	}
	l, err := v.Listen(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// Of backups in a folder the latest stay; other files are left alone. The database may be in use.
func TestBackupFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := filepath.Join(dir, "mine.db")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	database := filepath.Join(t.TempDir(), "nrdl.db")
	if _, _, err := jobs.BackupFile(t.Context(), database, dir, 2); err == nil {
		t.Error("a database that is not there is copied")
	}
	s := openStore(t, database)
	if _, err := s.CreateCollection(t.Context(), "t", "friends", 0.01, ""); err != nil {
		t.Fatal(err)
	}
	// What a process leaves that is killed during a backup.
	for _, name := range []string{".nrdl-0123456789abcdef.tmp", ".nrdl-0123456789abcdef.tmp.d/new"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700),
			os.WriteFile(filepath.Join(dir, name), []byte("part"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var last string
	for range 4 {
		var err error
		if last, _, err = jobs.BackupFile(t.Context(), database, dir, 2); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%v, %v", entries, err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
	if all, err := openStore(t, last).Collections(t.Context(), "", 10); err != nil || len(all) != 1 || all[0].Name != "friends" {
		t.Errorf("%v, %v", all, err)
	}
	one := filepath.Join(dir, "one.db")
	for i := range 2 {
		if _, _, err := jobs.BackupFile(t.Context(), database, one, 0); (err != nil) != (i == 1) {
			t.Errorf("run %d: %v", i, err)
		}
	}
}

func openStore(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
