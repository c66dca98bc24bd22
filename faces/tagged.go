package faces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/group"
	"nrdl.example/nrdl/faces/tags"
	"nrdl.example/nrdl/internal/legible"
)

// readTagged reads the faces of the people whose names are in tags of the photographs at path.
func readTagged(ctx context.Context, path string, o ReadOptions) (*dataset.Images, error) {
	all, err := dataset.TaggedFiles(ctx, path, o.Tags, func(name string) string { return name }, o.warn,
		o.progress("reading the tags of "+path), o.Skip...)
	if err != nil {
		return nil, err
	}
	files := slices.DeleteFunc(slices.Clone(all), func(f dataset.File) bool { return !f.Tags.Named() })
	usable, written := 0, 0
	for _, f := range all {
		for _, r := range f.Tags.Regions {
			switch {
			case r.Written:
				written++
			case r.Name != "":
				usable++
			}
		}
	}
	o.tell("%s, %d with names of people, %s", legible.Count(len(all), "photograph"), len(files), legible.Count(usable, "region"))
	if written > 0 {
		o.tell("not used: %s of names that nrdl wrote itself", legible.Count(written, "region"))
	}
	if len(files) == 0 && inTakeout(all) {
		return nil,
			advice.Add(fmt.Errorf(
				"%s: no photograph has tags with names of people, but JSON files of Google Takeout beside the photographs have names", path),
				"%v", advice.Train.With(advice.Data.To(path), advice.Model.To(filepath.Clean(path)+".nrdl"), advice.Tags.To(string(dataset.Takeout))))
	}
	if len(files) == 0 {
		return nil, advice.Add(fmt.Errorf("%s: no photograph has tags with names of people", path),
			"regions and PersonInImage are read, in the files and in sidecars a.jpg.xmp or a.xmp: let the program that has "+
				"the names write them; or %v", advice.Group.With(advice.Data.To(path), advice.Output.To("DIR")))
	}
	return ReadFiles(ctx, files, o)
}

// inTakeout reports whether Google Takeout says who is in one of these files.
func inTakeout(all []dataset.File) bool {
	var t tags.Takeout
	return slices.ContainsFunc(all, func(f dataset.File) bool {
		names, err := t.Names(f.Path)
		return err == nil && len(names) > 0
	})
}

// readTaggedFiles is ReadFiles of files with tags.
func readTaggedFiles(ctx context.Context, files []dataset.File, o ReadOptions) (*dataset.Images, error) {
	o, err := o.detecting(ctx, files)
	if err != nil {
		return nil, err
	}
	cut, err := o.cut()
	if err != nil {
		return nil, err
	}
	o.Detect.Which = face.Every // a face in the background can have a tag
	seen, err := o.readAll(ctx, files, cut)
	if err != nil {
		return nil, err
	}
	labels := o.regionLabels(files, seen)
	if files[0].Tags.Weak {
		if err := o.weakLabels(ctx, files, seen, labels); err != nil {
			return nil, err
		}
	}
	var faces []readFace
	for i, r := range seen {
		n := 0
		for k, s := range r.faces {
			if s.Reason == nil {
				n++
			}
			name := labels[i][k]
			if name == "" || s.Reason != nil {
				continue
			}
			id := name + "/" + files[i].ID
			if n > 1 {
				id = fmt.Sprintf("%s#%d", id, n) // as when a data set is opened
			}
			faces = append(faces, readFace{values: s.Values, person: name, id: id, quality: &s.Face.Quality})
		}
	}
	if len(faces) == 0 && files[0].Tags.Weak {
		return nil, advice.Add(errors.New("no face has a name that is sure enough"), "add photographs in which only one of the people is")
	}
	if len(faces) == 0 {
		return nil, advice.Add(errors.New("no face was found where the tags are"),
			"look at the regions that are tagged, in the program that wrote them")
	}
	return labelled(faces, o.Frame)
}

