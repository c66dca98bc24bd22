package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/output"
	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/faces/tags"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/jsonl"
	"nrdl.example/nrdl/internal/legible"
)

// What --tags does with the names that are found.
const (
	tagSidecar = "sidecar"
	tagEmbed   = "embed"
	tagRemove  = "remove"
)

// tagVar registers --tags.
func (i *identification) tagVar(c *cobra.Command) {
	cli.Choice(c, &i.tags, "tags",
		"write the names as face tags (XMP) that photo programs read: sidecar (--tags alone; a.jpg.xmp), embed (into JPEG "+
			"files) or remove (take that back)", []string{tagSidecar, tagEmbed, tagRemove})
	c.Flags().Lookup("tags").NoOptDefVal = tagSidecar
	i.sure = "likely"
	cli.Choice(c, &i.sure, "sure", "with --tags, write the names that are at least this sure: sure (--sure alone), likely or doubtful",
		[]string{"sure", "likely", "doubtful"})
	c.Flags().Lookup("sure").NoOptDefVal = "sure"
}

// A tagger writes tags of what is found in photographs. It is safe for concurrent use.
type tagger struct {
	tags.Writer
	minProbability float64 // probability of a name that is written

	mu           sync.Mutex
	photos       int // that have tags of names
	copies       int // of photos: the same photograph at another path
	faces        int // with tags
	changedFiles int // files
	same         int // of photos: had these tags
	keptFaces    int // faces
	doubtful     int // faces whose names are not written
	noJPEG       int // photographs
	failures     int // photographs
	files        int // from which tags are removed
}

// startTagging prepares --tags. Done is true where it removes tags, and nothing is to be named.
func (i *identification) startTagging(ctx context.Context, sources []photolist.Source) (done bool, err error) {
	switch {
	case i.tags == "":
		return false, nil
	case i.tags == tagRemove && i.watchFolder != "":
		return true, cli.Misuse("--tags=remove and --watch exclude each other")
	case i.collection == nil && i.r.Model().Frame.Eyes.IsZero():
		return true,
			advice.Add(errors.New("the model was trained on crops of faces: it does not know where in a photograph a face is, and writes no tags"),
				"train it on photographs")
	}
	if i.tags == tagRemove && len(sources) == 0 {
		return true, cli.Misuse("--tags=remove takes photographs and folders, and no list")
	}
	i.tagger = &tagger{}
	i.tagger.Embed, i.tagger.Warn = i.tags == tagEmbed, i.app.WarnOf
	switch i.sure {
	case "sure":
		i.tagger.minProbability = i.numbers().Sure
	case "likely":
		i.tagger.minProbability = i.numbers().Likely
	}
	if i.tags != tagRemove {
		i.tagger.Model = i.checksum
		return false, i.tagger.mayWrite(sources)
	}
	return true, i.tagger.remove(ctx, i.app, sources)
}

// mayWrite returns an error if tags of sources cannot be written, before they are looked at. It
// tries one file of each folder.
func (t *tagger) mayWrite(sources []photolist.Source) error {
	tried := map[string]bool{}
	for _, s := range sources {
		for _, path := range append([]string{s.Path}, s.Copies...) {
			folder := filepath.Dir(path)
			if s.Err != nil || tried[folder] {
				continue
			}
			tried[folder] = true
			if !t.Embed {
				path += ".xmp"
			}
			if err := atomicfile.Check(path); err != nil {
				return advice.Add(fmt.Errorf("no tags can be written: %w", err), "make its folder writable, or leave it out")
			}
		}
	}
	return nil
}

// of are the faces of r, with the names that become tags.
func (t *tagger) of(r faces.Result) (found []tags.Face) {
	for _, f := range r.Faces {
		if f.Rejection != nil || f.Box.Empty() {
			continue
		}
		face := tags.Face{Box: f.Box, Probability: f.Probability}
		switch {
		case f.Known && f.Probability < t.minProbability: // not where it is not known
			t.mu.Lock()
			t.doubtful++
			t.mu.Unlock()
		case f.Known:
			face.Name = f.Name
		}
		found = append(found, face)
	}
	return found
}

// maxNamed is the largest number of photographs that cannot be tagged and are named one by one.
const maxNamed = 10

// in writes tags of s: where links lead out of its folder, nothing is written.
func (t *tagger) in(s photolist.Source) *tags.Writer {
	w := t.Writer
	w.Root = s.Folder
	return &w
}

// write tags faces in the photograph of s and in its copies. Complain gets the
// errors of one photograph, after which the others go on.
func (t *tagger) write(ctx context.Context, s photolist.Source, faces []tags.Face, complain func(error)) error {
	for k, path := range append([]string{s.Path}, s.Copies...) {
		o, err := t.in(s).Write(ctx, path, faces)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if k == 0 && errors.Is(err, fs.ErrNotExist) {
			return err
		}
		t.count(o, err, k > 0, complain)
	}
	return nil
}

