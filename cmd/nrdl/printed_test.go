package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// Every command that is printed is run, in the state in which it is printed, and has to succeed.
//
// The scenarios are in testdata/printed.txt. A paragraph is one: its name; lines "$ COMMAND" that make the
// state, of nrdl, drawn, cp, mkdir, rm and write; a line "> nrdl ARG..." whose output is looked at; lines
// "WORD = VALUE" for what a reader has to fill in, such as DIR; and "skip TEXT = REASON" for a printed
// command that a test cannot run. A scenario with lines "long TEXT" is run with NRDL_LONG=1 only, and prints
// these formats; "base NAME" begins with the folder that the scenario of this name has left. At the end
// lines "elsewhere TEXT = REASON" name the formats whose commands another test runs.
type scenario struct {
	name, base string
	long       bool
	texts      string   // what a long scenario prints: the formats
	state      []string // command lines
	prints     string
	fill, skip map[string]string
}

func scenarios(t *testing.T) (all []*scenario, elsewhere map[string]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/printed.txt")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere = map[string]string{}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		s := &scenario{fill: map[string]string{}, skip: map[string]string{}}
		for line := range strings.Lines(paragraph) {
			line = strings.TrimRight(line, "\n")
			word, rest, _ := strings.Cut(line, " ")
			name, value, is := strings.Cut(rest, " = ")
			switch {
			case word == "##":
			case word == "#":
				s.name = rest
			case word == "base":
				s.base = rest
			case word == "long":
				s.long = true
				s.texts += strings.ReplaceAll(rest, `\n`, "\n") + "\x00"
			case word == "$":
				s.state = append(s.state, rest)
			case word == ">":
				s.prints = rest
			case word == "elsewhere" && is:
				elsewhere[strings.ReplaceAll(name, `\n`, "\n")] = value
			case word == "skip" && is:
				s.skip[name] = value
			default:
				name, value, is := strings.Cut(line, " = ")
				if !is {
					t.Fatalf("testdata/printed.txt: %q", line)
				}
				s.fill[name] = value
			}
		}
		if s.name != "" {
			all = append(all, s)
		}
	}
	return all, elsewhere
}

// shellWords are the words of a line as a shell reads them, up to a sign that no command has. Bare says
// of each whether it was without quotes.
func shellWords(line string) (words []string, bare []bool) {
	var word strings.Builder
	in, quote, plain := false, rune(0), true
	end := func() {
		if in {
			words, bare = append(words, word.String()), append(bare, plain)
		}
		word.Reset()
		in, plain = false, true
	}
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case quote != '\'' && r == '\\':
			in, plain, escaped = true, false, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			in, plain, quote = true, false, r
		case quote == 0 && (r == ' ' || r == '\n' || r == '\t'):
			end()
		default:
			in = true
			word.WriteRune(r)
		}
	}
	end()
	return words, bare
}

// notOfCommands are the words that follow a command in a sentence.
var notOfCommands = strings.Fields(
	"takes lists shows draws makes does says gives writes names and or then it which by that tells for with where brings " +
		"tunes explains sends if has prints needs")

// commandsIn are the command lines of nrdl in a line of its output.
func commandsIn(line string, root *cobra.Command) (all [][]string) {
	for rest := line; ; {
		i := strings.Index(rest, "nrdl ")
		if i < 0 {
			return all
		}
		before := rest[:i]
		rest = rest[i+len("nrdl "):]
		if before != "" && !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "(") {
			continue
		}
		words, bare := shellWords(rest)
		if len(words) == 0 {
			return all
		}
		var args []string
		for k, w := range words {
			if bare[k] && (strings.HasPrefix(w, "(") || slices.Contains(notOfCommands, w)) && !(k == 0 && w != "which") {
				break
			}
			end := w != "" && strings.ContainsAny(w[len(w)-1:], ",;:)") // also behind the quotes of a word
			if end {
				w = strings.TrimRight(w, ",;:)")
			}
			if args = append(args, w); end || strings.HasPrefix(w, "[") {
				break
			}
		}
		if c, _, err := root.Find(args); err == nil && c != root && !strings.HasPrefix(args[len(args)-1], "[") {
			all = append(all, args)
		}
	}
}

// A site is a text of the program that prints a command.
type site struct {
	where, text string
	pattern     *regexp.Regexp
}

// verb is a verb of fmt.
var verb = regexp.MustCompile(`%(\[\d+\])?[-+#.0-9]*[a-zA-Z]`)

