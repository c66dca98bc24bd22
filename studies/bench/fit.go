package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/synthetic"
)

// A fit is one fit to measure, of NRDL unless Method says another, in a process of its own so that its
// memory is its own.
type fit struct {
	Method string            // "" is NRDL
	Set    map[string]string // its parameters, by path
	Data   string            // a file of NRDL_DATA/sets, or "" for drawn faces
	People int
	Images int  // training images per person
	Atoms  int  // NRDL's: a person; 0 for all samples
	Passes int  // NRDL's: at most
	Probes bool // code the images that are left, too
}

// A measurement is what a fit cost.
type measurement struct {
	Samples, Atoms, Features, Classes int
	Passes                            int
	FitSeconds                        float64
	PassSeconds                       float64 // the median
	CodeSeconds                       float64
	Probes                            int
	PeakMiB                           float64
}

// apart measures f in a child process.
func (f fit) apart() (measurement, error) {
	var m measurement
	request, err := json.Marshal(f)
	if err != nil {
		return m, err
	}
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	var out bytes.Buffer
	cmd := exec.Command(self, "-child", string(request))
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return m, fmt.Errorf("measure %s: %w", request, err)
	}
	return m, json.Unmarshal(out.Bytes(), &m)
}

// least measures f three times: it returns the measurement with the least time to
// learn, and in it the least time to code.
func (f fit) least() (best measurement, err error) {
	for n := range 3 {
		m, err := f.apart()
		if err != nil {
			return best, err
		}
		code := m.CodeSeconds
		if n > 0 {
			code = min(code, best.CodeSeconds)
		}
		if n == 0 || m.FitSeconds < best.FitSeconds {
			best = m
		}
		best.CodeSeconds = code
	}
	return best, nil
}

func (f fit) measure() (measurement, error) {
	ctx := context.Background()
	train, probes, err := f.sets(ctx)
	if err != nil {
		return measurement{}, err
	}
	m, err := f.method()
	if err != nil {
		return measurement{}, err
	}
	d, n := train.X.Dims()
	out := measurement{Samples: n, Features: d, Classes: len(train.Classes)}
	var at []time.Time
	start := time.Now()
	model, err := m.Fit(ctx, &train.Samples, classify.Run{Seed: 1, Watch: func(classify.Progress) { at = append(at, time.Now()) }})
	if err != nil {
		return out, err
	}
	out.FitSeconds = time.Since(start).Seconds()
	out.Passes = len(at)
	_, out.Atoms = model.Parts().D.Dims()
	if len(at) > 1 {
		out.PassSeconds = medianGap(at)
	}
	if probes != nil {
		_, out.Probes = probes.X.Dims()
		start := time.Now()
		if _, err := model.Predict(ctx, probes.X); err != nil {
			return out, err
		}
		out.CodeSeconds = time.Since(start).Seconds()
	}
	out.PeakMiB, err = peakMiB()
	return out, err
}

func (f fit) method() (classify.Method, error) {
	if f.Method == "" {
		m := method.DefaultNRDL
		m.Atoms, m.Passes = f.Atoms, f.Passes
		return m, nil
	}
	m, err := method.Named(f.Method)
	for _, path := range slices.Sorted(maps.Keys(f.Set)) {
		if err != nil {
			return nil, err
		}
		m, err = method.Set(m, path, f.Set[path])
	}
	return m, err
}

func medianGap(at []time.Time) float64 {
	var gaps []float64
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, at[i].Sub(at[i-1]).Seconds())
	}
	return median(gaps)
}

// sets returns the training set and, if asked for, the rest.
func (f fit) sets(ctx context.Context) (train, probes *dataset.Images, err error) {
	var set *dataset.Images
	if root := os.Getenv("NRDL_DATA"); root != "" && f.Data != "" {
		set, err = dataset.Open(ctx, filepath.Join(root, "sets", f.Data), dataset.Options{})
	} else {
		s := synthetic.Default
		s.People, s.PerPerson = f.People, f.Images
		if f.Probes {
			s.PerPerson = 64
		}
		set, err = s.Draw(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	split, err := dataset.ParseSplit("first:" + strconv.Itoa(f.Images))
	if err != nil {
		return nil, nil, err
	}
	if !f.Probes {
		return firstOf(set, f.Images), nil, nil
	}
	tr, te, err := split.Apply(set, 1)
	if err != nil {
		return nil, nil, err
	}
	return set.Select(tr), set.Select(te), nil
}

// firstOf takes the first images of every person, or all where there are fewer.
func firstOf(set *dataset.Images, images int) *dataset.Images {
	var idx []int
	for c := range set.Classes {
		for j := set.Groups[c]; j < min(set.Groups[c]+images, set.Groups[c+1]); j++ {
			idx = append(idx, j)
		}
	}
	return set.Select(idx)
}

// peakMiB is the most memory that the process has held so far.
func peakMiB() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("resident memory is known on Linux only: %w", err)
	}
	for _, line := range strings.Split(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no VmHWM")
}
