package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/kit/linkdir"
	"nrdl.example/nrdl/internal/legible"
)

// albumCmd is identify with pages of photographs as its result.
func (a *app) albumCmd() *cobra.Command {
	i := &identification{app: a}
	c := &cobra.Command{
		Use:  "album MODEL PHOTOS... -o DIR",
		Args: i.arguments,
		RunE: func(c *cobra.Command, args []string) error {
			args, err := withModel(c, i, args)
			if err != nil {
				return err
			}
			if i.pages == "" {
				return advice.Add(cli.Misuse("album needs -o DIR, the folder for its pages"),
					"for example: nrdl album %s -o album", i.line(c.Flags().Args()...))
			}
			if err := i.check(c, args[1:]); err != nil {
				return err
			}
			return i.run(c.Context(), args[0], args[1:], c.InOrStdin())
		},
		ValidArgsFunction: completeModel,
	}
	i.top = 1
	toVar(c, i)
	c.Flags().StringVarP(&i.pages, "output", "o", "", "folder `DIR` for the pages, which is made, or gone on with")
	cli.Complete(c, "output", cli.Folders)
	i.findVars(c, face.All)
	return c
}

// albumOf returns an error if one of sources, those of an album, is not there, as a disk that is
// not mounted: what the album has of it is not to be taken for removed.
func albumOf(sources []photolist.Source) error {
	for _, s := range sources {
		if errors.Is(s.Err, photolist.ErrNone) || s.Path != "" && errors.Is(s.Err, fs.ErrNotExist) {
			return advice.Add(fmt.Errorf("album: %w", s.Err), "nothing was changed; is the disk there, and the name right?")
		}
	}
	return nil
}

// withEarlier is sources with those photographs of the album that have to be named again.
func (i *identification) withEarlier(sources []photolist.Source) []photolist.Source {
	given := map[string]bool{}
	for _, s := range sources {
		given[linkdir.Real(s.Path)] = true
	}
	for _, path := range i.album.Earlier {
		if !given[linkdir.Real(path)] {
			sources = append(sources, photolist.Source{Path: path, Relative: filepath.Base(path), Folder: filepath.Dir(path)})
		}
	}
	return sources
}

// writeAlbum writes the pages.
func (i *identification) writeAlbum(ctx context.Context, model string) error {
	var suspects *explain.People
	if i.collection != nil {
		model = "" // no command corrects it
	} else if r, err := i.quickReview(ctx, i.r.Model()); err != nil {
		return err
	} else if r != nil {
		suspects = &explain.People{Title: filepath.Base(model), Model: i.r.Model(), Review: r, Mend: corrections(r, model)}
	}
	n, err := i.album.Write(ctx, model, suspects)
	if err != nil {
		return err
	}
	if n.AbsentPhotographs > 0 {
		i.Warn("%s of an earlier run left out: no longer where they were", legible.Count(n.AbsentPhotographs, "photograph"))
	}
	i.Tell("%v; %s", n, legible.Count(n.Pages, "page"))
	return nil
}

// known returns r with what is known of people beside their faces.
func (i *identification) known(r *faces.Recogniser) (*faces.Recogniser, error) {
	if i.facts == "" {
		return r, nil
	}
	f, err := gallery.ReadFacts(i.facts)
	if err != nil {
		return nil, err
	}
	if missing := f.Missing(r.Model().Names()); len(missing) > 0 {
		i.Warn("%s: not in the model: %s", i.facts, legible.Abridged(missing))
	}
	return r.WithFacts(f)
}

// findVars registers the flags that say which faces get names; which is the default.
func (i *identification) findVars(c *cobra.Command, which face.Which) {
	findVar(c, &i.find, which, "as the model does")
	c.Flags().BoolVar(&i.find.Twice, "twice", false,
		"name several faces of a photograph alike, as in a collage: otherwise only the one with the best score keeps a name")
	c.Flags().StringVar(&i.facts, "people", "",
		"names are forbidden by `FILE`, CSV with a header name,born,not: dates of birth, and people who look alike and are not the same")
	cli.Complete(c, "people", cli.Files("csv"))
	skipVar(c, &i.skip)
	forceVar(c, &i.force)
}

// forceVar registers the flag with which faces are named without a promise.
func forceVar(c *cobra.Command, force *bool) {
	c.Flags().BoolVar(force, "force", false, "name faces also if the people of the model are too alike for its network")
}

// tellInterruption says what is there if ctx has ended.
func (i *identification) tellInterruption(ctx context.Context) {
	if ctx.Err() == nil {
		return
	}
	if i.tagger != nil {
		_ = i.drawJobs.Wait() // which counts to the last
		i.Tell("%s tagged so far", legible.Count(i.tagger.photos, "photograph"))
	}
	switch {
	case i.album != nil:
		i.Tell("%s has the names and the thumbnails so far, and no new index: the same command goes on with it", i.pages)
	case i.file != nil:
		i.Tell("%s has the images so far; --resume goes on with it", i.output)
	case i.tagger != nil:
		i.Tell("the same command goes on: what is tagged stays as it is")
	case i.watchFolder == "" && (i.html != "" || i.sort != ""):
		if i.html != "" {
			i.Tell("%s was not written", i.html)
		}
		if i.sort != "" {
			i.Tell("%s has the photographs so far", i.sort)
		}
		i.Hint("these go on where they stopped: album, and identify with -o RESULTS and then --resume")
	}
}
