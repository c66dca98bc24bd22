package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"nrdl.example/nrdl/doc"
)

// preparing are the examples that make what the others use, so that they run for somebody who
// has nothing: here once, before all others, with fewer and smaller images. The network and the
// default method are those of everybody.
var preparing = []struct{ line, small string }{
	{"nrdl data synth drawn --photos", "data synth drawn --photos --people 3 --images 2 --size 240x320"},
	{"nrdl train drawn/people -o people.nrdl", "train drawn/people -o people.nrdl"},
	{"nrdl data synth faces --people 6 --images 7", "data synth faces --people 6 --images 7"},
	{"nrdl train faces -o faces.nrdl --input pixels --size 16x16", "train faces -o faces.nrdl --input pixels --size 16x16"},
	{"nrdl bench quick", "bench quick"}, // a small plan has this name
	{"nrdl key create DATA", "key create DATA"},
}

// Every example in the help, and every command in the list of tasks, runs as it stands where
// there are faces of nrdl data synth people and a model of them, but for the demo, which has
// a script, and for those that wait for files or requests, or need a network of one's own
// (which a script measures): those of one command, and those of the tasks that no command
// has, in the order in which they are listed, each of these in a folder of its own. There,
// a small plan has the name quick. They run with NRDL_LONG, and are parsed
// without: the scripts do all that they do. TestPages runs the commands of pages.
func TestExamples(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("learns from 42 faces, several times")
	}
	shared, scripts := t.TempDir(), t.TempDir()
	long := os.Getenv("NRDL_LONG") != ""
	smallQuick(t, filepath.Join(shared, "quick"))
	if err := os.Mkdir(filepath.Join(shared, "DATA"), 0o777); err != nil { // which serve makes
		t.Fatal(err)
	}
	for _, p := range preparing {
		if !long {
			break
		}
		cmd := exec.Command("nrdl", strings.Fields(p.small)...)
		cmd.Dir = shared
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", p.line, err, output)
		}
	}
	first := map[string]string{
		"nrdl-bench":  "rm quick.jsonl\n", // which the others report
		"nrdl-backup": "mkdir backups\n",
		"nrdl-serve":  "mkdir nrdl-data\n", // which serve makes
		"tasks": `mkdir zoe
cp drawn/others/stranger1.jpg zoe/1.jpg
cp drawn/others/stranger2.jpg zoe/2.jpg
`,
	}
	written := map[string]bool{}
	for _, p := range preparing {
		written[p.line] = true
	}
	write := func(name string, lines []string, onlyNew bool) {
		if !long {
			accepted(t, lines)
			for _, line := range lines {
				written[command(line)] = true
			}
			return
		}
		var script strings.Builder
		script.WriteString(first[name])
		for _, line := range lines {
			line = strings.Replace(command(line), "480x640", "240x320", 1) // smaller photographs
			line = strings.Replace(line, "160x160", "120x120", 1)
			made := slices.ContainsFunc(preparing, func(p struct{ line, small string }) bool { return p.line == line && line != "nrdl bench quick" })
			if !made && !(onlyNew && written[line]) && strings.HasPrefix(line, "nrdl ") && !strings.Contains(line, "--watch") &&
				line != "nrdl demo" && !isElsewhere(line) {
				script.WriteString("run " + line + "\n")
			}
			written[line] = true
		}
		if err := os.WriteFile(filepath.Join(scripts, name+".txtar"), []byte(script.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Example == "" && c.Name() != "completion" && !c.IsAdditionalHelpTopicCommand() {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
		write(strings.ReplaceAll(c.CommandPath(), " ", "-"), strings.Split(c.Example, "\n"), len(c.Commands()) > 0)
	}
	visit(newApp(os.Stdout, os.Stderr).rootCmd())
	if !written["nrdl demo"] {
		t.Error("the help has no nrdl demo")
	}
	write("tasks", taskCommands(t), true)
	if !long {
		return
	}
	testscript.Run(t, testscript.Params{
		Dir: scripts, Cmds: map[string]func(*testscript.TestScript, bool, []string){"run": runs},
		Setup: func(env *testscript.Env) error {
			return os.CopyFS(env.WorkDir, os.DirFS(shared))
		},
	})
}

// command is a line of examples without its description.
func command(line string) string {
	line, _, _ = strings.Cut(line, "  #")
	return strings.TrimSpace(line)
}

// isElsewhere reports whether a command needs another process, or what only its own script has.
func isElsewhere(line string) bool {
	for _, name := range []string{"serve", "healthcheck", "data compreface", "key revoke", "worker", "network measure", "engine", "open"} {
		if line == "nrdl "+name || strings.HasPrefix(line, "nrdl "+name+" ") {
			return true
		}
	}
	return false
}

// accepted fails unless the command takes the flags and arguments of these lines, which
// are not run.
func accepted(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		line, _, _ = strings.Cut(line, "#")
		args := strings.Fields(line)
		if len(args) == 0 || args[0] != "nrdl" {
			continue
		}
		c, rest, err := newApp(os.Stdout, os.Stderr).rootCmd().Find(args[1:])
		if err == nil && !c.Runnable() {
			err = errors.New("no such command")
		}
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err == nil {
			err = c.ValidateArgs(c.Flags().Args())
		}
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// taskCommands returns the commands of nrdl help tasks but the demo.
func taskCommands(t *testing.T) (commands []string) {
	t.Helper()
	for line := range strings.Lines(doc.Tasks) {
		if _, command, ok := strings.Cut(line, "  nrdl "); ok && command != "demo\n" {
			commands = append(commands, "nrdl "+command)
		}
	}
	if len(commands) < 10 {
		t.Errorf("the tasks have the commands %q only", commands)
	}
	return commands
}

// smallQuick writes a plan with all that the plan quick has, with fewer and
// smaller faces and fewer repeats.
func smallQuick(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "lab", "plans", "quick.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{`"repeats": 4`, `"repeats": 1`}, {`"people": 15`, `"people": 5`}, {`"24x20"`, `"12x10"`},
	} {
		if !bytes.Contains(text, []byte(c[0])) {
			t.Fatalf("the plan has no %s", c[0])
		}
		text = bytes.ReplaceAll(text, []byte(c[0]), []byte(c[1]))
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}
