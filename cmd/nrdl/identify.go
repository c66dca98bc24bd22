package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/album"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/cluster"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/cmd/nrdl/internal/output"
	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/cmd/nrdl/internal/threshold"
	"nrdl.example/nrdl/cmd/nrdl/internal/watchdir"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/linkdir"
	"nrdl.example/nrdl/internal/legible"
)

func (a *app) identifyCmd() *cobra.Command {
	i := &identification{app: a}
	c := &cobra.Command{
		Use:  "identify MODEL PHOTOS...",
		Args: i.arguments,
		RunE: func(c *cobra.Command, args []string) error {
			args, err := withModel(c, i, args)
			if err != nil {
				return err
			}
			if err := i.check(c, args[1:]); err != nil {
				return err
			}
			if i.service == "" && len(args) == 2 && dataset.IsMatrix(args[1]) {
				if i.draw != "" || i.sort != "" || i.html != "" || i.nats.URL != "" || i.resume {
					return advice.Add(cli.Misuse("%s has samples and no photographs: --draw, --sort, --html, --nats and --resume have no meaning",
						args[1]), "nrdl predict %s names the class of each sample", legible.Arguments(args...))
				}
				p := prediction{json: i.json || i.output != "", scores: i.pairs, force: i.force, output: i.output}
				p.arrays.Unlabelled, p.arrays.X = true, i.array
				return a.predict(c.Context(), args[0], args[1], &p)
			}
			return i.run(c.Context(), args[0], args[1:], c.InOrStdin())
		},
		ValidArgsFunction: completeModel,
	}
	i.register(c)
	return c
}

func (i *identification) register(c *cobra.Command) {
	i.top = 1
	cli.Number(c, &i.top, "top", "t", cli.InRange(1, cli.Many), "add the `N` most likely people with their scores to each line, best first")
	c.Flags().Lookup("top").DefValue = "" // without the flag lines have none
	c.Flags().StringVar(&i.array, "x", "", "`ARRAY` of a .npz or .mat file with the samples, where it has no common name")
	c.Flags().BoolVar(&i.json, "json", false, "write JSON Lines, one object per photograph: file, size, faces, model")
	c.Flags().BoolVar(&i.csv, "csv", false, "write a table with a header, one line per face")
	c.Flags().StringVarP(&i.output, "output", "o", "", "`RESULTS` file for the JSON Lines, instead of standard output")
	c.Flags().BoolVar(&i.resume, "resume", false, "continue RESULTS: skip the photographs that are in it")
	c.Flags().StringVar(&i.watchFolder, "watch", "", "name the photographs in the folder `DIR`, and new ones as they arrive")
	c.Flags().StringVar(&i.draw, "draw", "",
		"write the photographs with boxes and names into the folder `DIR`; for one photograph also a file: --draw drawn.jpg")
	c.Flags().StringVar(&i.sort, "sort", "", "make one folder per person in the folder `DIR`, with links to the photographs")
	i.tagVar(c)
	c.Flags().StringVar(&i.html, "html", "", "write the faces by name as a page for a browser: `PAGE`")
	cli.Complete(c, "html", cli.Files("html"))
	toVar(c, i)
	clusterVar(c, &i.nats, elsewhere)
	i.findVars(c, face.Every)
	cli.Complete(c, "output", cli.Files("jsonl"))
	for _, name := range []string{"watch", "draw", "sort"} {
		cli.Complete(c, name, cli.Folders)
	}
}

// check reports flags that make no sense together.
func (i *identification) check(c *cobra.Command, paths []string) error {
	lists := 0
	for _, p := range paths {
		if p == photolist.StandardInput {
			lists++
		}
	}
	switch {
	case i.json && i.csv:
		return cli.Misuse("--json and --csv exclude each other")
	case i.csv && i.output != "":
		return advice.Add(cli.Misuse("--csv and --output exclude each other: RESULTS are lines of JSON"),
			"write the table to standard output: nrdl identify %s --csv >FILE", i.line(c.Flags().Args()...))
	case i.watchFolder != "" && i.nats.URL != "":
		return cli.Misuse("--watch and --nats exclude each other")
	case i.tags == "" && c.Flags().Changed("sure"):
		return cli.Misuse("--sure says which names --tags writes")
	case i.resume && i.output == "":
		return advice.Add(cli.Misuse("--resume needs -o RESULTS, the file to go on with"),
			"for example: nrdl identify %s -o results.jsonl --resume", i.line(c.Flags().Args()...))
	case lists > 1:
		return cli.Misuse("standard input is given twice")
	}
	if path := cli.SameFile(i.html, append(c.Flags().Args(), i.output)...); i.html != "" && path != "" {
		return cli.Misuse("the page would take the place of %s", path)
	}
	if i.draw != "" && i.sort != "" && (linkdir.Within(i.draw, i.sort) || linkdir.Within(i.sort, i.draw)) {
		return cli.Misuse("--draw %s and --sort %s lie in each other", i.draw, i.sort)
	}
	i.pairs = c.Flags().Changed("top")
	return nil
}

