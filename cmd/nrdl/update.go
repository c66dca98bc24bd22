package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/openset"
)

// writing is the flags of commands that change a model file.
type writing struct{ backup, force bool }

func (w *writing) register(a *app, c *cobra.Command) {
	a.registerWriting(c, &w.force)
	c.Flags().BoolVar(&w.backup, "backup", true,
		"keep the model as it was in MODEL.bak, for nrdl undo; with --backup=false it is not kept, and what earlier changes "+
			"kept is deleted, with the history")
}

// registerWriting registers the flags of all commands that write a model.
func (a *app) registerWriting(c *cobra.Command, force *bool) {
	c.Flags().BoolVar(&a.Verbose, "verbose", false,
		"also tell the settings, and how many known faces and strangers get a name, at other rates too")
	c.Flags().BoolVar(force, "force", false, "replace a good model by one under whose threshold nearly no known face gets its name")
}

// replace writes r to the file at path, and keeps what is there for undo if keep is set.
func (a *app) replace(ctx context.Context, r *faces.Recogniser, path string, keep bool) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular(): // a device, a pipe
		err = r.Save(ctx, path)
	case keep:
		err = r.Replace(ctx, path)
	default: // whole: Save of a large gallery would leave those who are removed in the file
		_, err = atomicfile.Write(ctx, path, r.Write)
	}
	if err != nil {
		return err
	}
	if !keep {
		if err := faces.Discard(path); err != nil {
			return err
		}
	} else if err := a.record(ctx, r, path); err != nil {
		a.WarnOf(err)
	}
	if info, err := os.Stat(path); err == nil {
		a.Tell("wrote %s, %s", path, console.Megabytes(info.Size()))
	}
	return nil
}

// record adds the command to the history of the model at path, which holds r now.
func (a *app) record(ctx context.Context, r *faces.Recogniser, path string) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return err
	}
	var words []string
	for _, arg := range a.args {
		words = append(words, legible.ShellWord(arg))
	}
	return r.Record(ctx, path, strings.Join(words, " "))
}

// refused is the error for a model that is not written at path because of err.
func refused(path string, err error) error {
	if useless := (*gallery.UselessError)(nil); errors.As(err, &useless) && useless.Members {
		return advice.Add(fmt.Errorf("%s stays as it is: %w", path, err),
			"give photographs of people who are not in the model; --force writes it all the same")
	}
	if tooAlike(err) {
		return advice.Add(fmt.Errorf("%s stays as it is: %w", path, err),
			"--force writes it all the same; photographs of other people may help then: nrdl calibrate %s --strangers DIR", legible.ShellWord(path))
	}
	return advice.Add(fmt.Errorf("%s stays as it is: %w", path, err),
		"another --fpir may help, or more photographs of each person; --force writes it all the same")
}

// tooAlike reports whether err is that of people who are too alike.
func tooAlike(err error) bool {
	useless := (*gallery.UselessError)(nil)
	return errors.As(err, &useless) && useless.TooAlike
}

// promised returns an error if the people of r, the model at path, are so alike that no rate can be promised, unless
// it was forced.
func promised(r *faces.Recogniser, path string, force bool) error {
	if err := r.Model().Usable(); tooAlike(err) && !force {
		return advice.Add(fmt.Errorf("%s: %w", path, err),
			"photographs of at least 1,000 other people may help: nrdl calibrate %s --strangers DIR; --force names faces all the same",
			legible.ShellWord(path))
	}
	return nil
}

// usableAt reports whether there is a model at path under whose threshold faces get their
// names. A new model may be useless: calibrate with strangers, which mends it, needs its file.
func usableAt(path string) bool {
	old := modelAt(path)
	return old != nil && old.Model().Usable() == nil
}

// modelAt is the model at path; nil if there is none.
func modelAt(path string) *faces.Recogniser {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // a pipe would wait
		return nil
	}
	if old, err := faces.Open(path); err == nil {
		return old
	}
	return nil
}

