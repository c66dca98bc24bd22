package tags

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/regular"
)

// takeoutLength is the number of characters to which Google Takeout cuts the name of a JSON
// file, without its extension.
const takeoutLength = 46

// maxJSON bounds a JSON file of Takeout.
const maxJSON = 4 << 20

// numbered matches the number of a second photograph of one name, a(1).jpg.
var numbered = regexp.MustCompile(`^(.*)(\(\d+\))(\.[^.]*)$`)

// edited are the ends of the names of photographs that were edited in Google Photos, by language.
var edited = []string{"-edited", "-bearbeitet", "-modifié", "-modificato", "-ha editado", "-editado", "-editada", "-editat", "-bewerkt", "-edytowane", "-redigerad", "-redigeret", "-redigert", "-muokattu", "-编辑后", "-編集済み"}

// takeoutNames are the names that the JSON file of the photograph at path may have: a.jpg.json,
// a.jpg.supplemental-metadata.json cut to 46 characters, a.jpg(1).json for a(1).jpg, and that of
// a.jpg for a-edited.jpg.
func takeoutNames(path string) (all []string) {
	dir, name := filepath.Split(path)
	ext := filepath.Ext(name)
	stem, number := strings.TrimSuffix(name, ext), ""
	if m := numbered.FindStringSubmatch(name); m != nil {
		stem, number = m[1], m[2]
	}
	original := norm.NFC.String(stem)
	for _, suffix := range edited {
		if cut, ok := strings.CutSuffix(original, suffix); ok {
			if original = cut; number == "" {
				if m := numbered.FindStringSubmatch(cut + ext); m != nil {
					original, number = m[1], m[2]
				}
			}
			break
		}
	}
	for _, stem := range []string{stem, original} {
		name := stem + ext
		for _, stem := range []string{name + ".supplemental-metadata", name} {
			if r := []rune(stem); len(r) > takeoutLength {
				stem = string(r[:takeoutLength])
			}
			all = append(all, filepath.Join(dir, stem+number+".json"))
		}
		if number != "" {
			all = append(all, path+".json")
		}
	}
	return all
}

// Takeout returns the names of the people in the photograph at path that Google Takeout wrote into
// the JSON file beside it; none if there is no such file.
func Takeout(path string) ([]string, error) {
	for _, at := range takeoutNames(path) {
		data, err := regular.ReadFile(at, maxJSON)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var photo struct {
			People []struct {
				Name string `json:"name"`
			} `json:"people"`
		}
		if err := json.Unmarshal(data, &photo); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		var names []string
		for _, p := range photo.People {
			names = append(names, p.Name)
		}
		return names, nil
	}
	return nil, nil
}

// Bounds on a list of names.
const (
	maxList  = 256 << 20
	maxLines = 5_000_000
)

// ReadList reads a list of photographs with the names of the people in them, from a file of lines
// photograph,name,name,…; a photograph may have several lines. The separator is that of the first
// line: a tab, a semicolon or a comma. Lines that begin with # are comments. Paths are relative to
// the folder of the list. The result has names by path.
func ReadList(path string) (map[string][]string, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, advice.Add(fmt.Errorf("list of names: %w", err), "it is a file of lines: a photograph and the names of the people in it")
	}
	defer in.Close()
	buffer := bufio.NewReader(io.LimitReader(in, maxList))
	if mark, _ := buffer.Peek(3); string(mark) == "\ufeff" { // as Excel writes it
		_, _ = buffer.Discard(3)
	}
	head, _ := buffer.Peek(4096) // of a short file, what there is
	lines := csv.NewReader(buffer)
	lines.FieldsPerRecord, lines.Comment, lines.LazyQuotes, lines.ReuseRecord = -1, '#', true, true
	for line := range strings.Lines(string(head)) {
		if !strings.HasPrefix(line, "#") {
			for _, separator := range []rune{'\t', ';', ','} {
				if strings.ContainsRune(line, separator) {
					lines.Comma = separator
					break
				}
			}
			break
		}
	}
	names := map[string][]string{}
	for n := 0; ; n++ {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if n > maxLines {
			return nil, fmt.Errorf("%s: more than %d lines", path, maxLines)
		}
		if n, _ := lines.FieldPos(0); len(fields) == 1 && strings.ContainsAny(fields[0], "\t;,") {
			return nil, advice.Add(fmt.Errorf("%s, line %d: no %q, which separates the names in the first line", path, n, lines.Comma), "write the same separator in all lines, and a photograph whose name has it in quotation marks")
		}
		at := strings.Clone(filepath.FromSlash(strings.TrimSpace(fields[0])))
		if !filepath.IsAbs(at) {
			at = filepath.Join(filepath.Dir(path), at)
		}
		for _, name := range fields[1:] {
			names[filepath.Clean(at)] = append(names[filepath.Clean(at)], strings.Clone(name))
		}
	}
	if len(names) == 0 {
		return nil, advice.Add(fmt.Errorf("%s names nobody", path), "write lines of a photograph and the names of the people in it: holiday/1.jpg,Ann,Bo")
	}
	return names, nil
}
