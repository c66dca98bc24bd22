package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/dataset"
	"nrdl/internal/hint"
)

func (a *app) dataCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "data",
		Short: "Describe, draw and convert data sets",
		Long: `data describes, draws and converts data sets: folders with one folder of images
a person, lists of images (.csv), .mat and .npz files.`,
		Example: `  nrdl data info people
  nrdl data synth drawn --people 5
  nrdl data convert people people.mat`,
	}
	c.AddCommand(a.infoCmd(), a.synthCmd(), a.convertCmd())
	return c
}

func (a *app) infoCmd() *cobra.Command {
	var (
		size   sizeFlag
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "info DATA",
		Short: "Describe a data set and what is odd about it",
		Long: `info counts people and images, and finds blank images and identical ones; the
same image under two names is a wrong label.`,
		Example: `  nrdl data info people
  nrdl data info people --size 24x24 --json`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			set, err := a.open(c.Context(), args[0], size.Input)
			if err != nil {
				return err
			}
			info := dataset.Describe(set)
			if asJSON {
				info.Blank, info.Constant = listed(info.Blank), listed(info.Constant)
				info.Duplicates, info.Conflicts = listed(info.Duplicates), listed(info.Conflicts)
				return a.printJSON(info)
			}
			a.printInfo(set, info)
			return nil
		},
		ValidArgsFunction: completeData,
	}
	size.register(c)
	c.Flags().BoolVar(&asJSON, "json", false, "write one object; images are columns, from 0")
	return c
}

// listed makes JSON write a list without elements as [], not null.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (a *app) printInfo(set *nrdl.Set, info dataset.Info) {
	a.print("people     %d\n", info.People)
	if info.Fewest == info.Most {
		a.print("images     %d, %d of each\n", info.Images, info.Most)
	} else {
		a.print("images     %d, %d to %d of each\n", info.Images, info.Fewest, info.Most)
	}
	if info.Fewest < 2 {
		a.print("%-10s %s\n", "one image", abridged(alone(set)))
	}
	if info.Input.Len() > 0 {
		a.print("size       %v\n", info.Input)
	}
	a.print("features   %d\n", info.Features)
	kind := ""
	if info.Integers {
		kind = ", whole numbers"
	}
	a.print("values     %.4g to %.4g%s\n", info.Lowest, info.Highest, kind)
	a.printImages("blank", set, info.Blank)
	a.printImages("constant", set, info.Constant)
	a.printGroups("identical", set, info.Duplicates)
	a.printGroups("mislabelled", set, info.Conflicts)
}

// alone returns the people with one image: they cannot be learnt and judged.
func alone(set *nrdl.Set) (people []string) {
	for c, person := range set.Classes {
		if set.Groups[c+1]-set.Groups[c] < 2 {
			people = append(people, person)
		}
	}
	return people
}

// shown is how many odd images are named.
const shown = 5

func (a *app) printImages(what string, set *nrdl.Set, columns []int) {
	if len(columns) == 0 {
		return
	}
	var names []string
	for _, j := range columns {
		names = append(names, set.ID(j))
	}
	a.print("%-10s %s: %s\n", what, plural(len(columns), "image"), abridged(names))
}

func (a *app) printGroups(what string, set *nrdl.Set, groups [][]int) {
	for n, g := range groups {
		if n == shown {
			a.print("%-10s … %d more groups\n", what, len(groups)-shown)
			return
		}
		a.printImages(what, set, g)
	}
}

func (a *app) convertCmd() *cobra.Command {
	var size sizeFlag
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert a data set: folder, .mat, .npz",
		Long: `convert reads IN and writes OUT: a MATLAB file (.mat), a NumPy file (.npz), or,
for a name without an extension, a folder of PNG images, one folder a person.

In a folder the images of a person are numbered, 0001.png, 0002.png, …: the names
that their files had are lost. Grey values are rounded to whole numbers, and
characters of a person's name that no folder can have on some system become "_".
A .mat file gets a list NAME.names.txt beside it, with the people's names.`,
		Example: `  nrdl data convert people people.mat
  nrdl data convert people people.npz --size 24x24
  nrdl data convert people.mat people.copy-of-mat.npz`,
		Args: arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkSave(args[1]); err != nil {
				return err
			}
			set, err := a.open(c.Context(), args[0], size.Input)
			if err != nil {
				return err
			}
			return a.save(c.Context(), args[1], set)
		},
		ValidArgsFunction: completeData,
	}
	size.register(c)
	return c
}

// checkSave reports what would make save fail.
func checkSave(path string) error {
	switch filepath.Base(filepath.Clean(path)) {
	case ".", "..", string(filepath.Separator):
		return hint.Add(misuse("%s is no name for a data set to write", path), "give a new name, for example people.mat, people.npz or people")
	}
	return dataset.CheckSave(path)
}

// save writes a data set and tells where.
func (a *app) save(ctx context.Context, path string, set *nrdl.Set) error {
	for _, loss := range dataset.Losses(path, set) {
		a.warn("%s", loss)
	}
	if err := dataset.Save(ctx, path, set); err != nil {
		return err
	}
	a.tell("wrote %s: %s", path, describe(set))
	return nil
}
