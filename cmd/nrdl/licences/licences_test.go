package licences

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/cmd/nrdl/licences/embedded"
)

const root = "../../.."

func TestNoticeIsTheFile(t *testing.T) {
	got := Notice()
	want, err := os.ReadFile(filepath.Join(root, "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("NOTICE and notice.zst differ: go generate ./cmd/nrdl/licences")
	}
}

// NOTICE names what the program is linked from, in the versions that it says
// itself, and nothing that has gone.
func TestNoticeNamesModules(t *testing.T) {
	notice := Notice()
	program := filepath.Join(t.TempDir(), "nrdl")
	build := exec.Command("go", "build", "-o", program, "./cmd/nrdl")
	if os.Getenv("NRDL_LONG") == "" {
		build = exec.Command("go", "list", "-deps", "-f", "dep {{with .Module}}{{.Path}} {{.Version}}{{end}}", "./cmd/nrdl")
	}
	build.Dir = root
	linked, err := build.Output()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("NRDL_LONG") != "" {
		if linked, err = exec.Command("go", "version", "-m", program).Output(); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, dep := range regexp.MustCompile(`(?m)^\s*dep\s+(\S+)\s+(v\S+)`).FindAllSubmatch(linked, -1) {
		n++
		if !bytes.Contains(notice, []byte("\n"+string(dep[1])+" "+string(dep[2])+"\n")) {
			t.Errorf("%s %s is not in NOTICE: go generate ./cmd/nrdl/licences", dep[1], dep[2])
		}
	}
	if n == 0 {
		t.Error("no module is found")
	}
}

// What is embedded and no text of this project has a licence.
func TestNoticeNamesFiles(t *testing.T) {
	own := []string{".html", ".tmpl", ".css", ".js", ".json", ".sql", ".md", ".txt", ".svg"}
	var covered []string
	for _, p := range embedded.Parts {
		for _, glob := range p.Files {
			files, err := filepath.Glob(filepath.Join(root, glob))
			if err != nil || len(files) == 0 {
				t.Errorf("%s: %s names no file (%v)", p.What, glob, err)
			}
			covered = append(covered, files...)
		}
		for _, file := range p.Licences {
			if text, err := os.ReadFile(filepath.Join(root, file)); err != nil || len(text) < 100 {
				t.Errorf("%s: the licence %s is missing (%v)", p.What, file, err)
			}
		}
	}
	list := exec.Command("go", "list", "-deps", "-f",
		`{{$d := .Dir}}{{if and .Module .Module.Main}}{{range .EmbedFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}`, "./cmd/nrdl")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	base, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		file, err := filepath.Rel(base, name)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(own, filepath.Ext(file)) || slices.Contains(covered, filepath.Join(root, file)) ||
			slices.Contains([]string{"notice.zst", "covered.f32"}, filepath.Base(file)) {
			continue
		}
		t.Errorf("%s is embedded, and no part in cmd/nrdl/licences/embedded names it", file)
	}
}

// A list of what is inside names each library that was compiled to WebAssembly, in the version that its
// part and its build say, and SQLite in that of the module.
func TestLibrariesAreNamed(t *testing.T) {
	purl := regexp.MustCompile(`^pkg:(github|generic|deb)/[\w/.%+-]+@v?[\w.:~+-]+(\?\S+)?$`)
	n := 0
	for _, p := range embedded.Parts {
		compiled := strings.HasSuffix(p.Files[0], ".wasm.zst")
		if compiled != (len(p.Libraries) > 0) {
			t.Errorf("%s: %d libraries", p.What, len(p.Libraries))
		}
		for _, l := range p.Libraries {
			n++
			if !purl.MatchString(l.PURL) || !strings.Contains(l.PURL, l.Version) || l.Licence == "" {
				t.Errorf("%+v", l)
			}
			if !strings.HasPrefix(l.PURL, "pkg:deb/") && !strings.Contains(p.What, l.Name+" "+l.Version) {
				t.Errorf("%s: the part does not name %s %s", p.What, l.Name, l.Version)
			}
		}
	}
	notice, err := os.ReadFile(filepath.Join(root, "NOTICE"))
	if err != nil || n < 8 {
		t.Fatal(n, err)
	}
	for _, l := range embedded.Translated {
		if !regexp.MustCompile(`(?i)\| \[` + l.Name + `\]\(\S+\) \| ` + regexp.QuoteMeta(l.Version) + ` \|`).Match(notice) {
			t.Errorf("NOTICE has no %s %s", l.Name, l.Version)
		}
	}
}
