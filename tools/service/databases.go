package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"nrdl.example/nrdl/internal/kit/testing/postgres"
)

// A database is one as an operator knows it.
type database interface {
	args() []string // that name it for the command
	// backup copies it to a file, while the service may run.
	backup(file string) error
	// restore makes another one of a backup, and returns args for it and what removes it.
	restore(file string) (args []string, remove func() error, err error)
	// replace makes it again of a backup, when nothing runs.
	replace(file string) error
}

// sqlite is a folder of the service.
type sqlite struct {
	s      *site
	folder string
}

func (d *sqlite) args() []string { return []string{d.folder} }

func (d *sqlite) backup(file string) error {
	_, err := d.s.run("backup", d.folder, file)
	return err
}

func (d *sqlite) restore(file string) ([]string, func() error, error) {
	folder := filepath.Join(d.s.dir, "restored")
	remove := func() error { return os.RemoveAll(folder) }
	if err := errors.Join(remove(), os.Mkdir(folder, 0o700)); err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	return []string{folder}, remove, os.WriteFile(filepath.Join(folder, "nrdl.db"), data, 0o600)
}

func (d *sqlite) replace(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(d.folder), os.Mkdir(d.folder, 0o700)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.folder, "nrdl.db"), data, 0o600)
}

// namesIn returns which of some names are in a file.
func namesIn(file string, names []string) (found []string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	text := string(data)
	for _, n := range names {
		if strings.Contains(text, n) {
			found = append(found, n)
		}
	}
	return found, nil
}

// A cluster is a PostgreSQL server with the database of the service.
type cluster struct{ *postgres.Server }

func (d *cluster) args() []string { return []string{"--database", d.of("nrdl")} }

// of is the URL of a database of the server.
func (d *cluster) of(name string) string {
	return strings.Replace(d.URL, "/postgres?", "/"+name+"?", 1)
}

// sql carries out statements in the database postgres.
func (d *cluster) sql(statements ...string) error {
	for _, statement := range statements {
		if _, err := output(exec.Command("psql", "-v", "ON_ERROR_STOP=1", "-q", "-c", statement, d.URL)); err != nil {
			return err
		}
	}
	return nil
}

func (d *cluster) backup(file string) error {
	_, err := output(exec.Command("pg_dump", "--no-owner", "-f", file, d.of("nrdl")))
	return err
}

func (d *cluster) load(file, name string) error {
	if err := d.sql("DROP DATABASE IF EXISTS "+name+" WITH (FORCE)", "CREATE DATABASE "+name); err != nil {
		return err
	}
	_, err := output(exec.Command("psql", "-v", "ON_ERROR_STOP=1", "-q", "-o", os.DevNull, "-f", file, d.of(name)))
	return err
}

func (d *cluster) restore(file string) ([]string, func() error, error) {
	remove := func() error { return d.sql("DROP DATABASE restored WITH (FORCE)") }
	return []string{"--database", d.of("restored")}, remove, d.load(file, "restored")
}

func (d *cluster) replace(file string) error { return d.load(file, "nrdl") }

// mount mounts a small disk in memory, and returns what unmounts it.
func mount(dir, size string) (unmount func(), err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	_, err = output(exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir))
	return func() { _ = exec.Command("umount", "-l", dir).Run() }, err
}

// fillDisk takes all room of the disk, and returns what makes room again.
func (s *site) fillDisk() (empty func() error, err error) {
	name := filepath.Join(s.disk, "filling")
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_, err = io.Copy(f, zeros{})
	if !errors.Is(err, syscall.ENOSPC) {
		return nil, fmt.Errorf("the disk is not full: %w", cmp.Or(err, errors.New("no error")))
	}
	return func() error { return os.Remove(name) }, nil
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return min(len(b), 1<<12), nil }
