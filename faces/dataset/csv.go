package dataset

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
)

// Bounds on a list of images.
const (
	maxLine = 64 << 10 // bytes
	maxRows = 2_000_000
)

// row is a line of a list: the path of an image and the name of the person.
type row struct {
	path, label string
	spelling    string // path of the file, if its name is spelled otherwise
	line        int
}

func openCSV(ctx context.Context, path string, opt Options) (*Images, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	if tableOfNumbers(data[:min(len(data), 2*maxLine)]) {
		return openNumbers(ctx, data, path, opt)
	}
	rows, err := parseCSV(data)
	if err != nil {
		return nil, advice.Add(fmt.Errorf("read list %s: %w", path, err), "write lines of the form path;person")
	}
	if rows, err = existing(rows, path, opt); err != nil {
		return nil, err
	}
	if err := checkLabels(rows, path); err != nil {
		return nil, err
	}
	n := len(rows)
	paths, at, ids, labels := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, r := range rows {
		paths[i], at[i], ids[i], labels[i] = r.file(path), r.at(path), r.path, r.label
	}
	read, err := readAll(ctx, paths, at, opt)
	if err != nil {
		return nil, err
	}
	return read.set(labels, ids, nil, opt)
}

// file returns the path of the image of r, for the list in the file list.
func (r row) file(list string) string {
	file := filepath.FromSlash(r.path)
	if r.spelling != "" {
		return r.spelling
	}
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(list), file)
}

// at returns the file and the line of r, for the list in the file list.
func (r row) at(list string) string { return fmt.Sprintf("%s:%d", list, r.line) }

// existing returns rows without a header line. It is an error if an image does not
// exist. A first line counts as a header if its file does not exist and has no
// extension, and the file of the second line exists.
func existing(rows []row, list string, opt Options) ([]row, error) {
	for i, r := range rows {
		if file := r.file(list); !isASCII(file) {
			rows[i].spelling = Spelled(file)
		}
	}
	missing := func(r row) bool {
		_, err := os.Stat(r.file(list))
		return errors.Is(err, fs.ErrNotExist)
	}
	if len(rows) > 1 && filepath.Ext(rows[0].path) == "" && missing(rows[0]) && !missing(rows[1]) {
		opt.warn("%s: taken for a header: there is no image %s", rows[0].at(list), rows[0].path)
		rows = rows[1:]
	}
	for _, r := range rows {
		if !missing(r) {
			continue
		}
		return nil,
			advice.Add(fmt.Errorf("%s: %s does not exist", r.at(list), r.path), "the paths of a list are relative to the folder of the list")
	}
	return rows, nil
}

// checkLabels reports the first name in rows that is not allowed for a person.
func checkLabels(rows []row, list string) error {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.label] {
			continue
		}
		if err := CheckName(r.label); err != nil {
			return fmt.Errorf("%s: %w", r.at(list), err)
		}
		seen[r.label] = true
	}
	return nil
}

// parseCSV reads lines path;label. The separator is the first of ';', tab and
// ',' that the first line holds outside quotes.
func parseCSV(data []byte) ([]row, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // byte order mark
	if !utf8.Valid(data) {
		return nil, errors.New("the text is not UTF-8")
	}
	comma, err := separator(data)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.Comment, r.FieldsPerRecord, r.ReuseRecord = comma, '#', -1, true
	var rows []row
	for first := true; ; first = false {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		one, err := newRow(fields, line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if first && one.header() {
			continue
		}
		if len(rows) == maxRows {
			return nil, fmt.Errorf("more than %d images", maxRows)
		}
		rows = append(rows, one)
	}
	if len(rows) == 0 {
		return nil, errors.New("it names no images")
	}
	return rows, nil
}

// separator finds the separator in the first line that is neither empty nor a comment.
// It returns an error if a line is too long.
func separator(data []byte) (rune, error) {
	comma := rune(0)
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(line) > maxLine {
			return 0, fmt.Errorf("line %d is longer than %d bytes", number, maxLine)
		}
		if line = bytes.TrimSpace(line); comma != 0 || len(line) == 0 || line[0] == '#' {
			continue
		}
		plain := unquoted(line)
		i := slices.IndexFunc([]rune(";\t,"), func(c rune) bool { return bytes.ContainsRune(plain, c) })
		if i < 0 {
			return 0, fmt.Errorf("line %d holds no separator", number)
		}
		comma = rune(";\t,"[i])
	}
	if comma == 0 {
		return 0, errors.New("it names no images")
	}
	return comma, nil
}

// unquoted returns the parts of line outside quotes.
func unquoted(line []byte) []byte {
	var plain []byte
	for i, part := range bytes.Split(line, []byte{'"'}) {
		if i%2 == 0 {
			plain = append(plain, part...)
		}
	}
	return plain
}

func newRow(fields []string, line int) (row, error) {
	if len(fields) != 2 {
		return row{}, fmt.Errorf("%s, not path and person", legible.Count(len(fields), "field"))
	}
	r := row{path: legible.FromField(strings.TrimSpace(fields[0])), label: legible.FromField(strings.TrimSpace(fields[1])), line: line}
	switch {
	case r.path == "":
		return row{}, errors.New("the path is empty")
	case r.label == "":
		return row{}, errors.New("the person is empty")
	case strings.ContainsRune(r.path+r.label, 0):
		return row{}, errors.New("a zero byte")
	}
	return r, nil
}

// header reports whether r has the names of columns.
func (r row) header() bool {
	return slices.Contains([]string{"path", "file", "filename", "image", "img"}, strings.ToLower(r.path)) &&
		slices.Contains([]string{"label", "person", "class", "name", "subject", "identity", "id"}, strings.ToLower(r.label))
}
