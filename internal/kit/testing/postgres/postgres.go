// Package postgres runs a PostgreSQL server of its own for tests and measurements.
package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
)

// A Server listens on a socket in a temporary folder.
type Server struct {
	URL  string // of the database postgres
	dir  string
	bin  string
	sync string // options for the speed of changes
}

// ErrMissing is returned by New where PostgreSQL is not installed.
var ErrMissing = errors.New("no PostgreSQL is installed (Debian: apt-get install postgresql)")

// New makes an empty database and starts a server. Durable says whether a change is on the
// disk when it is acknowledged.
func New(durable bool) (*Server, error) { return NewIn("", durable) }

// NewIn is New with the data below a folder, "" for that of temporary files.
func NewIn(folder string, durable bool) (*Server, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	initdb, err := exec.LookPath("initdb")
	if len(found) > 0 {
		initdb, err = found[len(found)-1], nil
	}
	if err != nil {
		return nil, ErrMissing
	}
	s := &Server{bin: filepath.Dir(initdb)}
	if s.dir, err = os.MkdirTemp(folder, "nrdl-postgres"); err != nil {
		return nil, err
	}
	if u, err := user.Lookup("postgres"); err == nil && os.Getuid() == 0 { // it does not run as root
		id, _ := strconv.Atoi(u.Uid)
		if err := os.Chown(s.dir, id, -1); err != nil {
			return nil, err
		}
	}
	if !durable {
		s.sync = " -c fsync=off"
	}
	err = s.run("initdb", "-D", s.dir+"/data", "-A", "trust", "-U", "nrdl", "--no-sync", "--locale=C.UTF-8")
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		os.RemoveAll(s.dir)
		return nil, err
	}
	s.URL = "postgres://nrdl@/postgres?host=" + s.dir
	return s, nil
}

func (s *Server) run(name string, args ...string) error {
	args = append([]string{filepath.Join(s.bin, name)}, args...)
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		args = append([]string{"runuser", "-u", "postgres", "--"}, args...)
	}
	c := exec.Command(args[0], args[1:]...)
	c.Dir = s.dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// Start starts the server after Stop.
func (s *Server) Start() error {
	return s.run("pg_ctl", "-D", s.dir+"/data", "-w", "-l", s.dir+"/log", "-o", "-c listen_addresses=''"+s.sync+" -k "+s.dir, "start")
}

// Stop ends the server and all connections at once.
func (s *Server) Stop() error {
	return s.run("pg_ctl", "-D", s.dir+"/data", "-m", "immediate", "stop")
}

// Close ends the server and removes its data.
func (s *Server) Close() {
	_ = s.Stop() // it may have ended
	os.RemoveAll(s.dir)
}
