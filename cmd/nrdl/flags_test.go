package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// senseless are values that flags of each type refuse. Types that are not here
// take anything, and are not for a new flag: one with a number is made by cli.Number.
var senseless = map[string][]string{
	"int":     {"", "x", "-5", "-1", "1e308", "1000000000000000000", "99999999999999999999", "NaN", "Inf", "0.5"},
	"float64": {"", "x", "-5", "-1e-9", "1e308", "1e400", "NaN", "Inf", "-Inf"},
	"uint64":  {"", "x", "-1", "1e308", "99999999999999999999", "NaN", "0.5"},
	"bool":    {"", "x", "2", "-1", "NaN"},
	"HxW":     {"", "x", "0", "0x0", "-1x-1", "1e308", "99999x99999", "NaN", "4", "4x4x4"},
	"SPLIT":   {"", "x", "0", "first:0", "first:-1", "random:1e308", "random:99999999999999999999", "NaN"},
	"HOW":     {"", "x", "0", "-1", "NaN"},
	"SOURCE":  {"", "x", "0", "-1", "NaN", "Takeout"},
	"string":  {""},

	"DETECTOR": {"x", "0", "-1", "1e308", "NaN", "sdd", "nowhere.onnx"},

	"PATTERN": {"", "[", "a[", "[]a]"},

	"BYTES":  {"", "x", "0", "-1", "NaN", "Inf", "1e308", "MB"},
	"TIME":   {"", "x", "0", "0s", "-1s", "NaN", "25h", "1e308s"},
	"ORIGIN": {"", "*", "null", "x", "https://a/b", "https://*.a", "https://a,"},
	"ISSUER": {"", "x", "0", "http://id.example", "https://", "https://a?b", "https://a#b", "https://u:p@a"},
	"ROLES":  {"", "x", "staff", "boss=staff", "reader=", "reader=a,admin=", "=a"},
	"URL":    {"", "x", "http://a", "mqtt://", "mqtt://a/+"},
	"COUNT":  {"", "x", "0", "-1", "NaN", "Inf", "1e308"},

	"stringArray": {"", "x", "=", "nothing=1"},
}

// words are senseless for flags of text that take a few words only.
var words = []string{"x:", ":", "0", "-1", "1e308", "NaN", "\x1b", "\xff", strings.Repeat("x", 1000)}

// leaves calls use for the commands that do something.
func leaves(c *cobra.Command, use func(*cobra.Command)) {
	if !c.HasSubCommands() {
		use(c)
	}
	for _, sub := range c.Commands() {
		leaves(sub, use)
	}
}

// enough returns as many arguments as c needs, paths in dir.
func enough(t *testing.T, c *cobra.Command, dir string) []string {
	args := []string{}
	for c.ValidateArgs(args) != nil {
		if len(args) == 4 {
			t.Fatalf("%s takes no four arguments", c.CommandPath())
		}
		args = append(args, filepath.Join(dir, fmt.Sprintf("nowhere%d", len(args))))
	}
	return args
}

// outputs are what some commands refuse to go without.
var outputs = map[string]string{"nrdl train": "out.nrdl", "nrdl transform": "out.npz", "nrdl explain": "out.html"}

// Every flag of every command refuses what makes no sense, by its name and before
// any data are read: none of the files exist.
func TestSenselessFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	root := newApp(null, null).rootCmd()
	flags := 0
	leaves(root, func(c *cobra.Command) {
		line := append(strings.Fields(c.CommandPath())[1:], enough(t, c, dir)...)
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			flags++
			values, known := senseless[f.Value.Type()]
			if !known {
				t.Errorf("%s --%s is %s: its value is not checked", c.CommandPath(), f.Name, f.Value.Type())
			}
			if f.Value.Type() == "string" && cli.Choices(c, f.Name) != nil {
				values = slices.Concat(values, words)
			}
			a := newApp(null, null)
			root := a.rootCmd() // refused values leave nothing behind
			for _, v := range values {
				args := slices.Concat(line, []string{"--" + f.Name + "=" + v})
				if out, needs := outputs[c.CommandPath()]; needs && f.Name != "output" {
					args = append(args, "--output", filepath.Join(dir, out))
				}
				wantRefused(t, a, root, args, f.Name)
			}
		})
	})
	if flags < 100 {
		t.Errorf("only %d flags", flags)
	}
}

// wantRefused wants args to be misuse, and the error to name the flag.
func wantRefused(t *testing.T, a *app, root *cobra.Command, args []string, flag string) {
	t.Helper()
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if !cli.IsMisuse(err) {
		t.Errorf("nrdl %.300q: %v", args, err)
		return
	}
	if text := a.Complaint(err); flag != "set" && !strings.Contains(strings.SplitN(text, "\n", 2)[0], flag) || len(text) > 1000 {
		t.Errorf("nrdl %.300q does not name --%s: %s", args, flag, text)
	}
}
