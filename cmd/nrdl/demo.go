package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/legible"
)

// demoPhotographs say which photographs the demo draws: few and small, as it takes less than ten seconds.
var demoPhotographs = []string{"--people", "4", "--images", "3", "--size", "360x480", "--seed", "52"}

func (a *app) demoCmd() *cobra.Command {
	var dir string
	var exact bool
	c := &cobra.Command{
		Use:  "demo",
		Args: cli.Arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), dir, exact) },
	}
	c.Flags().StringVarP(&dir, "output", "o", "nrdl-demo", "`DIR` for the photographs, the models and the pages")
	c.Flags().BoolVar(&exact, "verbose", false, "also test NRDL with its default coder")
	return c
}

// demo prints and runs commands on people who do not exist. Their files are in the folder dir.
func (a *app) demo(ctx context.Context, dir string, exact bool) error {
	if err := atomicfile.MakeFolder(dir); err != nil {
		return err
	}
	defer os.Remove(dir) // only while it is empty
	in := func(name string) string { return filepath.Join(dir, name) }
	photographs, people, small, learned, passes := in("photographs"), in("people.nrdl"), in("faces.npz"), in("faces.nrdl"), in("passes.jsonl")
	const split = "first:10"
	stopped := []string{"--method", "nrdl", "--set", "coder.solver=admm", "--split", split} // drawn faces are recognised better so
	methods := "nn,crc,nrc"
	if exact {
		methods += ",nrdl"
	}
	for _, command := range [][]string{
		append([]string{"data", "synth", photographs, "--photos"}, demoPhotographs...),
		{"train", filepath.Join(photographs, "people"), "-o", people},
		{"identify", people, filepath.Join(photographs, "others"), "--draw", in("named"), "--html", in("demo.html")},
		{"data", "synth", small, "--people", "20"},
		{"evaluate", small, "--method", methods, "--split", split},
		append([]string{"evaluate", small}, stopped...),
		append([]string{"train", small, "-o", learned, "--trace", passes, "--calibrate", "0"}, stopped...),
		{"report", passes, "-o", in("passes.html")},
		{"picture", learned, "-o", in("atoms.png")},
	} {
		line := "$ nrdl"
		for _, word := range command {
			line += " " + legible.ShellWord(word)
		}
		a.Print("%s\n", line)
		if err := a.Results.Flush(); err != nil { // before what the command writes to the log
			return err
		}
		root := a.rootCmd()
		root.SetArgs(command)
		if err := cli.Execute(ctx, root); err != nil {
			return err
		}
		a.Print("\n")
	}
	a.Next("open %s, then nrdl data synth drawn --photos (photographs to try every command on)", legible.ShellWord(in("demo.html")))
	return nil
}
