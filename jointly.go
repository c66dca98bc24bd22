package nrdl

import (
	"context"
	"time"
)

// namePhotographs names the faces of each photograph of all: those of one together, unless r
// takes face.Options.Twice. taken has the time of each photograph; nil if none is known.
func (r *Recogniser) namePhotographs(ctx context.Context, taken []time.Time, all ...[]Face) error {
	if err := r.name(ctx, all...); err != nil {
		return err
	}
	for i, faces := range all {
		var at time.Time
		if taken != nil {
			at = taken[i]
		}
		p := &facesTogether{facts: r.facts, faces: faces, unborn: r.facts.unborn(at), taken: map[string]bool{}}
		p.forbid()
		if !r.detect.Twice {
			p.nameJointly()
		}
	}
	return nil
}

// facesTogether are the faces of a photograph which are named together.
type facesTogether struct {
	facts         *knowledge
	faces         []Face
	unborn, taken map[string]bool // people who were not born, and whose name a face has
}

// excluded reports whether a name cannot be that of another face.
func (p *facesTogether) excluded(name string) bool { return p.unborn[name] || p.taken[name] }

// again decides f among the people who are not excluded.
func (p *facesTogether) again(f *Face) {
	among := f.result.Gallery
	f.result, f.Name, f.Maybe, f.Rival = among.Without(f.result, p.excluded), "", "", ""
	f.set(&f.result, among.Names(), p.excluded)
	p.compare(f)
}

// compare takes the name from f if a rival is too similar.
func (p *facesTogether) compare(f *Face) {
	if f.Rival = p.facts.rival(f, p.excluded); f.Rival != "" {
		f.Known, f.Maybe, f.Name = false, f.Name, ""
	}
}

// forbid takes names from faces that facts forbid.
func (p *facesTogether) forbid() {
	if p.facts == nil {
		return
	}
	for i := range p.faces {
		f := &p.faces[i]
		if len(f.Ranked) == 0 {
			continue
		}
		best := f.Ranked[0].Name
		if !p.unborn[best] {
			p.compare(f)
			continue
		}
		if f.Known {
			f.Unborn = best
		}
		p.again(f)
	}
}

// nameJointly sees to it that no two faces have one name. The face with the best deciding score keeps
// its name. Another face that would have it too is decided among the people whom no better face
// shows: it gets the name of the next best if that reaches the threshold, and is unknown
// otherwise. Whose name a face has is no rival of other faces any more.
func (p *facesTogether) nameJointly() {
	settled := make([]bool, len(p.faces))
	for {
		best := -1
		for i, f := range p.faces {
			if f.Known && !settled[i] && (best < 0 || f.Margin > p.faces[best].Margin) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		f := &p.faces[best]
		if p.taken[f.Name] {
			if f.Taken == "" {
				f.Taken = f.Name
			}
			p.again(f)
			continue
		}
		p.taken[f.Name], settled[best] = true, true
		for i := range p.faces {
			if other := &p.faces[i]; other.Rival == f.Name {
				p.again(other)
			}
		}
	}
}
