package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"nrdl"
	"nrdl/face"
	"nrdl/internal/hint"
	"nrdl/method"
)

// adding is the flags of add.
type adding struct {
	name         string
	warm, forget bool
	find         faceFlags
}

func (a *app) addCmd() *cobra.Command {
	var (
		f      adding
		backup bool
	)
	c := &cobra.Command{
		Use:   "add MODEL PHOTOS... [--name NAME]",
		Short: "Add people, or photographs of them, to a model",
		Long: `add enrols more faces and trains the model again. PHOTOS are photographs, or folders
of photographs, of the person NAME, who may be in the model already. Without --name,
PHOTOS are folders as for train, with one folder of images per person.

Detection, alignment and features are those of the model. The result is the same as
if train got all photographs together, with the same flags; the order in which they
were added does not matter. Only the input, which train selects by the number of
people, stays that of the model. A photograph that is in the model already is left
out; one that has the name of another photograph gets a number. Photographs without
a face, and files that cannot be read, are left out with a warning.`,
		Example: `  nrdl add people.nrdl photos-of-ann --name ann
  nrdl add people.nrdl people --backup`,
		Args: arguments(2, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("name") {
				var err error
				if f.name, err = a.cleaned(f.name); err != nil {
					return usageError{err}
				}
			}
			return a.updateModel(c.Context(), args[0], backup, func(m *nrdl.Model) (*nrdl.Model, error) {
				return a.add(c.Context(), m, args[0], args[1:], &f)
			})
		},
		ValidArgsFunction: completeModel,
	}
	c.Flags().StringVarP(&f.name, "name", "n", "", "`NAME` of the person in the photographs")
	c.Flags().BoolVar(&f.warm, "warm", false, "start iterative methods from the present model: faster, but the result differs slightly from that of train")
	c.Flags().BoolVar(&f.forget, "forget", false, "do not store the faces in the model: people cannot be added to it later")
	registerBackup(c, &backup)
	f.find.register(c, face.Largest, "as the model does")
	complete(c, "name", func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return peopleOf(args), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

// kept returns the images that the model at path keeps, or why people cannot be
// added to it, or taken away.
func kept(m *nrdl.Model, path string) (*nrdl.Set, error) {
	images := m.Parts().Enrolled
	if images == nil {
		return nil, hint.Add(fmt.Errorf("%s: %w", path, nrdl.ErrForgotten), "learn it again from all photographs, without --forget: nrdl train DATA -o %s", path)
	}
	return images, nil
}

func (a *app) add(ctx context.Context, m *nrdl.Model, path string, photos []string, f *adding) (*nrdl.Model, error) {
	images, err := kept(m, path)
	if err != nil {
		return nil, err
	}
	if !images.Input.ArePixels() {
		return nil, hint.Add(fmt.Errorf("%s was learnt from samples that are not images: %v", path, images.Input), "train it again on photographs")
	}
	list, err := a.newcomers(photos, f.name, images.Classes)
	if err != nil {
		return nil, err
	}
	more, err := a.look(ctx, m, list, &f.find)
	if err != nil {
		return nil, err
	}
	all, merger, err := images.Merge(more)
	if err != nil {
		return nil, err
	}
	a.tellMerger(merger)
	if merger.Added == 0 {
		a.tell("nothing is new: %s stays as it is", path)
		return m, nil
	}
	a.tellAdded(images, all, more.Classes)
	made, err := a.relearn(ctx, m, all, path, f.warm)
	if err != nil || !f.forget {
		return made, err
	}
	return made.Forget()
}

// tellMerger tells what Merge did that was not asked for.
func (a *app) tellMerger(m nrdl.MergeReport) {
	for _, id := range m.Skipped {
		a.warn("left out: %s is in the model already", id)
	}
	for _, r := range m.Renamed {
		a.warn("another photograph is called %s: this one is %s", r[0], r[1])
	}
	for _, ids := range m.Twice {
		a.warn("%s is the same photograph as %s: one of the names is wrong", ids[0], ids[1])
	}
}

// tellable is how many people are told of by name.
const tellable = 10

// tellAdded tells how many faces of people there were and are.
func (a *app) tellAdded(before, after *nrdl.Set, people []string) {
	others := 0
	for i, name := range people {
		was, is := facesOf(before, name), facesOf(after, name)
		switch {
		case was == is:
		case i >= tellable:
			others++
		case was == 0:
			a.tell("%s: new, %s", name, faceCount(is))
		default:
			a.tell("%s: %s, %d before", name, faceCount(is), was)
		}
	}
	if others > 0 {
		a.tell("and %d people more", others)
	}
	a.tell("learning from %s", describe(after))
}

// facesOf counts the images of a person.
func facesOf(s *nrdl.Set, name string) int {
	c := slices.Index(s.Classes, name)
	if c < 0 {
		return 0
	}
	return s.Groups[c+1] - s.Groups[c]
}

func faceCount(n int) string {
	if n == 1 {
		return "1 face"
	}
	return fmt.Sprintf("%d faces", n)
}

// relearn returns the model at path, m, learnt from other images, calibrated as m
// was.
func (a *app) relearn(ctx context.Context, m *nrdl.Model, images *nrdl.Set, path string, warm bool) (*nrdl.Model, error) {
	by, err := method.Of(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var run nrdl.Run
	switch {
	case warm && method.Warms(by, m.Parts().Input):
		run.Warm = m
	case warm:
		a.tell("%s has nothing to start from here: it learns from the beginning", by.Name())
	}
	watch, done := a.watch("learning")
	run.Watch = watch
	start := time.Now()
	made, err := m.Relearn(ctx, by, images, run)
	done()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	a.tell("%s", ended(made.Parts().Trained, time.Since(start)))
	if made, err = a.calibratedLike(ctx, m, made, by, path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return made, nil
}

// calibratedLike returns made with a calibration as old has one, or would have
// had it known more than two people.
func (a *app) calibratedLike(ctx context.Context, old, made *nrdl.Model, by nrdl.Method, path string) (*nrdl.Model, error) {
	c, people := old.Parts().Calibration, len(old.Parts().Classes)
	if c == nil && people > 2 {
		return made, nil
	}
	f := calibration{fpir: nrdl.DefaultCalibration.FAR, prior: nrdl.DefaultCalibration.Prior, folds: -1}
	if c != nil {
		how := c.How()
		f.fpir, f.prior = how.FAR, how.Prior
		if how.Folds > 0 {
			f.folds = how.Folds
		}
		if len(c.Given) > 0 {
			a.warn("the margins of the given strangers are lost, because the model has changed")
			a.tell("nrdl: %s give their photographs again: nrdl calibrate %s --strangers DIR", a.paint(cyan, "hint:"), path)
		}
	}
	return a.calibrated(ctx, made, by, f, path)
}

// cleaned returns a name as it is used: without spaces around it, which is told.
func (a *app) cleaned(name string) (string, error) {
	trimmed := strings.TrimSpace(name)
	if trimmed != name && trimmed != "" {
		a.tell("the name is %q, without the spaces around it", trimmed)
	}
	return trimmed, nrdl.CheckName(trimmed)
}

// known returns name as people have it: an accent may be a letter of its own in
// one and not in the other.
func known(name string, people []string) string {
	if slices.Contains(people, name) {
		return name
	}
	plain := norm.NFC.String(name)
	for _, p := range people {
		if norm.NFC.String(p) == plain {
			return p
		}
	}
	return name
}

// peopleOf lists the people of the model that is the first of args, for
// completion.
func peopleOf(args []string) []cobra.Completion {
	if len(args) == 0 {
		return nil
	}
	m, err := loadModel(args[0])
	if err != nil {
		return nil
	}
	return m.Parts().Classes
}
