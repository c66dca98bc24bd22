// Package linkdir makes a folder per person with links to the photographs of the
// person.
package linkdir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/regular"
)

// A Sorter makes a folder for each person, with links to the photographs of that person,
// and further folders for photographs without one of these people.
type Sorter struct {
	Unlock  func() // ends the Sorter
	Stale   int    // links of earlier runs to photographs that are elsewhere now, which Place removed if the folder is Ours
	Ours    bool   // a Sorter made the folder
	dir     string
	folders map[string]string       // of a person
	links   map[string]*folderLinks // by folder
	current int                     // index in ways of the one that works here
	earlier map[string][]string     // links of earlier runs by the photograph that they lead to
	copies  atomicfile.Writer
	warn    func(format string, args ...any)
}

// folderLinks is what a folder of links holds.
type folderLinks struct {
	names      map[string]bool // in lower case: systems differ in whether case counts
	targets    map[string]bool // the absolute paths that symbolic links lead to
	lastNumber map[string]int  // the largest number behind a name
}

// A way makes a name for the file at path.
type way struct {
	name string
	make func(s *Sorter, path, target, link string) error
}

// ways in the order of preference. Not every file system has links, and Windows
// lets few people make symbolic ones.
var ways = []way{
	{"symbolic links", func(_ *Sorter, _, target, link string) error { return os.Symlink(target, link) }},
	{"hard links", func(_ *Sorter, path, _, link string) error { return os.Link(path, link) }},
	{"copies", func(s *Sorter, path, _, link string) error { return s.duplicate(path, link) }},
}

// New makes the folder dir and returns a Sorter into it. Folders[i] is the name of the folder
// of people[i]. No other process can sort into dir until Unlock is called.
func New(dir string, people, folders []string, warn func(format string, args ...any)) (*Sorter, error) {
	if err := atomicfile.MakeFolder(dir); err != nil {
		return nil, fmt.Errorf("sort: %w", err)
	}
	unlock, err := atomicfile.LockFolder(dir)
	if errors.Is(err, atomicfile.ErrLocked) {
		err = advice.Add(err, "wait until the other nrdl is done, or choose another folder")
	}
	if err != nil {
		return nil, fmt.Errorf("sort: %w", err)
	}
	s := &Sorter{dir: Real(dir), Unlock: unlock, folders: map[string]string{}, links: map[string]*folderLinks{}, warn: warn}
	for c, person := range people {
		s.folders[person] = folders[c]
	}
	return s, nil
}

// Mark is an empty file in a folder that a Sorter made, in which all links are its own.
const Mark = ".nrdl.sorted"

// Renew opens a folder with the results of an earlier run. If a Sorter made the folder, Place then
// removes links to its photograph from the folders of other people; otherwise it only counts them.
// A folder that no Sorter made and whose folders hold files is an error: the links would be among
// photographs of people, from which a model may learn.
func (s *Sorter) Renew() error {
	folders, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("sort: %w", err)
	}
	hidden := func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }
	mark := filepath.Join(s.dir, Mark)
	if folders = slices.DeleteFunc(folders, hidden); len(folders) == 0 {
		if err := os.WriteFile(mark, nil, 0o666); err != nil {
			return fmt.Errorf("sort: %w", err)
		}
	}
	_, err = os.Stat(mark)
	s.Ours, s.earlier = err == nil, map[string][]string{}
	for _, f := range folders {
		dir := filepath.Join(s.dir, f.Name())
		links, _ := os.ReadDir(dir) // a file has none
		for _, e := range links {
			at := filepath.Join(dir, e.Name())
			if !s.Ours && e.Type().IsRegular() && !hidden(e) {
				return advice.Add(fmt.Errorf("sort: %s has files that are no links: %s", s.dir, at), "choose a new folder")
			}
			if target, err := os.Readlink(at); err == nil && !filepath.IsAbs(target) { // Place makes relative ones
				file := filepath.Join(dir, target)
				s.earlier[file] = append(s.earlier[file], at)
			}
		}
	}
	return nil
}

// Place adds links to the photograph at path to the folders of people, which may contain a
// name twice; if people is empty, to the folder other.
func (s *Sorter) Place(path string, people []string, other string) error {
	folders := []string{other}
	if len(people) > 0 {
		folders = nil
	}
	for i, p := range people {
		if !slices.Contains(people[:i], p) {
			folders = append(folders, s.folders[p])
		}
	}
	for _, folder := range folders {
		if err := s.link(folder, path); err != nil {
			return fmt.Errorf("sort %s into %s: %w", path, filepath.Join(s.dir, folder), err)
		}
	}
	return s.removeEarlier(path, folders)
}

