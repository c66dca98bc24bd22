package main

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// TestWords: the words that stand for instructions are what the text beside them
// says, as an independent disassembler reads them.
func TestWords(t *testing.T) {
	const objdump = "aarch64-linux-gnu-objdump"
	if _, err := exec.LookPath(objdump); err != nil {
		lacking.Skip(t, "no ", objdump, " (Debian: binutils-aarch64-linux-gnu)")
	}
	var words []byte
	var want []string
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`WORD \$0x([0-9a-f]{8}) // (.*)`).FindAllStringSubmatch(kernels().code.String(), -1) {
		if seen[m[0]] {
			continue
		}
		seen[m[0]] = true
		code, err := strconv.ParseUint(m[1], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		words = binary.LittleEndian.AppendUint32(words, uint32(code))
		want = append(want, m[2])
	}
	file := filepath.Join(t.TempDir(), "words")
	if err := os.WriteFile(file, words, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-D", "-b", "binary", "-m", "aarch64", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := regexp.MustCompile(`(?m)^ *[0-9a-f]+:\t[0-9a-f]{8} \t(.*)$`).FindAllStringSubmatch(string(out), -1)
	if len(want) == 0 || len(lines) != len(want) {
		t.Fatalf("%d words, %d lines", len(want), len(lines))
	}
	for i, l := range lines {
		if got := strings.Join(strings.Fields(l[1]), " "); got != want[i] {
			t.Errorf("%q is written for %q", want[i], got)
		}
	}
}

// TestInstructions: each line of the output becomes one machine instruction, so
// that the counts of package main are those of the processor.
func TestInstructions(t *testing.T) {
	dir := t.TempDir()
	source, object := filepath.Join(dir, "kern.s"), filepath.Join(dir, "kern.o")
	a := kernels()
	if err := os.WriteFile(source, []byte("#include \"textflag.h\"\n"+a.code.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	assemble := exec.Command("go", "tool", "asm", "-p", "blas", "-I",
		filepath.Join(strings.TrimSpace(string(root)), "src", "runtime"), "-o", object, source)
	assemble.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64")
	if out, err := assemble.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "objdump", object).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	name := ""
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); strings.HasPrefix(line, "TEXT ") {
			name = strings.TrimSuffix(strings.TrimPrefix(f[1], "blas."), "(SB)")
		} else if len(f) > 2 && f[2] != "00000000" { // filled up to 16 bytes
			got[name]++
		}
	}
	for _, r := range a.routines {
		if got[r.name] != r.count.total() {
			t.Errorf("%s has %d instructions, counted %d", r.name, got[r.name], r.count.total())
		}
	}
}

// TestBalance: the loops that decide wait for nothing but the arithmetic.
func TestBalance(t *testing.T) {
	a := kernels()
	for _, name := range []string{"dgemmN4x6", "sgemmN4x6", "sconvN6x4", "sconvN8x3"} {
		label := "loop"
		if strings.HasPrefix(name, "sconv") {
			label = "k"
		}
		for _, c := range cores {
			if _, why := c.cycles(a.loop(name, label)); why != "arithmetic" {
				t.Errorf("%s on %s is bound by %s", name, c.name, why)
			}
		}
	}
}
