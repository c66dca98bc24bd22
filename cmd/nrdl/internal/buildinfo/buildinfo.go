// Package buildinfo says what this program is, and how fast linear algebra is with
// it here.
package buildinfo

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/kit/version"
	"nrdl.example/nrdl/internal/legible"
)

// An Info describes this program: its version, its platform and its linear algebra.
type Info struct {
	Version   string   `json:"version"`            // of nrdl: the tag of the commit, or 0.3.0-dev+COMMIT
	Revision  string   `json:"revision,omitempty"` // of the source, with "+changes" if it had any
	Time      string   `json:"time,omitempty"`     // of the revision
	Go        string   `json:"go"`                 // version of Go
	System    string   `json:"system"`             // operating system and processor
	Threads   int      `json:"threads"`            // number of threads
	Backend   string   `json:"blas"`               // back end of the linear algebra
	Available []string `json:"available"`          // back ends of the linear algebra that this processor can use
	GFLOPS    Speeds   `json:"gflops"`             // zero until Measure
}

// Speeds are of products of 1024×760 matrices, in GFLOP/s.
type Speeds struct {
	One  float64 `json:"one_thread"`      // on one thread
	All  float64 `json:"all_threads"`     // on all threads
	Peak float64 `json:"peak_one_thread"` // multiply-adds with nothing to load
}

// Read returns the Info of this program, without speeds.
func Read() Info {
	b := Info{
		Version: version.Of(&debug.BuildInfo{}), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Threads: runtime.GOMAXPROCS(0), Backend: blas.Current().String(),
	}
	for _, v := range blas.Available() {
		b.Available = append(b.Available, v.String())
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = version.Of(info)
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Revision = s.Value
		case s.Key == "vcs.time":
			b.Time = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			b.Revision += "+changes"
		}
	}
	return b
}

// Line is the version with the revision, for records.
func (b Info) Line() string {
	if b.Revision == "" || strings.Contains(b.Version, b.Revision[:min(12, len(b.Revision))]) {
		return b.Version
	}
	return b.Version + " " + b.Revision
}

// Measure measures the speeds for GFLOPS. It takes about 2⅓ times d.
func (b *Info) Measure(d time.Duration) {
	b.GFLOPS = Speeds{One: blas.MeasureGEMM(1, d), All: blas.MeasureGEMM(runtime.GOMAXPROCS(0), d), Peak: blas.PeakFMA(d / 3)}
}

// WriteText writes b as text. Measure comes first.
func (b Info) WriteText(w io.Writer) error {
	source := ""
	if b.Revision != "" {
		source = fmt.Sprintf(" (%s, %s)", b.Revision, b.Time)
	}
	s, threads := b.GFLOPS, legible.Count(b.Threads, "thread")
	_, err := fmt.Fprintf(w, `nrdl %s%s
%s %s, %s
blas %s (available: %s; choose with %s)
%.1f GFLOP/s on one thread, %.0f %% of its peak; %.1f GFLOP/s on %s
`, b.Version, source, b.Go, b.System, threads, b.Backend, strings.Join(b.Available, ", "), blas.EnvVar,
		s.One, 100*s.One/s.Peak, s.All, threads)
	return err
}
