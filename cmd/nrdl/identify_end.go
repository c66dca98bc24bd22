package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/cmd/nrdl/internal/threshold"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/internal/legible"
)

// tellNext says what the names are worth, and how to see more of them, where a person and no program
// reads it.
func (i *identification) tellNext(model string, paths []string) {
	if i.json || i.csv || i.pairs || i.output != "" || i.watchFolder != "" || slices.Contains(paths, photolist.StandardInput) {
		return
	}
	if i.file == nil && i.sorter == nil && i.draw == "" { // else the tally has it
		i.tellPromise()
	}
	const maxPaths = 5 // as a shell makes of *.jpg
	if len(paths) > maxPaths {
		paths = []string{"PHOTOS"}
	}
	line := i.line(append([]string{model}, paths...)...)
	if i.collection != nil {
		line = i.line(paths...)
	}
	switch {
	case i.album != nil:
		i.Next("open %s in a browser", legible.ShellWord(i.album.Index()))
	case i.page != nil && i.collection != nil:
		i.Next("open %s in a browser", legible.ShellWord(i.html))
	case i.page != nil:
		i.Next("nrdl album %s -o album (pages with all photographs of each person)", line)
	case i.sorter != nil:
		i.Next("open the folder %s (links to the photographs of each person)", legible.ShellWord(i.sort))
	case i.drawings.File != "":
		i.Next("open %s (the photograph with boxes and names)", legible.ShellWord(i.draw))
	case i.draw != "":
		i.Next("open the folder %s (photographs with boxes and names)", legible.ShellWord(i.draw))
	case i.tags != "":
		i.Next("nrdl identify %s --tags=remove takes the tags back", line)
	case i.single && i.collection == nil:
		i.Next("nrdl explain %s -o why.html (why a face has its name)", line)
	default:
		i.Next("nrdl identify %s --html names.html (all faces by name)", line)
	}
}

// end reports the counts, and returns an error if something went wrong, else calls tellNext.
func (i *identification) end(took time.Duration, tellNext func()) error {
	t := i.tally
	if i.file != nil || i.sorter != nil || i.draw != "" {
		i.tellTally(took)
	}
	if s := i.sorter; s != nil && s.Stale > 0 && s.Ours {
		i.Tell("%s of earlier runs removed from %s: the photographs are in other folders now", legible.Count(s.Stale, "link"), i.sort)
	} else if s != nil && s.Stale > 0 {
		i.Warn("%s has %s of earlier runs to photographs that are in other folders now", i.sort, legible.Count(s.Stale, "link"))
		i.Hint("delete %s and sort again, if all in it are links", legible.ShellWord(i.sort))
	}
	if err := i.tagger.end(i.app); err != nil {
		return err
	}
	if t.trainedFaces > 0 {
		i.Warn("the model was trained on %d of %s: such names do not show how well it recognises new photographs",
			t.trainedFaces, legible.Count(t.namedFaces+t.unknownFaces, "face"))
	}
	if t.smaller > 0 && i.find.Which == face.All {
		i.Tell("%s less than half as large as the largest of the photograph left out: --faces every takes them too",
			legible.Count(t.smaller, "face"))
	}
	if t.losses > 0 {
		i.Tell("%s did not get the name that another face of the photograph has with a better score: --twice names both",
			legible.Count(t.losses, "face"))
	}
	if t.failedFiles > 0 && t.files > 1 {
		i.Complain(fmt.Errorf("%d of %d images could not be read", t.failedFiles, t.files))
	}
	if t.faceless > 0 && t.faceless+t.failedFiles == t.files {
		return errors.New("no image could be named")
	}
	if t.failedFiles < t.files || t.files == 0 {
		tellNext()
	}
	if t.failedFiles > 0 {
		return errReported
	}
	return nil
}

func (i *identification) tellTally(took time.Duration) {
	t := i.tally
	text := fmt.Sprintf("%s named, %d unknown, in %s", legible.Count(t.namedFaces, "face"), t.unknownFaces,
		legible.Count(t.files-t.failedFiles, "photograph"))
	if t.faceless > 0 {
		text += fmt.Sprintf("; %d without a usable face", t.faceless)
	}
	if t.skippedFiles > 0 {
		text += fmt.Sprintf("; %d were named before", t.skippedFiles)
	}
	i.Tell("%s; %s", text, legible.Seconds(took))
	i.tellPromise()
}

// tellPromise says how many strangers get a name, and for which people that is true.
func (i *identification) tellPromise() {
	if i.collection == nil && threshold.Promise(i.r.Model()) != "" {
		i.Tell("%s", threshold.Promise(i.r.Model()))
	}
}
