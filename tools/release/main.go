// Command release makes the files of a release out of this checkout:
//
//	go run ./tools/release -o dist          # all systems
//	go run ./tools/release -o dist -check   # makes them twice and compares
//
// They are programs in archives, packages for Debian with manual, completions and the systemd unit,
// images for containers, wheels of the Python package with the program inside, a list of what is inside
// each program (CycloneDX), the folder proxy, from which go install takes the modules, the notes of the
// version, and SHA256SUMS. Their version is what the program says of itself (package version): the tag of the commit, or 0.3.0-dev+COMMIT. The bytes depend on the commit
// and on the version of Go alone. The packages need dpkg-deb.
package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nrdl.example/nrdl/cmd/nrdl/licences/embedded"
	"nrdl.example/nrdl/internal/kit/version"
)

func main() {
	out := flag.String("o", "dist", "write the files to this `DIR`, which must not exist")
	systems := flag.String("systems", strings.Join(embedded.Systems, ","), "make programs for these, such as linux/amd64")
	level := flag.Int("z", 6, "compress packages for Debian at this `LEVEL`, 0 to 9; a test of them takes less time with 0")
	check := flag.Bool("check", false, "make everything a second time and compare the bytes")
	others := flag.Bool("others", true, "the folder proxy also has the modules of others, 140 MB: go install then needs no network")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := release{ctx: ctx, systems: strings.Split(*systems, ","), level: *level, others: *others}
	err := r.make(*out)
	if err == nil && *check {
		err = r.again(*out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release: error:", err)
		os.Exit(1)
	}
}

// A release is one run of this command.
type release struct {
	ctx         context.Context
	systems     []string
	level       int  // of the compression of packages for Debian
	others      bool // whether the proxy has the modules of others
	output, tmp string
	version     string // of the program, without v
	notes       string
	date        time.Time // of the commit
}

// make makes all files, in a folder that does not exist.
func (r release) make(out string) (err error) {
	ctx := r.ctx
	// Programs tell whether they were built from a commit alone.
	changes, err := exec.CommandContext(ctx, "git", "status", "--porcelain").Output()
	if err != nil {
		return fmt.Errorf("git status: %w", err)
	}
	if len(changes) > 0 {
		return fmt.Errorf("files are changed or new since the commit: commit, ignore or remove them first\n%s", changes)
	}
	if err := os.Mkdir(out, 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "nrdl-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	r.output, r.tmp = out, tmp
	date, err := exec.CommandContext(ctx, "git", "log", "-1", "--format=%cI").Output()
	if err != nil {
		return fmt.Errorf("git log: %w", err)
	}
	if r.date, err = time.Parse(time.RFC3339, strings.TrimSpace(string(date))); err != nil {
		return err
	}
	r.date = r.date.UTC()
	if err := r.texts(); err != nil {
		return err
	}
	for _, system := range r.systems {
		if err := r.program(system); err != nil {
			return fmt.Errorf("%s: %w", system, err)
		}
	}
	var needed []string
	if r.others {
		needed = r.systems
	}
	if err := r.proxy(".", needed); err != nil {
		return fmt.Errorf("proxy: %w", err)
	}
	if err := os.WriteFile(filepath.Join(out, "NOTES.md"), []byte(r.notes), 0o666); err != nil {
		return err
	}
	return r.sums()
}

// again makes the release a second time and compares.
func (r release) again(out string) error {
	second := out + ".second"
	defer os.RemoveAll(second)
	if err := r.make(second); err != nil {
		return err
	}
	a, errA := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	b, errB := os.ReadFile(filepath.Join(second, "SHA256SUMS"))
	if err := cmp.Or(errA, errB); err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return fmt.Errorf("the second release differs from the first:\n%s\n%s", a, b)
	}
	fmt.Println("the second release has equal bytes")
	return nil
}

// texts makes the manual and the completions, by a program that also tells the version.
func (r *release) texts() error {
	program := filepath.Join(r.tmp, "texts")
	if err := r.run("go", "build", "-buildvcs=true", "-tags", "man", "-o", program, "./cmd/nrdl"); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	r.version = version.Of(info)
	if number, _, _ := strings.Cut(r.version, "-"); number != version.Next {
		return fmt.Errorf("the tag of the commit is of %s, but internal/kit/version and the requirements of the "+
			"modules are of %s", r.version, version.Next)
	}
	if err := r.documents("CHANGELOG.md", "doc/changes", "README.md"); err != nil {
		return err
	}
	man := filepath.Join(r.tmp, "man")
	if err := os.Mkdir(man, 0o777); err != nil {
		return err
	}
	if err := r.run(program, "man", man, r.date.Format(time.RFC3339)); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(r.tmp, "completion"), 0o777); err != nil {
		return err
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		text, err := exec.CommandContext(r.ctx, program, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completion %s: %w", shell, err)
		}
		if err := os.WriteFile(filepath.Join(r.tmp, "completion", "nrdl."+shell), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) run(name string, arguments ...string) error {
	out, err := exec.CommandContext(r.ctx, name, arguments...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(arguments, " "), err, out)
	}
	return nil
}

// build builds a program as it is released.
func (r *release) build(env []string, arguments ...string) error {
	build := exec.CommandContext(r.ctx, "go", append([]string{
		"build", "-trimpath", "-buildvcs=true", "-gcflags=all=-dwarf=false", "-ldflags=-s -w",
	}, arguments...)...)
	build.Env = env
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// program makes all files for one system.
func (r *release) program(system string) error {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok || !slices.Contains(embedded.Systems, system) {
		return fmt.Errorf("unknown system: there are %s", strings.Join(embedded.Systems, ", "))
	}
	name := fmt.Sprintf("nrdl_%s_%s_%s", r.version, goos, goarch)
	file := "nrdl"
	if goos == "windows" {
		file += ".exe"
	}
	at := filepath.Join(r.tmp, name, file)
	env := append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=")
	if err := r.build(env, "-o", at, "./cmd/nrdl"); err != nil {
		return err
	}
	files, err := r.tree(at, file)
	if err != nil {
		return err
	}
	if err := r.archive(name, files, goos == "windows"); err != nil {
		return err
	}
	if err := r.sbom(name, at); err != nil {
		return err
	}
	if err := r.wheels(system, env, at, file); err != nil {
		return err
	}
	if goos == "linux" {
		return cmp.Or(r.image(name, goarch, at), r.deb(goarch, at))
	}
	return nil
}
