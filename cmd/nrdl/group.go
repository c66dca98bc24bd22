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
	failed := 0
	for _, err := range p.Errors {
		if err != nil {
			failed++
			g.WarnOf(err)
		}
	}
	if len(p.Faces) == 0 {
		return fmt.Errorf("group: no usable face in %s", legible.Count(len(paths), "photograph"))
	}
	if g.output != "" {
		if err := p.WriteFolders(ctx, g.output, g.Wording, g.Warn); err != nil {
			return err
		}
		defer g.Next("look at %s, rename the folders to the names of the people, delete those of others, then: %s",
			legible.ShellWord(filepath.Join(g.output, dataset.GroupsPage)), g.Wording.Action(group.Training(g.output)))
	}
	g.tellGroups(p, failed, time.Since(start))
	if g.json {
		return g.printJSON(p.Listing())
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

// tellGroups reports how many faces are in groups. Failed is the number of photographs
// without a usable face.
func (g *grouping) tellGroups(p *group.Photographs, failed int, took time.Duration) {
	several, together := 0, 0
	for _, members := range p.Groups {
		if n := len(members.Faces); n > 1 {
			several, together = several+1, together+n
		}
	}
	g.Tell("%s in %s: %d in %s, %d alone; %s without a usable face; %s", legible.Count(len(p.Faces), "face"),
		legible.Count(len(p.Paths), "photograph"),
		together, legible.Count(several, "group"), len(p.Faces)-together, legible.Count(failed, "photograph"), legible.Seconds(took))
}
