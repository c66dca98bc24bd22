// Command impostors measures how similar a network finds different people, and tries
// the threshold that follows from it: the numbers of openset/impostors and
// those of openset/assumptions.go.
//
//	go -C studies run ./impostors -data DIR [-write FILE.json -network SHA256 -mirror]
//
// DIR has the embeddings lfw_several.npz, lfw_cohort.npz, lfw86.npz and
// lfw_strangers.npz, as nrdl data convert IN OUT.npz --input embedding makes them; IN
// is a folder with a folder per person, or a list PATH;LABEL of those that have none.
// The law and all constants come from the first two, whose people judge nothing else;
// what is reported comes from the others. A cluster is one of eight (k-means) of the
// embeddings of all four sets.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/measure"
)

func main() {
	data := flag.String("data", "", "folder with the embeddings")
	write := flag.String("write", "", "write the law to this file")
	network := flag.String("network", "", "SHA-256 of the file of the network")
	mirror := flag.Bool("mirror", false, "the embeddings are means over the face and its mirror image")
	landmarks := flag.Bool("landmarks", true, "faces are aligned by five landmarks")
	fit := flag.Bool("fit", false, "search the numbers of openset/assumptions.go")
	draws := flag.Int("draws", 20, "galleries of each kind")
	flag.Parse()
	if err := run(*data, *write, *network, *mirror, *landmarks, *fit, *draws); err != nil {
		fmt.Fprintln(os.Stderr, "impostors:", err)
		os.Exit(1)
	}
}

func run(data, write, network string, mirror, landmarks, fit bool, draws int) error {
	sets := map[string]*dataset.Images{}
	for _, name := range []string{"lfw_several", "lfw_cohort", "lfw86", "lfw_strangers"} {
		set, err := dataset.Open(context.Background(), filepath.Join(data, name+".npz"), dataset.Options{})
		if err != nil {
			return err
		}
		sets[name] = set.Faces()
	}
	several, cohort := sets["lfw_several"], sets["lfw_cohort"]
	l, err := measure.Law(several, cohort)
	if err != nil {
		return err
	}
	l.Network, l.Mirror, l.Landmarks = network, mirror, landmarks
	l.Source = "go -C studies run ./impostors: means of photographs of the people of lfw_several against the faces of lfw_cohort; the rates are one standard error (bootstrap over people) above those measured"
	if write != "" {
		if err := os.WriteFile(write, measure.Lines(l), 0o666); err != nil {
			return err
		}
	}
	clusters := kMeans(8, sets["lfw_several"], sets["lfw_cohort"], sets["lfw86"], sets["lfw_strangers"])
	fitted := galleries(l, several, cohort, 3, draws, clusters)
	fitted = append(fitted, galleries(l, several, cohort, 5, draws, clusters)...)
	fmt.Println("fitted on lfw_several and lfw_cohort")
	report(fitted)
	if fit {
		meanError(fitted)
		gallerySpread(fitted)
		search(fitted)
	}
	for _, k := range []int{5, 1} {
		fmt.Printf("\nreported on lfw86 and lfw_strangers, %d photographs per person\n", k)
		all := galleries(l, sets["lfw86"], sets["lfw_strangers"], k, draws, clusters)
		report(all)
		fmt.Println("\nthe same at 1 %, by cluster")
		reportClusters(all, clusters.RawMatrix().Cols)
	}
	return nil
}
