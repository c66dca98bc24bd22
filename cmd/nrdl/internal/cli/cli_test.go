package cli_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
)

// run executes a command line of a program with one command.
func run(args ...string) error {
	n, share, how, name := 3, 0.0, "one", ""
	root, c := &cobra.Command{Use: "prog"}, &cobra.Command{
		Use: "work FILE", Example: "  prog work a.txt\n  prog work b.txt", Args: cli.Arguments(1, 1),
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cli.Number(c, &n, "number", "n", cli.InRange(1, 9), "a `N`")
	cli.Number(c, &share, "share", "", cli.Share(true), "a `SHARE`")
	cli.Choice(c, &how, "how", "one or two", []string{"one", "two"})
	c.Flags().StringVar(&name, "name", "", "a `NAME`")
	root.AddCommand(c)
	root.SetOut(io.Discard)
	cli.Prepare(root, func(_ *cobra.Command, flag string) string {
		if flag == "weight" {
			return "set it otherwise"
		}
		return ""
	})
	root.SetArgs(args)
	return cli.Execute(context.Background(), root)
}

// What makes no sense is refused as misuse that says what is wrong, with a hint.
func TestMisuse(t *testing.T) {
	for line, want := range map[string]string{
		"work":                   "prog work needs FILE|prog help work has examples",
		"work a b":               `unexpected argument "b"|usage: prog work FILE`,
		"wrok":                   `unknown command "wrok"|did you mean "work"?`,
		"wrok --help":            `unknown command "wrok"|did you mean "work"?`,
		"help wrok":              `unknown command "wrok"|did you mean "work"?`,
		"help work more":         `unexpected argument "more"|usage: prog help work`,
		"work a --numbr 1":       "unknown flag --numbr|did you mean --number?",
		"work a --weight 1":      "unknown flag --weight|set it otherwise",
		"work a -q":              "unknown flag -q|--help lists the flags",
		"work a --number":        "--number needs a value|",
		"work a --number x":      `--number "x" is not a whole number|`,
		"work a --number 1e3":    `--number "1e3" is not a whole number|`,
		"work a --number 10":     "--number: 10 is outside 1 … 9|--help describes the flags",
		"work a --share 1":       "--share: 1 is not a share greater than 0 and less than 1|",
		"work a --share NaN":     "--share: NaN is not a share|",
		"work a --how tow":       `--how: unknown value "tow"|did you mean "two"?`,
		"work a --name=":         "--name is empty|--name NAME: a NAME",
		"completion bash surely": `unexpected argument "surely"|`,
	} {
		err := run(strings.Fields(line)...)
		what, next, _ := strings.Cut(want, "|")
		if !cli.IsMisuse(err) || !strings.Contains(err.Error(), what) || !strings.Contains(advice.Text(err), next) {
			t.Errorf("%s: error %v, hint %q", line, err, advice.Text(err))
		}
	}
	for _, line := range []string{"", "help", "help work", "work a", "work a -n 0x9 --share 0.5 --how two", "completion bash"} {
		if err := run(strings.Fields(line)...); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
