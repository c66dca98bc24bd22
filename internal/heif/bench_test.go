//go:build unix

package heif

import (
	"os"
	"syscall"
	"testing"
)

// BenchmarkDecode decodes the photograph that NRDL_HEIC names, and reports the
// memory of the process that decodes.
func BenchmarkDecode(b *testing.B) {
	path := os.Getenv("NRDL_HEIC")
	if path == "" {
		b.Skip("NRDL_HEIC names no photograph")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Decode(b.Context(), data); err != nil {
			b.Fatal(err)
		}
	}
	p := waiting()
	p.end()
	if used, ok := p.command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		b.ReportMetric(float64(used.Maxrss)/1024, "peak-MiB")
	}
}
