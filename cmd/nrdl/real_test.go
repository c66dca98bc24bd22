package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"nrdl.example/nrdl/internal/testing/realdata"
)

// A stranger's first session on real faces: learn from six photographs of each
// of 40 people, name the other 160. The paper reports 94.4 %.
func TestORL(t *testing.T) {
	t.Parallel()
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG=1 names 160 real faces")
	}
	faces := realdata.Path(t, "orl_faces")
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata", "real", "orl.txtar")},
		Setup: func(env *testscript.Env) error {
			env.Setenv("FACES", faces)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"run": runs, "right": right},
	})
}

// right wants 92 % of the 160 unseen faces, the images 7 to 10 of each
// person, in the rows on stdout to have the name of their folder.
func right(ts *testscript.TestScript, _ bool, args []string) {
	rows, err := csv.NewReader(strings.NewReader(ts.ReadFile("stdout"))).ReadAll()
	ts.Check(err)
	unseen, named := 0, 0
	for _, row := range rows {
		dir, file := filepath.Split(row[0])
		if !strings.Contains("7.pgm 8.pgm 9.pgm 10.pgm", file) {
			continue
		}
		unseen++
		if filepath.Base(dir) == row[1] {
			named++
		}
	}
	ts.Logf("%d of %d named rightly", named, unseen)
	if unseen != 160 || 100*named < 92*unseen {
		ts.Fatalf("%d of %d named rightly", named, unseen)
	}
}
