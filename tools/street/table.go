package main

import (
	"path"
	"regexp"
	"strings"
)

const module = "nrdl.example/nrdl"

// folders are the folders that move, and where to. What is below a folder goes with it, but what has
// a line of its own.
var folders = map[string]string{
	"frontend/projection": "projection",

	"internal/array":              "internal/kit/array",
	"internal/atomicfile":         "internal/kit/atomicfile",
	"internal/jsonl":              "internal/kit/jsonl",
	"internal/linkdir":            "internal/kit/linkdir",
	"internal/metadata":           "internal/kit/metadata",
	"internal/npz":                "internal/kit/npz",
	"internal/packed":             "internal/kit/packed",
	"internal/page":               "internal/kit/page",
	"internal/picture":            "internal/kit/picture",
	"internal/regular":            "internal/kit/regular",
	"internal/version":            "internal/kit/version",
	"internal/testing/edits":      "internal/kit/testing/edits",
	"internal/testing/onnxfile":   "internal/kit/testing/onnxfile",
	"internal/testing/postgres":   "internal/kit/testing/postgres",
	"internal/testing/smalldisk":  "internal/kit/testing/smalldisk",
	"internal/testing/natsserver": "cmd/nrdl/internal/natsserver",

	"dataset": "faces/dataset", "face": "faces/face", "network": "faces/network", "frontend": "faces/frontend",
	"gallery": "faces/gallery", "group": "faces/group", "explain": "faces/explain", "tags": "faces/tags",
	"heic": "faces/heic", "results": "faces/results", "synthetic": "faces/synthetic", "measure": "faces/measure",
	"lettering": "faces/lettering", "testdata": "faces/testdata",
	"internal/mat5": "faces/internal/mat5", "internal/safetensors": "faces/internal/safetensors",
	"internal/tiff": "faces/internal/tiff", "internal/bounded": "faces/internal/bounded",
	"internal/scatter": "faces/internal/scatter", "internal/videorange": "faces/internal/videorange",
	"internal/libjpeg": "faces/internal/libjpeg", "internal/sandbox": "faces/internal/sandbox",

	"experiment": "lab/experiment", "report": "lab/report", "plans": "lab/plans",
	"internal/significance": "lab/significance", "dataset/reference": "lab/reference",

	"service": "server", "service/store": "server/store",

	"engine": "cmd/nrdl/engine", "worker": "cmd/nrdl/internal/cluster", "internal/licences": "cmd/nrdl/licences",

	"studies": "tools", "internal/site": "tools/site", "internal/release": "tools/release",
	"internal/modulepath": "tools/modulepath", "internal/fileproxy": "tools/fileproxy", "internal/blas/asm": "tools/asm",
}

// stay are the Go files of the root that stay there; the others are the package faces.
var stay = regexp.MustCompile(`^(nrdl|learn_test|house_test)\.go$`)

// core are the names of the package nrdl that stay in it.
var core = map[string]bool{"Learn": true, "Steps": true}

// renamed are the packages that get another name.
var renamed = map[string]string{module: "faces", module + "/service": "server", module + "/worker": "cluster"}

// instead are names for what has the new name of a package, where both are in scope.
var instead = map[string][]string{"faces": {"found", "all", "some"}, "server": {"srv", "listening"}, "cluster": {"machines"}}

// leftAlone are files that are about the past, records, and what is generated or written below.
var leftAlone = regexp.MustCompile(`^CHANGELOG\.md$|(^|/)go\.(mod|sum)$|\.(jsonl|json|txt|ipynb|css|svg|bib|s|onnx|mat|csv|tsv)$|(^|/)street/|^NOTICE$|package-lock`)

// place is the path of a file or folder after the move.
func place(name string) string {
	if path.Dir(name) == "." && path.Ext(name) == ".go" {
		if stay.MatchString(name) {
			return name
		}
		return "faces/" + name
	}
	for folder := name; folder != "."; folder = path.Dir(folder) {
		if to, ok := folders[folder]; ok {
			return to + strings.TrimPrefix(name, folder)
		}
	}
	return name
}

// imported is the path of a package after the move.
func imported(p string) string {
	switch rest, ours := strings.CutPrefix(p, module+"/"); {
	case p == module:
		return module + "/faces"
	case ours:
		return module + "/" + place(rest)
	}
	return p
}
