package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	client "nrdl.example/nrdl/client/go"
	"nrdl.example/nrdl/internal/kit/atomicfile"
)

// A site is what an operator has: processes of the command on one database, which speak TLS.
type site struct {
	dir        string // of keys, logs and backups
	disk       string // small disk with the database; "" if none can be mounted
	db         database
	command    string // path of the built command
	addresses  []string
	collection string
	web        *http.Client
	serial     int64 // of the certificate

	mu        sync.Mutex
	processes []*exec.Cmd // nil for one that does not
	key       *key
	turn      int
	latest    time.Time     // when a change was acknowledged
	gap       time.Duration // longest time between two such, since event
	refusals  map[string]int
}

// A key is one of the service, with the requests that use it.
type key struct {
	id, secret string
	requests   sync.WaitGroup
}

func (s *site) useKey() (k *key, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key.requests.Add(1)
	return s.key, s.key.requests.Done
}

// first is the number of the process that is asked first, each in turn.
func (s *site) first() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn++
	return s.turn
}

func (s *site) client(address string, k *key) *client.Client {
	c := client.New("https://"+address, k.secret)
	c.HTTP = s.web
	return c
}

// acknowledge notes that a change was acknowledged.
func (s *site) acknowledge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gap = max(s.gap, time.Since(s.latest))
	s.latest = time.Now()
}

// refusal notes why a request is sent again.
func (s *site) refusal(err error) {
	code := "no answer"
	if p, ok := errors.AsType[*client.Problem](err); ok {
		code = p.Code
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[code]++
}

// run runs the command to its end, and returns what it prints.
func (s *site) run(args ...string) (string, error) { return output(exec.Command(s.command, args...)) }

// output returns what a program prints.
func output(c *exec.Cmd) (string, error) {
	var failed strings.Builder
	c.Stderr = &failed
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, failed.String())
	}
	return string(out), nil
}

// serve starts process i on a database, which args name, and waits until it answers.
func (s *site) serve(i int, address string, args ...string) (*exec.Cmd, error) {
	c := exec.Command(s.command, append([]string{
		"serve", "--listen", address, "--tls-cert", s.dir + "/cert.pem", "--tls-key", s.dir + "/key.pem", "--log-level", "warn",
	}, args...)...)
	log, err := os.OpenFile(filepath.Join(s.dir, fmt.Sprintf("log%d", i)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c.Stderr = log
	if err := c.Start(); err != nil {
		return nil, err
	}
	for begun := time.Now(); time.Since(begun) < patient; time.Sleep(20 * time.Millisecond) {
		if a, err := s.web.Get("https://" + address + "/healthz"); err == nil {
			a.Body.Close()
			if a.StatusCode == http.StatusOK {
				return c, nil
			}
		}
	}
	end(c, syscall.SIGKILL)
	return nil, fmt.Errorf("the service does not answer at %s: see %s", address, log.Name())
}

// start starts the processes that do not run, one after the other.
func (s *site) start() (err error) {
	for i, c := range s.processes {
		if c == nil {
			if s.processes[i], err = s.serve(i, s.addresses[i], s.db.args()...); err != nil {
				return err
			}
		}
	}
	return nil
}

// stop ends the processes as systemd does, or kills them.
func (s *site) stop(signal os.Signal, which ...int) {
	for _, i := range which {
		if s.processes[i] != nil {
			end(s.processes[i], signal)
			s.processes[i] = nil
		}
	}
}

func (s *site) all() (numbers []int) {
	for i := range s.processes {
		numbers = append(numbers, i)
	}
	return numbers
}

func end(c *exec.Cmd, signal os.Signal) {
	_ = c.Process.Signal(signal)
	_ = c.Wait()
}

// ready waits until each process is ready for changes.
func (s *site) ready() error {
	begun := time.Now()
	for _, address := range s.addresses {
		for {
			a, err := s.web.Get("https://" + address + "/readyz")
			if err == nil {
				a.Body.Close()
				if a.StatusCode == http.StatusOK {
					break
				}
			}
			if time.Since(begun) > patient {
				return fmt.Errorf("%s is not ready", address)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	return nil
}

// createKey makes a key as an operator does.
func (s *site) createKey(name string) (*key, error) {
	secret, err := s.run(append([]string{"key", "create", "--name", name}, s.db.args()...)...)
	if err != nil {
		return nil, err
	}
	list, err := s.run(append([]string{"key", "list"}, s.db.args()...)...)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); strings.Contains(line, name) {
			return &key{id: f[0], secret: strings.TrimSpace(secret)}, nil
		}
	}
	return nil, fmt.Errorf("the key %s is not in the list: %s", name, list)
}

// certify writes a new certificate of its own signature, and its key.
func (s *site) certify() error {
	s.serial++
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(s.serial), Subject: pkix.Name{CommonName: "127.0.0.1"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(24 * time.Hour),
	}
	signed, err := x509.CreateCertificate(rand.Reader, c, c, private.Public(), private)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	for name, b := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: signed},
		"key.pem":  {Type: "PRIVATE KEY", Bytes: secret},
	} {
		write := func(w io.Writer) error { return pem.Encode(w, b) }
		if _, err := atomicfile.Write(context.Background(), filepath.Join(s.dir, name), write); err != nil {
			return err
		}
	}
	return nil
}

// shows reports whether a new connection to a process gets the latest certificate.
func (s *site) shows(address string) bool {
	c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}) // it is of this program
	if err != nil {
		return false
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64() == s.serial
}
