package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/group"
	"nrdl.example/nrdl/internal/legible"
)

func (a *app) groupCmd() *cobra.Command {
	g := &grouping{app: a}
	c := &cobra.Command{
		Use:  "group PHOTOS... -o DIR",
		Args: cli.Arguments(1, -1),
		RunE: func(c *cobra.Command, args []string) error { return g.run(c.Context(), args) },
	}
	c.Flags().StringVarP(&g.output, "output", "o", "", "folder `DIR` to make, with a folder for each group and a page")
	c.Flags().BoolVar(&g.json, "json", false, "write the groups as one JSON object")
	c.Flags().StringVarP(&g.input, "input", "i", "embedding", "the network: `INPUT`, as train takes it")
	detectorVar(c, &g.detector)
	skipVar(c, &g.skip)
	g.fpir = group.Default.FPIR
	cli.Number(c, &g.fpir, "fpir", "", checkFPIR, "share of faces that may come into a group of another person: `RATE`")
	cli.Complete(c, "output", cli.Folders)
	return c
}

// grouping is one run of group.
type grouping struct {
	*app
	output, input string
	skip          []string
	json          bool
	fpir          float64
	detector      *face.Search
}

func (g *grouping) run(ctx context.Context, args []string) error {
	if g.output == "" && !g.json {
		return advice.Add(cli.Misuse("group needs -o DIR or --json"), "for example: nrdl group %s -o groups", legible.Arguments(args...))
	}
	in, err := frontend.Parse(g.input)
	if err != nil {
		return cli.AsMisuse(err)
	}
	paths, err := g.paths(args)
	if err != nil {
		return err
	}
	if g.output != "" {
		if err := group.Unused(g.output); err != nil {
			return err
		}
	}
	start := time.Now()
	o := group.Default
	o.FPIR = g.fpir
	watch, done := g.observer("looking at photographs")
	var progress func(done, total int)
	if watch.Progress != nil {
		progress = func(done, total int) { watch.Progress("looking at photographs", done, total) }
	}
	p, err := group.InPhotographs(ctx, paths, in, g.detector, o, progress)
	done()
	if err != nil {
		if ctx.Err() != nil {
			g.Hint("nothing is kept: begin with fewer photographs")
		}
		return err
	}
	return g.finish(ctx, p, time.Since(start))
}

// finish writes and reports p, which took so long.
func (g *grouping) finish(ctx context.Context, p *group.Photographs, took time.Duration) error {
	faceless, broken := 0, 0
	for i, err := range p.Errors {
		switch {
		case p.Broken[i]:
			broken++
			g.Complain(err)
		case err != nil:
			faceless++
			g.WarnOf(err)
		}
	}
	if len(p.Faces) == 0 {
		return fmt.Errorf("group: no usable face in %s", legible.Count(len(p.Paths), "photograph"))
	}
	if g.output != "" {
		if err := p.WriteFolders(ctx, g.output, g.Wording, g.Warn); err != nil {
			return err
		}
	}
	together := g.tellGroups(p, faceless+broken, took)
	if g.json {
		if err := g.printJSON(p.Listing()); err != nil {
			return err
		}
	}
	train := g.Wording.Action(group.Training(g.output))
	switch {
	case g.output == "":
	case together == 0:
		g.Next("nobody was found twice: make a folder in %s for each person, with their name, move photographs of %s into it, then: %s",
			legible.ShellWord(g.output), dataset.Unknown, train)
	default:
		g.Next("look at %s, rename the folders to the names of the people, delete those of others, then: %s",
			legible.ShellWord(filepath.Join(g.output, dataset.GroupsPage)), train)
	}
	if broken > 0 {
		g.Complain(fmt.Errorf("%d of %d images could not be read", broken, len(p.Paths)))
		return errReported
	}
	return nil
}

// paths returns the paths of the images that the arguments name.
func (g *grouping) paths(args []string) (paths []string, err error) {
	sources, err := photolist.Rules{Outputs: map[string]string{"output": g.output}, Skip: g.skip}.Of(args, false, g.Tell)
	if err != nil {
		return nil, cli.AsMisuse(err)
	}
	for _, s := range sources {
		if s.Path == "" {
			g.Complain(s.Err)
			continue
		}
		paths = append(paths, s.Path)
	}
	if len(paths) == 0 {
		return nil, errReported
	}
	return paths, nil
}

// tellGroups reports how many faces are in groups, and returns that. Faceless is the number of
// photographs without a usable face.
func (g *grouping) tellGroups(p *group.Photographs, faceless int, took time.Duration) (together int) {
	several := 0
	for _, members := range p.Groups {
		if n := len(members.Faces); n > 1 {
			several, together = several+1, together+n
		}
	}
	g.Tell("%s in %s: %d in %s, %d alone; %s without a usable face; %s", legible.Count(len(p.Faces), "face"),
		legible.Count(len(p.Paths), "photograph"),
		together, legible.Count(several, "group"), len(p.Faces)-together, legible.Count(faceless, "photograph"), legible.Seconds(took))
	return together
}
