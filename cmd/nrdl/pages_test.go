package main

import (
	"bytes"
	"context"
	"flag"
	"image"
	"image/jpeg"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
)

var update = flag.Bool("update", false, "write the output of commands into the pages of the documentation")

// A block is a fenced block of a page.
type block struct {
	kind       string // sh, text, …
	body       string // without the indent
	indent     string
	start, end int    // of the body in the page
	notRun     string // the reason, if a comment before it gives one
	output     *block // what it prints, if the page shows that right behind it
}

var (
	fence  = regexp.MustCompile("(?m)^([ \t]*)```([a-z]*)[^\n]*\n((?s:.*?))^[ \t]*```$")
	notRun = regexp.MustCompile(`<!-- not run: (.+?) -->\s*$`)
	// No block of a page with such a comment runs.
	nonRuns = regexp.MustCompile(`<!-- no block runs: (.+?) -->`)
	// Times differ, and so do the lines that say how far a long command is.
	times   = regexp.MustCompile(`\b\d+(\.\d+)? (ms|s|min)\b`)
	sofar   = regexp.MustCompile(`(?m)^.* so far$\n`)
	program = strings.NewReplacer("go run ./cmd/nrdl ", "nrdl ")
)

// blocks returns the fenced blocks of a page.
func blocks(page string) (all []*block) {
	for _, m := range fence.FindAllStringSubmatchIndex(page, -1) {
		b := &block{kind: page[m[4]:m[5]], body: page[m[6]:m[7]], indent: page[m[2]:m[3]], start: m[6], end: m[7]}
		if b.indent != "" {
			b.body = strings.ReplaceAll("\n"+b.body, "\n"+b.indent, "\n")[1:]
		}
		if why := notRun.FindStringSubmatch(page[:m[0]]); why != nil {
			b.notRun = why[1]
		}
		if n := len(all); b.kind == "text" && n > 0 && all[n-1].kind == "sh" && strings.TrimSpace(page[all[n-1].end:m[0]]) == "```" {
			all[n-1].output = b
		}
		all = append(all, b)
	}
	return all
}

// The sh blocks of every page run, those of a page in one folder. It has photographs of drawn
// people in people, others in photos and in some, and a model of the people. A text block right behind a block
// is what it prints; there, a line with … alone stands for any lines. A block that does not run says
// why: <!-- not run: REASON --> before it, or <!-- no block runs: REASON --> somewhere in the page.
//
//	go test ./cmd/nrdl -run TestPages -update
//
// writes what the commands print today into the pages. With NRDL_LONG, pages run; without, their
// commands are parsed.
func TestPages(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil || testing.Short() {
		t.Skip("trains on photographs, several times: ", err)
	}
	all, material := *update || os.Getenv("NRDL_LONG") != "", ""
	if all {
		material = drawnMaterial(t)
	}
	for _, path := range pages(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			if all {
				if own := programMaterial(t, path, material); own != "" {
					runPage(t, filepath.Join("..", "..", path), true, own)
					return
				}
			}
			runPage(t, filepath.Join("..", "..", path), all, material)
		})
	}
}

// pages returns the paths of all pages with a block of commands.
func pages(t *testing.T) (all []string) {
	root := filepath.Join("..", "..")
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "testdata", "notebooks", "node_modules", "changes"}, d.Name()) {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" && path != "CHANGELOG.md" {
			text, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				return err
			}
			page := string(text)
			if strings.Contains(page, "```sh") {
				all = append(all, path)
			}
			for _, b := range blocks(page) {
				if b.kind == "" && strings.HasPrefix(b.body, "nrdl ") && !nonRuns.MatchString(page) {
					t.Errorf("%s: a block of commands is no sh block: %s", path, b.body)
				}
			}
		}
		return nil
	})
	if err != nil || len(all) < 5 {
		t.Fatalf("pages %q, %v", all, err)
	}
	return all
}

// runPage runs the blocks of the page at path in a new folder with the material; or has their
// commands parsed.
func runPage(t *testing.T, path string, run bool, material string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	if nonRuns.MatchString(page) {
		return
	}
	dir := t.TempDir()
	if run {
		if err := os.CopyFS(dir, os.DirFS(material)); err != nil {
			t.Fatal(err)
		}
	}
	type change struct {
		*block
		now string
	}
	var changes []change
	for _, b := range blocks(page) {
		if b.kind != "sh" || b.notRun != "" {
			continue
		}
		if !run {
			for line := range strings.Lines(b.body) {
				if !strings.ContainsAny(line, "\"'|<>$") { // a shell is needed to divide it
					accepted(t, []string{line})
				}
			}
			continue
		}
		body := b.body
		if filepath.Base(path) == "README.md" && !*update { // its photographs are for eyes, not for these commands
			body = synthPhotos.ReplaceAllString(body, "$1 --people 2 --images 2 --size 240x320")
		}
		got := runBlock(t, dir, body)
		if b.output == nil {
			continue
		}
		if now := b.output.renewed(got); now != b.output.body {
			if !*update {
				t.Errorf("%s: this prints\n%s\nand the page has\n%s\n(go test ./cmd/nrdl -run TestPages -update renews it)", b.body, now, b.output.body)
			}
			changes = append(changes, change{b.output, now})
		}
	}
	if !*update || len(changes) == 0 {
		return
	}
	for _, c := range slices.Backward(changes) {
		now := regexp.MustCompile("(?m)^.").ReplaceAllString(c.now, c.indent+"$0")
		page = page[:c.start] + now + page[c.end:]
	}
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}

