package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/testing/realdata"
)

// wrongLabels is a copy of a set in which photographs lie in the folders of other people.
type wrongLabels struct {
	clean, wrong string
	truth        map[string]string // PERSON/PHOTO → the true person
}

// plantWrongLabels copies n people of the set at path, all of them for n = 0, and moves the photographs of
// so many of them.
func plantWrongLabels(t *testing.T, path string, n, planted int) wrongLabels {
	t.Helper()
	people, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(people), func(i, j int) { people[i], people[j] = people[j], people[i] })
	if n > 0 {
		people = people[:n]
	}
	w := wrongLabels{filepath.Join(t.TempDir(), "clean"), filepath.Join(t.TempDir(), "wrong"), map[string]string{}}
	for _, p := range people {
		for _, to := range []string{w.clean, w.wrong} {
			if err := os.CopyFS(filepath.Join(to, p.Name()), os.DirFS(filepath.Join(path, p.Name()))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, p := range people[:planted] {
		photos, err := os.ReadDir(filepath.Join(path, p.Name()))
		if err != nil {
			t.Fatal(err)
		}
		photo, other := photos[rng.IntN(len(photos))].Name(), people[(i+1+rng.IntN(len(people)-1))%len(people)].Name()
		if err := os.Rename(filepath.Join(w.wrong, p.Name(), photo), filepath.Join(w.wrong, other, photo)); err != nil {
			t.Fatal(err)
		}
		w.truth[other+"/"+photo] = p.Name()
	}
	return w
}

// testedRate is the share of the held-out faces of a model that get their name.
func testedRate(t *testing.T, dir, model string) float64 {
	t.Helper()
	status, out, story := nrdlIn(t, dir, "people", model, "--json")
	var s struct{ Held, Known int }
	if err := json.Unmarshal([]byte(out), &s); err != nil || status != succeeded || s.Held == 0 {
		t.Fatalf("people %s: %d, %v\n%s", model, status, err, story)
	}
	return float64(s.Known) / float64(s.Held)
}

// Wrong labels are mended by the commands that are printed, one after the other, and the tested rate is
// that of the set without wrong labels. No printed command lowers it.
func TestPrintedCommandsMendLabels(t *testing.T) {
	t.Parallel()
	data := realdata.Path(t, "photos/lfw_several")
	people, planted := 16, 4
	if os.Getenv("NRDL_LONG") != "" {
		people, planted = 0, 20 // of all
	}
	w, dir := plantWrongLabels(t, data, people, planted), t.TempDir()
	if status, _, story := nrdlIn(t, dir, "train", w.clean, "-o", "clean.nrdl"); status != succeeded {
		t.Fatal(story)
	}
	status, _, story := nrdlIn(t, dir, "train", w.wrong, "-o", "m.nrdl")
	if status != succeeded {
		t.Fatal(story)
	}
	command := regexp.MustCompile(`(?m)^nrdl: hint: if .*: nrdl ((?:move|remove) m\.nrdl .*)$`)
	for rate := testedRate(t, dir, "m.nrdl"); ; {
		printed := command.FindStringSubmatch(story)
		if printed == nil {
			break
		}
		args := strings.Fields(printed[1]) // these names need no quotes
		if who := w.truth[args[2]]; who != "" && (args[0] != "move" || args[3] != who) {
			t.Errorf("%s shows %s, and it prints %s", args[2], who, printed[1])
		}
		delete(w.truth, args[2])
		if status, _, story = nrdlIn(t, dir, args...); status != succeeded {
			t.Fatalf("%s: %s", printed[1], story)
		}
		now := testedRate(t, dir, "m.nrdl")
		if now < rate {
			t.Errorf("%s lowers the tested rate from %v to %v", printed[1], rate, now)
		}
		rate = now
	}
	for id, who := range w.truth {
		t.Errorf("nothing is printed on %s, which shows %s", id, who)
	}
	if clean, now := testedRate(t, dir, "clean.nrdl"), testedRate(t, dir, "m.nrdl"); now < clean {
		t.Errorf("the tested rate is %v, and %v without wrong labels", now, clean)
	}
}
