package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nrdl.example/nrdl/internal/licences/embedded"
)

// A component is a part of a program, in the words of CycloneDX 1.6.
type component struct {
	Type        string `json:"type"`
	Ref         string `json:"bom-ref"`
	Name        string `json:"name"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	PURL        string `json:"purl,omitempty"`
}

// sbom writes what a program says of the modules that it is linked from, and the
// data in it.
func (r *release) sbom(name, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	url := func(path, version string) string { return "pkg:golang/" + path + "@" + version }
	var parts []component
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, component{Type: "library", Ref: url(m.Path, m.Version), Name: m.Path, Version: m.Version, PURL: url(m.Path, m.Version)})
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	parts = append(parts, component{Type: "library", Ref: url("std", goVersion), Name: "std", Version: goVersion, PURL: url("std", goVersion)})
	for _, p := range embedded.Parts {
		parts = append(parts, component{Type: "data", Ref: p.Files[0], Name: p.What, Description: p.From})
	}
	main := component{Type: "application", Ref: url(info.Main.Path, "v"+r.version), Name: info.Main.Path, Version: r.version, PURL: url(info.Main.Path, "v"+r.version)}
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"timestamp": r.date.Format(time.RFC3339), "component": main},
		"components": parts,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, name+".cdx.json"), append(text, '\n'), 0o666)
}
