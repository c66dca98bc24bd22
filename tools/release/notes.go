package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// texts are the files of each archive that are for readers.
var texts = []string{"README.md", "LICENSE", "NOTICE", "CHANGELOG.md"}

// documents writes the README and the changelog of the archives into r.tmp, and makes the notes.
func (r *release) documents(changelog, changesDir, readme string) error {
	text, err := os.ReadFile(changelog)
	about, err2 := os.ReadFile(readme)
	changes, err3 := changesIn(changesDir)
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	all, summary, err := changesOf(string(text), changes, r.version)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", changelog, changesDir, err)
	}
	const source = "\nThe pages that this text names are in the folder doc of the source.\n"
	r.notes = fmt.Sprintf("# nrdl %s\n\n## What is new\n\n%s\n\nEach archive has the file CHANGELOG.md, with all changes.\n\n%s",
		r.version, linked(summary, nil), r.howToUse())
	return errors.Join(os.WriteFile(filepath.Join(r.tmp, "CHANGELOG.md"), []byte(linked(all, texts)), 0o666),
		os.WriteFile(filepath.Join(r.tmp, "README.md"), []byte(linked(string(about), texts)+source), 0o666))
}

// changesOf returns a changelog that has the newest changes too, and what it says in short of a version,
// or of what is not released for one that is none of a tag.
func changesOf(changelog string, newest []string, version string) (all, short string, err error) {
	name := version
	if strings.Contains(version, "-dev") {
		name = "Unreleased"
	} else if len(newest) > 0 {
		return "", "", fmt.Errorf("there are changes in files of their own: move them under the heading ## %s, and remove their files", name)
	}
	parts := strings.Split(changelog, "\n## ")
	at := slices.IndexFunc(parts, func(part string) bool {
		first, _, _ := strings.Cut(part, "\n")
		return first == name || strings.HasPrefix(first, name+" ")
	})
	if at < 1 {
		return "", "", fmt.Errorf("no heading ## %s", name)
	}
	_, short, has := strings.Cut(parts[at], "\n### In short\n")
	if !has {
		return "", "", fmt.Errorf("no ### In short below ## %s", name)
	}
	short, _, _ = strings.Cut(short, "\n### ")
	if len(newest) > 0 {
		parts[at] = strings.TrimSpace(parts[at]) + "\n\n### Newest\n\n" + strings.Join(newest, "")
	}
	return strings.Join(parts, "\n## "), strings.TrimSpace(short), nil
}

// fromRoot makes links of a page in doc/changes those of one in the root.
var fromRoot = strings.NewReplacer("](../../", "](", "](../", "](doc/")

// changesIn returns what the files of a folder say, one for each change that no version has yet.
func changesIn(dir string) (changes []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "[a-z]*.md"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		changes = append(changes, fromRoot.Replace(string(text)))
	}
	return changes, err
}

var (
	picture = regexp.MustCompile(`(?m)^!\[[^\]]*\]\([^)]*\)\n\n`)
	linking = regexp.MustCompile(`( \()?\[([^\[\]]*)\]\(([^)\s]*)\)(\))?`)
)

// linked keeps the links of a text that lead to the network or to one of files. Of others it keeps the words, but
// for those that stand alone in parentheses.
func linked(text string, files []string) string {
	return linking.ReplaceAllStringFunc(picture.ReplaceAllString(text, ""), func(all string) string {
		m := linking.FindStringSubmatch(all)
		switch before, words, to, after := m[1], m[2], m[3], m[4]; {
		case strings.Contains(to, "://") || slices.Contains(files, to):
			return all
		case before != "" && after != "":
			return ""
		default:
			return before + words + after
		}
	})
}

// howToUse says, in the notes, how to use the files, of which it names those that are there.
func (r *release) howToUse() string {
	const ours, public = "file://$PWD/proxy", "https://proxy.golang.org"
	proxy, has := ours, "The folder proxy has all modules that the program needs; for the tests of yours, GOPROXY="+ours+","+public+"."
	if !r.others {
		proxy, has = ours+","+public, "The folder proxy has the modules of nrdl alone; those of others come from the network."
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "* "+format+"\n", args...) }
	for _, system := range r.systems {
		goos, arch, _ := strings.Cut(system, "/")
		name := fmt.Sprintf("nrdl_%s_%s_%s", r.version, goos, arch)
		if goos == "windows" {
			line("%s: `Expand-Archive %s.zip .`, then `%[2]s\\nrdl.exe demo`", system, name)
		} else {
			line("%s: `tar -xzf %s.tar.gz`, then `%[2]s/nrdl demo`", system, name)
		}
		if goos == "linux" {
			line("Debian, Ubuntu on %s: `sudo apt-get install ./nrdl_%s_%[1]s.deb`", arch, forDebian(r.version))
			line("Containers on %s: `podman load -i %s.oci.tar`", arch, name)
		}
		line("Python on %s: `pip install nrdl_learn-%s-py3-none-%s.whl`", system, forPython(r.version), tags[system])
	}
	line("Go: `GOPROXY=%s GOSUMDB=off go install nrdl.example/nrdl/cmd/nrdl@%s`", proxy, next)
	return fmt.Sprintf(`## How to use the files

In the folder of the release, with no clone. `+"`sha256sum --quiet -c SHA256SUMS`"+` finds damaged files.

%[1]s
The version is %[2]s everywhere. Debian writes it %[3]s and Python %[4]s, so that what comes before a release sorts
before it. Modules of Go are called %[5]s, by which they require each other; the program that go install makes
of them says %[2]s. No public list has their sums: hence GOSUMDB=off. %[6]s
`, b.String(), r.version, forDebian(r.version), forPython(r.version), next, has)
}
