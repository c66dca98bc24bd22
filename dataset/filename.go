package dataset

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/internal/legible"
)

// fileNames turns names of people into names of folders that are valid on every system
// and differ in more than case.
func fileNames(people []string) []string {
	names := make([]string, len(people))
	taken := make(map[string]bool, len(people))
	key := func(name string) string { return norm.NFC.String(strings.ToLower(name)) } // systems differ in what is one name
	for i, p := range people {
		name := fileName(p)
		for n := 2; taken[key(name)]; n++ {
			name = fmt.Sprintf("%s_%d", fileName(p), n)
		}
		taken[key(name)] = true
		names[i] = name
	}
	return names
}

const maxName = 200 // bytes; file systems allow 255

func fileName(person string) string {
	name := strings.Map(func(r rune) rune {
		if legible.Hidden(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(person, "_"))
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	name = strings.TrimRight(name, ". ")
	if name == "" || hidden(name) || reserved(name) {
		return "_" + name
	}
	return name
}

// reserved reports whether name, without its extension, is a device of Windows.
func reserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch stem = strings.TrimRight(stem, " "); stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, of := strings.CutPrefix(stem, "COM")
	if !of {
		port, of = strings.CutPrefix(stem, "LPT")
	}
	return of && slices.Contains([]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"}, port)
}

// FolderNames turns people's names into folder names that are valid on every
// system and differ in more than case. Forbidden characters become _; a Windows
// device name, a hidden or an empty name gets a _ before it; long names are
// cut, and equal ones get a number. No name is Unknown or NoFaceFolder.
func FolderNames(people []string) []string {
	return fileNames(append([]string{Unknown, NoFaceFolder}, people...))[2:]
}
