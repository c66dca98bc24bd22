package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/plans"
)

// readPlan reads a plan: a file, or one that comes with the program.
func (a *app) readPlan(path string) (*experiment.Plan, error) { return experiment.FindPlan(path) }

// printPlan prints the built-in plan of this name.
func (a *app) printPlan(name string) error {
	text, ok := plans.Named(name)
	if !ok {
		return cli.AsMisuse(advice.Unknown("plan", name, plans.Names()))
	}
	a.Print("%s", text)
	return nil
}

// initPlan writes a plan for the data set at data to the file path.
func (a *app) initPlan(ctx context.Context, data, path string) error {
	if err := experiment.WritePlan(ctx, a.databases("").Find(data), path, func(s string) { a.Warn("%s", s) }); err != nil {
		return err
	}
	a.Tell("wrote %s; next: edit it, then nrdl bench %s", path, legible.ShellWord(path))
	return nil
}

// completePlan completes a plan: a file, or a name.
func completePlan(_ *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, name := range plans.Names() {
		if len(args) == 0 && strings.HasPrefix(name, to) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}
