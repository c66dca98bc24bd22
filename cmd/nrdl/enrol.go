package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/describe"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
)

// adding is the flags of add.
type adding struct {
	name         string
	labels       labels
	warm, forget bool
	find         face.Options
	eyes, box    string
	face         int // of the one photograph, as they are listed; 0: none is named
}

// place reads --face, --eyes and --box, which say where the face is in one photograph of one person.
func (f *adding) place(photos []string, chosen bool) (err error) {
	ways := 0
	for _, way := range []bool{f.face != 0, f.eyes != "", f.box != "", chosen} {
		if way {
			ways++
		}
	}
	if ways == 0 || ways == 1 && chosen {
		return nil
	}
	info, err := os.Stat(photos[0])
	switch {
	case ways > 1:
		return cli.Misuse("--face, --faces, --eyes and --box exclude each other: each of them says which face is meant")
	case f.name == "" || len(photos) > 1 || err != nil || info.IsDir() || f.find.Detect == face.Never:
		return advice.Add(cli.Misuse("--face, --eyes or --box is for one photograph, with --name, in which faces are searched"),
			"for example: nrdl add MODEL PHOTO --name NAME --box X,Y,WIDTH,HEIGHT")
	case f.face != 0:
		return nil
	}
	if f.find.At, err = face.ParsePlace(f.eyes+f.box, f.box != ""); err != nil {
		return cli.AsMisuse(err)
	}
	return nil
}

