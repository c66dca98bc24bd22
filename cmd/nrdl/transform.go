package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/legible"
)

func (a *app) transformCmd() *cobra.Command {
	var output string
	arrays := dataset.Arrays{Optional: true}
	c := &cobra.Command{
		Use:  "transform MODEL DATA -o CODES",
		Args: cli.Arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if output == "" {
				return advice.Add(cli.Misuse("transform needs -o CODES, the file to write"),
					"for example: nrdl transform %s %s -o codes.npz", args[0], args[1])
			}
			if ext := strings.ToLower(filepath.Ext(output)); ext != ".npz" && ext != ".mat" {
				return advice.Add(cli.Misuse("--output %s is no .npz or .mat file", output), "write NAME.npz or NAME.mat: codes are not images")
			}
			return a.transform(c.Context(), args[0], args[1], output, arrays)
		},
		ValidArgsFunction: cli.First(cli.Files("nrdl"), completeData),
	}
	c.Flags().StringVarP(&output, "output", "o", "", "`CODES` file to write, .npz or .mat")
	cli.Complete(c, "output", cli.Files("npz", "mat"))
	arraysVar(c, &arrays)
	return c
}

func (a *app) transform(ctx context.Context, model, data, output string, arrays dataset.Arrays) error {
	r, err := nrdl.Open(model)
	if err != nil {
		return err
	}
	if err := dataset.CheckSave(output); err != nil {
		return err
	}
	arrays.Length = sampleLength(r.Model())
	set, err := a.readLike(ctx, data, r, labels{arrays: arrays})
	if err != nil {
		return err
	}
	codes, err := r.Model().Transform(ctx, set)
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	set = &dataset.Images{Samples: set.Samples}
	set.X, set.Grid = codes, classify.Grid{}
	if err := dataset.Save(ctx, output, set); err != nil {
		return err
	}
	k, n := codes.Dims()
	a.Tell("wrote %s: %d codes of %d numbers", output, n, k)
	if set.Classes != nil {
		a.Next("nrdl evaluate %s (how well methods tell the codes apart)", legible.ShellWord(output))
	}
	return nil
}
