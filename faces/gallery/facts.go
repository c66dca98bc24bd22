package gallery

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"nrdl.example/nrdl/advice"
)

// Facts are what is known of people beside their faces. They forbid names.
type Facts struct {
	// Birthdays has the first day on which each person may have been born. Nobody gets the name of a
	// person on a photograph that was taken more than two days before, as the clock of a camera has
	// no time zone. A date of the 1st of January 1970, 1980 or 2000 does not count: cameras whose
	// clock was not set write it.
	Birthdays map[string]time.Time

	// Different has pairs of people who look alike and are not the same, as siblings. A face gets the
	// name of one only if it is so much more similar to that one that at most the share of strangers
	// for which the model has its threshold (FPIR) of the faces of the other would get it.
	Different [][2]string
}

// maxFacts bounds the bytes of a file of facts.
const maxFacts = 16 << 20

// ReadFacts reads a CSV file with a header: name, and born (2006-01-02, 2006-01 or 2006) or not (names
// of people who look like this one and are others, with ; between them), or both. The separator is that of the header, a
// comma or a semicolon.
func ReadFacts(path string) (*Facts, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read people: %w", err)
	}
	defer file.Close()
	f, err := readFacts(io.LimitReader(file, maxFacts))
	if err != nil {
		return nil, advice.Add(fmt.Errorf("read people %s: %w", path, err),
			"the file has a header name,born,not and lines such as Ann,2015-03-28,Bo;Cy")
	}
	return f, nil
}

func readFacts(from io.Reader) (*Facts, error) {
	in := bufio.NewReader(from)
	head, _ := in.Peek(256) // of a short file, what there is
	line, _, _ := strings.Cut(string(head), "\n")
	r := csv.NewReader(in)
	if strings.Contains(line, ";") && !strings.Contains(line, ",") {
		r.Comma = ';'
	}
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("it is empty")
	}
	if err != nil {
		return nil, err
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	column := map[string]int{}
	for i, name := range header {
		column[strings.ToLower(strings.TrimSpace(name))] = i
	}
	name, ok := column["name"]
	if !ok {
		return nil, errors.New("it has no column name")
	}
	f := &Facts{Birthdays: map[string]time.Time{}}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil {
			return nil, err
		}
		person := strings.TrimSpace(row[name])
		if i, ok := column["born"]; ok && strings.TrimSpace(row[i]) != "" {
			if f.Birthdays[person], err = ParseBorn(row[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", person, err)
			}
		}
		if i, ok := column["not"]; ok {
			for other := range strings.SplitSeq(row[i], ";") {
				if other = strings.TrimSpace(other); other == "" {
					continue
				}
				if other == person {
					return nil, fmt.Errorf("%s is listed as somebody else than %s", person, other)
				}
				f.Different = append(f.Different, [2]string{person, other})
			}
		}
	}
}

// Missing are the people of f who are not among names, sorted.
func (f *Facts) Missing(names []string) (missing []string) {
	all := slices.Collect(maps.Keys(f.Birthdays))
	for _, pair := range f.Different {
		all = append(all, pair[:]...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(name string) bool { return slices.Contains(names, name) })
}

// ParseBorn reads a date of birth, 2006-01-02, 2006-01 or 2006, and returns its first day.
func ParseBorn(text string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is no date of birth, such as 2015-03-28, 2015-03 or 2015", text)
}

// clockSkew is by how much the date of a photograph may be early.
const clockSkew = 48 * time.Hour

// Possible reports whether a photograph that was taken at this time, zero if it is not known, can show
// somebody born on a day or later.
func Possible(taken, born time.Time) bool {
	unset := taken.YearDay() == 1 && slices.Contains([]int{1970, 1980, 2000}, taken.Year())
	return taken.IsZero() || unset || !taken.Before(born.Add(-clockSkew))
}
