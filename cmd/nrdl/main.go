// Command nrdl learns to recognise people from photographs of their faces.
//
//	nrdl data synth people                    # or a folder with one folder per person
//	nrdl train people -o people.nrdl
//	nrdl identify people.nrdl photo.pgm
//
// Results go to standard output, messages to standard
// error. It exits with 0, or 1 where it failed, or 2 where it was misused; verify --exit-code
// exits with 1 for different people, and 2 where it failed.
package main

import (
	"context"
	"embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/cmd/nrdl/wording"
	"nrdl.example/nrdl/doc"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/heic"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/server"
)

// Exit statuses.
const (
	succeeded = 0
	failed    = 1
	misused   = 2
)

func main() { os.Exit(run(os.Args[1:])) }

// run executes the command line args and returns the exit status.
func run(args []string) int {
	heic.Register()
	if folder, err := os.UserCacheDir(); err == nil && os.Getenv("NRDL_CACHE") != "off" {
		heic.KeepCode(filepath.Join(folder, "nrdl"))
	}
	a := newApp(os.Stdout, os.Stderr)
	a.args = args
	ctx, stop := cli.Interruptible(func() {
		if a.Terminal {
			a.Tell("\nending after this pass; Ctrl-C again ends at once")
		}
	}, func() {
		a.ClearBar()
		a.Complain(errInterrupted)
		atomicfile.Abandon()
		os.Exit(a.failure())
	}, func() time.Duration {
		if a.drains.Load() {
			return server.Grace + ending
		}
		return ending
	})
	defer stop()
	cli.CollectEarly()

	err := blas.EnvError()
	if err != nil {
		err = cli.Misuse("%s", strings.TrimPrefix(err.Error(), "blas: "))
	} else if err = cli.CheckMemory(); err != nil {
		err = cli.AsMisuse(err) // as a wrong environment is
	} else {
		root := a.rootCmd()
		root.SetArgs(args)
		err = cli.Execute(dataset.WithWarnings(ctx, a.WarnOf), root)
	}
	if ctx.Err() != nil && !(a.endless && errors.Is(err, context.Canceled)) {
		return a.report(errInterrupted) // without results that may be only a part
	}
	if flushed := a.Results.Flush(); err == nil || a.endless && errors.Is(err, context.Canceled) {
		err = flushed
	}
	return a.report(err)
}

// ending is how long a command may go on after a SIGTERM.
const ending = 1500 * time.Millisecond

var errInterrupted = errors.New("interrupted")

// report prints err and returns the exit status that it stands for.
func (a *app) report(err error) int {
	if err == nil {
		return succeeded
	}
	if errors.Is(err, errDifferent) {
		return failed
	}
	if !errors.Is(err, errReported) {
		a.Complain(err)
	}
	if cli.IsMisuse(err) {
		return misused
	}
	return a.failure()
}

// failure is the exit status for what is no misuse.
func (a *app) failure() int { return max(failed, int(a.trouble.Load())) }

// errReported is returned by a command that has printed its errors itself.
var errReported = errors.New("reported")

// errDifferent is returned by verify --exit-code for different people.
var errDifferent = errors.New("different people")

//go:embed help/*.txt
var helpTexts embed.FS

func (a *app) rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:     "nrdl",
		Version: "nrdl " + buildinfo.Read().Version,
	}
	root.SetOut(a.Results)
	root.SetErr(a.Err)
	group := func(title string, all ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
		for _, c := range all {
			c.GroupID = title
		}
		root.AddCommand(all...)
	}
	group("Names in photographs:", a.trainCmd(), a.identifyCmd(), a.albumCmd(), a.openCmd(), a.groupCmd(), a.verifyCmd(), a.explainCmd(),
		a.addCmd(), a.removeCmd(), a.moveCmd(), a.renameCmd(), a.undoCmd(), a.historyCmd(), a.peopleCmd(), a.calibrateCmd())
	group("Methods and experiments:", a.demoCmd(), a.evaluateCmd(), a.tuneCmd(), a.benchCmd(), a.reportCmd(),
		a.compareCmd(), a.methodsCmd(), a.predictCmd(), a.transformCmd(), a.pictureCmd(), a.dataCmd(), a.networkCmd())
	group("Services and programs:", a.serveCmd(), a.keyCmd(), a.backupCmd(), a.healthcheckCmd(), a.workerCmd(), a.engineCmd())
	root.AddCommand(a.versionCmd())
	document(root, root.Name())
	for _, c := range root.Commands() {
		document(c, c.Name())
		for _, sub := range c.Commands() {
			document(sub, c.Name()+"-"+sub.Name())
		}
	}
	root.AddCommand(&cobra.Command{Use: "glossary", Short: "Terms: margin, score, split, FPIR …", Long: doc.Glossary()},
		&cobra.Command{Use: "tasks", Short: "Ten things to do, with the command for each", Long: doc.Tasks})
	root.AddCommand(a.manCmds()...)
	cli.Prepare(root, setInstead)
	return root
}

