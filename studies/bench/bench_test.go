package main

import (
	"context"
	"os"
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/method"
)

// The benchmarks are for benchstat, before and after a change; the table that
// doc/performance.md keeps is printed by go -C studies run ./bench.

// yale is the size of the paper's Extended Yale B, and its data where they are.
var yale = fit{Data: "yaleb_32x32.mat", People: 38, Images: 20, Passes: 1000, Probes: true}

func sets(b *testing.B) (train, probes *dataset.Images) {
	b.Helper()
	if os.Getenv("NRDL_DATA") == "" {
		b.Log("NRDL_DATA is not set: drawn faces in the place of Extended Yale B")
	}
	train, probes, err := yale.sets(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return train, probes
}

func BenchmarkFit(b *testing.B) {
	train, _ := sets(b)
	for b.Loop() {
		if _, err := method.DefaultNRDL.Fit(context.Background(), &train.Samples, classify.Run{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPredict(b *testing.B) {
	train, probes := sets(b)
	for _, set := range []string{"exact", "admm"} {
		b.Run(set, func(b *testing.B) {
			m, err := method.Set(method.DefaultNRDL, "coder.solver", set)
			if err != nil {
				b.Fatal(err)
			}
			model, err := m.Fit(context.Background(), &train.Samples, classify.Run{})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := model.Predict(context.Background(), probes.X); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
