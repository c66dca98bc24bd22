package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/face"
	"nrdl/internal/atomicfile"
	"nrdl/internal/console"
	"nrdl/internal/hint"
)

// backupSuffix is what the name of a kept older model ends in.
const backupSuffix = ".bak"

func registerBackup(c *cobra.Command, backup *bool) {
	c.Flags().BoolVar(backup, "backup", false, "keep the model as it was in MODEL"+backupSuffix)
}

// lockModel keeps other processes from writing the model at path until unlock is
// called.
func lockModel(path string) (unlock func(), err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return func() {}, nil // a device, a pipe
	}
	if unlock, err = atomicfile.Lock(path); errors.Is(err, atomicfile.ErrLocked) {
		err = hint.Add(err, "wait until the other nrdl has done with the model, and try again")
	}
	return unlock, err
}

// updateModel replaces the model at path by what change makes of it, whole or
// not at all, with no other process writing it meanwhile. Where change returns
// the same one, nothing is written.
func (a *app) updateModel(ctx context.Context, path string, backup bool, find face.Options, change func(*nrdl.Recogniser) (*nrdl.Recogniser, error)) error {
	if _, err := os.Stat(path); err != nil {
		_, err := nrdl.Open(path)
		return err
	}
	unlock, err := lockModel(path)
	if err != nil {
		return err
	}
	defer unlock()
	o, done := a.observer()
	defer done()
	old, err := a.open(path, find, o)
	if err != nil {
		return err
	}
	if err := atomicfile.Check(path); err != nil {
		return err
	}
	r, err := change(old)
	if err != nil || r == old {
		return err
	}
	var kept *atomicfile.Pending
	if backup {
		if kept, err = atomicfile.Prepare(ctx, path+backupSuffix, func(w io.Writer) error { return copyFile(w, path) }); err != nil {
			return err
		}
		defer kept.Discard()
	}
	written, err := atomicfile.Prepare(ctx, path, r.Write)
	if err != nil {
		return err
	}
	defer written.Discard()
	if kept != nil {
		if err := kept.Commit(); err != nil {
			return err
		}
		a.Tell("the model as it was is in %s", path+backupSuffix)
	}
	if err := written.Commit(); err != nil {
		return err
	}
	a.Tell("wrote %s, %s", path, console.Megabytes(written.Size))
	return nil
}

// copyFile writes the content of the file at path.
func copyFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
