package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/output"
	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/tags"
)

// What --tags does with the names that are found.
const (
	tagSidecar = "sidecar"
	tagEmbed   = "embed"
	tagRemove  = "remove"
)

// tagVar registers --tags.
func (i *identification) tagVar(c *cobra.Command) {
	cli.Choice(c, &i.tags, "tags", "write the names as face tags (XMP) that photo programs read: sidecar (beside each photograph, a.jpg.xmp; the default of --tags alone), embed (into JPEG files) or remove (take back what --tags wrote)", []string{tagSidecar, tagEmbed, tagRemove})
	c.Flags().Lookup("tags").NoOptDefVal = tagSidecar
}

// A tagger writes tags of what is found in photographs. It is safe for concurrent use.
type tagger struct {
	tags.Writer

	mu                                          sync.Mutex
	photos, faces, changed, kept, failed, files int
}

// startTagging prepares --tags. Done is true where it removes tags, and nothing is to be named.
func (i *identification) startTagging(ctx context.Context, sources []photolist.Source) (done bool, err error) {
	switch {
	case i.tags == "":
		return false, nil
	case i.tags == tagRemove && i.watched != "":
		return true, cli.Misuse("--tags=remove and --watch exclude each other")
	case i.r.Model().Frame.Eyes.IsZero():
		return true, advice.Add(errors.New("the model was trained on crops of faces: it does not know where in a photograph a face is, and writes no tags"), "train it on photographs")
	}
	if i.tags == tagRemove && len(sources) == 0 {
		return true, cli.Misuse("--tags=remove takes photographs and folders, and no list")
	}
	i.tagger = &tagger{}
	i.tagger.Embed = i.tags == tagEmbed
	if i.tags != tagRemove {
		i.tagger.Model = i.checksum
		return false, nil
	}
	return true, i.tagger.remove(ctx, i.app, sources)
}

// write tags the faces with a name in the photograph of r. What concerns this photograph alone
// is told by complain.
func (t *tagger) write(ctx context.Context, r nrdl.Result, complain func(error)) error {
	var faces []tags.Face
	for _, f := range r.Faces {
		if f.Known && f.Rejected == nil && !f.Box.Empty() {
			faces = append(faces, tags.Face{Name: f.Name, Box: f.Box, Probability: f.Probability})
		}
	}
	o, err := t.Write(ctx, r.Photo.Name, faces)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		t.failed++
		complain(fmt.Errorf("not tagged: %w", err))
		return nil
	}
	t.photos++
	t.faces += o.Added
	t.kept += o.Kept
	if o.Changed {
		t.changed++
	}
	return nil
}

// end tells what t did.
func (t *tagger) end(a *app) error {
	if t == nil {
		return nil
	}
	where := "sidecars"
	if t.Embed {
		where = "JPEG files"
	}
	a.Tell("tagged %s in %s: %d %s changed, %d were so already", legible.Count(t.faces, "face"), legible.Count(t.photos, "photograph"), t.changed, where, t.photos-t.changed)
	if t.kept > 0 {
		a.Tell("%s kept the name that a person or another program gave", legible.Count(t.kept, "face"))
	}
	if t.failed > 0 {
		return fmt.Errorf("%s could not be tagged", legible.Count(t.failed, "photograph"))
	}
	return nil
}

// remove takes back what was written about sources.
func (t *tagger) remove(ctx context.Context, a *app, sources []photolist.Source) error {
	for _, s := range sources {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if s.Err != nil {
			a.Complain(readable(s.Err))
			t.failed++
			continue
		}
		changed, err := t.Remove(ctx, s.Path)
		if err != nil {
			a.Complain(fmt.Errorf("tags are not removed: %w", err))
			t.failed++
		}
		t.files += len(changed)
	}
	a.Tell("removed the tags that nrdl wrote from %s", legible.Count(t.files, "file"))
	if t.failed > 0 {
		return fmt.Errorf("the tags of %s could not be removed", legible.Count(t.failed, "photograph"))
	}
	return nil
}

// modelChecksum is the checksum of the model file for results and tags; "" where neither needs
// it.
func (i *identification) modelChecksum(path string) (string, error) {
	if !i.json && i.output == "" && i.tags == "" && i.pages == "" {
		return "", nil
	}
	return output.Checksum(path)
}