var synthPhotos = regexp.MustCompile(`(?m)(data synth \S+ --photos)$`)

// runBlock runs a block in the folder dir, and returns what it prints.
func runBlock(t *testing.T, dir, body string) string {
	t.Helper()
	body = program.Replace(body)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "set -e\n"+body)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NRDL_DATA=", "HOME="+dir, "GOGC=400") // small commands
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", body, err, out)
	}
	return sofar.ReplaceAllString(string(out), "")
}

// renewed returns got in the form of the block: with a line … where it has one, and as it is if
// only times differ.
func (b *block) renewed(got string) string {
	if before, after, cut := strings.Cut("\n"+b.body, "\n…\n"); cut {
		lines := strings.SplitAfter(strings.TrimSuffix(got, "\n"), "\n")
		first, last := strings.Count(before, "\n"), strings.Count(after, "\n")
		if first+last <= len(lines) {
			got = strings.Join(lines[:first], "") + "…\n" + strings.Join(lines[len(lines)-last:], "")
			if last > 0 {
				got += "\n"
			}
		}
	}
	if times.ReplaceAllString(got, "#") == times.ReplaceAllString(b.body, "#") {
		return b.body
	}
	return got
}

// drawnMaterial returns a folder with photographs of drawn people, and a model of them.
func drawnMaterial(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	drawn := filepath.Join(dir, "drawn")
	set := synthetic.Photographs{
		People: 4, PerPerson: 3, Size: dataset.Size{Height: 360, Width: 480},
		Seed: materialSeed, Smile: synthetic.DefaultPhotographs.Smile,
	}
	if err := set.Write(context.Background(), drawn, nil); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		"people/person001": "people/Ben", "people/person002": "people/Dan", "people/person003": "people/Chloe", "people/person004": "people/Ana",
		"others/person001.jpg": "photos/garden.jpg", "others/person003.jpg": "photos/home.jpg", "others/group1.jpg": "photos/party.jpg",
		"others/group2.jpg": "photos/wedding.jpg", "others/stranger1.jpg": "photos/street.jpg",
		"others/stranger2.jpg": "strangers/1.jpg", "others/nobody.jpg": "photos/wall.jpg",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(drawn, filepath.FromSlash(from)), filepath.Join(dir, filepath.FromSlash(to))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(drawn); err != nil {
		t.Fatal(err)
	}
	runBlock(t, dir, "cp -r photos some; nrdl train people -o people.nrdl")
	runBlock(t, dir, "mkdir nrdl-data") // which serve makes
	return dir
}

// materialSeed is a seed for which the strangers in photos are unknown. With others they may get
// names: drawn people are more alike than real ones.
const materialSeed = 52

// The picture of README.md is a drawn photograph as identify --draw returns it, and one of
// doc/equations.md what explain draws. -update makes them again.
func TestPicture(t *testing.T) {
	path, residuals := filepath.Join("..", "..", "doc", "picture.jpg"), filepath.Join("..", "..", "doc", "residuals.png")
	if *update {
		dir := t.TempDir()
		set := synthetic.Photographs{
			People: 6, PerPerson: 1, Size: dataset.Size{Height: 600, Width: 800},
			Seed: 48, Smile: synthetic.DefaultPhotographs.Smile,
		}
		if err := set.Write(context.Background(), filepath.Join(dir, "drawn"), nil); err != nil {
			t.Fatal(err)
		}
		runBlock(t, dir, "cd drawn/people; mv person001 Ana; mv person002 Ben; mv person004 Dan; cd ../..\n"+
			// drawn people are more alike than real ones
			"nrdl train drawn/people -o m.nrdl; nrdl identify m.nrdl drawn/others/group2.jpg --draw boxes --force")
		drawn, err := os.Open(filepath.Join(dir, "boxes", "drawn", "others", "group2.jpg"))
		if err != nil {
			t.Fatal(err)
		}
		defer drawn.Close()
		img, err := jpeg.Decode(drawn)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		wide := img.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(image.Rect(0, 150, 800, 550))
		if err := jpeg.Encode(&b, wide, &jpeg.Options{Quality: 80}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		runBlock(t, dir, "nrdl data synth crops --people 6 --images 7 --size 48x48 --seed 3\n"+
			"nrdl train crops -o c.nrdl --input pixels --method nrc --split first:6 --calibrate 0; nrdl explain c.nrdl "+
			"crops/person002/0007.png -o why.png")
		if err := os.Rename(filepath.Join(dir, "why.png"), residuals); err != nil {
			t.Fatal(err)
		}
	}
	for _, picture := range []string{path, residuals} {
		if info, err := os.Stat(picture); err != nil || info.Size() > 300_000 {
			t.Errorf("%v, %v", info, err)
		}
	}
}