// warnOfLost says what the model old, which was at path, had that r, trained on data in its
// place, does not have: what add and calibrate did is not in the folders.
func (a *app) warnOfLost(old, r *faces.Recogniser, path, data string) {
	was, is := old.Model(), r.Model()
	if !was.Pipeline.SeesImages() || !is.Pipeline.SeesImages() {
		return
	}
	model := legible.ShellWord(path)
	if lost := slices.DeleteFunc(slices.Clone(was.Names()),
		func(name string) bool { return slices.Contains(is.Names(), name) }); len(lost) > 0 {
		a.Warn("%s had %s not in %s: %s", path, legible.People(len(lost)), data, legible.Abridged(lost))
		a.Hint("to bring them back: nrdl undo %s; to have both, put their photographs into folders and train again", model)
	}
	if lost := lostFaces(was, is); len(lost) > 0 {
		a.Warn("%s had %s not in %s: %s", path, legible.Count(len(lost), "photograph"), data, legible.Abridged(lost))
		a.Hint("if they were added: nrdl undo %s brings them back; to have both, put them into the folders and train again", model)
	}
	c, now, flags := was.Calibration, is.Calibration, ""
	if c == nil || now == nil {
		return
	}
	if c.FPIR != now.FPIR && now.FPIR == openset.Default.FPIR { // another one was asked for
		flags = fmt.Sprintf(" --fpir %v", c.FPIR)
	}
	if len(c.Strangers) > len(now.Strangers) {
		flags += " --strangers DIR"
	}
	if flags != "" {
		a.Warn("%s had a threshold that calibrate made: it is gone", path)
		a.Hint("to make it again: nrdl calibrate %s%s", model, flags)
	}
}

// lostFaces are the IDs of photographs in was, of people who are in is, that are not in is; one
// that was moved to somebody else is.
func lostFaces(was, is *gallery.Gallery) (lost []string) {
	if was.Enrolled == nil || is.Enrolled == nil || was.Shortlists() || is.Shortlists() {
		return nil
	}
	have := map[string]bool{}
	for j := range is.Images().Len() {
		have[filepath.Base(is.Images().ID(j))] = true
	}
	for j := range was.Images().Len() {
		name := was.Names()[was.Images().ClassOf(j)]
		if id := was.Images().ID(j); !have[filepath.Base(id)] && slices.Contains(is.Names(), name) {
			lost = append(lost, id)
		}
	}
	return lost
}

// lockModel keeps other processes from writing the model at path until unlock is
// called.
func lockModel(path string) (unlock func(), err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return func() {}, nil // a device, a pipe
	}
	if unlock, err = atomicfile.Lock(path); errors.Is(err, atomicfile.ErrLocked) {
		err = advice.Add(err, "wait until the other nrdl has done with the model, and try again")
	}
	return unlock, err
}

// updateModel replaces the model at path by what change makes of it, whole or
// not at all, with no other process writing it meanwhile. Where change returns
// the same one, nothing is written.
func (a *app) updateModel(ctx context.Context, path string, w writing, find face.Options,
	change func(*faces.Recogniser) (*faces.Recogniser, error),
) error {
	if _, err := os.Stat(path); err != nil {
		_, err := faces.Open(path)
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
	if err := new(atomicfile.Writer).Check(faces.Former(path)); err != nil && w.backup {
		return err
	}
	r, err := change(old)
	if err != nil || r == old {
		return err
	}
	if err := r.Model().Usable(); err != nil && !w.force && old.Model().Usable() == nil {
		return refused(path, err)
	}
	worse := r.Model().Worse(old.Model())
	if err := a.replace(ctx, r, path, w.backup || worse); err != nil {
		return err
	}
	if worse {
		a.Warn("fewer faces get their name: %s before", old.Model().Tested())
		a.Hint("to take the change back: nrdl undo %s", legible.ShellWord(path))
	}
	return a.tellOutcome(ctx, r, path, "")
}
