package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/tags"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/parallel"
)

// A TagSource says where the names of people in photographs are. What is none of the constants is
// the path of a list of photographs with names, as tags.ReadList reads it.
type TagSource string

// The sources. Regions say whose face is where; of the others a photograph has names, and who is
// who follows from who appears together.
const (
	Regions TagSource = "regions" // in the photographs and their sidecars
	Takeout TagSource = "takeout" // in the JSON files of Google Takeout beside the photographs
)

// ParseTagSource returns the source that text names: a constant, or a file whose name ends in .csv,
// .tsv or .txt.
func ParseTagSource(text string) (TagSource, error) {
	s := TagSource(text)
	if s != Regions && s != Takeout && !slices.Contains([]string{".csv", ".tsv", ".txt"}, strings.ToLower(filepath.Ext(text))) {
		return "", advice.Add(fmt.Errorf("%q is no source of tags", text),
			"give %s, %s, or a list LIST.csv of lines photograph,name,name", Regions, Takeout)
	}
	return s, nil
}

// names returns a function that returns further names of the photograph at a path, and one that
// says for which photographs it was never called although there are names, or found none.
func (s TagSource) names() (of func(path string) ([]string, error), left func() string, err error) {
	left = func() string { return "" }
	switch s {
	case Regions:
		return func(string) ([]string, error) { return nil, nil }, left, nil
	case Takeout:
		t := &tags.Takeout{}
		return t.Names, t.Left, nil
	}
	list, err := tags.ReadList(string(s))
	all := map[string][]string{}
	for path, names := range list {
		all[absolute(path)] = append(all[absolute(path)], names...)
	}
	var mu sync.Mutex
	used := map[string]bool{}
	of = func(path string) ([]string, error) {
		mu.Lock()
		defer mu.Unlock()
		path = absolute(path)
		used[path] = true
		return all[path], nil
	}
	left = func() string {
		var paths []string
		for path := range list {
			if !used[absolute(path)] {
				paths = append(paths, path)
			}
		}
		slices.Sort(paths)
		if len(paths) == 0 {
			return ""
		}
		return fmt.Sprintf("%s names people in %s more, not found among the photographs: %s", s,
			legible.Count(len(paths), "file"), legible.Abridged(paths))
	}
	return of, left, err
}

// absolute is the absolute path, with composed letters.
func absolute(path string) string {
	path = norm.NFC.String(path)
	if all, err := filepath.Abs(path); err == nil {
		return all
	}
	return filepath.Clean(path)
}

// TaggedFiles lists the photographs at path, a folder or a file, with what their face tags say.
// It reads headers and sidecars, and no pixels. CanonicalName maps a name to the spelling that
// is in use. Warn is called for files that are left out, for damaged tags, and for names that
// nobody may have, which are left out; progress, which may be nil, never by two goroutines at
// once. What a pattern of skip matches is left out (Options.Skip).
func TaggedFiles(ctx context.Context, path string, by TagSource, canonicalName func(string) string,
	warn func(error), progress func(done, total int), skip ...string,
) ([]File, error) {
	more, notFound, err := by.names()
	if err != nil {
		return nil, err
	}
	paths, _, err := Photographs(path, skip...)
	if len(paths) == 0 {
		return nil, cmp.Or(err, fmt.Errorf("%s holds no images", path))
	}
	for _, one := range Joined(err) {
		warn(fmt.Errorf("left out: %w", one))
	}
	read, failed := readTags(ctx, paths, more, by != Regions, progress)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if left := notFound(); left != "" {
		warn(errors.New(left))
	}
	var unused tags.Unused
	people := &tagNames{canonicalName, map[string]*refusal{}, map[string]int{}}
	var files []File
	for j, p := range read {
		if failed[j] != nil {
			warn(fmt.Errorf("left out: %w", failed[j]))
			continue
		}
		for _, problem := range p.Problems {
			warn(fmt.Errorf("tags left out: %w", problem))
		}
		unused.Add(p.Unused)
		for i := range p.Regions {
			p.Regions[i].Name = people.of(p.Regions[i].Name, paths[j])
		}
		for i := range p.Names {
			p.Names[i] = people.of(p.Names[i], paths[j])
		}
		p.Names = slices.DeleteFunc(p.Names, func(n string) bool { return n == "" })
		below, err := filepath.Rel(path, paths[j])
		if err != nil || below == "." {
			below = filepath.Base(paths[j])
		}
		files = append(files, File{Path: paths[j], ID: Text(filepath.ToSlash(below)), Tags: p})
	}
	countKeywords(files, &unused)
	for _, line := range tags.Told(unused) {
		warn(fmt.Errorf("not used: %s", line))
	}
	people.tell(warn)
	return files, nil
}

