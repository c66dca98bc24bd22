package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
)

// Prepare sets up the messages and the help of root and all commands below it; call it
// after all commands are added. Help begins with the usage, and has at most console.Columns columns. For a flag that
// c does not have, instead may return a hint; "" stands for the usual one.
func Prepare(root *cobra.Command, instead func(c *cobra.Command, flag string) string) {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.PersistentPreRunE = refuseEmpty
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagError(c, err, instead) })
	const afterUsage = "{{if gt (len .Aliases) 0}}"
	const ofFlags, afterFlags = "{{if .HasAvailableLocalFlags}}", "{{if .HasAvailableInheritedFlags}}"
	usage, rest, _ := strings.Cut(root.UsageTemplate(), afterUsage)
	before, flags, _ := strings.Cut(rest, ofFlags)
	_, after, _ := strings.Cut(flags, afterFlags)
	cobra.AddTemplateFunc("flagsOf", flagsOf)
	root.SetUsageTemplate(afterUsage + before + "{{flagsOf .}}" + afterFlags + strings.ReplaceAll(after, "Flags.FlagUsages",
		fmt.Sprintf("Flags.FlagUsagesWrapped %d", console.Columns)))
	root.SetHelpTemplate(usage + "\n\n{{or .Long .Short | trimTrailingWhitespaces}}{{.UsageString}}")
	root.SetHelpCommand(helpCmd(root))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "Write a script that completes command lines in a shell"
			for _, shell := range c.Commands() {
				shell.Args = Arguments(0, 0)
				shell.Example = "  " + shell.CommandPath()
			}
		}
		if c.HasSubCommands() {
			withCommands(c)
		}
	}
	withCommands(root)
	takeOnce(root)
}

// Execute runs root. It returns misuse if --help follows the name of an unknown command.
func Execute(ctx context.Context, root *cobra.Command) error {
	var misspelt error
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if names := c.Flags().Args(); c.HasSubCommands() && len(names) > 0 {
			misspelt = unknownCommand(c, names[0])
			return
		}
		help(c, args)
	})
	if err := root.ExecuteContext(ctx); err != nil {
		return err
	}
	return misspelt
}

func helpCmd(root *cobra.Command) *cobra.Command {
	var all bool
	help := &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		Example: `  nrdl help train
  nrdl help data synth`,
		RunE: func(_ *cobra.Command, path []string) error {
			c := root
			for _, name := range path {
				i := slices.IndexFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == name })
				switch {
				case i < 0 && !c.HasSubCommands():
					return advice.Add(Misuse("help: unexpected argument %q", name), "usage: %s help %s", root.Name(), c.Name())
				case i < 0:
					return unknownCommand(c, name)
				}
				c = c.Commands()[i]
			}
			c.InitDefaultHelpFlag()
			if all {
				InFull(c)
			}
			return c.Help()
		},
		ValidArgsFunction: func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return commandNames(root), cobra.ShellCompDirectiveNoFileComp
		},
	}
	help.Flags().BoolVar(&all, "all", false, "also explain what is rarely needed")
	return help
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
	c.SetHelpTemplate(strings.Replace(c.HelpTemplate(), "{{if .Runnable}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}", 1))
}

// synonyms are what other programs call our commands.
var synonyms = map[string]string{
	"recognise": "identify", "recognize": "identify", "name": "identify", "detect": "identify",
	"faces": "identify", "tag": "identify", "search": "identify",
	"fit": "train", "learn": "train", "teach": "train", "init": "train",
	"test": "evaluate", "score": "evaluate", "validate": "evaluate", "crossvalidate": "evaluate",
	"benchmark": "bench", "optimise": "tune", "optimize": "tune",
	"cluster": "group", "sort": "group", "match": "verify", "gallery": "album",
	"server": "serve", "start": "serve", "web": "serve", "gui": "serve", "ui": "serve",
	"list": "people", "ls": "people", "show": "people", "who": "people", "enrol": "add", "enroll": "add", "register": "add",
	"delete": "remove", "del": "remove", "rm": "remove",
	"draw": "data synth", "synth": "data synth", "convert": "data convert", "info": "data info", "check": "data check",
	"why": "explain", "plot": "report", "examples": "tasks",
}

func unknownCommand(c *cobra.Command, name string) error {
	is := synonyms[name]
	if first, _, _ := strings.Cut(is, " "); slices.Contains(commandNames(c), first) {
		return advice.Add(Misuse("unknown command %q", name), "%q is what it is called here", is)
	}
	err := advice.Unknown("command", name, commandNames(c))
	if !c.HasParent() && advice.Nearest(name, commandNames(c)) == "" { // there are many
		err = advice.Add(Misuse("unknown command %q", name), "%s --help lists the commands", c.Name())
	}
	return misuse{err}
}

