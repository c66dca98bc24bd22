package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/internal/legible"
)

// A tally counts image files.
type tally struct {
	files    int // that were there and are not skipped
	skipped  int // named in RESULTS before
	failed   int // of files: unreadable
	faceless int // of files: nobody to look at
	named    int // faces
	unknown  int // faces
	trained  int // faces: the model was trained on them
	smaller  int // faces: left out
	taken    int // faces that lost a name to another one of the photograph
}

// tellNext says how to see more of what was named, where a person and no program reads it.
func (i *identification) tellNext(model string, paths []string) {
	if i.json || i.csv || i.pairs || i.output != "" || i.watched != "" || slices.Contains(paths, photolist.StandardInput) {
		return
	}
	model, path := legible.ShellWord(model), legible.ShellWord(paths[0])
	switch {
	case i.album != nil:
		i.Next("open %s in a browser", legible.ShellWord(i.album.Index()))
	case i.page != nil:
		i.Next("nrdl album %s %s -o album (pages with all photographs of each person)", model, path)
	case i.sorter != nil:
		i.Next("open the folder %s (links to the photographs of each person)", legible.ShellWord(i.sort))
	case i.draw != "":
		i.Next("open the folder %s (photographs with boxes and names)", legible.ShellWord(i.draw))
	case i.tags != "":
		i.Next("nrdl identify %s %s --tags=remove takes the tags back", model, path)
	case i.single:
		i.Next("nrdl explain %s %s -o why.html (why a face has its name)", model, path)
	default:
		i.Next("nrdl identify %s %s --html faces.html (all faces by name)", model, path)
	}
}

// end reports the counts, and returns an error if something went wrong, else calls tellNext.
func (i *identification) end(took time.Duration, tellNext func()) error {
	t := i.tally
	if i.file != nil || i.sorter != nil || i.draw != "" {
		i.tellTally(took)
	}
	if err := i.tagger.end(i.app); err != nil {
		return err
	}
	if t.trained > 0 {
		i.Warn("the model was trained on %d of %s: such names do not show how well it recognises new photographs", t.trained, legible.Count(t.named+t.unknown, "face"))
	}
	if t.smaller > 0 && i.find.Which == face.All {
		i.Tell("%s less than half as large as the largest of the photograph left out: --faces every takes them too", legible.Count(t.smaller, "face"))
	}
	if t.taken > 0 {
		i.Tell("%s did not get the name that another face of the photograph has with a better score: --twice names both", legible.Count(t.taken, "face"))
	}
	if t.failed > 0 && t.files > 1 {
		i.Complain(fmt.Errorf("%d of %d images could not be read", t.failed, t.files))
	}
	if t.faceless > 0 && t.faceless+t.failed == t.files {
		return errors.New("no image could be named")
	}
	if t.failed < t.files || t.files == 0 {
		tellNext()
	}
	if t.failed > 0 {
		return errReported
	}
	return nil
}

func (i *identification) tellTally(took time.Duration) {
	t := i.tally
	text := fmt.Sprintf("%s named, %d unknown, in %s", legible.Count(t.named, "face"), t.unknown, legible.Count(t.files-t.failed, "photograph"))
	if t.faceless > 0 {
		text += fmt.Sprintf("; %d without a face that is seen well", t.faceless)
	}
	if t.skipped > 0 {
		text += fmt.Sprintf("; %d were named before", t.skipped)
	}
	i.Tell("%s; %s", text, legible.Seconds(took))
}