// count counts what became of a photograph, which may be a copy.
func (t *tagger) count(o tags.Outcome, err error, isCopy bool, complain func(error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case errors.Is(err, tags.ErrNotJPEG):
		t.noJPEG++
		return
	case err != nil:
		if t.failures++; t.failures <= maxNamed {
			complain(fmt.Errorf("not tagged: %w", err))
		}
		return
	}
	t.faces += o.Additions
	t.keptFaces += o.Conflicts
	if o.Changed {
		t.changedFiles++
	}
	if o.Additions == 0 {
		return
	}
	t.photos++
	if isCopy {
		t.copies++
	}
	if !o.Changed {
		t.same++
	}
}

// end tells what t did.
func (t *tagger) end(a *app) error {
	if t == nil {
		return nil
	}
	if t.photos+t.changedFiles > 0 || t.failures+t.noJPEG == 0 {
		file := "sidecar"
		if t.Embed {
			file = "JPEG file"
		}
		text := fmt.Sprintf("tagged %s in %s", legible.Count(t.faces, "face"), legible.Count(t.photos, "photograph"))
		if t.copies > 0 {
			text += fmt.Sprintf(", %d of them copies of others", t.copies)
		}
		text += ": " + legible.Count(t.changedFiles, file) + " written"
		if t.same > 0 {
			text += fmt.Sprintf(", %d had these tags", t.same)
		}
		a.Tell("%s", text)
	}
	if t.keptFaces > 0 {
		a.Tell("%s kept the name that a person or another program gave", legible.Count(t.keptFaces, "face"))
	}
	if t.doubtful > 0 {
		a.Tell("%s not written, less sure than --sure asks for: --sure=doubtful writes all", legible.Count(t.doubtful, "name"))
	}
	var errs []error
	if t.failures > 0 {
		errs = append(errs, fmt.Errorf("%s could not be tagged", legible.Count(t.failures, "photograph")))
	}
	if t.noJPEG > 0 {
		errs = append(errs, advice.Add(fmt.Errorf("%s not tagged: tags are embedded in JPEG files only", legible.Count(t.noJPEG, "photograph")),
			"the same command with --tags instead of --tags=embed writes sidecars"))
	}
	return errors.Join(errs...)
}

// remove takes back what was written about sources.
func (t *tagger) remove(ctx context.Context, a *app, sources []photolist.Source) error {
	for _, s := range sources {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if s.Err != nil {
			a.Complain(readable(s.Err))
			t.failures++
			continue
		}
		for _, path := range append([]string{s.Path}, s.Copies...) {
			changed, err := t.in(s).Remove(ctx, path)
			if err != nil {
				if t.failures++; t.failures <= maxNamed {
					a.Complain(fmt.Errorf("tags are not removed: %w", err))
				}
			}
			t.files += len(changed)
		}
	}
	a.Tell("removed the tags that nrdl wrote from %s", legible.Count(t.files, "file"))
	if t.failures > 0 {
		return fmt.Errorf("the tags of %s could not be removed", legible.Count(t.failures, "photograph"))
	}
	return nil
}

// readRecorded reads earlier results, for tags and a page of photographs that are not looked at
// again.
func (i *identification) readRecorded() error {
	if i.tagger == nil && i.html == "" || !i.resume {
		return nil
	}
	i.records = map[string]results.Object{}
	in, err := os.Open(i.output)
	if err != nil {
		return err
	}
	defer in.Close()
	_, _, err = jsonl.Read(in, output.MaxLine, func(_ int, line []byte) error {
		var o results.Object
		if err := json.Unmarshal(line, &o); err != nil {
			return fmt.Errorf("read %s: %w", i.output, err)
		}
		if o.Error == "" {
			i.records[o.File] = o
		}
		return nil
	})
	return err
}

// useRecorded tags the photograph of s as earlier results name its faces, and adds it to the page.
func (i *identification) useRecorded(ctx context.Context, s photolist.Source) {
	o, ok := i.records[dataset.Text(s.Path)]
	if !ok {
		return
	}
	r, p := output.Recorded(o, i.numbers()), photoResult{Source: s}
	if i.tagger != nil {
		i.drawJobs.Go(func() error {
			return p.unlessVanished(i.tagger.write(ctx, s, i.tagger.of(r), i.Complain), "tagged", i.Warn)
		})
	}
	if i.page != nil {
		i.drawJobs.Go(func() error { return i.page.AddRecorded(ctx, r, s.Path) })
	}
}

// modelChecksum is the checksum of the model file for results and tags; "" where neither needs
// it.
func (i *identification) modelChecksum(path string) (string, error) {
	if !i.json && i.output == "" && i.tags == "" && i.pages == "" {
		return "", nil
	}
	return output.Checksum(path)
}
