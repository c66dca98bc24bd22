// The tests build programs outside the workspace, which they get from a folder that serves the
// modules as the go command asks a proxy for them. Modules are those of the last commit.
package main

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/modfile"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/kit/version"
	"nrdl.example/nrdl/internal/testing/lacking"
)

const root = "../.."

// released is the version that the program from the proxy says.
const released = version.Next + "-dev+0123456789ab"

// An outside is an environment in which the go command finds our modules in the proxy only. All tests
// share one.
type outside struct {
	t    *testing.T
	env  []string
	path string
}

var shared string // folder of the proxy and of the modules taken from it

func TestMain(m *testing.M) {
	shared = must(os.MkdirTemp("", "outside"))
	code := m.Run()
	os.RemoveAll(shared)
	os.Exit(code)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// proxied writes the proxy, as a release does, and a cache that has the modules from it and all others
// from the cache of this machine.
var proxied = sync.OnceValues(func() (path string, err error) {
	r := &release{ctx: context.Background(), output: shared, tmp: shared, version: released}
	if err := r.proxy(root, nil); err != nil {
		return "", err
	}
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return "", err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	path = modfile.ModulePath(mod)
	known, cache := strings.TrimSpace(string(out)), filepath.Join(shared, "mod")
	for _, dir := range []string{"cache/download", "."} {
		for name := range strings.SplitSeq(path, "/") {
			err = errors.Join(err, link(filepath.Join(cache, dir), filepath.Join(known, dir), name))
			dir = filepath.Join(dir, name)
		}
	}
	return path, err
})

// link makes a link in dir to each entry of target, but to own and its versions.
func link(dir, target, own string) error {
	entries, err := os.ReadDir(target)
	if os.IsNotExist(err) {
		return nil
	}
	err = errors.Join(err, os.MkdirAll(dir, 0o777))
	for _, e := range entries {
		name, _, _ := strings.Cut(e.Name(), "@")
		if at := filepath.Join(dir, e.Name()); name != own && at != filepath.Join(shared, "mod", "cache") {
			err = errors.Join(err, os.Symlink(filepath.Join(target, e.Name()), at))
		}
	}
	return err
}

func newOutside(t *testing.T) *outside {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("builds programs outside the module: set NRDL_LONG=1")
	}
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		lacking.Skip(t, "no git checkout")
	}
	path, err := proxied()
	if err != nil {
		t.Fatal(err)
	}
	return &outside{t, append(os.Environ(),
		"GOPROXY=file://"+filepath.ToSlash(filepath.Join(shared, "proxy")), "GONOSUMDB="+path, "GONOSUMCHECK=1",
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod -modcacherw -trimpath",
		"GOMODCACHE="+filepath.Join(shared, "mod"), "GOWORK=off", "CGO_ENABLED=0"), path}
}

func (o *outside) run(dir, name string, arguments ...string) []byte {
	o.t.Helper()
	c := exec.Command(name, arguments...)
	c.Dir, c.Env = dir, o.env
	out, err := c.CombinedOutput()
	if err != nil {
		o.t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, out)
	}
	return out
}

// build builds an example outside the module and returns the program.
func (o *outside) build(example string) string {
	o.t.Helper()
	dir := filepath.Join(o.t.TempDir(), example)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples/outside", example))); err != nil {
		o.t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "tools", "go.sum"))
	if err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o666); err != nil {
		o.t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	o.run(dir, "go", "build", "-o", program, ".")
	if runtime.GOOS == "linux" {
		file, err := elf.Open(program)
		if err != nil {
			o.t.Fatal(err)
		}
		defer file.Close()
		if libraries, err := file.ImportedLibraries(); err != nil || len(libraries) > 0 || file.Section(".interp") != nil {
			o.t.Errorf("%s is not linked statically: %v, %v", example, libraries, err)
		}
	}
	return program
}

func TestMatrixOutside(t *testing.T) {
	o := newOutside(t)
	if out := o.run(".", o.build("matrix")); !bytes.Contains(out, []byte("4 classes: 200 of 200 columns are right")) {
		t.Errorf("%s", out)
	}
}

