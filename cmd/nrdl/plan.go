package main

import (
	"strings"

	"github.com/spf13/cobra"

	"nrdl/experiment"
	"nrdl/plans"
)

// readPlan reads a plan: a file, or one that comes with the program.
func (a *app) readPlan(path string) (*experiment.Plan, error) { return experiment.FindPlan(path) }

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
