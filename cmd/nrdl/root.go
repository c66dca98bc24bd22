package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/doc"
	"nrdl.example/nrdl/method"
)

func (a *app) rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:   "nrdl",
		Short: "Learn to recognise people from photographs of their faces",
		Long: `nrdl learns to recognise people from photographs of their faces.

Put the photographs of each person into a folder of their own: DATA/alice/1.jpg.
train makes a model of them, and identify names the faces in other photographs.
evaluate measures the accuracy of a method; methods lists the methods, tune finds
their parameters, bench and report compare them. demo shows all of this on drawn
faces. nrdl help tasks lists things to do, with the command for each.`,
		Example: `  nrdl demo
  nrdl train people -o people.nrdl
  nrdl identify people.nrdl people/person001
  nrdl evaluate people`,
		Version: "nrdl " + buildinfo.Read().Version,
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.AddCommand(a.trainCmd(), a.identifyCmd(), a.groupCmd(), a.verifyCmd(), a.serveCmd(), a.explainCmd(), a.addCmd(), a.removeCmd(), a.renameCmd(), a.peopleCmd(), a.calibrateCmd(), a.evaluateCmd(), a.transformCmd(), a.tuneCmd(), a.benchCmd(), a.workerCmd(), a.reportCmd(), a.compareCmd(), a.demoCmd(),
		a.dataCmd(), a.methodsCmd(), a.healthcheckCmd(), a.keyCmd(), a.versionCmd())
	for _, c := range root.Commands() {
		c.Long += "\n\nnrdl help glossary explains the terms, nrdl help tasks lists common tasks."
	}
	root.AddCommand(&cobra.Command{Use: "glossary", Short: "Terms: margin, score, split, FPIR …", Long: doc.Glossary()},
		&cobra.Command{Use: "tasks", Short: "Ten things to do, with the command for each", Long: doc.Tasks})
	root.AddCommand(a.manCmds()...)
	cli.Prepare(root, setInstead)
	return root
}

// setInstead is the hint for a flag that c does not have, and that is or nearly is a
// parameter of the method of c, or "". A flag that is as near comes first.
func setInstead(c *cobra.Command, name string) string {
	m := methodOf(c)
	if c.Flags().Lookup("set") == nil || m == nil {
		return ""
	}
	var params []string
	for _, p := range method.Params(m) {
		if p.Path == name || strings.HasSuffix(p.Path, "."+name) {
			return "set parameters with --set " + p.Path + "=…"
		}
		params = append(params, p.Path)
	}
	flags := cli.Flags(c)
	slices.Reverse(flags)
	if near := advice.Nearest(name, slices.Concat(flags, params)); slices.Contains(params, near) {
		return "set parameters with --set " + near + "=…"
	}
	return ""
}
