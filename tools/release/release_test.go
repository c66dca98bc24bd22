package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

const changelogOfTest = "# Changelog\n\n## Unreleased\n\n### In short\n\n* new ([why](doc/why.md))\n\n### Faces\n\n* " +
	"more\n\n## 0.2.0 (2026-11-24)\n\n### In short\n\n* old\n\n## 0.1.0\n\n* first\n"

func TestChanges(t *testing.T) {
	for version, want := range map[string]string{"0.3.0-dev+0123456789ab": "* new ([why](doc/why.md))", "0.2.0": "* old"} {
		all, short, err := changesOf(changelogOfTest, nil, version)
		if err != nil || short != want || !strings.Contains(all, "* more") {
			t.Errorf("%s: %q, %q, %v", version, all, short, err)
		}
	}
	for version, want := range map[string]string{"0.3.0": "no heading ## 0.3.0", "0.1.0": "no ### In short"} {
		if _, _, err := changesOf(changelogOfTest, nil, version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", version, err)
		}
	}
	newest := []string{"* newest\n"}
	if all, _, err := changesOf(changelogOfTest, newest, "0.3.0-dev"); err != nil ||
		!strings.Contains(all, "* more\n\n### Newest\n\n* newest\n\n## 0.2.0") {
		t.Errorf("with a change in a file of its own: %q, %v", all, err)
	}
	if _, _, err := changesOf(changelogOfTest, newest, "0.2.0"); err == nil || !strings.Contains(err.Error(), "there are changes") {
		t.Errorf("a version that lacks a change: %v", err)
	}
}

func TestLinksOfArchives(t *testing.T) {
	for text, want := range map[string]string{
		"a ([how](doc/a.md)), b":                    "a, b",
		"a ([how](doc/a.md#x) and more)":            "a (how and more)",
		"a [how](doc/a.md) ([NOTICE](NOTICE))":      "a how ([NOTICE](NOTICE))",
		"![x](doc/x.jpg)\n\n[y](https://y.example)": "[y](https://y.example)",
	} {
		if got := linked(text, texts); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// The notes of this commit are short, name files alone that the release makes for its systems, and neither
// they nor the texts of the archives have a link to what is not there.
func TestNotes(t *testing.T) {
	for _, c := range []struct {
		systems []string
		want    []string
	}{
		{[]string{"linux/amd64"}, []string{
			"SHA256SUMS", "nrdl_0.3.0-dev+0123456789ab_linux_amd64.oci.tar", "nrdl_0.3.0-dev+0123456789ab_linux_amd64.tar.gz",
			"nrdl_0.3.0~dev+0123456789ab_amd64.deb",
			"nrdl_learn-0.3.0.dev0+0123456789ab-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl",
		}},
		{[]string{"windows/arm64", "darwin/arm64"}, []string{
			"SHA256SUMS", "nrdl_0.3.0-dev+0123456789ab_darwin_arm64.tar.gz", "nrdl_0.3.0-dev+0123456789ab_windows_arm64.zip",
			"nrdl_learn-0.3.0.dev0+0123456789ab-py3-none-macosx_12_0_arm64.whl", "nrdl_learn-0.3.0.dev0+0123456789ab-py3-none-win_arm64.whl",
		}},
	} {
		r := release{version: released, systems: c.systems, tmp: t.TempDir()}
		if err := r.documents(root+"/CHANGELOG.md", root+"/doc/changes", root+"/README.md"); err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`SHA256SUMS|nrdl_[\w.~+-]*\.(deb|tar\.gz|zip|whl|oci\.tar)`).FindAllString(r.notes, -1)
		slices.Sort(named)
		if got := slices.Compact(named); !slices.Equal(got, c.want) {
			t.Errorf("%s: the notes name %q", c.systems, got)
		}
		if n := len(strings.Fields(r.notes)); n > 900 || n < 200 {
			t.Errorf("the notes have %d words", n)
		}
		for name, text := range map[string]string{
			"NOTES.md": r.notes, "README.md": string(must(os.ReadFile(filepath.Join(r.tmp, "README.md")))),
			"CHANGELOG.md": string(must(os.ReadFile(filepath.Join(r.tmp, "CHANGELOG.md")))),
		} {
			for _, m := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(text, -1) {
				if !strings.HasPrefix(m[1], "https://") && (name == "NOTES.md" || !slices.Contains(texts, m[1])) {
					t.Errorf("%s: %s leads nowhere", name, m[0])
				}
			}
		}
	}
}

// The notes say how to use the folder proxy that was made.
func TestNotesKnowTheProxy(t *testing.T) {
	for others, want := range map[bool]string{
		true:  "GOPROXY=file://$PWD/proxy GOSUMDB=off",
		false: "GOPROXY=file://$PWD/proxy,https://proxy.golang.org GOSUMDB=off",
	} {
		r := release{version: "0.3.0-dev+0123456789ab", others: others}
		if notes := r.howToUse(); !strings.Contains(notes, want) || strings.Contains(notes, "all modules") != others {
			t.Error(notes)
		}
	}
}
