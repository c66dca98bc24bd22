// Package version says which version of nrdl a program is.
package version

import (
	"cmp"
	_ "embed"
	"regexp"
	"runtime/debug"
	"strings"
)

// Next is the version that the present source becomes when it is released.
const Next = "0.3.0"

// released is the version of a release of a commit without a tag, in the modules of its proxy, which are
// called v0.3.0 there; in the repository it is empty.
//
//go:embed released.txt
var released string

// digits is how many digits of a commit are in a version, as in pseudo-versions of Go.
const digits = 12

// A pseudo-version is what Go calls a commit without a tag.
var pseudo = regexp.MustCompile(`[.-]\d{14}-([0-9a-f]{12})$`)

// Of returns the version of a program by what go build stored in it, without v: that of the tag of
// its commit, or else 0.3.0-dev+COMMIT (Next), which ends in .changed if a file was changed since the
// commit. COMMIT is missing where go build did not see a repository, as in an archive of the source.
func Of(info *debug.BuildInfo) string {
	tag, build, _ := strings.Cut(info.Main.Version, "+")
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	commit = commit[:min(digits, len(commit))]
	changed := settings["vcs.modified"] == "true" || build == "dirty"
	if m := pseudo.FindStringSubmatch(tag); m != nil {
		commit, tag = m[1], ""
	}
	if number, ok := strings.CutPrefix(tag, "v"); ok && !changed {
		return cmp.Or(strings.TrimSpace(released), number)
	}
	v := Next + "-dev"
	if commit == "" {
		return v
	}
	if v += "+" + commit; changed {
		v += ".changed"
	}
	return v
}
