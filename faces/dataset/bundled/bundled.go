// Package bundled has data sets that are part of the program, so that everybody can repeat
// a comparison. README.md has their origin and licences.
//
// Experimental: this package may change in any version.
package bundled

import (
	"embed"
	"strings"

	"nrdl.example/nrdl/advice"
)

//go:embed *.npz
var files embed.FS

// Prefix is the beginning of the path of a bundled data set, such as "bundled:digits".
const Prefix = "bundled:"

// Is reports whether path is that of a bundled data set.
func Is(path string) bool { return strings.HasPrefix(path, Prefix) }

// Open returns the .npz file of the bundled data set at path.
func Open(path string) ([]byte, error) {
	name := strings.TrimPrefix(path, Prefix)
	file, err := files.ReadFile(name + ".npz")
	if err != nil {
		return nil, advice.Unknown("bundled data set", name, Names())
	}
	return file, nil
}

// Names returns the names of the data sets, without Prefix.
func Names() (names []string) {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // embedded
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".npz"))
	}
	return names
}
