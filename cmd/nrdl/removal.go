package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/internal/legible"
)

func (a *app) removeCmd() *cobra.Command {
	var write writing
	c := &cobra.Command{
		Use:  "remove MODEL NAME...",
		Args: cli.Arguments(2, -1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.updateModel(c.Context(), args[0], write, face.Options{}, func(r *nrdl.Recogniser) (*nrdl.Recogniser, error) {
				return a.remove(c.Context(), r, args[0], args[1:])
			})
		},
		ValidArgsFunction: completePeople(-1),
	}
	write.register(a, c)
	return c
}

func (a *app) remove(ctx context.Context, r *nrdl.Recogniser, path string, names []string) (*nrdl.Recogniser, error) {
	if err := r.Keeps(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, name := range names {
		if names[i] = r.Model().CanonicalName(name); r.Model().Faces(names[i]) == 0 {
			return nil, unknownPerson(path, name, r)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	start := time.Now()
	next, err := r.Remove(ctx, names...)
	if err != nil {
		return nil, advice.Add(fmt.Errorf("%s: %w", path, err), "add somebody first: nrdl add %s PHOTOS --name NAME", path)
	}
	for _, name := range names {
		a.Tell("%s: removed, %s", name, legible.Count(r.Model().Faces(name), "face"))
	}
	a.tellTrained(next, path, time.Since(start))
	return next, nil
}

// unknownPerson is the error for somebody who is not in the model at path.
func unknownPerson(path, name string, r *nrdl.Recogniser) error {
	people := r.Model().Names()
	err := fmt.Errorf("%s: %w", path, advice.Unknown("person", name, people))
	if advice.Nearest(name, people) == "" { // they may be very many
		err = advice.Add(err, "nrdl people %s lists them", path)
	}
	return err
}

func (a *app) renameCmd() *cobra.Command {
	var write writing
	var merge bool
	c := &cobra.Command{
		Use:  "rename MODEL NAME NEW",
		Args: cli.Arguments(3, 3),
		RunE: func(c *cobra.Command, args []string) error {
			to, err := a.cleaned(args[2])
			if err != nil {
				return cli.AsMisuse(err)
			}
			return a.updateModel(c.Context(), args[0], write, face.Options{}, func(r *nrdl.Recogniser) (*nrdl.Recogniser, error) {
				return a.rename(c.Context(), r, args[0], args[1], to, merge)
			})
		},
		ValidArgsFunction: completePeople(2),
	}
	c.Flags().BoolVar(&merge, "merge", false, "if NEW is in the model already, join the faces of both")
	write.register(a, c)
	return c
}

func (a *app) rename(ctx context.Context, r *nrdl.Recogniser, path, from, to string, merge bool) (*nrdl.Recogniser, error) {
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

// completePeople completes a model and then so many of its people, any number
// where that is negative.
func completePeople(most int) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			return completeModel(c, args, to)
		case most >= 0 && len(args) > most:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return peopleOf(args), cobra.ShellCompDirectiveNoFileComp
	}
}
