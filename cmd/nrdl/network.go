package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/measure"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/openset"
)

func (a *app) networkCmd() *cobra.Command {
	c := &cobra.Command{Use: "network"}
	c.AddCommand(a.measureCmd())
	return c
}

// measuring is one run of network measure.
type measuring struct {
	*app
	words, output string
	find          face.Options
	json          bool
}

func (a *app) measureCmd() *cobra.Command {
	m := &measuring{app: a}
	c := &cobra.Command{
		Use:  "measure FILE.onnx FACES [OTHERS]",
		Args: cli.Arguments(2, 3),
		RunE: func(c *cobra.Command, args []string) error {
			others := ""
			if len(args) == 3 {
				others = args[2]
			}
			return m.run(c.Context(), args[0], args[1], others)
		},
	}
	c.Flags().StringVarP(&m.words, "input", "i", "",
		"what the network takes: the `WORDS` that train takes after embedding:FILE.onnx, as \"preset=adaface mirror=off\"")
	c.Flags().StringVarP(&m.output, "output", "o", "",
		"`FILE.json` to write (default: the name of the network file with .json, where embedding:FILE.onnx reads it)")
	c.Flags().BoolVar(&m.json, "json", false, "write the measurement as one object")
	findVar(c, &m.find, face.Largest, "in photographs and not in crops of faces")
	cli.Complete(c, "output", cli.Files("json"))
	return c
}

func (m *measuring) run(ctx context.Context, file, faces, others string) error {
	in, err := frontend.ParseNetwork(file, m.words)
	if err != nil {
		return cli.AsMisuse(err)
	}
	if m.output == "" {
		if in.Embedder.File() == nil {
			return cli.Misuse("network measure of a network that is built in needs -o FILE.json")
		}
		m.output = frontend.LawFile(file)
	}
	if err := atomicfile.Check(m.output); err != nil {
		return err
	}
	m.tellInput(in)
	if err := measure.Usable(ctx, in); err != nil {
		return err
	}
	start := time.Now()
	several, err := m.read(ctx, faces, labels{}.options(in, m.find))
	if err != nil {
		return err
	}
	about := filepath.Base(faces)
	var cohort *dataset.Images
	if others != "" {
		about += " against " + filepath.Base(others)
		if cohort, err = m.strangers(ctx, others, in, several.Frame); err != nil {
			return err
		}
	}
	l, err := measure.Law(several.Faces(), cohort)
	if err != nil {
		return err
	}
	frontend.Describe(l, in.Embedder)
	l.Source = "nrdl network measure, " + about
	m.tellLaw(l, time.Since(start))
	if err := m.compareOrders(ctx, file, faces, in, several.Frame); err != nil {
		return err
	}
	if err := measure.Separates(l); err != nil {
		return fmt.Errorf("network %s: %w", in.Embedding.Name, err)
	}
	if err := m.write(ctx, m.output, func(w io.Writer) error { _, err := w.Write(measure.Lines(l)); return err }); err != nil {
		return err
	}
	if in.Embedder.File() != nil && filepath.Clean(m.output) != filepath.Clean(frontend.LawFile(file)) {
		m.Hint("it is used if it lies beside the network: %s", legible.ShellWord(frontend.LawFile(file)))
	}
	if m.json {
		return m.printJSON(l)
	}
	if in.Embedder.File() != nil {
		m.Next("nrdl train PEOPLE -o people.nrdl --input %s", legible.ShellWord("embedding:"+file))
	}
	return nil
}

// compareOrders warns if the network separates some of the people in the folder at path better with
// its channels in the other order.
func (m *measuring) compareOrders(ctx context.Context, file, path string, in frontend.Pipeline, frame dataset.Frame) error {
	const maxPhotographs, better = 240, 1.02 // photographs; photographs in colour have 1.05 and more
	files, err := dataset.PeopleFiles([]string{m.databases("").Find(path)}, "", func(name string) string { return name }, func(error) {})
	if errors.Is(err, dataset.ErrNoPerson) {
		return nil // a file of vectors, or a list
	}
	if err != nil {
		return err
	}
	other := "bgr"
	if in.Embedding.Channels == other {
		other = "rgb"
	}
	words := slices.DeleteFunc(strings.Fields(m.words), func(w string) bool { return strings.HasPrefix(w, "channels=") })
	exchanged, err := frontend.ParseNetwork(file, strings.Join(append(words, "channels="+other), " "))
	if err != nil {
		return cli.AsMisuse(err)
	}
	var separation []float64
	for _, p := range []frontend.Pipeline{in, exchanged} {
		frame.Embedding = p.Embedding
		set, err := faces.ReadFiles(ctx, files[:min(maxPhotographs, len(files))],
			faces.ReadOptions{Frame: frame, Embedder: p.Embedder, Detect: m.find})
		if err != nil {
			return err
		}
		separation = append(separation, measure.Separation(set.Faces()))
	}
	if separation[1] > better*separation[0] {
		m.Warn("channels=%s may be the right order: people are separated better, by %.2f standard deviations and not %.2f",
			other, separation[1], separation[0])
		m.Hint("measure it with --input %s", legible.ShellWord(strings.TrimSpace(strings.Join(append(words, "channels="+other), " "))))
	}
	return nil
}

// strangers reads the faces at path as those of frame, whoever they are.
func (m *measuring) strangers(ctx context.Context, path string, in frontend.Pipeline, frame dataset.Frame) (*dataset.Images, error) {
	path = m.databases("").Find(path)
	if dataset.IsMatrix(path) {
		set, err := m.read(ctx, path, labels{}.options(in, m.find))
		if err != nil {
			return nil, err
		}
		return set.Faces(), nil
	}
	files, err := dataset.PhotoFiles(path)
	if err != nil {
		return nil, err
	}
	o, done := m.observer("reading " + path)
	defer done()
	set, err := faces.ReadFiles(ctx, files, faces.ReadOptions{Frame: frame, Embedder: in.Embedder, Detect: m.find, Observer: o})
	if err != nil {
		return nil, err
	}
	if set = set.Faces(); set.Len() == 0 {
		return nil, advice.Add(errors.New("no usable face in "+path), "give photographs of other people than those of FACES")
	}
	m.Tell("read %s: %d faces of other people in %d photographs", path, set.Len(), len(files))
	return set, nil
}

// tellLaw reports l as a table.
func (m *measuring) tellLaw(l *openset.Impostors, took time.Duration) {
	m.Tell("%d people, %d faces, compared with %d faces of other people: %d pairs, which tell as much as %.0f independent ones; %s",
		l.People, l.Photographs, l.Faces, l.Comparisons, l.Independent, legible.Seconds(took))
	for k := range l.Cosines {
		var shares []any
		for _, rate := range []float64{0.01, 0.001, 0.0001} {
			shares = append(shares, 100*l.Accepts(k+1, rate))
		}
		m.Tell("%s of a person: %.1f, %.1f and %.1f %% of other photographs of the person are accepted where 1, 0.1 and 0.01 %% of impostors are",
			append([]any{legible.Count(k+1, "photograph")}, shares...)...)
	}
	const counted = 10 // independent pairs beyond a rate
	if rate := counted / l.Independent; rate > 1e-4 {
		m.Warn("rates below %.2g %% are extrapolated: more people, and more of OTHERS, make them better", 100*rate)
	}
}
