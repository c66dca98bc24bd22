package version

import (
	"os"
	"regexp"
	"runtime/debug"
	"testing"

	"golang.org/x/mod/semver"
)

func TestOf(t *testing.T) {
	const revision = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct{ main, revision, modified, want string }{
		{"v0.3.0", revision, "false", "0.3.0"},
		{"v0.3.0-rc.1", revision, "false", "0.3.0-rc.1"},
		{"v0.3.0", "", "", "0.3.0"}, // installed by go install from a module proxy
		{"v0.0.0-20261128101112-0123456789ab", revision, "false", "0.3.0-dev+0123456789ab"},
		{"v0.2.1-0.20261128101112-0123456789ab", revision, "false", "0.3.0-dev+0123456789ab"},
		{"v0.3.0-rc.1.0.20261128101112-0123456789ab", revision, "false", "0.3.0-dev+0123456789ab"},
		{"v0.2.1-0.20261128101112-0123456789ab", "", "", "0.3.0-dev+0123456789ab"},
		{"v0.2.1-0.20261128101112-0123456789ab+dirty", revision, "true", "0.3.0-dev+0123456789ab.changed"},
		{"v0.3.0+dirty", revision, "true", "0.3.0-dev+0123456789ab.changed"},
		{"(devel)", revision, "false", "0.3.0-dev+0123456789ab"},
		{"(devel)", "", "", "0.3.0-dev"},
		{"", "", "", "0.3.0-dev"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.main}}
		if c.revision != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: c.revision}, {Key: "vcs.modified", Value: c.modified}}
		}
		got := Of(info)
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
		if !semver.IsValid("v" + got) {
			t.Errorf("%q is no semantic version", got)
		}
	}
}

// The next version comes after every one that CHANGELOG.md has.
func TestNextIsNew(t *testing.T) {
	text, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)`).FindAllStringSubmatch(string(text), -1) {
		if semver.Compare("v"+m[1], "v"+Next) >= 0 {
			t.Errorf("CHANGELOG.md has version %s: the next one is %s", m[1], Next)
		}
	}
}
