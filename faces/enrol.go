package faces

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"math"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/openset"
)

// Enrol returns r with a face of each photograph added to the person name, who may be enrolled already:
// of several faces the one that Meant returns, unless r has a rule for that (face.Options.Which). The
// result is that of Train on all
// photographs together, except where r shortlists (Options.ShortlistAbove): there the threshold
// follows from the present one, and only the people of the change are compared again, or, with a
// method that decides by margins, nobody. When a change makes the number of faces cross that border,
// the threshold is estimated again. That takes as long as Calibrate, up to a minute, or several with
// CRC, and r.Progress is called. It warns (r.Warn) of a photograph without a face of sufficient
// quality, or where it is not clear which face is meant, and adds those of the others. It is an error if
// none has one, or if r does not keep its faces. It also warns of a face that r takes for somebody
// else, and adds it all the same; without r.Warn that is an error.
func (r *Recogniser) Enrol(ctx context.Context, name string, photos ...image.Image) (*Recogniser, gallery.MergeReport, error) {
	var report gallery.MergeReport
	if err := cmp.Or(noContext(ctx), r.Keeps()); err != nil {
		return nil, report, err
	}
	if err := cmp.Or(r.checkPhotos(ctx, photos...), dataset.CheckName(name)); err != nil {
		return nil, report, err
	}
	if len(photos) == 0 {
		return nil, report, fmt.Errorf("enrol %q: no photographs", name)
	}
	var new []readFace
	var last error
	for i, photo := range photos {
		f, reason, err := r.faceToEnrol(ctx, name, photo, fmt.Sprintf("photograph %d of %d of %q", i+1, len(photos), name))
		if err != nil {
			return nil, report, err
		}
		if reason != nil {
			last = reason
			r.warn(reason)
			continue
		}
		one := readFace{values: f.values, person: name, id: name + "/" + hashOf(f.values)}
		if d := f.Detection; d != nil {
			one.quality = &d.Quality
		}
		new = append(new, one)
	}
	if len(new) == 0 {
		return nil, report, fmt.Errorf("enrol %q: none of %d photographs can be used: %w", name, len(photos), last)
	}
	more, err := labelled(new, r.m.Enrolled.Frame)
	if err != nil {
		return nil, report, err
	}
	if err := r.warnOfKnown(ctx, more); err != nil {
		return nil, report, fmt.Errorf("enrol %q: %w", name, err)
	}
	return r.EnrolAll(ctx, more, false)
}

// faceToEnrol returns the face of photo, which errors call what, that is added to the person name, or
// the reason why there is none.
func (r *Recogniser) faceToEnrol(ctx context.Context, name string, photo image.Image, what string) (f Face, reason, err error) {
	faces, err := r.findFaces(ctx, dataset.NewPhoto(photo))
	if err != nil {
		return f, nil, err
	}
	which := 0
	if r.asks() {
		which, err = r.meantIn(ctx, "", what, name, faces, nil)
	}
	switch {
	case errors.Is(err, face.ErrSeveral):
		return f, err, nil
	case err != nil:
		return f, nil, err
	case len(faces) == 0:
		return f, fmt.Errorf("%s is left out: %w", what, face.ErrNoFace), nil
	case faces[which].Rejection != nil:
		return f, fmt.Errorf("%s is left out: %w", what, faces[which].Rejection), nil
	}
	return faces[which], nil, nil
}

