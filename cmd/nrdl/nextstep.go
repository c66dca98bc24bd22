package main

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
)

// nextSteps are for errors of the system, which know nothing of a next step.
var nextSteps = []struct {
	err  error
	hint string
}{
	{fs.ErrNotExist, "check the path: nothing is there, seen from the folder in which this runs"},
	{fs.ErrPermission, "this user may not do that: change the permissions, or name another place"},
	{syscall.ELOOP, "the link leads to itself: name what is meant, or remove the link"},
	{syscall.ENOTDIR, "a part of the path is a file and no folder: name another place"},
	{syscall.EISDIR, "name a file: this is a folder"},
	{syscall.ECONNREFUSED, "nothing answers at this address: is the service started?"},
}

// errDiffers is a result of data check, which the table before it explains.
var errDiffers = errors.New("differs")

// next is the hint for an error without one: where the same one was given already, none.
func (a *app) next(err error) string {
	if errors.Is(err, errInterrupted) || errors.Is(err, errDiffers) {
		return ""
	}
	hint := a.help()
	for _, s := range nextSteps {
		if errors.Is(err, s.err) {
			hint = s.hint
			break
		}
	}
	if hint == a.lastNext && !cli.IsMisuse(err) {
		return ""
	}
	a.lastNext = hint
	return hint
}

// help names the help of the command.
func (a *app) help() string {
	root := a.rootCmd()
	if c, _, err := root.Find(a.args); err == nil && c != root {
		return "what it takes, with examples: nrdl help " + strings.TrimPrefix(c.CommandPath(), "nrdl ")
	}
	return "help lists what there is"
}
