package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/internal/hint"
)

func (a *app) removeCmd() *cobra.Command {
	var backup bool
	c := &cobra.Command{
		Use:   "remove MODEL NAME...",
		Short: "Remove people from a model",
		Long: `remove trains a model again without some people. The result is the same as if train
got the photographs of the other people only. The faces of the removed people are
deleted from the file, but not from a copy that --backup made. At least two people
must be left.`,
		Example: `  nrdl remove people.nrdl person008
  nrdl remove people.nrdl person006 person007 --backup`,
		Args: arguments(2, -1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.updateModel(c.Context(), args[0], backup, func(m *nrdl.Model) (*nrdl.Model, error) {
				return a.remove(c.Context(), m, args[0], args[1:])
			})
		},
		ValidArgsFunction: completePeople(-1),
	}
	registerBackup(c, &backup)
	return c
}

func (a *app) remove(ctx context.Context, m *nrdl.Model, path string, names []string) (*nrdl.Model, error) {
	images, err := kept(m, path)
	if err != nil {
		return nil, err
	}
	people := images.Classes
	for i, name := range names {
		if names[i] = known(name, people); !slices.Contains(people, names[i]) {
			return nil, unknownPerson(path, name, people)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if left := len(people) - len(names); left < 2 {
		err := fmt.Errorf("%s: of %d people %d would be left, and recognition needs two", path, len(people), left)
		return nil, hint.Add(err, "add somebody first: nrdl add %s PHOTOS --name NAME", path)
	}
	rest, err := images.Without(names...)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		a.tell("%s: removed, %s", name, faceCount(facesOf(images, name)))
	}
	a.tell("learning from %s", describe(rest))
	return a.relearn(ctx, m, rest, path, false)
}

// unknownPerson is the error for somebody who is not in the model at path.
func unknownPerson(path, name string, people []string) error {
	err := hint.Unknown("person", name, people)
	h := hint.Of(err)
	if !strings.HasPrefix(h, "did you mean") { // a list of very many, perhaps
		h = "nrdl people " + path + " lists them"
	}
	return hint.Add(fmt.Errorf("%s: %w", path, err), "%s", h)
}

func (a *app) renameCmd() *cobra.Command {
	var backup, merge bool
	c := &cobra.Command{
		Use:   "rename MODEL NAME NEW",
		Short: "Give a person in a model another name",
		Long: `rename gives a person another name. The model is trained again, because the order of
the people follows their names: the result is the same as if the folder of the person
had the new name. --merge joins two names of the same person.`,
		Example: `  nrdl rename people.nrdl person001 zoë
  nrdl rename people.nrdl person002 zoë --merge`,
		Args: arguments(3, 3),
		RunE: func(c *cobra.Command, args []string) error {
			to, err := a.cleaned(args[2])
			if err != nil {
				return usageError{err}
			}
			return a.updateModel(c.Context(), args[0], backup, func(m *nrdl.Model) (*nrdl.Model, error) {
				return a.rename(c.Context(), m, args[0], args[1], to, merge)
			})
		},
		ValidArgsFunction: completePeople(2),
	}
	c.Flags().BoolVar(&merge, "merge", false, "if NEW is in the model already, join the faces of both")
	registerBackup(c, &backup)
	return c
}

func (a *app) rename(ctx context.Context, m *nrdl.Model, path, from, to string, merge bool) (*nrdl.Model, error) {
	images, err := kept(m, path)
	if err != nil {
		return nil, err
	}
	people := images.Classes
	asked := from
	if from = known(from, people); !slices.Contains(people, from) {
		return nil, unknownPerson(path, asked, people)
	}
	there := slices.Contains(people, to)
	switch {
	case from == to:
		a.tell("%s is the name already: %s stays as it is", to, path)
		return m, nil
	case there && !merge:
		err := fmt.Errorf("%s: there is a %q already", path, to)
		return nil, hint.Add(err, "choose another name, or if they are one person: --merge")
	case there && len(people) == 2:
		return nil, fmt.Errorf("%s: one person would be left, and recognition needs two", path)
	}
	all, merger, err := images.Rename(from, to)
	if err != nil {
		return nil, err
	}
	a.tellMerger(merger)
	a.tell("%s is %s now, %s", from, to, faceCount(facesOf(all, to)))
	return a.relearn(ctx, m, all, path, false)
}

// completePeople completes a model and then so many of its people, any number
// where that is negative.
func completePeople(most int) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return completeModel(c, args, to)
		}
		if most >= 0 && len(args) > most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return peopleOf(args), cobra.ShellCompDirectiveNoFileComp
	}
}
