package main

import (
	"context"
	"errors"
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
	o, done := a.observer("learning")
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
	if keep := path + backupSuffix; !backup {
		err = r.Save(ctx, path)
	} else if _, err = atomicfile.Replace(ctx, path, keep, r.Write); err == nil {
		a.Tell("the model as it was is in %s", keep)
	}
	if info, failed := os.Stat(path); err == nil && failed == nil {
		a.Tell("wrote %s, %s", path, console.Megabytes(info.Size()))
	}
	return err
}
