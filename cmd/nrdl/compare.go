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
		Use:  "compare OLD.jsonl NEW.jsonl",
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
