package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wrongUses are command lines that are wrong, in the folder that wrongPlace makes, one a line. Words are
// separated by blanks; ␣ is a blank in a word, ␤ the end of a line, and ␀ a byte that is not UTF-8.
const wrongUses = `
train
train m.nrdl -o x.nrdl
train photo.png -o x.nrdl
train notes.txt -o x.nrdl
train void.txt -o x.nrdl
train empty -o x.nrdl
train nothing -o x.nrdl
train loop -o x.nrdl
train people m.nrdl -o x.nrdl
train people -o people
train people -o nothing/x.nrdl
train people -o photo.png/x.nrdl
train people -o /dev/full --size 16x16 -m crc
train people -o /proc/x.nrdl --size 16x16 -m crc
train people -o notes.txt --size 16x16 -m crc
train people -o loop --size 16x16 -m crc
train people -o x.nrdl --size 16
train people -o x.nrdl --size 99999999x9999999
train people -o x.nrdl --method knn
train people -o x.nrdl --fpir 2
train people -o x.nrdl --fpir one␣percent
train people -o x.nrdl --input notes.txt
train people -o x.nrdl --input embedding:notes.onnx
train people -o x.nrdl --input embedding:nothing.onnx
train people -o x.nrdl --detector nothing.onnx
train people -o x.nrdl --strangers nothing
train people -o x.nrdl --skip [
train people -o x.nrdl --set passes=many
train people -o x.nrdl --forget --resume
train other.zip -o x.nrdl
train page.html -o x.nrdl
train broken.tar -o x.nrdl
train http://127.0.0.1:1/family -o x.nrdl
train http://127.0.0.1:1 -o x.nrdl
train http:// -o x.nrdl
train http://127.0.0.1:1/family -o x.nrdl --key-file nothing.txt
train people/person001 -o x.nrdl
train people -o text.nrdl --size 16x16 -m crc
train people -o x.nrdl -o y.nrdl
train people -o x.nrdl --method crc -m mean
predict m.nrdl few.csv
history few.csv
identify --to http://127.0.0.1:1/family photo.png
identify --to http://127.0.0.1:1/family m.nrdl photo.png
identify --to http://127.0.0.1:1/family photo.png --detector cascade
identify --to family photo.png
serve x --import m.nrdl --import n.nrdl
train ␀ -o x.nrdl
train new␤line -o x.nrdl
identify
identify m.nrdl
identify photo.png m.nrdl
identify people photo.png
identify nothing.nrdl photo.png
identify void.nrdl photo.png
identify cut.nrdl photo.png
identify text.nrdl photo.png
identify /dev/null photo.png
identify loop photo.png
identify m.nrdl loop
identify m.nrdl empty
identify m.nrdl notes.txt
identify m.nrdl void.png
identify m.nrdl cut.png
identify m.nrdl caf␀.png
identify m.nrdl new␤line.png
identify m.nrdl /dev/null
identify m.nrdl m.nrdl
identify m.nrdl photo.png --html people
identify m.nrdl photo.png --html nothing/x.html
identify m.nrdl photo.png --html /dev/full
identify m.nrdl photo.png --draw notes.txt
identify m.nrdl photo.png --sort people
identify m.nrdl photo.png --json --csv
identify m.nrdl photo.png --top 0
identify m.nrdl photo.png --top 99999999999999999999
identify m.nrdl --watch nothing
identify m.nrdl http://127.0.0.1:1/photo.png
verify m.nrdl photo.png
verify photo.png photo.png m.nrdl
explain m.nrdl people
explain m.nrdl photo.png -o people
explain m.nrdl photo.png -o x.doc
explain m.nrdl photo.png --person Nobody
add m.nrdl
add m.nrdl nothing.png -n Ann
add m.nrdl photo.png
add m.nrdl notes.txt -n Ann
add m.nrdl photo.png -n a/b
add m.nrdl photo.png -n ␀
add people photo.png -n Ann
remove m.nrdl
remove m.nrdl Nobody
remove m.nrdl person001/9999.png
remove photo.png person001
move m.nrdl person001
move m.nrdl person001/0001.png
move m.nrdl person001/9999.png person002
rename m.nrdl Nobody Ann
rename m.nrdl person001 person002
rename m.nrdl person001 unknown
undo m.nrdl
undo people
history photo.png
people people
people nothing
people m.nrdl --html people
people m.nrdl --html x.html --photos nothing
calibrate m.nrdl --strangers nothing
calibrate m.nrdl --strangers photo.png
album m.nrdl
album m.nrdl people -o m.nrdl
album people m.nrdl -o x
open nothing
open photo.png
open empty
open m.nrdl
open loop
group nothing
group photo.png -o people
group empty
evaluate nothing
evaluate m.nrdl
evaluate people --split first:99
evaluate people --methods crc
evaluate people --method crc,knn --size 16x16
tune people --method mean --size 16x16
bench nothing
bench people
bench m.nrdl
bench text.json
report nothing.jsonl
report people
report m.nrdl
report notes.txt
compare notes.txt
methods knn
predict m.nrdl notes.txt
transform m.nrdl people -o x.doc
picture m.nrdl people
picture notes.txt
data info nothing
data info notes.txt
data convert people
data convert people x.doc
data synth people
data synth x --people 0
data compreface http://127.0.0.1:1 x --key k
network nothing
network measure notes.txt
serve
serve people
serve m.nrdl
serve photo.png
serve x --listen everywhere
serve x --listen 127.0.0.1:99999
serve x --photos nothing
serve x --write-names
serve x --oidc-groups-claim roles
serve x --import people
serve x --import notes.txt
serve x --import nothing.nrdl
serve x --tls-cert notes.txt
serve --database mysql://x
key create nothing
key list people
key create
backup nothing
healthcheck http://127.0.0.1:1
worker nothing
explode m.nrdl
m.nrdl
photo.png
--help-me
help explode
`

