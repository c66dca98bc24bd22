package experiment

import (
	"context"
	"fmt"
	"slices"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/projection"
)

// open opens the data sets of all settings, and checks that each can be split and
// corrupted as planned.
func (r *Runner) open(ctx context.Context) error {
	for _, s := range r.settings {
		planned, input, err := r.load(ctx, s)
		if err == nil {
			err = samePeople(s.data.name, planned.set, input.set)
		}
		if err != nil {
			return s.data.node.errorf("%w", err)
		}
		set := input.set
		if err := checkInput(ctx, set, s.input.ForImages(set.Frame)); err != nil {
			return s.jobs[0].contestant.node.errorf("%w", err)
		}
		if _, _, err := s.split.Apply(set, s.fit()); err != nil {
			return s.data.splitNodes[slices.Index(s.data.splits, s.split)].errorf("%w", err)
		}
		if s.noise+s.occlusion > 0 && !s.input.Embedding.IsZero() {
			err := s.jobs[0].contestant.node.errorf("noise and occlusion are put on images, and the input makes vectors of the photographs of %s",
				s.data.name)
			return advice.Add(err, `name the data sets that this method meets: "datasets": […]`)
		}
		if s.noise+s.occlusion > 0 && !set.AreImages() {
			return s.data.node.errorf("noise and occlusion need images, and %s does not say their height and width", s.data.name)
		}
		if frame := planned.set.Frame; s.noise > 0 && !frame.Same(set.Frame) {
			err := s.jobs[0].contestant.node.errorf("noise is put on images of %v, and the input wants them to be %v", frame.Size, set.Frame.Size)
			return advice.Add(err, "leave the size to the data set, or give the data set this size")
		}
		for _, j := range s.jobs {
			if p, ok := j.method.(Program); ok && r.bench.Distribute == nil { // else workers know their programs
				if err := p.Validate(); err != nil {
					return j.contestant.node.errorf("%w", err)
				}
			}
			if err := method.Suits(j.method, s.input.ForImages(set.Frame).Grid()); err != nil {
				return j.contestant.node.errorf("%w", err)
			}
			if err := checkTuning(j, set); err != nil {
				return j.contestant.node.errorf("%w", err)
			}
		}
	}
	return nil
}

// samePeople is an error if some people of the data set called name, as a plan describes it,
// are not there as an input sees it.
func samePeople(name string, planned, input *dataset.Images) error {
	for c, person := range planned.Classes {
		if c >= len(input.Classes) || input.Classes[c] != person {
			err := fmt.Errorf("%s: no face is found in the images of %s, and all methods need the same people", name, person)
			return advice.Add(err, "remove these images, or add some in which a face is found")
		}
	}
	return nil
}

// checkInput is an error if in cannot make a sample of the first image of set.
func checkInput(ctx context.Context, set *dataset.Images, in frontend.Pipeline) error {
	if err := in.Validate(); err != nil {
		return err
	}
	in.Mirror = in.Mirror || in.Shift != 0           // either needs images
	in.Projection, in.Shift = projection.Choice{}, 0 // takes more of them
	_, err := in.Prepare(set.Select([]int{0}))
	return err
}

// checkTuning is an error if the training part of j is too small for tuning.
func checkTuning(j *job, set *dataset.Images) error {
	if j.contestant.tune == nil {
		return nil
	}
	learn, _, err := j.split.Apply(set, j.fit())
	if err == nil && len(learn) < 2*len(set.Classes) {
		err = advice.Add(fmt.Errorf("split %v leaves one training image of a person, and tuning holds some out", j.split),
			"tune with at least two training images per person")
	}
	return err
}
