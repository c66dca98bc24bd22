package tags

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
)

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
			return nil, advice.Add(fmt.Errorf("%s, line %d: no %q, which separates the names in the first line", path, n, lines.Comma),
				"write the same separator in all lines, and a photograph whose name has it in quotation marks")
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
		return nil, advice.Add(fmt.Errorf("%s names nobody", path),
			"write lines of a photograph and the names of the people in it: holiday/1.jpg,Ann,Bo")
	}
	return names, nil
}
