package tags

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/internal/kit/regular"
	"nrdl.example/nrdl/internal/legible"
)

// takeoutLength is the number of UTF-16 units to which Google Takeout cuts the name of a JSON file,
// without its number and its extension.
const takeoutLength = 46

// maxJSON bounds a JSON file of Takeout.
const maxJSON = 4 << 20

// supplemental is what Takeout puts between the name of a photograph and .json, as far as it fits.
const supplemental = ".supplemental-metadata"

// numbered matches the number of a second photograph of one name, a(1).
var numbered = regexp.MustCompile(`^(.*)\((\d+)\)$`)

// edited are the ends of the names of photographs that Google Photos edited or made of others, by language.
var edited = []string{
	"-edited", "-effects", "-smile", "-mix", "-bearbeitet", "-modifié", "-modificato", "-ha editado",
	"-editado", "-editada", "-editat", "-bewerkt", "-edytowane",
	"-redigerad", "-redigeret", "-redigert", "-muokattu", "-upraveno", "-szerkesztve", "-düzenlendi",
	"-измененный", "-изменено", "-编辑后", "-已修改", "-已編輯", "-編集済み", "-수정됨",
}

// A Takeout finds the JSON files of photographs in folders that Google Takeout made. It reads each
// folder once. The zero value is ready to use, also concurrently.
type Takeout struct {
	mu      sync.Mutex
	folders map[string]*takeoutFolder
	orphans []string // photographs for which there is no JSON file
}

// Names returns the names of the people in the photograph at path by its JSON file; none if there is
// no such file.
func (t *Takeout) Names(path string) ([]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	dir, name := filepath.Split(path)
	folder := t.folders[dir]
	if folder == nil {
		folder = readTakeout(cmp.Or(dir, "."))
		if t.folders == nil {
			t.folders = map[string]*takeoutFolder{}
		}
		t.folders[dir] = folder
	}
	j := folder.byPhoto[name]
	if j == nil {
		t.orphans = append(t.orphans, path)
		return nil, nil
	}
	return j.people, j.err
}

// Left says what found no partner so far: photographs, and JSON files of photographs; "" for nothing.
func (t *Takeout) Left() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var files, all []string
	for dir, f := range t.folders {
		for _, j := range f.remainder {
			files = append(files, filepath.Join(dir, j.file))
		}
	}
	slices.Sort(files)
	slices.Sort(t.orphans)
	if len(t.orphans) > 0 {
		all = append(all, legible.Count(len(t.orphans), "photograph")+" without a JSON file of Takeout ("+legible.Abridged(t.orphans)+")")
	}
	if len(files) > 0 {
		all = append(all, legible.Count(len(files), "JSON file")+" without a photograph ("+legible.Abridged(files)+")")
	}
	return strings.Join(all, ", ")
}

// A takeoutFolder is one folder.
type takeoutFolder struct {
	byPhoto   map[string]*takeoutFile // by the name of the photograph
	remainder []*takeoutFile          // of photographs, without one
}

// A takeoutFile is a JSON file.
type takeoutFile struct {
	file    string
	name    photoName // of its photograph, as far as the file name says it
	cut     bool      // so that it is only the beginning
	title   string
	people  []string
	isPhoto bool
	err     error
	used    bool
}

// A photoName is the name of a file in parts: stem(number).ext. Stem and ext are in lower case.
type photoName struct{ stem, number, ext string }

func photoNameOf(name string) photoName {
	name = strings.ToLower(norm.NFC.String(name))
	n := photoName{ext: filepath.Ext(name)}
	if !isKnown(n.ext) {
		n.ext = ""
	}
	n.stem = strings.TrimSuffix(name, n.ext)
	n.split()
	return n
}

// isKnown reports whether ext is that of a photograph or a video, in lower case.
func isKnown(ext string) bool {
	return slices.Contains(photographs, ext) ||
		slices.Contains([]string{".mp4", ".mov", ".mp", ".m4v", ".3gp", ".avi", ".mpg", ".webm", ".mkv"}, ext)
}

// split takes the number from the end of the stem.
func (n *photoName) split() {
	if m := numbered.FindStringSubmatch(n.stem); m != nil && n.number == "" {
		n.stem, n.number = m[1], m[2]
	}
}

// originals are n without the end of an edited photograph. Of a name that was cut, the end may be cut, too:
// -edi.
func (n photoName) originals() (all []photoName) {
	isCut := len(utf16.Encode([]rune(n.stem+n.ext))) >= takeoutLength
	for _, end := range edited {
		for end = strings.ToLower(end); len(end) > 1; end = strings.TrimSuffix(end, end[len(end)-1:]) {
			if stem, ok := strings.CutSuffix(n.stem, end); ok {
				o := n
				o.stem = stem
				o.split()
				all = append(all, o)
			}
			if !isCut {
				break
			}
		}
	}
	return all
}

// readTakeout reads the JSON files in the folder dir and finds the photographs that they are of.
func readTakeout(dir string) *takeoutFolder {
	folder := &takeoutFolder{byPhoto: map[string]*takeoutFile{}}
	entries, _ := os.ReadDir(dir) // in order
	var photos []string
	stems := map[photoName][]*takeoutFile{} // without their extensions
	titles := map[string][]*takeoutFile{}   // by title and number
	var all, cut []*takeoutFile
	for _, e := range entries {
		if !strings.EqualFold(filepath.Ext(e.Name()), ".json") {
			photos = append(photos, e.Name())
			continue
		}
		j := readTakeoutFile(dir, e.Name())
		all = append(all, j)
		stems[photoName{j.name.stem, j.name.number, ""}] = append(stems[photoName{j.name.stem, j.name.number, ""}], j)
		if j.title != "" {
			titles[j.title+"\x00"+j.name.number] = append(titles[j.title+"\x00"+j.name.number], j)
		}
		if j.cut {
			cut = append(cut, j)
		}
	}
	f := takeoutFinder{stems, titles, cut}
	for _, step := range []func(photoName) *takeoutFile{f.exact, f.without, f.titled, f.begun, f.other, f.edited} {
		var found []*takeoutFile // counts from the next step on: a step is fair to all photographs
		for _, p := range photos {
			if folder.byPhoto[p] != nil {
				continue
			}
			if j := step(photoNameOf(p)); j != nil {
				folder.byPhoto[p], found = j, append(found, j)
			}
		}
		for _, j := range found {
			j.used = true
		}
	}
	for _, j := range all {
		if !j.used && j.isPhoto {
			folder.remainder = append(folder.remainder, j)
		}
	}
	return folder
}

