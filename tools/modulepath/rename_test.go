// Package modulepath has the script that gives the module another path, and its test.
package modulepath

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// A renamed copy of this module has no trace of the old path, and its imports lead to packages.
func TestRename(t *testing.T) {
	root, copied := filepath.Join("..", ".."), t.TempDir()
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		lacking.Skip(t, "no git checkout")
	}
	run := func(dir, name string, arguments ...string) (string, error) {
		command := exec.Command(name, arguments...)
		command.Dir = dir
		// To compress files that are read once takes longer than to write and read them.
		command.Env = append(os.Environ(), "GOWORK=", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.compression",
			"GIT_CONFIG_VALUE_0=0", "GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@nrdl.example", "GIT_COMMITTER_NAME=test",
			"GIT_COMMITTER_EMAIL=test@nrdl.example")
		out, err := command.CombinedOutput()
		return string(out), err
	}
	must := func(dir, name string, arguments ...string) {
		t.Helper()
		if out, err := run(dir, name, arguments...); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, out)
		}
	}
	files, err := run(root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.Skip(err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(files, "\x00"), "\x00") {
		from, to := filepath.Join(root, name), filepath.Join(copied, name)
		info, err := os.Stat(from)
		if os.IsNotExist(err) {
			continue // deleted and not committed
		}
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	const old = "nrdl.example" + "/nrdl" // in two, so that it is not renamed
	words := filepath.Join(copied, "words")
	if err := os.WriteFile(words, []byte("go get "+old+". or "+old+"-c x"+old+" -X="+old+"/internal.v=1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	must(copied, "git", "init", "--quiet")
	must(copied, "git", "add", "--all")
	must(copied, "git", "commit", "--quiet", "--message", "all")
	const script = "tools/modulepath/rename"
	for _, path := range []string{"nrdl", "", "a b.example/c", "-x", "a.example/../b"} {
		if out, err := run(copied, "sh", script, path); err == nil {
			t.Errorf("%q is accepted: %s", path, out)
		}
	}
	must(copied, "sh", script, "faces.example/some/nrdl")
	if found, err := run(copied, "git", "grep", "-lwF", old, "--", ".", ":!words"); err == nil {
		t.Errorf("the path is left in %s", found)
	}
	if text, err := os.ReadFile(words); err != nil ||
		string(text) != "go get faces.example/some/nrdl. or "+old+"-c x"+old+" -X=faces.example/some/nrdl/internal.v=1\n" {
		t.Errorf("%q, error %v", text, err)
	}
	// A small package that imports others is built. With NRDL_LONG every import has to lead to a package.
	must(copied, "go", "build", "./internal/kit/linkdir")
	if os.Getenv("NRDL_LONG") != "" {
		must(copied, "go", "list", "-deps", "work")
	}
}