// wrongPlace is a folder with files of all kinds.
func wrongPlace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"data", "synth", "people", "--people", "3", "--images", "3", "--size", "16x16"},
		{"train", "people", "-o", "m.nrdl", "-m", "crc"},
	} {
		if status, _, story := nrdlIn(t, dir, args...); status != succeeded {
			t.Fatal(story)
		}
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	photo, model := read("people/person001/0001.png"), read("m.nrdl")
	for name, text := range map[string]string{
		"photo.png": photo, "cut.png": photo[:60], "void.png": "", "void.txt": "", "notes.txt": "milk\nbread\n",
		"few.csv": "a,b,c\n1,2,3\n", "notes.onnx": "milk\n",
		"void.nrdl": "", "cut.nrdl": model[:len(model)/2], "text.nrdl": "milk\n", "text.json": "milk\n",
		"other.zip": "PK\x03\x04milk", "broken.tar": strings.Repeat("x", 1024), "page.html": "<html></html>",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Skip(err) // a system without links
	}
	return dir
}

// filesBelow are the files and folders in a folder, with the times when the files were written.
func filesBelow(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				line := strings.TrimPrefix(path, dir) + " " + info.Mode().String()
				if !d.IsDir() {
					line += " " + info.ModTime().String()
				}
				all = append(all, line)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What a hint guesses is near, and it names what has what was asked for.
func TestHintsOfWrongUses(t *testing.T) {
	t.Parallel()
	dir := wrongPlace(t)
	for line, want := range map[string]string{
		"help nope": "--help lists the commands", "help mvoe": `did you mean "move"`,
		"train people -o x.nrdl --size 16x16 -m crc --set coder.weight=2":        "it is a parameter of lrc-nrc, and not of crc",
		"predict m.nrdl nothing.npz":                                             "nrdl data convert FOLDER nothing.npz",
		"identify --to http://127.0.0.1:1/family?key=x photo.png":                "leave out what follows ? or #",
		"identify --to http://127.0.0.1:1/family#x photo.png":                    "leave out what follows ? or #",
		"identify --to http://127.0.0.1:1/family photo.png --key-file notes.txt": "a key is one word",
	} {
		if status, _, story := nrdlIn(t, dir, strings.Fields(line)...); status == succeeded || !strings.Contains(story, want) {
			t.Errorf("nrdl %s: %d\n%s", line, status, story)
		}
	}
}

// Each wrong use fails with an error and a next step, and leaves the files as they were.
func TestWrongUsesHaveANextStep(t *testing.T) {
	t.Parallel()
	dir := wrongPlace(t)
	before := filesBelow(t, dir)
	words := strings.NewReplacer("␣", " ", "␤", "\n", "␀", "\xe9")
	for line := range strings.Lines(strings.TrimSpace(wrongUses)) {
		args := strings.Fields(line)
		for i := range args {
			args[i] = words.Replace(args[i])
		}
		status, _, story := nrdlIn(t, dir, args...)
		if status == succeeded || !strings.Contains(story, "nrdl: error: ") || !strings.Contains(story, "nrdl: hint: ") ||
			strings.Contains(story, "goroutine ") {
			t.Errorf("nrdl %q: %d\n%s", args, status, story)
		}
		if after := filesBelow(t, dir); !slices.Equal(after, before) {
			t.Errorf("nrdl %q changes the folder: %q", args, after)
			before = after
		}
	}
}
