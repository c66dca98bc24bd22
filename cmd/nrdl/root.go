package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nrdl"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl/frontend"
	"nrdl/internal/hint"
	"nrdl/method"
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
faces.`,
		Example: `  nrdl demo
  nrdl train people -o people.nrdl
  nrdl identify people.nrdl people/person001
  nrdl evaluate people`,
		Version:       versionLine(),
		SilenceUsage:  true,
		SilenceErrors: true,

		PersistentPreRunE: refuseEmpty,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", fmt.Sprintf("Flags.FlagUsagesWrapped %d", columns)))
	root.AddCommand(a.trainCmd(), a.identifyCmd(), a.verifyCmd(), a.explainCmd(), a.addCmd(), a.removeCmd(), a.renameCmd(), a.peopleCmd(), a.calibrateCmd(), a.evaluateCmd(), a.transformCmd(), a.tuneCmd(), a.benchCmd(), a.reportCmd(), a.demoCmd(),
		a.dataCmd(), a.methodsCmd(), a.versionCmd())
	root.SetHelpCommand(helpCmd(root))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "Write a script that completes command lines in a shell"
			for _, shell := range c.Commands() {
				shell.Args = arguments(0, 0)
				shell.Example = "  " + shell.CommandPath()
			}
		}
		if c.HasSubCommands() {
			withCommands(c)
		}
	}
	withCommands(root)
	return root
}

// columns is how wide help and lists are at most.
const columns = 100

func helpCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		Example: `  nrdl help train
  nrdl help data synth`,
		RunE: func(_ *cobra.Command, path []string) error {
			c := root
			for _, name := range path {
				i := slices.IndexFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == name })
				if i < 0 {
					return unknownCommand(c, name)
				}
				c = c.Commands()[i]
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
		ValidArgsFunction: func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return commandNames(root), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// withCommands makes c, which has only commands, print its help, and say which
// commands there are when it is given another.
func withCommands(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return unknownCommand(c, args[0])
	}
	usage := strings.Replace(c.UsageTemplate(), "{{if .Runnable}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}", 1)
	c.SetUsageTemplate(usage)
}

func unknownCommand(c *cobra.Command, name string) error {
	return usageError{hint.Unknown("command", name, commandNames(c))}
}

func commandNames(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

// arguments returns a check that a command gets between least and most
// arguments, of the form that its Use line shows; most < 0 is any number.
func arguments(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		_, form, _ := strings.Cut(c.Use, " ")
		switch n := len(args); {
		case n < least:
			err := misuse("%s needs %s", c.CommandPath(), strings.ReplaceAll(form, " [flags]", ""))
			return hint.Add(err, "for example:%s", firstExample(c))
		case most >= 0 && n > most:
			return hint.Add(misuse("%s: unexpected argument %q", c.CommandPath(), args[most]),
				"usage: %s", c.UseLine())
		}
		if i := slices.Index(args, ""); i >= 0 {
			return hint.Add(misuse("%s: argument %d is empty", c.CommandPath(), i+1), "usage: %s", c.UseLine())
		}
		return nil
	}
}

func firstExample(c *cobra.Command) string {
	line, _, _ := strings.Cut(c.Example, "\n")
	return " " + strings.TrimSpace(line)
}

// flagError turns what pflag says into a sentence with a next step.
func flagError(c *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		invalid *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
	)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case errors.As(err, &unknown):
		return unknownFlag(c, unknown)
	case errors.As(err, &missing):
		return misuse("--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &invalid):
		cause := errors.Unwrap(invalid)
		if n := (*strconv.NumError)(nil); errors.As(cause, &n) {
			return misuse("--%s %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), kind(invalid.GetFlag(), n))
		}
		return usageError{hint.Add(misuse("--%s: %w", invalid.GetFlag().Name, cause), "%s", orUsage(c, cause))}
	}
	return usageError{err}
}

// orUsage is the hint of err, or where to read about c.
func orUsage(c *cobra.Command, err error) string {
	if h := hint.Of(err); h != "" {
		return h
	}
	return c.CommandPath() + " --help describes the flags"
}

func kind(f *pflag.Flag, err *strconv.NumError) string {
	out := ""
	if errors.Is(err, strconv.ErrRange) {
		out = " in range"
	}
	switch f.Value.Type() {
	case "int":
		return "a whole number" + out
	case "uint64":
		return "a whole number ≥ 0" + out
	case "bool":
		return "true or false"
	}
	return "a number" + out
}

// parameter is the parameter of the method of c, if it has one, that name is
// or nearly is, or "". A flag that is as near comes first.
func parameter(c *cobra.Command, name string) string {
	if c.Flags().Lookup("set") == nil {
		return ""
	}
	chosen, _ := c.Flags().GetString("method") // --set and --method are registered together
	m, err := method.Named(cmp.Or(chosen, nrdl.DefaultMethod(frontend.Pipeline{}).Name()))
	if err != nil {
		return ""
	}
	var params []string
	for _, p := range method.Params(m) {
		if p.Path == name || strings.HasSuffix(p.Path, "."+name) {
			return p.Path
		}
		params = append(params, p.Path)
	}
	all := slices.Clone(params)
	c.Flags().VisitAll(func(f *pflag.Flag) { all = slices.Insert(all, 0, f.Name) })
	near := hint.Of(hint.Unknown("flag", name, all))
	for _, p := range params {
		if near == fmt.Sprintf("did you mean %q?", p) {
			return p
		}
	}
	return ""
}

func unknownFlag(c *cobra.Command, err *pflag.NotExistError) error {
	name := err.GetSpecifiedName()
	if len(name) < 2 || err.GetSpecifiedShortnames() != "" {
		return hint.Add(misuse("unknown flag -%s", name), "%s --help lists the flags", c.CommandPath())
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if param := parameter(c, name); param != "" {
		return hint.Add(misuse("unknown flag --%s", name), "set parameters with --set %s=…", param)
	}
	nearest := hint.Unknown("flag", name, names)
	h := hint.Of(nearest)
	if rest, ok := strings.CutPrefix(h, `did you mean "`); ok {
		h = "did you mean --" + strings.TrimSuffix(rest, `"?`) + "?"
	} else {
		h = c.CommandPath() + " --help lists the flags"
	}
	return hint.Add(misuse("unknown flag --%s", name), "%s", h)
}