// readTakeoutFile reads a JSON file.
func readTakeoutFile(dir, file string) *takeoutFile {
	j := &takeoutFile{file: file}
	base := norm.NFC.String(file[:len(file)-len(".json")])
	number := ""
	if m := numbered.FindStringSubmatch(base); m != nil {
		base, number = m[1], m[2]
	}
	j.cut = len(utf16.Encode([]rune(base))) >= takeoutLength
	if at := strings.LastIndexByte(base, '.'); at >= 0 && !isKnown(strings.ToLower(base[at:])) &&
		strings.HasPrefix(supplemental, strings.ToLower(base[at:])) {
		base, j.cut = base[:at], false
	}
	if j.name = photoNameOf(base); number != "" {
		if j.name.number != "" { // the number in the name belongs to it
			j.name.stem += "(" + j.name.number + ")"
		}
		j.name.number = number
	}
	data, err := regular.ReadFile(filepath.Join(dir, file), maxJSON)
	var photo struct {
		Title  string `json:"title"`
		People []struct {
			Name string `json:"name"`
		} `json:"people"`
		Taken any `json:"photoTakenTime"`
	}
	if err == nil {
		err = json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &photo)
	}
	if err != nil {
		j.err = fmt.Errorf("%s: %w", filepath.Join(dir, file), err)
		return j
	}
	for _, p := range photo.People {
		j.people = append(j.people, p.Name)
	}
	j.title = strings.ToLower(norm.NFC.String(photo.Title))
	isOther := isKnown(filepath.Ext(j.title)) && !slices.Contains(photographs, filepath.Ext(j.title)) // a video
	j.isPhoto = !isOther && (len(j.people) > 0 || photo.Taken != nil || slices.Contains(photographs, filepath.Ext(j.title)))
	return j
}

// A takeoutFinder finds the JSON file of a photograph; nil if there is none, or it is open which.
type takeoutFinder struct {
	stems  map[photoName][]*takeoutFile
	titles map[string][]*takeoutFile
	cut    []*takeoutFile
}

// one is the only one of files that ok accepts; of several that say the same, the first.
func one(files []*takeoutFile, ok func(*takeoutFile) bool) (found *takeoutFile) {
	for _, j := range files {
		if !ok(j) {
			continue
		}
		if found != nil && !slices.Equal(found.people, j.people) {
			return nil
		}
		found = cmp.Or(found, j)
	}
	return found
}

func (f *takeoutFinder) ofStem(n photoName) []*takeoutFile {
	return f.stems[photoName{n.stem, n.number, ""}]
}

// exact: a.jpg.json of a.jpg.
func (f *takeoutFinder) exact(n photoName) *takeoutFile {
	return one(f.ofStem(n), func(j *takeoutFile) bool { return j.name.ext == n.ext })
}

// without: a.json of a.jpg, unless its title says that it is of another kind.
func (f *takeoutFinder) without(n photoName) *takeoutFile {
	return one(f.ofStem(n), func(j *takeoutFile) bool {
		ext := filepath.Ext(j.title)
		return j.name.ext == "" && !j.used && (ext == n.ext || !isKnown(ext))
	})
}

// titled: the title is the name of the photograph.
func (f *takeoutFinder) titled(n photoName) *takeoutFile {
	return one(f.titles[n.stem+n.ext+"\x00"+n.number], func(j *takeoutFile) bool { return !j.used })
}

// begun: the name of the JSON file is cut, or that of the photograph is, and the title is whole.
func (f *takeoutFinder) begun(n photoName) *takeoutFile {
	whole := n.stem + n.ext
	return one(f.cut, func(j *takeoutFile) bool {
		begin := strings.TrimRight(j.name.stem+j.name.ext, "\ufffd?")
		return !j.used && j.name.number == n.number &&
			(strings.HasPrefix(whole, begin) || strings.HasPrefix(begin, n.stem) && strings.HasPrefix(j.title, n.stem))
	})
}

// other: a.jpg.json of a.jpeg, if no a.jpg is there.
func (f *takeoutFinder) other(n photoName) *takeoutFile {
	if !isKnown(n.ext) {
		return nil
	}
	return one(f.ofStem(n), func(j *takeoutFile) bool { return !j.used })
}

// edited: a.heic.json of a-edited.jpg.
func (f *takeoutFinder) edited(n photoName) *takeoutFile {
	for _, o := range n.originals() {
		for _, step := range []func(*takeoutFile) bool{
			func(j *takeoutFile) bool { return j.name.ext == o.ext }, func(*takeoutFile) bool { return true },
		} {
			if j := one(f.ofStem(o), step); j != nil {
				return j
			}
		}
		if j := one(f.cut, func(j *takeoutFile) bool {
			return j.name.number == o.number && strings.HasPrefix(o.stem+o.ext, strings.TrimRight(j.name.stem+j.name.ext, "\ufffd?"))
		}); j != nil {
			return j
		}
	}
	return nil
}
