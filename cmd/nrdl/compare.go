package main

import (
	"errors"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/report"
)

func (a *app) compareCmd() *cobra.Command {
	var asJSON, asCSV bool
	c := &cobra.Command{
		Use:   "compare OLD.jsonl NEW.jsonl",
		Short: "Show what changed between two versions of records",
		Long: `compare pairs the records of two versions of the same plan: a method on a data set,
with the same split, noise, occlusion and repeat. It says what is better, what is worse
and what cannot be told, by paired tests with a correction for their number. Use it
after a change of a method: run the same plan before and after. Rows that are equal in
every image are only counted. Records may be compressed (.gz). A method is known by its label:
if the two plans give it other parameters, give it the same "label" in both.

--csv and --json write all rows with all digits; rates are in percent.`,
		Example: `  nrdl compare quick.jsonl new.jsonl
  nrdl compare quick.jsonl new.jsonl --csv`,
		Args: cli.Arguments(2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			old, err := a.readRecords(args[:1])
			if err != nil {
				return err
			}
			now, err := a.readRecords(args[1:])
			if err != nil {
				return err
			}
			changes, err := report.CompareRecords(old, now)
			switch {
			case err != nil:
				return err
			case asJSON:
				err = a.printJSON(changes)
			case asCSV:
				err = changes.WriteCSV(a.Out)
			default:
				err = changes.Write(a.Out)
			}
			return errors.Join(err, changes.Check())
		},
		ValidArgsFunction: cli.Files("jsonl", "gz"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one object")
	c.Flags().BoolVar(&asCSV, "csv", false, "write one line per row")
	c.MarkFlagsMutuallyExclusive("json", "csv")
	return c
}
