package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nrdl.example/nrdl/cmd/nrdl/licences/embedded"
)

// A component is a part of a program, in the words of CycloneDX 1.6.
type component struct {
	Type        string           `json:"type"`
	Ref         string           `json:"bom-ref"`
	Name        string           `json:"name"`
	Version     string           `json:"version,omitempty"`
	Description string           `json:"description,omitempty"`
	Licences    []map[string]any `json:"licenses,omitempty"`
	PURL        string           `json:"purl,omitempty"`
}

// sbom writes what is in a program: the modules that it is linked from, as cyclonedx-gomod finds them in
// it, and what is embedded: C libraries, networks, fonts and data.
func (r *release) sbom(name, program string) error {
	found := filepath.Join(r.tmp, name+".modules.json")
	if err := r.run("go", "tool", "cyclonedx-gomod", "bin", "-json", "-std", "-noserial", "-notimestamp", "-output-version", "1.6",
		"-version", "v"+r.version, "-output", found, program); err != nil {
		return err
	}
	text, err := os.ReadFile(found)
	if err != nil {
		return err
	}
	text = bytes.ReplaceAll(text, []byte("(devel)"), []byte("v"+r.version)) // what a workspace calls its modules
	var bom map[string]any
	if err := json.Unmarshal(text, &bom); err != nil {
		return err
	}
	metadata, parts := bom["metadata"].(map[string]any), bom["components"].([]any)
	metadata["timestamp"] = r.date.Format(time.RFC3339)
	for _, tool := range metadata["tools"].([]any) {
		delete(tool.(map[string]any), "hashes") // of a program that was built here
	}
	for _, c := range embeddedComponents() {
		parts = append(parts, c)
	}
	bom["components"] = parts
	if text, err = json.MarshalIndent(bom, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.output, name+".cdx.json"), append(text, '\n'), 0o666)
}

// embeddedComponents are what is in the program and no module of Go: libraries in C and C++, and data.
func embeddedComponents() (all []component) {
	for _, l := range embedded.Translated {
		all = append(all, library(l, "in modernc.org/sqlite, translated to Go", ""))
	}
	for _, p := range embedded.Parts {
		for _, l := range p.Libraries {
			all = append(all, library(l, fmt.Sprintf("in %s: %s", strings.Join(p.Files, ", "), p.What), "#"+p.Files[0]))
		}
		if len(p.Libraries) == 0 {
			all = append(all, component{Type: "data", Ref: p.Files[0], Name: p.What, Description: p.Source})
		}
	}
	return all
}

// library is the component of a library; its reference has an end, as it may be in several files.
func library(l embedded.Library, description, end string) component {
	return component{
		Type: "library", Ref: l.PURL + end, Name: l.Name, Version: l.Version, Description: description,
		Licences: []map[string]any{{"expression": l.Licence}}, PURL: l.PURL,
	}
}
