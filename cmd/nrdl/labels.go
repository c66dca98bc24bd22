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
	tags   dataset.TagSource
}

// register registers the flags for folders.
func (l *labels) register(c *cobra.Command) {
	cli.Choice(c, &l.names, "names", "where the names of people are in a folder: first (the first folder, the default), last (the folder that the image is in, as 2023/Ann/1.jpg) or files (Ann.jpg, Ann 2.jpg, Ann_0003.jpg: the name without a number after a separator)", dataset.Namings)
	cli.Var(c, &l.tags, "tags", "", "SOURCE", "take the names of face tags in a folder of photographs, from SOURCE: regions (XMP in photographs and sidecars; --tags alone), takeout (JSON of Google Takeout) or a list LIST.csv of lines photograph,name,name", dataset.ParseTagSource, func(s dataset.TagSource) string { return string(s) })
	c.MarkFlagsMutuallyExclusive("names", "tags")
	c.Flags().Lookup("tags").NoOptDefVal = string(dataset.Regions)
	cli.Complete(c, "tags", cli.Words(string(dataset.Regions), string(dataset.Takeout)))
}

// options are those by which a data set is read for in.
func (l labels) options(in frontend.Pipeline, find face.Options) nrdl.ReadOptions {
	return nrdl.ReadOptions{Frame: in.Frame, Embedder: in.Embedder, Detect: find, Names: l.names, Tags: l.tags, Arrays: l.arrays}
}