// removeEarlier counts the earlier links to the file at path that are in none of folders, and
// removes them if the folder is s.Ours.
func (s *Sorter) removeEarlier(path string, folders []string) error {
	file := absolute(path)
	for _, at := range s.earlier[file] {
		dir := filepath.Dir(at)
		if slices.Contains(folders, filepath.Base(dir)) {
			continue
		}
		if s.Stale++; !s.Ours {
			continue
		}
		if err := os.Remove(at); err != nil {
			return fmt.Errorf("sort: %w", err)
		}
		delete(s.links, dir) // what it holds is read again
		_ = os.Remove(dir)   // if it is empty
	}
	delete(s.earlier, file)
	return nil
}

// absolute is the path of the file at path, which may be a link, with the links in its folder
// resolved.
func absolute(path string) string {
	return filepath.Join(Real(filepath.Dir(path)), filepath.Base(path))
}

// link makes a name in folder for the file at path, that of the file with a
// number where it is taken. It makes none where there is one already.
func (s *Sorter) link(folder, path string) error {
	dir := filepath.Join(s.dir, folder)
	have, err := s.open(dir)
	if err != nil {
		return err
	}
	file := absolute(path)
	if have.targets[file] {
		return nil
	}
	target, err := filepath.Rel(dir, file)
	if err != nil { // another drive
		target = file
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	base := filepath.Base(path)
	for n := max(1, have.lastNumber[base]); ; n++ {
		name := numbered(base, n)
		at := filepath.Join(dir, name)
		if have.names[strings.ToLower(name)] {
			if same(at, info) {
				return nil
			}
			continue
		}
		err := s.make(file, target, at)
		taken := errors.Is(err, fs.ErrExist) // by another program meanwhile
		if err != nil && !taken {
			return err
		}
		have.names[strings.ToLower(name)] = true
		if taken && !same(at, info) {
			continue
		}
		have.targets[file], have.lastNumber[base] = true, n
		return nil
	}
}

// numbered is "a.jpg", "a (2).jpg", …
func numbered(base string, n int) string {
	if n == 1 {
		return base
	}
	ext := filepath.Ext(base)
	return fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(base, ext), n, ext)
}

// same reports whether the file at path is the one of info, a link to it, or a
// copy of it.
func same(path string, info fs.FileInfo) bool {
	if there, err := os.Stat(path); err == nil && os.SameFile(there, info) {
		return true
	}
	there, err := os.Lstat(path)
	return err == nil && there.Mode().IsRegular() && there.Size() == info.Size() && there.ModTime().Equal(info.ModTime())
}

// make makes link in the first way that works. No way works on a full disk.
func (s *Sorter) make(path, target, link string) error {
	for {
		err := ways[s.current].make(s, path, target, link)
		if err == nil || s.current == len(ways)-1 || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) ||
			errors.Is(err, syscall.ENOSPC) {
			return err
		}
		s.warn("%s instead of %s: %v", ways[s.current+1].name, ways[s.current].name, err)
		s.current++
	}
}

// open returns what dir, which it makes, holds.
func (s *Sorter) open(dir string) (*folderLinks, error) {
	if have := s.links[dir]; have != nil {
		return have, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	have := &folderLinks{names: map[string]bool{}, targets: map[string]bool{}, lastNumber: map[string]int{}}
	for _, e := range entries {
		have.names[strings.ToLower(e.Name())] = true
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil {
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir, target)
			}
			have.targets[target] = true
		}
	}
	s.links[dir] = have
	return have, nil
}

// duplicate copies the file at path, with its time, to a place where none is.
func (s *Sorter) duplicate(path, to string) error {
	from, info, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = s.copies.Write(context.Background(), to, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
	if err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, info.ModTime())
}

// Within reports whether path is folder or lies in it, also by way of links. Neither needs to
// exist.
func Within(path, folder string) bool {
	rel, err := filepath.Rel(Real(folder), Real(path))
	return err == nil && filepath.IsLocal(rel)
}

// Real returns the absolute path of path, with the links in its existing part resolved.
func Real(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for there, rest := abs, ""; ; {
		if followed, err := filepath.EvalSymlinks(there); err == nil {
			return filepath.Join(followed, rest)
		}
		up := filepath.Dir(there)
		if up == there {
			return abs
		}
		there, rest = up, filepath.Join(filepath.Base(there), rest)
	}
}
