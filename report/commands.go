package report

import (
	"fmt"

	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/plans"
)

// Commands returns the commands that make records, and the command that makes a report, in
// this format, of the files at paths.
func Commands(records []experiment.Record, paths []string, format string) []string {
	var commands []string
	seen := map[string]bool{}
	for _, r := range records {
		if seen[r.Plan] {
			continue
		}
		seen[r.Plan] = true
		plan, data := r.Plan, ""
		if _, ours := plans.Named(plan); !ours {
			plan += ".json"
		}
		if r.Dataset.Drawn == nil {
			data = " --data DIR"
		}
		commands = append(commands, fmt.Sprintf("nrdl bench %s -o %s -j %d%s", legible.ShellWord(plan), legible.ShellWord(r.Plan+".jsonl"), r.Cost.Jobs, data))
	}
	last := "nrdl report"
	for _, p := range paths {
		last += " " + legible.ShellWord(p)
	}
	if format != "html" {
		last += " --format " + format
	}
	return append(commands, last)
}
