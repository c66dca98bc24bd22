// Package bundled has data sets that come with the program, so that everybody can repeat
// a comparison. README.md says where they come from and under which licence.
package bundled

import (
	"embed"
	"strings"

	"nrdl.example/nrdl/advice"
)

//go:embed *.npz
var files embed.FS

// Prefix is how the path of a data set that comes with the program begins: the digits
// are at "bundled:digits".
const Prefix = "bundled:"

// Is reports whether path names a data set that comes with the program.
func Is(path string) bool { return strings.HasPrefix(path, Prefix) }

// Open returns the .npz file of the data set at path, which Is.
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
