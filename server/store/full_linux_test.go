package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"nrdl.example/nrdl/internal/kit/testing/smalldisk"
)

// A database on a full disk is opened, also after a process that was killed, and read; changes are
// refused until there is room, and then made. A backup that does not fit leaves nothing behind.
func TestFullDisk(t *testing.T) {
	disk := smalldisk.Mount(t, 4<<20)
	path := filepath.Join(disk, "nrdl.db")
	for _, killed := range []bool{false, true} {
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		c := collect(t, s)
		if killed { // what it leaves: a log with changes that the file does not have
			wal, err := os.ReadFile(path + "-wal")
			if err != nil || len(wal) == 0 {
				t.Fatalf("the log has %d bytes, %v", len(wal), err)
			}
			main, err := os.ReadFile(path)
			c.no(errors.Join(err, s.Close(), os.WriteFile(path, main, 0o600), os.WriteFile(path+"-wal", wal, 0o600)))
		} else {
			c.no(s.Close())
		}
		smalldisk.Fill(t, disk)
		s, err = Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		c.s = s
		c.want(c.a.ID, c.fa...)
		if err := s.CheckRoom(t.Context()); !IsFull(err) {
			t.Errorf("there is room: %v", err)
		}
		if _, err := s.CreateCollection(t.Context(), "tester", "other", 0.01, ""); !IsFull(err) {
			t.Errorf("a change: %v", err)
		}
		if _, err := s.Backup(t.Context(), filepath.Join(disk, "copy.db")); !IsFull(err) {
			t.Errorf("a backup: %v", err)
		}
		entries, err := os.ReadDir(disk)
		c.no(err)
		for _, e := range entries {
			if n := e.Name(); n != "nrdl.db" && n != "nrdl.db-wal" && n != "nrdl.db-shm" && n != smalldisk.Filling && n != ".nrdl.db.lock" {
				t.Errorf("%s is left", n)
			}
		}
		smalldisk.Empty(t, disk)
		c.no(s.CheckRoom(t.Context()))
		c.add(c.a.ID, 1)
		c.no(s.DeleteCollection(t.Context(), "tester", c.id))
		c.no(s.Close())
	}
}
