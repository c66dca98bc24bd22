package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplace(t *testing.T) {
	const old, path = "a.example/b", "c.example/d/e"
	for text, want := range map[string]string{
		`import "a.example/b"`:               `import "c.example/d/e"`,
		`import "a.example/b/x"`:             `import "c.example/d/e/x"`,
		"module a.example/b\n":               "module c.example/d/e\n",
		"a.example/b a.example/b":            "c.example/d/e c.example/d/e",
		"https://pkg.go.dev/a.example/b@v1.": "https://pkg.go.dev/c.example/d/e@v1.",
		"go get a.example/b.":                "go get c.example/d/e.",
		"a.example/bb":                       "a.example/bb",
		"a.example/b-c":                      "a.example/b-c",
		"xa.example/b":                       "xa.example/b",
		"-X=a.example/b/internal.v=1":        "-X=c.example/d/e/internal.v=1",
	} {
		if got := string(replace([]byte(text), old, path)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A renamed copy of this module has no trace of the old path, and its imports lead to packages.
func TestRename(t *testing.T) {
	root, copied := filepath.Join("..", ".."), t.TempDir()
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("no git checkout")
	}
	files, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skip(err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(files), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted and not committed
		} else if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(copied, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	old, n, err := rename(copied, "faces.example/some/nrdl")
	if err != nil || n == 0 {
		t.Fatal(n, err)
	}
	left := exec.Command("grep", "-rlwF", "--", old, copied)
	if found, err := left.Output(); err == nil {
		t.Errorf("%s is left in %s", old, found)
	}
	// A small package that imports others is built. With NRDL_LONG every import has to lead to a package.
	commands := [][]string{{"build", "./internal/linkdir"}}
	if os.Getenv("NRDL_LONG") != "" {
		commands = append(commands, []string{"list", "-deps", "./..."})
	}
	for _, arguments := range commands {
		command := exec.Command("go", arguments...)
		command.Dir, command.Env = copied, append(os.Environ(), "GOWORK=off")
		var stderr strings.Builder
		command.Stderr = &stderr
		if err := command.Run(); err != nil {
			t.Errorf("go %s: %v\n%s", strings.Join(arguments, " "), err, &stderr)
		}
	}
}

func TestWrongPath(t *testing.T) {
	for _, path := range []string{"nrdl", "", "a b.example/c", "-x"} {
		if _, _, err := rename(filepath.Join("..", ".."), path); err == nil {
			t.Errorf("%q is accepted", path)
		}
	}
}
