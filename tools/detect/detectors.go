package main

import (
	"context"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
)

func detectors() (all []detector) {
	all = append(all, detector{"cascade", func(ctx context.Context, p *dataset.Photo) ([]face.Detection, error) {
		return face.DefaultFinder.Detect(ctx, p)
	}})
	all = append(all, detector{"auto", face.DefaultSearch.Detect})
	add := func(name string, d face.NetDetector, border float64) {
		d.Border = border
		d.Least = 0.05
		all = append(all, detector{name, d.Detect})
	}
	add("tiny", face.NewTiny(224), 0.2)
	add("ssd", face.NewSSD(512), 0)
	add("ssd256", face.NewSSD(256), 0.3)
	return all
}