// patternOf matches what is printed by a format.
func patternOf(format string) *regexp.Regexp {
	var b strings.Builder
	for i, part := range verb.Split(strings.ReplaceAll(format, "%%", "\x00"), -1) {
		if i > 0 {
			b.WriteString("(?s:.*)")
		}
		b.WriteString(regexp.QuoteMeta(strings.ReplaceAll(strings.TrimSpace(part), "\x00", "%")) + `\s*`)
	}
	return regexp.MustCompile(strings.ReplaceAll(b.String(), `\s*(?s:.*)`, `(?s:.*)`))
}

// sites finds what prints commands: formats with one, and formats of advice with a verb.
func sites(t *testing.T, root *cobra.Command) (all []site) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "tools" || d.Name() == "examples" || d.Name() == "site" ||
			d.Name() == "wording" || path != "../.." && strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		where := strings.TrimPrefix(path, "../../")
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit, *ast.BinaryExpr:
				text, ok := textOf(n)
				if ok && len(commandsIn(strings.ReplaceAll(text, "\n", " "), root)) > 0 {
					all = append(all, site{where, text, patternOf(text)})
				}
				return !ok
			case *ast.CallExpr:
				if format := adviceFormat(n); format != "" {
					all = append(all, site{where, format, patternOf(format)})
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// textOf is the text of a literal, or of several on lines of their own, that are added.
func textOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		return text, n.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		left, a := textOf(n.X)
		right, b := textOf(n.Y)
		return left + right, n.Op == token.ADD && a && b
	}
	return "", false
}

// adviceFormat is the format of a call of advice.Add or advice.New, "" for another call, or where no
// argument is an action.
func adviceFormat(call *ast.CallExpr) (format string) {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if p, is := f, ok; !is || fmt.Sprint(p.X) != "advice" || p.Sel.Name != "Add" && p.Sel.Name != "New" {
		return ""
	}
	acts := false
	for _, arg := range call.Args {
		switch a := arg.(type) {
		case *ast.BasicLit, *ast.BinaryExpr:
			if text, ok := textOf(a); ok && format == "" {
				format = text
			}
		case *ast.SelectorExpr:
			acts = acts || fmt.Sprint(a.X) == "advice" && commandVerbs[a.Sel.Name]
		case *ast.CallExpr:
			if with, ok := a.Fun.(*ast.SelectorExpr); ok && with.Sel.Name == "With" {
				acts = true
			}
		}
	}
	if !acts {
		return ""
	}
	return format
}

var commandVerbs = map[string]bool{
	"Calibrate": true, "Compare": true, "DescribeData": true, "Enrol": true, "Group": true, "ListParameters": true,
	"MeasureNetwork": true, "RunPlan": true, "Survey": true, "Train": true, "Undo": true, "WritePlan": true,
}

// runPrinted executes nrdl ARG... in dir, and returns its status and what it prints.
func runPrinted(t *testing.T, dir string, args []string) (int, string) {
	t.Helper()
	if args[0] == "serve" && len(args) > 1 {
		return served(t, dir, append(args, "--listen", "127.0.0.1:0"))
	}
	if args[0] == "open" && len(args) > 1 {
		return served(t, dir, append(args, "--browser=false"))
	}
	status, out, log := nrdlIn(t, dir, args...)
	return status, out + "\n" + log
}

// served starts a service, and ends it when it listens.
func served(t *testing.T, dir string, args []string) (int, string) {
	t.Helper()
	c := exec.Command("nrdl", args...)
	c.Dir = dir
	log, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var output strings.Builder
	for lines := bufio.NewScanner(log); lines.Scan(); {
		output.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "http://127.0.0.1:") {
			_ = c.Process.Signal(syscall.SIGTERM)
		}
	}
	_ = c.Wait()
	return c.ProcessState.ExitCode(), output.String()
}

