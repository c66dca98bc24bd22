package doc_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// inRepository reads a file, by its path in the repository.
func inRepository(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The container of .devcontainer has the packages that .ci/run asks for, and no others; npm is there with a
// newer Node.
func TestContainerHasPackages(t *testing.T) {
	var asked []string
	for _, m := range regexp.MustCompile(`(?m)^\tneed (?:'([^']+)'|(\S+)) `).FindAllStringSubmatch(inRepository(t, ".ci/run"), -1) {
		asked = append(asked, strings.Fields(m[1]+m[2])...)
	}
	container := inRepository(t, ".devcontainer/Dockerfile")
	listed := regexp.MustCompile(`(?s)apt-get install -y -qq \\\n(.*?)\t&&`).FindStringSubmatch(container)
	if listed == nil || !strings.Contains(container, " /usr/local/bin/npm ") {
		t.Fatalf("no list of packages, or no npm:\n%s", container)
	}
	has := append(strings.Fields(strings.ReplaceAll(listed[1], `\`, "")), "npm")
	slices.Sort(asked)
	slices.Sort(has)
	if !slices.Equal(asked, has) || len(asked) < 15 {
		t.Errorf(".ci/run asks for\n%q, the container has\n%q", asked, has)
	}
	for _, m := range regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(container, -1) {
		if !regexp.MustCompile(`:\d+\.\d+\.\d+-bookworm`).MatchString(m[1]) {
			t.Errorf("%s is not one version", m[1])
		}
	}
	language := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(inRepository(t, "go.mod"))
	if !strings.Contains(container, "golang:"+language[1]+".") {
		t.Errorf("the container has not Go %s", language[1])
	}
}

// Jobs and updates know each module, and name what is there.
func TestJobsOfModules(t *testing.T) {
	run, updates := inRepository(t, ".ci/run"), inRepository(t, ".github/dependabot.yml")
	systems := regexp.MustCompile(`module: \[(.*)\]`).FindStringSubmatch(inRepository(t, ".github/workflows/systems.yml"))
	modules := regexp.MustCompile(`(?m)^\t(\./)?(\S+)$`).FindAllStringSubmatch(inRepository(t, "go.work"), -1)
	if systems == nil || len(modules) < 9 {
		t.Fatalf("%q, %q", systems, modules)
	}
	parts := regexp.MustCompile(`(?m)^declare -A parts=\((.*)\)$`).FindString(run)
	for _, m := range modules {
		name := m[2]
		if !slices.Contains(strings.Split(systems[1], ", "), name) {
			t.Errorf("systems.yml does not have %s", name)
		}
		if !regexp.MustCompile(`[=' ]` + regexp.QuoteMeta(name) + `[' )]`).MatchString(parts) {
			t.Errorf("no part of .ci/run has %s", name)
		}
		if at := "/" + strings.TrimPrefix(name, "."); !regexp.MustCompile(`[\[ ]` + at + `[,\]]`).MatchString(updates) {
			t.Errorf("dependabot.yml does not have %s", at)
		}
	}
	jobs := regexp.MustCompile(`(?m)^          - (\w+)$`).FindAllStringSubmatch(inRepository(t, ".github/workflows/check.yml"), -1)
	for _, m := range jobs {
		if !strings.Contains(parts, "["+m[1]+"]") && m[1] != "python" && !strings.Contains(run, "\n"+m[1]+"() {") {
			t.Errorf(".ci/run has no %s", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`\[(\w+)\]`).FindAllStringSubmatch(parts, -1) {
		if !slices.ContainsFunc(jobs, func(job []string) bool { return job[1] == m[1] }) {
			t.Errorf("check.yml has no job for %s", m[1])
		}
	}
	folders := regexp.MustCompile(`(?m)^ *director(?:y|ies): \[?(.*?)\]?$|^(/\S*)`).FindAllStringSubmatch(updates+
		inRepository(t, ".github/CODEOWNERS"), -1)
	for _, m := range folders {
		for _, folder := range strings.Split(m[1]+m[2], ", ") {
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(folder))); err != nil {
				t.Error(err)
			}
		}
	}
}

// What go generate runs is found by its name, wherever a system keeps it.
func TestGenerateHasNoPaths(t *testing.T) {
	n := 0
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, ".go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, line := range regexp.MustCompile(`(?m)^//go:generate .*$`).FindAllString(string(text), -1) {
			n++
			if strings.Contains(line, " /") {
				t.Errorf("%s: %s", name, line)
			}
		}
		return err
	})
	if err != nil || n < 8 {
		t.Errorf("%d lines, %v", n, err)
	}
}