// identification is one run of identify.
type identification struct {
	*app
	identifyFlags
	r        *faces.Recogniser // nil with --to
	checksum string            // of the model file, where results have it

	collection *collection // nil without --to
	single     bool        // one image is asked for, and nothing else
	folders    photolist.Rules
	results    output.Writer
	page       *output.Page              // nil without --html
	file       *output.File              // that results are written to; nil without -o
	records    map[string]results.Object // of earlier runs, by the path in them, where they are used again
	album      *album.Album              // nil but for the command album
	sorter     *linkdir.Sorter           // nil without --sort
	watcher    *watchdir.Watcher         // nil but while a folder is watched
	tally      tally
	tagger     *tagger // nil without --tags
	drawings   output.Drawings
	drawJobs   errgroup.Group // of drawings
}

// identifyFlags are the flags of identify.
type identifyFlags struct {
	find        face.Options
	skip        []string
	force       bool
	top         int
	array       string
	pairs       bool // lines of text have the likeliest people too
	json, csv   bool
	output      string
	resume      bool
	watchFolder string
	draw, sort  string
	pages       string // folder of an album
	facts       string // file of them
	tags, sure  string
	html        string
	nats        cluster.Options
	service     string
}

// run names the faces in the images at paths. The path photolist.StandardInput
// stands for the list of paths in stdin.
func (i *identification) run(ctx context.Context, model string, paths []string, stdin io.Reader) (err error) {
	if err := i.openModel(ctx, model); err != nil {
		return err
	}
	sources, err := i.sources(paths)
	if err != nil {
		return err
	}
	if done, err := i.startTagging(ctx, sources); done || err != nil {
		return err
	}
	i.single = i.watchFolder == "" && i.pages == "" && len(paths) == 1 && len(sources) == 1 && sources[0].Folder == ""
	closeFile, err := i.openFile()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeFile()) }()
	if i.album != nil {
		sources = i.withEarlier(sources)
	}
	if i.sort != "" {
		people, err := i.people(ctx)
		if err != nil {
			return err
		}
		if i.sorter, err = linkdir.New(i.sort, people, dataset.FolderNames(people), i.Warn); err != nil {
			return err
		}
		defer i.sorter.Unlock()
		if err := i.sorter.Renew(); err != nil {
			return err
		}
	}
	if err := i.openWriter(); err != nil {
		return err
	}
	if i.html != "" {
		if i.page, err = output.NewPage(i.html, i.model(), legible.Address(model)); err != nil {
			return err
		}
		defer i.page.Close()
	}
	i.warnOfMistake(ctx, sources)
	start := time.Now()
	err = i.nameAll(ctx, sources, slices.Contains(paths, photolist.StandardInput), stdin)
	if i.page != nil && (err == nil || i.watchFolder != "" && ctx.Err() != nil) {
		if err := i.writePage(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	if err == nil && i.album != nil {
		err = i.writeAlbum(ctx, model)
	}
	if err != nil {
		i.tellInterruption(ctx)
		return err
	}
	return i.end(time.Since(start), func() { i.tellNext(model, paths) })
}

// sources returns the images at paths, but not those listed on standard input.
func (i *identification) sources(paths []string) ([]photolist.Source, error) {
	i.folders = photolist.Rules{Outputs: map[string]string{"draw": i.draw, "sort": i.sort, "output": i.pages}, Skip: i.skip}
	all, err := i.folders.Of(paths, i.watchFolder != "", i.Tell)
	if err != nil {
		return nil, cli.AsMisuse(err)
	}
	if i.pages != "" {
		return all, albumOf(all)
	}
	return all, i.mayWatch()
}

// openFile opens what keeps the results for a later run, if that is wanted.
func (i *identification) openFile() (done func() error, err error) {
	switch {
	case i.pages != "":
		if i.album, err = album.Open(i.pages, i.checksum, i.Tell); err != nil {
			return nil, err
		}
		i.file = i.album.File
		return i.album.Close, nil
	case i.output != "":
		if i.file, err = output.OpenFile(i.output, i.top, i.checksum, i.resume); err != nil {
			return nil, err
		}
		if err := i.readRecorded(); err != nil {
			return nil, errors.Join(err, i.file.Close())
		}
		return i.file.Close, nil
	}
	return func() error { return nil }, nil
}

// warnOfMistake warns if the images are photographs for a model of crops, or crops for a
// model of photographs.
func (i *identification) warnOfMistake(ctx context.Context, sources []photolist.Source) {
	if i.collection != nil {
		return
	}
	var files []string
	for _, s := range sources {
		files = append(files, s.Path)
	}
	if err := face.Mistaken(ctx, i.r.Model().Frame, files); err != nil {
		i.WarnOf(err)
	}
}

// nameAll names the faces in sources, in the images that a list has, and in those
// in the folder that is watched, until ctx ends.
func (i *identification) nameAll(ctx context.Context, sources []photolist.Source, listed bool, list io.Reader) error {
	images, total := slices.Values(sources), len(sources)
	if listed {
		images, total = i.folders.Listed(ctx, sources, list, i.Tell), 0
	}
	if err := i.stream(ctx, images, total); err != nil || i.watchFolder == "" {
		return err
	}
	return i.follow(ctx)
}

// openWriter opens what the results go to.
func (i *identification) openWriter() (err error) {
	if file := namesDrawing(i.draw); file && i.single {
		i.drawings.File = i.draw
	} else if i.drawings.Dir = i.draw; i.draw != "" {
		if file {
			return advice.Add(cli.Misuse("--draw %s is the name of an image, and several photographs are drawn", i.draw),
				"give a folder: --draw DIR")
		}
		if err := atomicfile.MakeFolder(i.draw); err != nil {
			return fmt.Errorf("draw: %w", err)
		}
	}
	switch {
	case i.file != nil:
		i.results = i.file.Write
	case i.json:
		i.results = output.JSON(i.Results, i.top, i.checksum)
	case i.csv:
		i.results, err = output.Table(i.Results, i.top)
	case i.pairs:
		i.results = output.Lines(i.Results, i.top)
	default:
		i.results = output.Lines(i.Results, 0)
	}
	return err
}

// namesDrawing reports whether path is the name of a file that a photograph can be drawn to, and no folder.
func namesDrawing(path string) bool {
	info, err := os.Stat(path)
	return slices.Contains([]string{".jpg", ".jpeg", ".png"}, strings.ToLower(filepath.Ext(path))) && (err != nil || !info.IsDir())
}

// writePage writes the page of --html.
func (i *identification) writePage(ctx context.Context) error {
	size, err := i.page.Write(ctx)
	if err == nil {
		i.Tell("wrote %s, %s; open it in a browser", i.html, console.Megabytes(size))
	}
	return err
}

// mayWatch returns an error if the folder of --watch cannot be watched.
func (i *identification) mayWatch() error {
	if i.watchFolder == "" {
		return nil
	}
	info, err := os.Stat(i.watchFolder)
	switch {
	case err != nil:
		return fmt.Errorf("watch: %w", err)
	case !info.IsDir():
		return fmt.Errorf("watch: %s is no folder", i.watchFolder)
	}
	if err := i.folders.Outside(i.watchFolder); err != nil {
		return cli.AsMisuse(err)
	}
	return nil
}

// openModel reads the model, or finds the collection of --to, and prepares what depends on it.
func (i *identification) openModel(ctx context.Context, path string) (err error) {
	if i.service != "" {
		if i.collection, err = i.keyFile.collection(ctx, i.service); err == nil {
			i.top, i.checksum = min(i.top, likelyPeople), i.collection.id
			if names, err := i.people(ctx); err != nil || len(names) == 0 {
				return cmp.Or(err, advice.Add(fmt.Errorf("%s has nobody with a name", i.collection.address), "name people on its page first"))
			}
		}
		return err
	}
	if i.r, err = i.open(path, i.find, faces.Observer{Warn: i.WarnOf}); err != nil {
		return err
	}
	if i.r, err = i.known(i.r); err != nil {
		return err
	}
	m := i.r.Model()
	if !m.Pipeline.SeesImages() {
		return advice.Add(fmt.Errorf("%s was trained on vectors, or on images of an unknown size", path),
			"judge it on such samples: nrdl evaluate DATA --model %s", legible.ShellWord(path))
	}
	if err := promised(i.r, path, i.force); err != nil {
		return err
	}
	i.top = min(i.top, len(m.Names()))
	if i.checksum, err = i.modelChecksum(path); err != nil {
		return err
	}
	if m.Calibration == nil {
		i.Warn("the model has no threshold: every face is named")
		i.Hint("to enable unknown: %s", threshold.Enabling(m, path))
	}
	return nil
}
