package jobs

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// A Backup is a copy of the database.
type Backup struct {
	File  string `json:"file" doc:"Name in the folder of backups"`
	Bytes int64  `json:"bytes"`
}

// backupName is the name of a backup that is made at a time; names are in the order of times.
func backupName(at time.Time) string { return at.UTC().Format("20060102T150405.000000Z") + ".db" }

var isBackup = regexp.MustCompile(`^\d{8}T\d{6}\.\d{6}Z\.db$`)

// BackupFile copies the database of SQLite in a file, which a service may use meanwhile, to
// another file. If that is a folder, the copy gets the time as its name, and only the latest of
// such copies stay there, keep of them; 0 is all. It returns where the copy is, and its size.
func BackupFile(ctx context.Context, database, to string, keep int) (at string, size int64, err error) {
	info, err := os.Stat(to)
	folder := err == nil && info.IsDir()
	if at = to; folder {
		tidyBackups(to)
		at = filepath.Join(to, backupName(time.Now()))
	}
	if size, err = store.BackupFile(ctx, database, at); err != nil || !folder || keep == 0 {
		return at, size, err
	}
	all, err := named(to, isBackup)
	for _, path := range all[:max(0, len(all)-keep)] {
		err = errors.Join(err, os.Remove(path))
	}
	return at, size, err
}

// named returns the paths of what is named so in a folder, in the order of the names.
func named(folder string, name *regexp.Regexp) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if name.MatchString(e.Name()) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths, err
}

// tidyBackups removes from a folder what processes left there that were killed during a backup.
func tidyBackups(folder string) {
	atomicfile.RemoveAbandoned(folder)
}

// Backup copies the database to a file in the folder for backups.
func (v *Service) Backup(ctx context.Context) (Backup, error) {
	if v.Backups == "" {
		return Backup{}, &people.Failure{Status: http.StatusConflict, Code: "no_backups", Text: store.ErrNoBackup.Error()}
	}
	if err := os.MkdirAll(v.Backups, 0o700); err != nil {
		return Backup{}, err
	}
	tidyBackups(v.Backups)
	file := backupName(time.Now())
	size, err := v.store.Backup(ctx, filepath.Join(v.Backups, file))
	return Backup{file, size}, err
}

// LastBackup returns when the latest backup in a folder was made.
func LastBackup(folder string) (latest time.Time, ok bool) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if !isBackup.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().After(latest) {
			latest = info.ModTime()
		}
	}
	return latest, !latest.IsZero()
}
