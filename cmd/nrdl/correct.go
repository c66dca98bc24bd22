package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/describe"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/internal/legible"
)

func (a *app) removeCmd() *cobra.Command {
	var write writing
	c := &cobra.Command{
		Use:  "remove MODEL NAME|PERSON/PHOTO...",
		Args: cli.Arguments(2, -1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.updateModel(c.Context(), args[0], write, face.Options{}, func(r *faces.Recogniser) (*faces.Recogniser, error) {
				return a.remove(c.Context(), r, args[0], args[1:])
			})
		},
		ValidArgsFunction: completePeople(-1),
	}
	write.register(a, c)
	return c
}

func (a *app) remove(ctx context.Context, r *faces.Recogniser, path string, names []string) (*faces.Recogniser, error) {
	if err := r.Keeps(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, owner := r.Model(), map[string]string{}
	for i, name := range names {
		if names[i] = m.CanonicalName(name); m.Faces(names[i]) > 0 {
			continue
		}
		person, err := m.Enrolled.Owner(name)
		if err != nil && strings.Contains(name, "/") {
			return nil, fmt.Errorf("%s: %w", path, err)
		} else if err != nil {
			return nil, unknownPerson(path, name, r)
		}
		names[i], owner[name] = name, person
	}
	slices.Sort(names)
	names = slices.Compact(names)
	start := time.Now()
	next, err := r.Remove(ctx, names...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range names {
		if person := owner[name]; person != "" {
			a.Tell("%s: removed; %s: %s", name, person, legible.Count(next.Model().Faces(person), "face"))
			continue
		}
		a.Tell("%s: removed, %s", name, legible.Count(m.Faces(name), "face"))
	}
	a.tellTrained(next, path, time.Since(start))
	return next, nil
}

// unknownPerson is the error for somebody who is not in the model at path.
func unknownPerson(path, name string, r *faces.Recogniser) error {
	people := r.Model().Names()
	err := fmt.Errorf("%s: %w", path, advice.Unknown("person", name, people))
	if advice.Nearest(name, people) == "" { // they may be very many
		err = advice.Add(err, "nrdl people %s lists them", legible.ShellWord(path))
	}
	return err
}

func (a *app) renameCmd() *cobra.Command {
	var merge bool
	c := a.namingCmd("rename MODEL NAME NEW",
		func(ctx context.Context, r *faces.Recogniser, args []string, force bool) (*faces.Recogniser, error) {
			return a.rename(ctx, r, args[0], args[1], args[2], merge, force)
		})
	c.Flags().BoolVar(&merge, "merge", false, "if NEW is in the model already, join the faces of both")
	return c
}

// namingCmd is a command whose last of three arguments is the name that something in a model gets.
func (a *app) namingCmd(use string,
	change func(ctx context.Context, r *faces.Recogniser, args []string, force bool) (*faces.Recogniser, error),
) *cobra.Command {
	var write writing
	c := &cobra.Command{
		Use:  use,
		Args: cli.Arguments(3, 3),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if args[2], err = a.cleaned(args[2]); err != nil {
				return cli.AsMisuse(err)
			}
			return a.updateModel(c.Context(), args[0], write, face.Options{}, func(r *faces.Recogniser) (*faces.Recogniser, error) {
				return change(c.Context(), r, args, write.force)
			})
		},
		ValidArgsFunction: completePeople(2),
	}
	write.register(a, c)
	return c
}

func (a *app) rename(ctx context.Context, r *faces.Recogniser, path, from, to string, merge, force bool) (*faces.Recogniser, error) {
	if err := r.Keeps(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	asked := from
	if from = r.Model().CanonicalName(from); r.Model().Faces(from) == 0 {
		return nil, unknownPerson(path, asked, r)
	}
	switch {
	case from == to:
		a.Tell("%s is the name already: %s stays as it is", to, path)
		return r, nil
	case r.Model().Faces(to) > 0 && !merge:
		err := fmt.Errorf("%s: there is a %q already", path, to)
		return nil, advice.Add(err, "choose another name, or if they are one person: --merge")
	case r.Model().Faces(to) > 0 && !force:
		different, err := r.Model().Different(ctx, from, to, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if different {
			err := fmt.Errorf("%s stays as it is: the photographs of %s and %s are clearly of two people", path, from, to)
			return nil, advice.Add(err, "nrdl move %s %s gives a single photograph another name; --force joins them all the same",
				legible.ShellWord(path), legible.Arguments(from+"/PHOTO", to))
		}
	}
	start := time.Now()
	next, merger, err := r.Rename(ctx, from, to)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	a.tellMerger(merger)
	a.Tell("%s is %s now, %s", from, to, legible.Count(next.Model().Faces(to), "face"))
	a.tellTrained(next, path, time.Since(start))
	return next, nil
}

func (a *app) moveCmd() *cobra.Command {
	return a.namingCmd("move MODEL PERSON/PHOTO NAME",
		func(ctx context.Context, r *faces.Recogniser, args []string, _ bool) (*faces.Recogniser, error) {
			return a.move(ctx, r, args[0], args[1], args[2])
		})
}

func (a *app) move(ctx context.Context, r *faces.Recogniser, path, photo, to string) (*faces.Recogniser, error) {
	if err := r.Keeps(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	start := time.Now()
	to = r.Model().CanonicalName(to)
	next, merger, err := r.Move(ctx, photo, to)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if next == r {
		a.Tell("%s is of %s already: %s stays as it is", photo, to, path)
		return r, nil
	}
	a.tellMerger(merger)
	from, _ := r.Model().Enrolled.Owner(photo) // Move has found it
	a.Tell("%s shows %s now: %s; %s: %s", photo, to, legible.Count(next.Model().Faces(to), "face"),
		from, legible.Count(next.Model().Faces(from), "face"))
	a.tellTrained(next, path, time.Since(start))
	return next, nil
}

func (a *app) undoCmd() *cobra.Command {
	return &cobra.Command{
		Use:               "undo MODEL",
		Args:              cli.Arguments(1, 1),
		RunE:              func(c *cobra.Command, args []string) error { return a.undo(c.Context(), args[0]) },
		ValidArgsFunction: completeModel,
	}
}

func (a *app) undo(ctx context.Context, path string) error {
	unlock, err := lockModel(path)
	if err != nil {
		return err
	}
	defer unlock()
	was, err := faces.Open(path)
	if err != nil {
		return err
	}
	r, err := faces.Undo(ctx, path)
	if err != nil {
		return err
	}
	if err := a.record(ctx, r, path); err != nil {
		a.WarnOf(err)
	}
	a.Tell("%s is as it was before the last change", path)
	before, now := was.Model(), r.Model()
	for _, name := range before.Names() {
		if !slices.Contains(now.Names(), name) {
			a.Tell("%s: not there, %s before", name, legible.Count(before.Faces(name), "face"))
		}
	}
	for _, line := range describe.Growth(before, now, now.Names()) {
		a.Tell("%s", line)
	}
	return a.tellOutcome(ctx, r, path, "")
}

func (a *app) historyCmd() *cobra.Command {
	return &cobra.Command{
		Use:               "history MODEL",
		Args:              cli.Arguments(1, 1),
		RunE:              func(_ *cobra.Command, args []string) error { return a.history(args[0]) },
		ValidArgsFunction: completeModel,
	}
}

func (a *app) history(path string) error {
	if _, err := faces.Open(path); err != nil {
		return err
	}
	all, err := faces.History(path)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(a.Results, 0, 0, 2, ' ', 0)
	for _, c := range all {
		size := legible.People(c.People)
		if c.Faces > 0 {
			size += ", " + legible.Count(c.Faces, "face")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", c.Time.Local().Format("2006-01-02 15:04"), size, legible.Printable(c.What))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(all) == 0 {
		a.Tell("no change of %s is recorded", path)
	} else if _, err := os.Stat(faces.Former(path)); err == nil {
		a.Next("nrdl undo %s (takes the last change back)", legible.ShellWord(path))
	}
	return nil
}

// completePeople completes a model and then so many of its people, any number
// where that is negative.
func completePeople(maxPeople int) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			return completeModel(c, args, to)
		case maxPeople >= 0 && len(args) > maxPeople:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return peopleOf(args), cobra.ShellCompDirectiveNoFileComp
	}
}
