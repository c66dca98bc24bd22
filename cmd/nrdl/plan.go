package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"nrdl/experiment"
	"nrdl/internal/cli"
	"nrdl/internal/console"
	"nrdl/internal/hint"
	"nrdl/plans"
)

// readPlan reads the plan at path, or where there is no such file the plan of
// that name which comes with the program.
func (a *app) readPlan(path string) (*experiment.Plan, error) {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return experiment.ReadPlan(path)
	}
	text, ok := plans.Named(path)
	if !ok {
		_, err := experiment.ReadPlan(path)
		if near := hint.Nearest(path, plans.Names()); near != "" {
			return nil, hint.Add(err, "did you mean %q?", near)
		}
		return nil, hint.Add(err, "give the file of a plan, or the name of one that comes with nrdl: %s", strings.Join(plans.Names(), ", "))
	}
	plan, err := experiment.ParsePlan(text, path)
	if err != nil {
		panic(fmt.Errorf("nrdl: %w", err)) // a test reads them all
	}
	return plan, nil
}

// printPlan prints the built-in plan of this name.
func (a *app) printPlan(name string) error {
	text, ok := plans.Named(name)
	if !ok {
		return cli.AsMisuse(hint.Unknown("plan", name, plans.Names()))
	}
	a.Print("%s", text)
	return nil
}

// initPlan writes a plan for the data set at data to the file path.
func (a *app) initPlan(ctx context.Context, data, path string) error {
	if err := experiment.WritePlan(ctx, a.databases("").Find(data), path, func(s string) { a.Warn("%s", s) }); err != nil {
		return err
	}
	a.Tell("wrote %s; next: edit it, then nrdl bench %s", path, console.Quoted(path))
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
