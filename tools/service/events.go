package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	client "nrdl.example/nrdl/client/go"
)

// kills kills a process in the middle of what it does, three times, each time after another while.
func (d *day) kills() error {
	for range 3 {
		time.Sleep(time.Duration(d.rng.IntN(1500)) * time.Millisecond)
		d.s.stop(syscall.SIGKILL, d.rng.IntN(len(d.s.processes)))
		if err := d.s.start(); err != nil {
			return err
		}
	}
	return nil
}

// rotates makes a new key, gives it to the clients, and revokes the old one when none uses it any more.
func (d *day) rotates() error {
	s := d.s
	next, err := s.createKey(fmt.Sprintf("operator-%d", time.Now().UnixNano()))
	if err != nil {
		return err
	}
	s.mu.Lock()
	old := s.key
	s.key = next
	s.mu.Unlock()
	old.requests.Wait()
	if _, err := s.run(append([]string{"key", "revoke"}, append(s.db.args(), old.id)...)...); err != nil {
		return err
	}
	for _, address := range s.addresses {
		if _, err := s.client(address, old).ListCollections(context.Background(), client.ListCollectionsQuery{}); !hasStatus(err,
			http.StatusUnauthorized) {
			d.l.lose("%s answers a revoked key: %v", address, err)
		}
		if _, err := s.client(address, next).ListCollections(context.Background(), client.ListCollectionsQuery{}); err != nil {
			d.l.lose("%s does not answer a new key: %v", address, err)
		}
	}
	return nil
}

// backup makes a backup in a new file, and removes the one before.
func (d *day) backup() (string, error) {
	file := func() string { return filepath.Join(d.s.dir, fmt.Sprintf("backup%d.db", d.backups)) }
	_ = os.Remove(file()) // there may be none
	d.backups++
	return file(), d.s.db.backup(file())
}

// backsUp makes a backup while clients change people, restores it beside, and compares.
func (d *day) backsUp() error {
	before := d.l.copy()
	file, err := d.backup()
	if err != nil {
		return err
	}
	names, err := namesIn(file, forgottenNames(before))
	if err != nil {
		return err
	}
	for _, n := range names {
		d.l.lose("%s was forgotten, and is in a backup that was made later", n)
	}
	args, remove, err := d.s.db.restore(file)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	l.Close()
	c, err := d.s.serve(len(d.s.processes), l.Addr().String(), args...)
	if err != nil {
		return err
	}
	err = d.compare("a restored backup", l.Addr().String(), before)
	end(c, syscall.SIGTERM)
	return errors.Join(err, remove())
}

// compare compares what the service at an address has with the ledger as it was before.
func (d *day) compare(where, address string, before map[string]entry) error {
	k, done := d.s.useKey()
	defer done()
	there, err := everybody(context.Background(), d.s.client(address, k), d.s.collection)
	if err == nil {
		d.l.compare(where, before, there)
	}
	return err
}

// upgrades stops all processes, makes a backup, and starts those of the next build.
func (d *day) upgrades() error {
	s := d.s
	s.stop(syscall.SIGTERM, s.all()...)
	if _, err := d.backup(); err != nil {
		return err
	}
	s.command = d.commands[len(d.commands)-1]
	return errors.Join(s.start(), s.ready())
}

// certifies replaces the certificate, and waits until new connections get it.
func (d *day) certifies() error {
	if err := d.s.certify(); err != nil {
		return err
	}
	for _, address := range d.s.addresses {
		for begun := time.Now(); !d.s.shows(address); time.Sleep(20 * time.Millisecond) {
			if time.Since(begun) > 10*time.Second {
				return fmt.Errorf("%s still has the old certificate", address)
			}
		}
	}
	return nil
}

// moves stops all processes, makes a backup, removes everything, and starts on what was restored.
func (d *day) moves() error {
	s := d.s
	s.stop(syscall.SIGTERM, s.all()...)
	file, err := d.backup()
	if err == nil {
		err = s.db.replace(file)
	}
	return errors.Join(err, s.start(), s.ready())
}

// fills fills the disk for some seconds. Meanwhile what only reads is answered, and a process is killed
// and started again.
func (d *day) fills() error {
	s := d.s
	empty, err := s.fillDisk()
	if err != nil {
		return err
	}
	time.Sleep(2 * time.Second)
	if err := d.reads("on a full disk"); err != nil {
		return errors.Join(err, empty())
	}
	s.stop(syscall.SIGKILL, 0)
	err = s.start()
	if err == nil {
		time.Sleep(time.Second)
		err = d.reads("started on a full disk")
	}
	if err := errors.Join(err, empty()); err != nil {
		return err
	}
	if c, ok := s.db.(*cluster); ok {
		_ = c.Start() // PostgreSQL may have ended
	}
	if err := s.ready(); err != nil {
		return err
	}
	// What was started on a full disk has the database for itself until the next start.
	s.stop(syscall.SIGTERM, 0)
	return errors.Join(s.start(), s.ready())
}

// reads reads people from each process.
func (d *day) reads(where string) error {
	for _, address := range d.s.addresses {
		k, done := d.s.useKey()
		_, err := d.s.client(address, k).ListPeople(context.Background(), d.s.collection, client.ListPeopleQuery{})
		done()
		if err != nil {
			return fmt.Errorf("%s, %s does not answer what only reads: %w", where, address, err)
		}
	}
	return nil
}

// losesDatabase ends PostgreSQL as a crash does, and starts it again.
func (d *day) losesDatabase() error {
	c := d.s.db.(*cluster)
	if err := c.Stop(); err != nil {
		return err
	}
	time.Sleep(time.Second)
	if err := c.Start(); err != nil && !strings.Contains(err.Error(), "another server") {
		return err
	}
	return d.s.ready()
}