// hashOf is a name for a face that has no file: equal faces have equal names.
func hashOf(values []float64) string {
	h := sha256.New()
	for _, v := range values {
		h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// EnrolAll is Enrol for images of any number of people, read with r.ReadFiles; what Enrol says
// of the threshold holds.
// Warm starts iterative methods from the current model, which is faster and
// gives a similar, not an equal, result. If all images are enrolled already,
// the result is r itself.
func (r *Recogniser) EnrolAll(ctx context.Context, more *dataset.Images, warm bool) (*Recogniser, gallery.MergeReport, error) {
	if err := cmp.Or(noContext(ctx), r.Keeps()); err != nil {
		return nil, gallery.MergeReport{}, err
	}
	if more == nil || more.Len() == 0 {
		return nil, gallery.MergeReport{}, errors.New("enrol: no images")
	}
	if err := more.Validate(); err != nil {
		return nil, gallery.MergeReport{}, fmt.Errorf("enrol: %w", err)
	}
	all, report, err := r.m.Enrolled.Merge(more)
	if err != nil || report.Additions == 0 {
		return r, report, err
	}
	next, err := r.relearn(ctx, all, warm)
	return next, report, err
}

// Remove returns r without these people, or without single images by ID, such as PERSON/PHOTO. A
// person without images is removed. The result is that of Train on the other photographs, but for
// the threshold where r shortlists, which follows from the present one as in Enrol.
func (r *Recogniser) Remove(ctx context.Context, names ...string) (*Recogniser, error) {
	if err := cmp.Or(noContext(ctx), r.Keeps()); err != nil {
		return nil, err
	}
	rest, err := r.m.Enrolled.Without(names...)
	if err != nil {
		return nil, err
	}
	next, err := r.relearn(ctx, rest, false)
	if n, _ := rest.Len(); err != nil && n < classify.MinClasses && ctx.Err() == nil {
		err = advice.Add(fmt.Errorf("of %d people 1 would be left: %w", r.m.Len(), err), "add somebody first: %v", advice.Enrol)
	}
	return next, err
}

// Rename returns r with another name for a person. If somebody has that name
// already, the two are merged.
func (r *Recogniser) Rename(ctx context.Context, from, to string) (*Recogniser, gallery.MergeReport, error) {
	if err := cmp.Or(noContext(ctx), r.Keeps()); err != nil {
		return nil, gallery.MergeReport{}, err
	}
	all, report, err := r.m.Enrolled.Rename(from, to)
	if err != nil {
		return nil, report, err
	}
	next, err := r.relearn(ctx, all, false)
	return next, report, err
}

// Move returns r in which the photograph with this ID, PERSON/PHOTO, shows the person to, who may be
// new. A person without photographs is removed. The result is that of Train on a folder where the
// photograph was moved, but for the threshold where r shortlists, which follows from the present one
// as in Enrol. If the photograph is of this person already, the result is r itself.
func (r *Recogniser) Move(ctx context.Context, id, to string) (*Recogniser, gallery.MergeReport, error) {
	if err := cmp.Or(noContext(ctx), r.Keeps()); err != nil {
		return nil, gallery.MergeReport{}, err
	}
	all, report, err := r.m.Enrolled.Move(id, to)
	if err != nil || all == r.m.Enrolled {
		return r, report, err
	}
	next, err := r.relearn(ctx, all, false)
	return next, report, err
}

// Keeps returns nil if people can be enrolled in r and removed, or else the
// reason why not: r does not keep their faces, or its method is not known.
func (r *Recogniser) Keeps() error {
	if r.m == nil {
		return errEmpty
	}
	switch e := r.m.Enrolled; {
	case e == nil:
		return advice.Add(gallery.ErrForgotten, "train it again from all photographs, without %v: %v", advice.Forget, advice.Train)
	case !r.m.SeesImages():
		return advice.Add(errors.New("people are enrolled in models of images, and this one was trained on vectors"),
			"train it again with the new samples beside the others: %v", advice.Train)
	}
	_, err := r.method()
	return err
}

// relearn returns what Train gives from other images with the method, the pipeline,
// the seed and the open-set options of r. The pipeline stays even where another
// would be chosen for so many people.
func (r *Recogniser) relearn(ctx context.Context, e *gallery.Enrolled, warm bool) (*Recogniser, error) {
	by, err := r.method()
	if err != nil {
		return nil, err
	}
	run := classify.Run{Seed: r.m.Shared().Seed, Watch: r.Watch}
	switch {
	case warm && classify.TraitsOf(by).Warm && r.m.Pipeline.Projection.IsZero():
		run.Warm = r.m.Classifier
	case warm:
		r.tell("%s has nothing to start from here: it learns from the beginning", by.Name())
	}
	tell := r.tell
	if r.m.Impostors() != nil { // which takes no time
		tell = r.detail
	}
	tell("%s", r.m.RefitTask(e))
	how := r.openSetOfOthers()
	m, err := r.m.Refit(ctx, e, run)
	if err != nil {
		return nil, err
	}
	return r.withThreshold(ctx, m, how)
}

// OpenSet returns the options of the threshold of r, or of the threshold that it would have
// with enough people; openset.Default if r names everybody. Calibrate takes them.
func (r *Recogniser) OpenSet() openset.Options {
	if o := r.openSet(); o != nil {
		return *o
	}
	return openset.Default
}

// openSet is OpenSet; nil where r names everybody.
func (r *Recogniser) openSet() *openset.Options {
	if r.m == nil {
		return nil
	}
	return r.m.Options()
}

// openSetOfOthers is openSet for r with other people: it warns of what is lost.
func (r *Recogniser) openSetOfOthers() *openset.Options {
	if r.m.HasStrangers() {
		r.warn(advice.Add(errors.New("the scores of the given strangers are lost, because the people of the model have changed"),
			"give their photographs again: %v", calibrateByStrangers))
	}
	return r.openSet()
}

// calibrateByStrangers is the action of advice that gives a model a threshold.
var calibrateByStrangers = advice.Calibrate.With(advice.Strangers.To("DIR"))

// Forget returns r without its stored faces: nobody can be enrolled later. It is an error if r
// shortlists (Options.ShortlistAbove), as it then compares a face with the stored ones.
func (r *Recogniser) Forget() (*Recogniser, error) {
	if r.m == nil {
		return nil, errEmpty
	}
	m, err := r.m.Forget()
	if err != nil {
		return nil, err
	}
	return r.withModel(m), nil
}

// Calibrate returns r with another threshold, for o: r.OpenSet with what is to change.
// Strangers are faces of people who
// are not enrolled, read with r.ReadFiles; may be nil. If only the rate or the
// strangers change, nothing is trained again.
func (r *Recogniser) Calibrate(ctx context.Context, o openset.Options, strangers *dataset.Images) (*Recogniser, error) {
	if r.m == nil {
		return nil, errEmpty
	}
	if strangers != nil && strangers.Len() == 0 {
		return nil, errors.New("calibrate: no faces of strangers")
	}
	if err := cmp.Or(noContext(ctx), o.Validate()); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	m, err := r.m.Calibrate(ctx, o, strangers, r.progress("calibrating"))
	switch {
	case errors.Is(err, openset.ErrNoStrangers):
		return nil, advice.Add(err, "give photographs of other people: %v", calibrateByStrangers)
	case errors.Is(err, gallery.ErrForgotten):
		return nil, advice.Add(err, "train it again, without %v: %v", advice.Forget, advice.Train)
	case err != nil:
		return nil, err
	}
	if strangers != nil {
		r.warnOfMembers(m.Calibration.Strangers)
	}
	return r.withModel(m), nil
}

// warnOfMembers warns if r is sure that it knows many of the strangers, who have
// these margins.
func (r *Recogniser) warnOfMembers(margins []float64) {
	c := r.m.Calibration
	if c == nil { // no probability is known
		return
	}
	members := c.Members(margins)
	if members*10 > len(margins) {
		r.warn(fmt.Errorf("%d of %d faces of strangers look much like people of the model: strangers must be other people",
			members, len(margins)))
	}
}