// detecting is o with the frame and the embedder for faces that are found in photographs.
func (o ReadOptions) detecting(ctx context.Context, files []dataset.File) (ReadOptions, error) {
	if !o.Frame.Eyes.IsZero() {
		return o, nil
	}
	o.Detect.Detect = face.Always
	d := &face.Detector{Options: o.Detect, Frame: o.Frame}
	switch e := o.embedder(); {
	case e != nil:
		d.Embedder, d.Required = e, true
	case o.Frame.Size == (dataset.Size{}):
		d.Embedder = embedding.Default()
		d.Frame.Size = defaultFrame.Size
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	reader, frame, err := d.Faces(ctx, paths)
	if err == nil && reader == nil {
		err = errors.New("tags are read with faces that are found in photographs")
	}
	if err != nil {
		return o, err
	}
	if o.Frame = frame; !frame.Embedding.IsZero() && o.Embedder == nil {
		o.Embedder = cmp.Or(o.embedder(), embedding.Default())
	}
	return o, nil
}

// maxListed: up to so many regions without a face are listed one by one.
const maxListed = 10

// regionLabels returns the name of each face that was seen in files, "" for those of nobody. It
// warns of files that cannot be read and of names without a face.
func (o ReadOptions) regionLabels(files []dataset.File, seen []readFile) [][]string {
	labels := make([][]string, len(files))
	without, unclear := 0, 0
	for i, f := range files {
		p := f.Tags
		labels[i] = make([]string, len(seen[i].faces))
		if seen[i].err != nil {
			o.warn(fmt.Errorf("left out: %w", seen[i].err))
			continue
		}
		p.StoredSize = seen[i].stored(p)
		var missing []tags.Region
		var err error
		if labels[i], missing, err = face.Tagged(p, seen[i].faces); err != nil {
			o.warn(fmt.Errorf("left out: %s: %w", f.Path, err))
			continue
		}
		if len(p.Names) > 0 && !slices.ContainsFunc(p.Regions, tags.Region.Usable) && slices.Max(append(labels[i], "")) == "" {
			unclear++
		}
		for _, r := range missing {
			if without++; without <= maxListed {
				o.warn(fmt.Errorf("%s: no face was found in the region of %s at %v", f.Path, r.Name, p.Box(r.Area)))
			}
		}
	}
	if without > maxListed {
		o.warn(fmt.Errorf("and %s more without a face", legible.Count(without-maxListed, "region")))
	}
	if unclear > 0 && !files[0].Tags.Weak {
		o.warn(fmt.Errorf("left out: %s with names and no regions, where several names or faces leave open who is who",
			legible.Count(unclear, "photograph")))
	}
	return labels
}

// weakLabels gives the names of whole photographs to their faces, by who appears together, where
// labels has none yet.
func (o ReadOptions) weakLabels(ctx context.Context, files []dataset.File, seen []readFile, labels [][]string) error {
	law := frontend.Pipeline{Frame: o.Frame}.Law()
	if law == nil {
		return advice.Add(errors.New(
			"who is who in a photograph of several names is found by the similarity of faces, which is known for measured networks only"),
			"leave the network out, for the built-in one")
	}
	type place struct{ file, face int }
	var places []place
	var photographs []int
	var known []string
	names := make([][]string, len(files))
	for i, f := range files {
		names[i] = slices.Clone(f.Tags.Names)
		for _, r := range f.Tags.Regions {
			if r.Usable() {
				names[i] = append(names[i], r.Name)
			}
		}
		for k, s := range seen[i].faces {
			if s.Reason == nil {
				places, photographs, known = append(places, place{i, k}), append(photographs, i), append(known, labels[i][k])
			}
		}
	}
	if len(places) == 0 {
		return nil
	}
	x := mat.NewDense(o.Frame.Len(), len(places), nil)
	for j, p := range places {
		x.SetCol(j, seen[p.file].faces[p.face].Values)
	}
	guesses, err := group.Weak(ctx, classify.Unit(x), photographs, names, known, law, group.DefaultWeak)
	if err != nil {
		return err
	}
	named, doubtful := 0, 0
	given := map[string]int{} // faces of each name
	for j, g := range guesses {
		p := places[j]
		switch {
		case g.Name != "":
			labels[p.file][p.face] = g.Name
			given[g.Name]++
			named++
			o.detail("%s, face %d: %s with a probability of %s %%", files[p.file].ID, p.face+1, g.Name, legible.Percent(g.Probability))
		case g.Likeliest != "":
			doubtful++
			o.tell("doubtful: %s, face %d: %s with a probability of %s %%", files[p.file].ID, p.face+1, g.Likeliest, legible.Percent(g.Probability))
		}
	}
	o.tell("by who appears together, %d of %s have a name, each with a probability of at least %.0f %%; %d are doubtful "+
		"and left out, the others are nobody's",
		named, legible.Count(len(places), "face"), 100*group.DefaultWeak.Sure, doubtful)
	o.tellNameless(names, given)
	return nil
}

// tellNameless warns of people whose names stand in lists of names only: no face has them.
func (o ReadOptions) tellNameless(names [][]string, given map[string]int) {
	in := map[string][]int{} // photographs of a name
	for i, all := range names {
		for _, n := range all {
			if given[n] == 0 && !slices.Contains(in[n], i) {
				in[n] = append(in[n], i)
			}
		}
	}
	together := map[string][]string{} // names by their photographs
	for _, n := range slices.Sorted(maps.Keys(in)) {
		key := fmt.Sprint(in[n])
		together[key] = append(together[key], n)
	}
	for _, key := range slices.Sorted(maps.Keys(together)) {
		all := together[key]
		err := fmt.Errorf("no face is that of %s, in %s", legible.Abridged(all), legible.Count(len(in[all[0]]), "photograph"))
		if len(all) > 1 {
			err = advice.Add(err, "nobody can say who is who of people who are always together: add a photograph of one of them alone")
		}
		o.warn(err)
	}
}