// document sets the summary, the description and the examples of c: in the text called name
// these are the first line, the paragraphs after it, and the lines below "Examples:". What stands
// below "Details:" is in the manual, and in nrdl help COMMAND --all.
func document(c *cobra.Command, name string) {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // our bug
	}
	description, examples, _ := strings.Cut(string(text), "\nExamples:\n")
	description, details, _ := strings.Cut(description, "\nDetails:\n")
	c.Short, c.Long, _ = strings.Cut(strings.TrimSpace(description), "\n\n")
	cli.Detail(c, details)
	c.Example = strings.TrimRight(examples, "\n")
}

// setInstead is the hint for a flag that c does not have, and that is or nearly is a
// parameter of the method of c, or "". A flag that is as near comes first.
func setInstead(c *cobra.Command, name string) string {
	m := methodOf(c)
	if c.Flags().Lookup("set") == nil || m == nil {
		return ""
	}
	var params []string
	for _, p := range method.Params(m) {
		if p.Path == name || strings.HasSuffix(p.Path, "."+name) {
			return "set parameters with --set " + p.Path + "=…"
		}
		params = append(params, p.Path)
	}
	flags := cli.Flags(c)
	slices.Reverse(flags)
	if near := advice.Nearest(name, slices.Concat(flags, params)); slices.Contains(params, near) {
		return "set parameters with --set " + near + "=…"
	}
	return ""
}

// An app is what the commands share.
type app struct {
	*console.Console
	args     []string    // of the command line
	lastNext string      // the hint that next gave last
	keyFile  keyFile     // of train and identify: the key of a service
	endless  bool        // interrupting is how the command ends
	drains   atomic.Bool // requests that are not answered when it is interrupted have server.Grace

	trouble atomic.Int32 // exit status for a failure, if that is not 1
}

func newApp(stdout, stderr *os.File) *app {
	a := &app{Console: console.New(stdout, stderr)}
	a.Wording = wording.Command{Model: "MODEL"}
	a.Otherwise = a.next
	return a
}

// observer shows long work, which begins with what, until done is called.
func (a *app) observer(what string) (o faces.Observer, done func()) {
	watch, watched := a.Watch(what)
	step, stepped := a.Stages(what)
	o = faces.Observer{
		Watch: watch, Progress: step,
		Tell:   func(s advice.Advice) { a.Tell("%s", s.Word(a.Wording)) },
		Detail: func(s advice.Advice) { a.Detail("%s", s.Word(a.Wording)) },
		Warn:   a.WarnOf,
	}
	return o, func() { watched(); stepped() }
}

// findVar registers the flags of find, which say whether faces are looked for in
// images, and which of several are meant.
func findVar(c *cobra.Command, find *face.Options, which face.Which, auto string) {
	detectVar(c, find, auto)
	find.Which = which
	usage := "if there are several faces: largest, central (large and near the middle), all but those less than half " +
		"as large as the largest, every, or refuse (skip the photograph)"
	choices := []string{string(face.Largest), string(face.Central), string(face.Refuse), string(face.All), string(face.Every)}
	if which == face.Agreeing {
		usage, choices = "agreeing (with the other photographs of the person), or "+strings.TrimPrefix(usage, "if there are several faces: "),
			append(choices, string(face.Agreeing))
		usage = "if there are several faces: " + usage
	}
	cli.Choice(c, &find.Which, "faces", usage, choices)
}

// skipVar registers the flag that names what is left out of folders.
func skipVar(c *cobra.Command, skip *[]string) {
	add := func(pattern string) ([]string, error) {
		_, err := path.Match(pattern, "")
		if pattern == "" {
			err = errors.New("it is empty")
		}
		return append(*skip, pattern), err
	}
	cli.Var(c, skip, "skip", "", "PATTERN",
		"leave out the files and folders that PATTERN matches, such as '*.png', raw or '2019/*'; may be given several times",
		add, func(all []string) string { return strings.Join(all, " ") })
}

func detectVar(c *cobra.Command, find *face.Options, auto string) {
	find.Detect = face.Auto
	cli.Choice(c, &find.Detect, "detect", "whether to search images for faces: auto ("+auto+"), always or never", face.Detects)
	detectorVar(c, &find.Search)
}

func detectorVar(c *cobra.Command, by **face.Search) {
	cli.Var(c, by, "detector", "", "DETECTOR", "how faces are found: "+strings.Join(face.Detectors, ", ")+
		", or the network in an .onnx file (default: that of the model, if there is one, else "+face.DefaultSearch.Name+")",
		face.OpenSearch, (*face.Search).String)
}

// open reads the model file at path, to look at photographs as find says.
func (a *app) open(path string, find face.Options, o faces.Observer) (*faces.Recogniser, error) {
	r, err := faces.Open(path)
	if err != nil {
		return nil, err
	}
	a.Wording = wording.Command{Model: path}
	return r.With(find, o)
}

// readable adds what to do about a file without permission.
func readable(err error) error {
	if errors.Is(err, fs.ErrPermission) && advice.Text(err) == "" {
		return advice.Add(err, "make it readable")
	}
	return err
}

// write writes a file at path, whole or not at all, and reports its size.
func (a *app) write(ctx context.Context, path string, content func(io.Writer) error) error {
	size, err := atomicfile.Write(ctx, path, content)
	if err == nil {
		next := ""
		if filepath.Ext(path) == ".html" {
			next = "; open it in a browser"
		}
		a.Tell("wrote %s, %s%s", path, console.Megabytes(size), next)
	}
	return err
}
