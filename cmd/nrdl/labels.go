package main

import (
	"github.com/spf13/cobra"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/frontend"
)

// labels are the flags that say whose faces the images of a data set show.
type labels struct {
	arrays dataset.Arrays
	names  dataset.Naming
	tagged bool
}

// register registers the flags for folders.
func (l *labels) register(c *cobra.Command) {
	cli.Choice(c, &l.names, "names", "where the names of people are in a folder: first (the first folder, the default), last (the folder that the image is in, as 2023/Ann/1.jpg) or files (Ann.jpg, Ann 2.jpg, Ann_0003.jpg: the name without a number after a separator)", dataset.Namings)
	c.Flags().BoolVar(&l.tagged, "tags", false, "take the names of face tags: regions and PersonInImage in the photographs (XMP) and in their sidecars; DATA is any folder of photographs")
}

// options are those by which a data set is read for in.
func (l labels) options(in frontend.Pipeline, find face.Options) nrdl.ReadOptions {
	return nrdl.ReadOptions{Frame: in.Frame, Embedder: in.Embedder, Detect: find, Names: l.names, Tagged: l.tagged, Arrays: l.arrays}
}