// makeState executes a line "$ ..." in dir.
func makeState(t *testing.T, dir, line string) {
	t.Helper()
	words, _ := shellWords(line)
	path := func(i int) string { return filepath.Join(dir, words[i]) }
	var err error
	switch words[0] {
	case "nrdl":
		if status, output := runPrinted(t, dir, words[1:]); status != succeeded {
			t.Fatalf("%s: %d\n%s", line, status, output)
		}
	case "fails":
		runPrinted(t, dir, words[2:])
	case "drawn":
		drawnTo(t, dir, words[1])
	case "cp":
		var data []byte
		if data, err = os.ReadFile(path(1)); err == nil {
			err = os.WriteFile(path(2), data, 0o666)
		}
	case "cpdir":
		err = os.CopyFS(path(2), os.DirFS(path(1)))
	case "mv":
		err = os.Rename(path(1), path(2))
	case "mkdir":
		err = os.MkdirAll(path(1), 0o777)
	case "rm":
		err = os.RemoveAll(path(1))
	case "write":
		err = os.WriteFile(path(1), []byte(strings.Join(words[2:], " ")), 0o666)
	default:
		t.Fatalf("%q is no command of testdata/printed.txt", line)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// filled is a printed command with what its reader fills in.
func (s *scenario) filled(args []string) (all []string, missing string) {
	for _, a := range args {
		if strings.HasPrefix(a, ">") { // a file for the shell
			continue
		}
		flag, value, cut := strings.Cut(a, "=")
		if to, ok := s.fill[a]; ok {
			a = to
		} else if to, ok := s.fill[value]; ok && cut {
			a = flag + "=" + to
		} else if regexp.MustCompile(`^[A-Z][A-Z,]*(\.[a-z]+)?$|…`).MatchString(a) {
			missing = a
		}
		all = append(all, a)
	}
	return all, missing
}

// kindOf is args without what they are of: of commands of one kind, one is run where time is short.
func kindOf(args []string) string {
	kind := args[0]
	for _, a := range args[1:] {
		if flag, _, _ := strings.Cut(a, "="); strings.HasPrefix(a, "-") || regexp.MustCompile(`^[A-Z]+$`).MatchString(a) {
			kind += " " + flag
		}
	}
	return kind
}

// try runs the scenario in dir and what it prints, each in a copy of the folder. It returns what it prints.
func (s *scenario) try(t *testing.T, dir string, root *cobra.Command, tried map[string]bool) (output string) {
	for _, line := range s.state {
		makeState(t, dir, line)
	}
	if s.prints == "" {
		return ""
	}
	words, _ := shellWords(s.prints)
	_, output = runPrinted(t, dir, words[1:])
	found := 0
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "  nrdl ") || strings.Contains(line, "usage: nrdl ") ||
			strings.Contains(line, " needs ") && strings.HasPrefix(line, "nrdl: error: ") {
			continue // examples of the help, which TestExamples runs, and forms of commands
		}
		for _, args := range commandsIn(strings.TrimSpace(line), root) {
			found++
			command := strings.Join(args, " ")
			if slices.ContainsFunc(slices.Collect(maps.Keys(s.skip)), func(text string) bool { return strings.Contains(command, text) }) {
				continue
			}
			filled, missing := s.filled(args)
			if missing != "" {
				t.Errorf("%s: there is no value for %s of the printed %q", s.name, missing, command)
				continue
			}
			if kind := kindOf(args); tried[kind] && os.Getenv("NRDL_LONG") == "" {
				continue
			} else {
				tried[kind] = true
			}
			again := filepath.Join(t.TempDir(), "state")
			if err := os.CopyFS(again, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			if status, story := runPrinted(t, again, filled); status != succeeded {
				t.Errorf("%s: %s prints\n\t%s\nof which nrdl %q ends with %d:\n%s", s.name, s.prints, strings.TrimSpace(line), filled, status, story)
			}
		}
	}
	if found == 0 {
		t.Errorf("%s: %s prints no command:\n%s", s.name, s.prints, output)
	}
	return output
}

func TestPrintedCommandsRun(t *testing.T) {
	t.Parallel()
	root := newApp(os.Stdout, os.Stderr).rootCmd()
	left := map[string]string{} // folder by name of the scenario
	tried := map[string]bool{}
	var output strings.Builder
	all, elsewhere := scenarios(t)
	long := os.Getenv("NRDL_LONG") != ""
	for _, s := range all {
		if s.long && !long {
			continue
		}
		dir := filepath.Join(t.TempDir(), "here")
		if s.base != "" {
			if err := os.CopyFS(dir, os.DirFS(left[s.base])); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		output.WriteString(s.try(t, dir, root, tried))
		left[s.name] = dir
	}
	text, used := output.String(), map[string]bool{}
	for _, s := range sites(t, root) {
		run := s.pattern.MatchString(text)
		for part := range elsewhere {
			if strings.Contains(s.text, part) {
				run, used[part] = true, true
			}
		}
		if !run && !slices.ContainsFunc(all, func(o *scenario) bool { return o.long && !long && strings.Contains(o.texts, s.text) }) {
			t.Errorf("%s: no scenario of testdata/printed.txt prints %q", s.where, s.text)
		}
	}
	for part, why := range elsewhere {
		if !used[part] {
			t.Errorf("no command is printed by a text with %q any more (%s)", part, why)
		}
	}
}
