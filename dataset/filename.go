package dataset

import (
	"fmt"
	"strings"
)

// fileNames turns people's names into names that folders can have on every
// system and that stay different where case makes no difference.
func fileNames(people []string) []string {
	names := make([]string, len(people))
	taken := make(map[string]bool, len(people))
	for i, p := range people {
		name := fileName(p)
		for n := 2; taken[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s_%d", fileName(p), n)
		}
		taken[strings.ToLower(name)] = true
		names[i] = name
	}
	return names
}

const maxName = 200 // bytes; file systems allow 255

func fileName(person string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`/\:*?"<>|`, r) {
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

// reserved reports the names of devices, which Windows keeps for itself with
// any extension.
func reserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(stem) == 4 && (stem[:3] == "COM" || stem[:3] == "LPT") && '1' <= stem[3] && stem[3] <= '9'
}
