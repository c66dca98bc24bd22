// Package lacking is for tests that some machines cannot run: for want of a processor, a program
// or data.
package lacking

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Skip skips a test that this machine cannot run, and notes it (Note).
func Skip(t testing.TB, why ...any) {
	t.Helper()
	Note(t, why...)
	t.Skip(why...)
}

// Note adds what this machine cannot test to the file that the environment variable NRDL_SKIPPED
// names, if any: .ci/run prints it at its end.
func Note(t testing.TB, why ...any) {
	t.Helper()
	path := os.Getenv("NRDL_SKIPPED")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		text := strings.Join(strings.Fields(fmt.Sprint(why...)), " ")
		_, err = fmt.Fprintf(f, "%s\t%s\n", text, t.Name()) // at once: tests of several processes write it
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