// A method of another module keeps the contract, trains, and changes the people of a model in
// another process.
func TestMethodOutside(t *testing.T) {
	o := newOutside(t)
	program := o.build("method")
	o.run(filepath.Dir(program), "go", "test", ".")
	model := filepath.Join(t.TempDir(), "people.nrdl")
	o.run(".", program, "train", model)
	if out := o.run(".", program, "change", model); !bytes.Contains(out, []byte("7 people are named by balanced")) {
		t.Errorf("%s", out)
	}
}

// The command can be installed by its path and the version.
func TestInstallOutside(t *testing.T) {
	o := newOutside(t)
	bin := t.TempDir()
	o.env = append(o.env, "GOBIN="+bin, "GOFLAGS="+os.Getenv("GOFLAGS")+" -modcacherw -trimpath", "GOSUMDB=off")
	o.run(t.TempDir(), "go", "install", o.path+"/cmd/nrdl@"+next)
	if out := o.run(".", filepath.Join(bin, "nrdl"), "version"); !bytes.HasPrefix(out, []byte("nrdl "+released+"\n")) {
		t.Errorf("%s", out)
	}
}

// A service of 30 lines names people, in a folder in which there is nothing else.
func TestPhotographsOutside(t *testing.T) {
	o := newOutside(t)
	program := o.build("photographs")
	empty := filepath.Dir(program)
	drawn := synthetic.Photographs{People: 3, PerPerson: 3, Size: dataset.Size{Height: 240, Width: 320}, Seed: 50}
	if err := drawn.Write(t.Context(), filepath.Join(empty, "drawn"), nil); err != nil {
		t.Fatal(err)
	}
	command, folder := program, filepath.Join(empty, "drawn", "people")
	var arguments []string
	if os.Getuid() == 0 && runtime.GOOS == "linux" {
		command, arguments, folder = "chroot", []string{empty, "/program"}, "/drawn/people"
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, command, append(arguments, folder, "127.0.0.1:0")...)
	output, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); c.Wait() }()
	var log []byte
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	for some := make([]byte, 1000); address.Find(log) == nil; {
		n, err := output.Read(some)
		if log = append(log, some[:n]...); err != nil {
			t.Fatalf("%v: %s", err, log)
		}
	}
	photos, err := filepath.Glob(filepath.Join(empty, "drawn", "people", "person001", "*"))
	if err != nil || len(photos) == 0 {
		t.Fatal(photos, err)
	}
	photo, err := os.ReadFile(photos[0])
	if err != nil {
		t.Fatal(err)
	}
	pattern, err := os.ReadFile(filepath.Join(root, "faces", "heic", "testdata", "pattern.heic"))
	if err != nil {
		t.Fatal(err)
	}
	for want, data := range map[string][]byte{"[\"person001\"]\n": photo, "[]\n": pattern} {
		answer, err := http.Post(string(address.Find(log)), "image/jpeg", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || string(text) != want {
			t.Errorf("%s %v, want %s", text, err, want)
		}
	}
}

// Who imports the package method gets a small module that needs few others.
func TestSmallCore(t *testing.T) {
	o := newOutside(t)
	dir := filepath.Dir(o.build("matrix"))
	all := map[string]bool{}
	for named := range strings.FieldsSeq(string(o.run(dir, "go", "mod", "graph"))) {
		name, _, _ := strings.Cut(named, "@")
		all[name] = true
	}
	delete(all, "go") // which is no module
	delete(all, "toolchain")
	if len(all) > 25 || len(all) < 4 {
		t.Errorf("a program with package method has %d modules: %v", len(all), all)
	}
	t.Logf("%d modules", len(all))
	archive, err := os.Stat(filepath.Join(shared, "proxy", filepath.FromSlash(o.path), "@v", next+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if archive.Size() > 1_000_000 {
		t.Errorf("the archive of %s has %d bytes, its budget is 1 MB", o.path, archive.Size())
	}
	t.Logf("%d bytes", archive.Size())
}
