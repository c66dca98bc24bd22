//go:build linux

// Command gallery measures galleries of 10² to 10⁶ faces, and prints what doc/scale.md
// shows:
//
//	go -C studies run ./gallery -data DIR statistics     # drawn faces beside real ones
//	go -C studies run ./gallery -data DIR rates          # who is named as a gallery grows
//	go -C studies run ./gallery -data DIR coding         # the shortlist against coding over all faces
//	go -C studies run ./gallery -data DIR costs          # time and memory
//
// DIR has the embeddings lfw_several.npz, lfw_cohort.npz, lfw86.npz, lfw_strangers.npz and
// gt_db.npz, as for go -C studies run ./impostors. The faces of a gallery are drawn to have the
// statistics of lfw_several; what is reported of real faces is of the others.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/hint"
)

var (
	data  = flag.String("data", "", "folder with the embeddings")
	most  = flag.Int("faces", 1_000_000, "of the largest gallery")
	least = flag.Int("from", 10_000, "costs: faces of the smallest gallery")
	dims  = flag.Int("dims", 512, "costs: of the vectors, which are those drawn, rotated")
	numpy = flag.String("numpy", "/usr/bin/python3", "costs: a Python with NumPy; empty for none")
)

func main() {
	flag.Parse()
	hint.Exit("gallery", run(context.Background()))
}

// real are the embeddings of photographs.
type real struct{ several, cohort, lfw86, strangers, gt *dataset.Images }

func run(ctx context.Context) error {
	var r real
	sets := map[string]**dataset.Images{"lfw_several": &r.several}
	if what := flag.Arg(0); what == "statistics" || what == "rates" {
		sets["lfw_cohort"], sets["lfw86"], sets["lfw_strangers"], sets["gt_db"] = &r.cohort, &r.lfw86, &r.strangers, &r.gt
	}
	for name, set := range sets {
		all, err := dataset.Open(ctx, filepath.Join(*data, name+".npz"), dataset.Options{})
		if err != nil {
			return err
		}
		*set = all.Faces()
	}
	d, err := fit(r.several)
	if err != nil {
		return err
	}
	switch flag.Arg(0) {
	case "statistics":
		return statistics(d, &r)
	case "rates":
		return rates(ctx, d, &r)
	case "coding":
		return codings(ctx, d)
	case "costs":
		return costs(ctx, d)
	case "opened": // costs starts it
		return rotate(d, *dims).opened(ctx, flag.Arg(1), *most)
	}
	fmt.Fprintln(os.Stderr, "say what: statistics, rates, coding or costs")
	os.Exit(2)
	return nil
}