func commandNames(c *cobra.Command) (names []string) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

// Arguments returns a check that there are at least minArgs and at most maxArgs arguments and
// that none is empty; maxArgs < 0 means any number. Its error shows the Use line.
func Arguments(minArgs, maxArgs int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch n := len(args); {
		case n < minArgs:
			_, form, _ := strings.Cut(c.Use, " ")
			err := Misuse("%s needs %s", c.CommandPath(), strings.ReplaceAll(form, " [flags]", ""))
			program, command, _ := strings.Cut(c.CommandPath(), " ")
			examples := program + " help " + command + " has examples"
			if strings.HasPrefix(form, "MODEL") {
				examples = "MODEL is the file that train wrote; " + examples
			}
			return advice.Add(err, "%s", examples)
		case maxArgs >= 0 && n > maxArgs:
			return advice.Add(Misuse("%s: unexpected argument %q", c.CommandPath(), args[maxArgs]), "usage: %s", c.UseLine())
		}
		if i := slices.Index(args, ""); i >= 0 {
			return advice.Add(Misuse("%s: argument %d is empty", c.CommandPath(), i+1), "usage: %s", c.UseLine())
		}
		if err := c.ValidateFlagGroups(); err != nil { // cobra would not take it for a wrong command line
			return exclusive(err)
		}
		return nil
	}
}

// exclusive says in a sentence which flags cobra found together that exclude each other.
func exclusive(err error) error {
	if _, set, ok := strings.Cut(err.Error(), "none of the others can be; ["); ok {
		flags := strings.Fields(strings.TrimSuffix(set, "] were all set"))
		return Misuse("--%s exclude each other", strings.Join(flags, " and --"))
	}
	return misuse{err}
}

// flagError turns what pflag says into a sentence with a next step.
func flagError(c *cobra.Command, err error, instead func(*cobra.Command, string) string) error {
	var (
		unknown *pflag.NotExistError
		invalid *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
		number  *strconv.NumError
	)
	parsed(c)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case errors.As(err, &unknown):
		return unknownFlag(c, unknown, instead)
	case errors.As(err, &missing):
		return Misuse("--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &invalid):
		flag, cause := invalid.GetFlag(), errors.Unwrap(invalid)
		if errors.As(cause, &number) {
			err := Misuse("--%s %q is not %s", flag.Name, invalid.GetValue(), kind(flag, number))
			return advice.Add(err, "%s", numberHint(flag, invalid.GetValue()))
		}
		next := cmp.Or(advice.Text(cause), c.CommandPath()+" --help describes the flags")
		return advice.Add(Misuse("--%s: %w", flag.Name, cause), "%s", next)
	}
	return misuse{err}
}

// Cause says why f does not take the value that FlagSet.Set refused.
func Cause(f *pflag.Flag, err error) string {
	var number *strconv.NumError
	if errors.As(err, &number) {
		return "not " + kind(f, number)
	}
	return cmp.Or(errors.Unwrap(err), err).Error()
}

// kind is what the value of f should have been.
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

// numberHint says how the number is written that text is not, as a value of f.
func numberHint(f *pflag.Flag, text string) string {
	percent, isPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
	switch {
	case isPercent && err == nil && f.Value.Type() == "float64":
		return fmt.Sprintf("%v %% is %v", v, v/100)
	case f.Value.Type() == "bool":
		return "write --" + f.Name + " or --" + f.Name + "=false"
	case f.Value.Type() == "float64":
		return "write it with digits, for example --" + f.Name + " 0.5"
	}
	return "write it with digits, for example --" + f.Name + " 5"
}

func unknownFlag(c *cobra.Command, err *pflag.NotExistError, instead func(*cobra.Command, string) string) error {
	if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 { // the flag is one of the command that was meant
		return unknownCommand(c, args[0])
	}
	name, lists := err.GetSpecifiedName(), c.CommandPath()+" --help lists the flags"
	if len(name) < 2 || err.GetSpecifiedShortnames() != "" {
		return advice.Add(Misuse("unknown flag -%s", name), "%s", lists)
	}
	next := instead(c, name)
	if is := flagSynonyms[name]; is != "" && c.Flags().Lookup(is) != nil {
		next = "did you mean --" + is + "?"
	}
	if next == "" {
		next = lists
		if near := advice.Nearest(name, Flags(c)); near != "" {
			next = "did you mean --" + near + "?"
		}
	}
	return advice.Add(Misuse("unknown flag --%s", name), "%s", next)
}

// flagSynonyms are what other programs call our flags.
var flagSynonyms = map[string]string{
	"http": "listen", "port": "listen", "host": "listen",
	"addr": "listen", "address": "listen", "bind": "listen",
}

// Flags returns the names of the flags of c that help shows.
func Flags(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
