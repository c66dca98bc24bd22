package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
)

// In a folder of groups the photographs of nobody, whatever they are, and the page are no
// data; elsewhere the folders are people with a name that is refused, or is not.
func TestGroupsAreDataSets(t *testing.T) {
	files := map[string][]byte{
		"a/1.pgm": pgm(1), "b/1.pgm": pgm(2), "unknown/1.pgm": pgm(3), "no face/1.jpg": []byte("broken"),
		"index.html": []byte("<html>"), GroupsMark: {},
	}
	root := drawFiles(t, files)
	set, warnings := opened(t, root, tiny)
	if want := []string{"a/1.pgm", "b/1.pgm"}; !slices.Equal(set.IDs, want) {
		t.Errorf("images %v, want %v", set.IDs, want)
	}
	if want := []string{leftoverMessage("no face"), leftoverMessage("unknown")}; !slices.Equal(warnings, want) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
	var reported []string
	list, err := PeopleFiles([]string{root}, "", func(s string) string { return s },
		func(err error) { reported = append(reported, err.Error()) })
	if err != nil || len(list) != 2 || list[1].Person != "b" || len(reported) != 2 {
		t.Errorf("%v, %v, warnings %q", list, err, reported)
	}
	if err := os.Remove(filepath.Join(root, GroupsMark)); err != nil {
		t.Fatal(err)
	}
	if err := refused(t, root); !strings.Contains(err.Error(), "strangers") {
		t.Error(err)
	}
}

// The hint for a folder without people names a folder beside it that is not there.
func TestFlatFoldersAreToBeGrouped(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"it's all", "b-people", "b", "c/d"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for root, want := range map[string]string{
		"it's all": "it's all-people", "b": "b-people2", "b/": "b-people2", "c/d": "c/d-people",
	} {
		if err := os.WriteFile(filepath.Join(root, "1.pgm"), pgm(1), 0o644); err != nil {
			t.Fatal(err)
		}
		wantSettings(t, refused(t, root), root, filepath.FromSlash(want))
	}
	t.Chdir("b")
	for root, want := range map[string]string{".": "../b-people2", "../b": "../b-people2", "../b/.": "../b-people2"} {
		wantSettings(t, refused(t, root), root, filepath.FromSlash(want))
	}
}

// wantSettings checks that the advice of err is to group data into the folder to.
func wantSettings(t *testing.T, err error, data, to string) {
	t.Helper()
	want := []advice.Setting{advice.Data.To(data), advice.Output.To(to)}
	if got := advice.Of(err).Settings(); !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", data, got, want)
	}
}
