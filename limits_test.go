package nrdl_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// A program that imports one of these packages is linked with few others.
func TestFewPackages(t *testing.T) {
	const never = `^(C|runtime/cgo|plugin|github\.com/ebitengine/purego.*|github\.com/nats-io/nats-server.*|gonum\.org/v1/plot.*)$`
	for _, c := range []struct {
		of                string
		packages, modules int
		only              string // other modules that are allowed
	}{
		{"./method", 110, 2, `^(gonum\.org/v1/gonum|golang\.org/x/sys)$`},
		{".", 285, 10, `.`},
		{"./cmd/nrdl", 540, 42, `.`},
	} {
		list := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", c.of)
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		packages, modules := 0, map[string]bool{}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			packages++
			if regexp.MustCompile(never).MatchString(fields[0]) {
				t.Errorf("%s is linked with %s", c.of, fields[0])
			}
			for _, m := range fields[1:] {
				modules[m] = true
				if !regexp.MustCompile(c.only).MatchString(m) {
					t.Errorf("%s is linked with module %s", c.of, m)
				}
			}
		}
		if packages > c.packages || len(modules) > c.modules || packages < 50 {
			t.Errorf("%s is linked with %d packages and %d other modules, want at most %d and %d", c.of, packages, len(modules), c.packages, c.modules)
		}
		t.Logf("%s: %d packages, %d other modules", c.of, packages, len(modules))
	}
}

// Another module can require this one: a replace line would not be read there.
func TestNoReplace(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(mod.Replace) > 0 || len(mod.Exclude) > 0 {
		t.Errorf("go.mod has %d replace lines and %d exclude lines", len(mod.Replace), len(mod.Exclude))
	}
}

// The command, as releases build it, has 57 MB at most beside the network that is the default.
func TestSmallCommand(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("links the command: set NRDL_LONG=1")
	}
	network, err := os.Stat("frontend/embedding/weights/faceplugin.onnx.zst")
	if err != nil {
		t.Fatal(err)
	}
	most := 57_000_000 + network.Size()
	program := filepath.Join(t.TempDir(), "nrdl")
	build := exec.Command("go", "build", "-trimpath", "-gcflags=all=-dwarf=false", "-ldflags=-s -w", "-o", program, "./cmd/nrdl")
	build.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOFLAGS=") }), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && file.Size() > most {
		t.Errorf("the command has %d bytes, want at most %d", file.Size(), most)
	}
	t.Logf("%d bytes", file.Size())
}