func (a *app) addCmd() *cobra.Command {
	var (
		f     adding
		write writing
	)
	c := &cobra.Command{
		Use:  "add MODEL PHOTOS... [--name NAME]",
		Args: cli.Arguments(2, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("name") {
				var err error
				if f.name, err = a.cleaned(f.name); err != nil {
					return cli.AsMisuse(err)
				}
			}
			if f.name != "" && (f.labels.names != "" || f.labels.tags != "") || f.labels.tags != "" && f.labels.names != "" {
				return cli.Misuse("--name, --names and --tags exclude each other")
			}
			if err := f.place(args[1:], c.Flags().Changed("faces")); err != nil {
				return err
			}
			return a.updateModel(c.Context(), args[0], write, f.find, func(r *faces.Recogniser) (*faces.Recogniser, error) {
				return a.add(c.Context(), r, args[0], args[1:], &f)
			})
		},
		ValidArgsFunction: completeModel,
	}
	c.Flags().StringVarP(&f.name, "name", "n", "", "`NAME` of the person in the photographs")
	c.Flags().BoolVar(&f.warm, "warm", false,
		"start iterative methods from the present model: faster, but the result differs slightly from that of train")
	c.Flags().BoolVar(&f.forget, "forget", false, "do not store the faces in the model: people cannot be added to it later")
	c.Flags().StringVar(&f.eyes, "eyes", "",
		"take the face with eyes at `X,Y,X,Y` in pixels of the one upright photograph, also where none is found")
	cli.Number(c, &f.face, "face", "", cli.InRange(1, cli.Many), "take face `N` of the one photograph, as add lists them: the largest is 1")
	c.Flags().Lookup("face").DefValue = "" // without the flag add asks
	c.Flags().StringVar(&f.box, "box", "",
		"take the face in the box `X,Y,WIDTH,HEIGHT` of the photograph: one of several, or one that is not found")
	f.labels.register(c)
	write.register(a, c)
	findVar(c, &f.find, "", "as the model does")
	cli.Complete(c, "name", func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return peopleOf(args), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

func (a *app) add(ctx context.Context, r *faces.Recogniser, path string, photos []string, f *adding) (*faces.Recogniser, error) {
	err := r.Keeps()
	if err == nil && f.forget && r.Model().Shortlists() {
		_, err = r.Forget() // says why, before the photographs are read
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.face != 0 {
		if err := f.numbered(ctx, r, photos[0]); err != nil {
			return nil, err
		}
	}
	more, err := a.newFaces(ctx, r, photos, f)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	next, merger, err := r.EnrolAll(ctx, more, f.warm)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	a.tellMerger(merger)
	if merger.Additions == 0 {
		a.Tell("nothing is new: %s stays as it is", path)
		return r, nil
	}
	for _, line := range describe.Growth(r.Model(), next.Model(), more.Classes) {
		a.Tell("%s", line)
	}
	a.tellTrained(next, path, time.Since(start))
	if !f.forget {
		return next, nil
	}
	if next, err = next.Forget(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return next, nil
}

// newFaces reads the faces in photos with their people, for the model r.
func (a *app) newFaces(ctx context.Context, r *faces.Recogniser, photos []string, f *adding) (*dataset.Images, error) {
	files, err := f.files(ctx, photos, r.Model().CanonicalName, a.WarnOf)
	if errors.Is(err, dataset.ErrNoPerson) {
		err = cli.AsMisuse(err)
	}
	if err != nil {
		return nil, err
	}
	if r, err = r.With(f.find, r.Observer); err != nil {
		return nil, err
	}
	return r.ReadFiles(ctx, files)
}

// files lists photos with their people.
func (f *adding) files(ctx context.Context, photos []string, canonicalName func(string) string, warn func(error)) ([]dataset.File, error) {
	if f.labels.names == "" && f.labels.tags == "" {
		return dataset.PeopleFiles(photos, f.name, canonicalName, warn, f.labels.skip...)
	}
	var all []dataset.File
	for _, path := range photos {
		files, err := f.filesAt(ctx, path, canonicalName, warn)
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	if len(all) == 0 {
		return nil, advice.Add(errors.New("no photograph has tags with names of people"),
			"nrdl people --tags DIR lists who is in the tags of a folder")
	}
	return all, nil
}

// filesAt lists the photographs at path with their people.
func (f *adding) filesAt(ctx context.Context, path string, canonicalName func(string) string, warn func(error)) ([]dataset.File, error) {
	if f.labels.tags == "" {
		return dataset.NamedFiles(path, f.labels.names, canonicalName, warn, f.labels.skip...)
	}
	files, err := dataset.TaggedFiles(ctx, path, f.labels.tags, canonicalName, warn, nil, f.labels.skip...)
	return slices.DeleteFunc(files, func(f dataset.File) bool { return !f.Tags.Named() }), err
}

// tellMerger warns of images that were left out or renamed.
func (a *app) tellMerger(m gallery.MergeReport) {
	for _, line := range describe.Merge(m) {
		a.Warn("%s", line)
	}
}

// cleaned returns a name without the spaces around it, and says so if there are any.
func (a *app) cleaned(name string) (string, error) {
	trimmed := strings.TrimSpace(name)
	if trimmed != name && trimmed != "" {
		a.Tell("the name is %q, without the spaces around it", trimmed)
	}
	return trimmed, dataset.CheckName(trimmed)
}

// peopleOf lists the people of the model that is the first of args, for
// completion.
func peopleOf(args []string) (names []cobra.Completion) {
	if len(args) == 0 {
		return nil
	}
	if r, err := faces.Open(args[0]); err == nil {
		for _, p := range r.People() {
			names = append(names, p.Name)
		}
	}
	return names
}

// labels are the flags that say whose faces the images of a data set show.
type labels struct {
	arrays dataset.Arrays
	names  dataset.Naming
	tags   dataset.TagSource
	skip   []string
}

// register registers the flags for folders.
func (l *labels) register(c *cobra.Command) {
	cli.Choice(c, &l.names, "names",
		"where the names of people are in a folder: first (the first folder, the default), last (the folder that the image "+
			"is in, as 2023/Ann/1.jpg) or files (Ann.jpg, Ann 2.jpg, Ann_0003.jpg: the name without a number after a separator)", dataset.Namings)
	cli.Var(c, &l.tags, "tags", "", "SOURCE",
		"take the names of face tags in a folder of photographs, from SOURCE: regions (XMP in photographs and sidecars; "+
			"--tags alone), takeout (JSON of Google Takeout) or a list LIST.csv of lines photograph,name,name",
		dataset.ParseTagSource, func(s dataset.TagSource) string { return string(s) })
	c.MarkFlagsMutuallyExclusive("names", "tags")
	c.Flags().Lookup("tags").NoOptDefVal = string(dataset.Regions)
	cli.Complete(c, "tags", cli.Words(string(dataset.Regions), string(dataset.Takeout)))
	skipVar(c, &l.skip)
}

// options are those by which a data set is read for in.
func (l labels) options(in frontend.Pipeline, find face.Options) faces.ReadOptions {
	return faces.ReadOptions{
		Frame: in.Frame, Embedder: in.Embedder, Detect: find, Names: l.names,
		Tags: l.tags, Skip: l.skip, Arrays: l.arrays,
	}
}
