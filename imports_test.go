package nrdl_test

import (
	"os/exec"
	"strings"
	"testing"
)

// layers are the packages of the module from the bottom to the top; those of
// one line do not know each other, and a package imports from lines above its
// own only.
var layers = []string{
	"internal/edits internal/hint internal/legible internal/realdata internal/parallel internal/blas internal/significance plans",
	"internal/lin internal/atomicfile internal/config internal/mat5 internal/npz internal/blas/asm",
	"coding feature projection internal/safetensors internal/jsonl",
	".",
	"dictionary",
	"dataset method internal/picture",
	"face",
	"experiment internal/methodtest bench bench/peers",
	"report explain bench/validate bench/copies bench/photos bench/strangers",
	"cmd/nrdl internal/docgen",
}

func TestImportsPointOneWay(t *testing.T) {
	layer := map[string]int{}
	for i, line := range layers {
		for _, p := range strings.Fields(line) {
			layer[strings.TrimSuffix("nrdl/"+p, "/.")] = i
		}
	}
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		own, ok := layer[fields[0]]
		if !ok {
			t.Errorf("%s is in no layer", fields[0])
		}
		for _, imported := range fields[1:] {
			if l, ours := layer[imported]; ours && l >= own {
				t.Errorf("%s imports %s", fields[0], imported)
			}
		}
	}
}
