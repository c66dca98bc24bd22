package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each kind of package has the version in the words of its own, in which it sorts before the release.
func TestVersionsOfPackages(t *testing.T) {
	for version, want := range map[string][2]string{
		"0.3.0":                          {"0.3.0", "0.3.0"},
		"0.3.0-rc.1":                     {"0.3.0rc1", "0.3.0~rc.1"},
		"0.3.0-dev":                      {"0.3.0.dev0", "0.3.0~dev"},
		"0.3.0-dev+0123456789ab":         {"0.3.0.dev0+0123456789ab", "0.3.0~dev+0123456789ab"},
		"0.3.0-dev+0123456789ab.changed": {"0.3.0.dev0+0123456789ab.changed", "0.3.0~dev+0123456789ab.changed"},
	} {
		if got := [2]string{forPython(version), forDebian(version)}; got != want {
			t.Errorf("%s: %q, not %q", version, got, want)
		}
	}
}

func TestNotes(t *testing.T) {
	changelog := filepath.Join(t.TempDir(), "CHANGELOG.md")
	if err := os.WriteFile(changelog,
		[]byte("# Changelog\n\n## Unreleased\n\n### Faces\n\n* new\n\n## 0.2.0 (2026-11-24)\n\n* old\n\n## 0.1.0\n\n* first\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	changes := t.TempDir()
	for version, want := range map[string]string{
		"0.3.0-dev+0123456789ab": "## Unreleased\n\n### Faces\n\n* new\n",
		"0.2.0":                  "## 0.2.0 (2026-11-24)\n\n* old\n",
		"0.1.0":                  "## 0.1.0\n\n* first\n",
	} {
		if got, err := notesOf(changelog, changes, version); err != nil || got != want {
			t.Errorf("%s: %q, %v", version, got, err)
		}
	}
	if _, err := notesOf(changelog, changes, "0.3.0"); err == nil || !strings.Contains(err.Error(), "no heading ## 0.3.0") {
		t.Errorf("a version that is not described: %v", err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(changes, "README.md"), []byte("# Changes\n"), 0o666),
		os.WriteFile(filepath.Join(changes, "newest.md"), []byte("* newest\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	if got, err := notesOf(changelog, changes, "0.3.0-dev"); err != nil || got != "## Unreleased\n\n### Faces\n\n* new\n\n### Newest\n\n* newest\n" {
		t.Errorf("with a change in a file of its own: %q, %v", got, err)
	}
	if _, err := notesOf(changelog, changes, "0.2.0"); err == nil || !strings.Contains(err.Error(), "has changes") {
		t.Errorf("a version that lacks a change: %v", err)
	}
}

// The notes say how to use the folder proxy that was made.
func TestNotesKnowTheProxy(t *testing.T) {
	for others, want := range map[bool]string{true: "GOPROXY=file://$PWD/proxy GOSUMDB=off", false: "GOPROXY=file://$PWD/proxy,https://proxy.golang.org GOSUMDB=off"} {
		r := release{version: "0.3.0-dev+0123456789ab", others: others}
		if notes := r.withoutClone(); !strings.Contains(notes, want) || strings.Contains(notes, "all modules") != others {
			t.Error(notes)
		}
	}
}
