// Package plans has the plans of experiments that come with the program: those
// of the paper, an ablation, and a quick one on drawn faces.
//
// Experimental: this package may change in any version.
package plans

import (
	"embed"
	"path"
	"strings"
)

//go:embed *.json
var files embed.FS

// SchemaFile is the name of the file with the schema of plans. Plans refer to it by this
// name. It is the only file in this package that is not a plan.
const SchemaFile = "plan.schema.json"

// Schema returns the JSON Schema of plans.
func Schema() []byte {
	text, err := files.ReadFile(SchemaFile)
	if err != nil {
		panic(err) // embedded
	}
	return text
}

// Named returns the text of the built-in plan of that name, such as "paper".
func Named(name string) (text []byte, ok bool) {
	file := path.Base(name)
	if file = strings.TrimSuffix(file, ".json") + ".json"; file == SchemaFile {
		return nil, false
	}
	text, err := files.ReadFile(file)
	return text, err == nil
}

// Names returns the names of the built-in plans.
func Names() (names []string) {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // embedded
	}
	for _, e := range entries {
		if e.Name() != SchemaFile {
			names = append(names, strings.TrimSuffix(e.Name(), ".json"))
		}
	}
	return names
}