// countKeywords counts keywords of files that are names of people and say no more.
func countKeywords(files []File, unused *tags.Unused) {
	named := map[string]bool{}
	for _, f := range files {
		for _, name := range f.Tags.Names {
			named[name] = true
		}
		for _, r := range f.Tags.Regions {
			named[r.Name] = true
		}
	}
	for _, f := range files {
		unused.Add(f.Tags.OfKeywords(func(name string) bool { return named[name] }))
	}
}

// readTags reads the tags of the photographs at paths on all processors, with further names of
// more, which are weak.
func readTags(ctx context.Context, paths []string, more func(path string) ([]string, error), weak bool,
	progress func(done, total int),
) (read []*tags.Photo, failed []error) {
	read, failed = make([]*tags.Photo, len(paths)), make([]error, len(paths))
	parallel.Each(ctx, len(paths), progress, func(j int) {
		if read[j], failed[j] = tags.Read(paths[j]); failed[j] != nil {
			return
		}
		names, err := more(paths[j])
		if err != nil {
			read[j].Problems = append(read[j].Problems, err)
		}
		read[j].Names, read[j].Weak = append(read[j].Names, names...), weak
	})
	return read, failed
}

// tagNames makes names of people from tags, and counts those that have to change.
type tagNames struct {
	canonical func(string) string
	refusals  map[string]*refusal // by tag
	renames   map[string]int      // tags, by their text
}

// A refusal is of a tag that is no name of a person.
type refusal struct {
	path   string // of the first photograph
	reason error
	more   int // photographs and regions beside the first
}

// slashes are in no name of a person, which is that of a folder, too.
var slashes = strings.NewReplacer("/", "-", `\`, "-")

// TagName is a face tag as the name of a person: without spaces about it, and with - for slashes.
// It is an error if nobody may have the name.
func TagName(tag string) (string, error) {
	name := slashes.Replace(norm.NFC.String(strings.TrimSpace(tag)))
	return name, CheckName(name)
}

// of is the name that tag stands for in the photograph at path; "" if nobody may have it.
func (t *tagNames) of(tag, path string) string {
	if strings.TrimSpace(tag) == "" {
		return ""
	}
	name, err := TagName(tag)
	if r := t.refusals[tag]; err != nil && r != nil {
		r.more++
		return ""
	}
	if err != nil {
		t.refusals[tag] = &refusal{path: path, reason: err}
		return ""
	}
	if strings.ContainsAny(tag, `/\`) {
		t.renames[tag]++
	}
	return t.canonical(name)
}

// tell warns of the tags that had to change, each once.
func (t *tagNames) tell(warn func(error)) {
	for _, tag := range slices.Sorted(maps.Keys(t.renames)) {
		name, _ := TagName(tag)
		warn(fmt.Errorf("the tag %q, %s, is read as the name %q: no name has a slash", tag, legible.Count(t.renames[tag], "time"), name))
	}
	for _, tag := range slices.Sorted(maps.Keys(t.refusals)) {
		r, more := t.refusals[tag], ""
		if r.more > 0 {
			more = fmt.Sprintf(" and %d more", r.more)
		}
		warn(fmt.Errorf("tag left out: %s%s: %w", r.path, more, r.reason))
	}
}
