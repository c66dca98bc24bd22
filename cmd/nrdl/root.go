package main

import (
	"embed"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/doc"
	"nrdl.example/nrdl/method"
)

//go:embed help/*.txt
var helpTexts embed.FS

func (a *app) rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:     "nrdl",
		Version: "nrdl " + buildinfo.Read().Version,
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	group := func(title string, all ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
		for _, c := range all {
			c.GroupID = title
		}
		root.AddCommand(all...)
	}
	group("Names in photographs:", a.trainCmd(), a.identifyCmd(), a.albumCmd(), a.groupCmd(), a.verifyCmd(), a.explainCmd(), a.addCmd(), a.removeCmd(), a.renameCmd(), a.peopleCmd(), a.calibrateCmd())
	group("Methods and experiments:", a.demoCmd(), a.evaluateCmd(), a.tuneCmd(), a.benchCmd(), a.reportCmd(), a.compareCmd(), a.methodsCmd(), a.predictCmd(), a.transformCmd(), a.pictureCmd(), a.dataCmd(), a.networkCmd())
	group("Services and programs:", a.serveCmd(), a.keyCmd(), a.backupCmd(), a.healthcheckCmd(), a.workerCmd(), a.engineCmd())
	root.AddCommand(a.versionCmd())
	document(root, root.Name())
	for _, c := range root.Commands() {
		document(c, c.Name())
		for _, sub := range c.Commands() {
			document(sub, c.Name()+"-"+sub.Name())
		}
		c.Long += "\n\nnrdl help glossary explains the terms, nrdl help tasks lists common tasks."
	}
	root.AddCommand(&cobra.Command{Use: "glossary", Short: "Terms: margin, score, split, FPIR …", Long: doc.Glossary()},
		&cobra.Command{Use: "tasks", Short: "Ten things to do, with the command for each", Long: doc.Tasks})
	root.AddCommand(a.manCmds()...)
	cli.Prepare(root, setInstead)
	return root
}

// document sets the summary, the description and the examples of c: in the text called name
// these are the first line, the paragraphs after it, and the lines below "Examples:".
func document(c *cobra.Command, name string) {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // our bug
	}
	description, examples, _ := strings.Cut(string(text), "\nExamples:\n")
	c.Short, c.Long, _ = strings.Cut(strings.TrimSpace(description), "\n\n")
	c.Example = strings.TrimRight(examples, "\n")
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
