package nrdl

import "context"

// namePhotographs names the faces of each photograph of all: those of one together, unless r
// takes face.Options.Twice.
func (r *Recogniser) namePhotographs(ctx context.Context, all ...[]Face) error {
	err := r.name(ctx, all...)
	if err == nil && !r.detect.Twice {
		for _, faces := range all {
			nameJointly(faces)
		}
	}
	return err
}

// nameJointly sees to it that no two of faces, those of a photograph, have one name. The
// face with the best deciding score keeps its name. Another face that would have it too is
// decided among the people whom no better face shows: it gets the name of the next best
// if that reaches the threshold, and is unknown otherwise.
func nameJointly(faces []Face) {
	taken, settled := map[string]bool{}, make([]bool, len(faces))
	for {
		best := -1
		for i, f := range faces {
			if f.Known && !settled[i] && (best < 0 || f.Margin > faces[best].Margin) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		f := &faces[best]
		if !taken[f.Name] {
			taken[f.Name], settled[best] = true, true
			continue
		}
		if f.Taken == "" {
			f.Taken = f.Name
		}
		among := f.result.Gallery
		f.result, f.Name, f.Maybe = among.Without(f.result, func(name string) bool { return taken[name] }), "", ""
		f.set(&f.result, among.Names(), taken)
	}
}
