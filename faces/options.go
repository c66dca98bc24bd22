package faces

import (
	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/projection"
)

// Options say how a Recogniser is trained. Defaults chooses them, and For for another
// method.
type Options struct {
	Method   classify.Method   // nil: the one that Defaults chooses for Pipeline
	Pipeline frontend.Pipeline // unset parts of its Frame are taken from the images
	OpenSet  *openset.Options  // for the threshold; nil: no face is unknown
	Detect   face.Options      // which faces of a photograph are used, and by which detector they were found
	Seed     uint64
	Forget   bool // do not keep the faces; people cannot be enrolled later. It is an error where faces are compared with shortlists
	// With more faces of a network than ShortlistAbove, and a method that keeps nothing but these vectors, a face
	// is compared with a shortlist of people; 0 means gallery.DefaultShortlistAbove.
	ShortlistAbove int
	Gallery        *gallery.Settings // nil: gallery.DefaultSettings
	Observer
}

// An Observer is notified during long work. Each of its functions may be nil.
// It does not affect the result.
type Observer struct {
	Watch    classify.Watch                     // every pass of a method that iterates
	Progress func(what string, done, total int) // equal steps of the task what; never called by two goroutines at once
	Tell     func(message advice.Advice)        // information, for example what was chosen
	Detail   func(message advice.Advice)        // what only some want to know: how sure each name by tags is
	Warn     func(err error)                    // a probable mistake; may have advice
}

func (o Observer) tell(format string, args ...any) {
	if o.Tell != nil {
		o.Tell(advice.New(format, args...))
	}
}

func (o Observer) detail(format string, args ...any) {
	if o.Detail != nil {
		o.Detail(advice.New(format, args...))
	}
}

func (o Observer) warn(err error) {
	if o.Warn != nil {
		o.Warn(err)
	}
}

// progress is Progress of what; nil where nobody asks.
func (o Observer) progress(what string) func(done, total int) {
	if o.Progress == nil {
		return nil
	}
	return func(done, total int) { o.Progress(what, done, total) }
}

// minProjected is the number of people from which on Defaults projects samples. The
// directions that tell fewer people apart are few, and do not tell them from strangers
// (doc/frontends.md).
const minProjected = 30

// Defaults chooses how to train on images. For vectors of a network it chooses the method
// mean; for grey crops, features that suit their size, a projection if there are enough
// people, and NRC. For other vectors, and for the grey values of a .mat or .npz file, it
// chooses the method of the paper (NRDL). The target FPIR is that of openset.Default.
func Defaults(images *dataset.Images) Options {
	in := frontend.Pipeline{}
	if images == nil {
		return Options{} // Train returns the error
	}
	if images.AreImages() && !images.Matrix {
		in = frontend.For(images.Frame.Size)
	}
	in = in.ForImages(images.Frame)
	in.Frame = images.Frame
	decide := openset.Default
	return Options{Method: defaultMethod(in), Pipeline: forPeople(in, len(images.Classes)), OpenSet: &decide}
}

// For returns o with the first of methods. A projection that Defaults chose is dropped if
// one of methods needs more features than it leaves (classify.Traits). Without methods
// it is the default one for the Pipeline, unless o has one.
func (o Options) For(methods ...classify.Method) Options {
	if len(methods) == 0 && o.Method == nil {
		o.Method = defaultMethod(o.Pipeline)
	}
	for i, m := range methods {
		if i == 0 {
			o.Method = m
		}
		if classify.TraitsOf(m).Unprojected {
			o.Pipeline = unprojected(o.Pipeline)
		}
	}
	return o
}

// defaultFrame is how images that are used as they are, and faces without a network,
// are resized by default.
var defaultFrame = frontend.Faces96.Frame

// defaultMethod is the method for the samples of in: embeddingMethod for vectors of a
// network, NRDL for grey values, NRC for features or projected samples. There,
// learning a dictionary takes long and gains nothing (doc/frontends.md).
func defaultMethod(in frontend.Pipeline) classify.Method {
	if !in.Embedding.IsZero() {
		return embeddingMethod
	}
	if in.Projection.IsZero() && len(in.Features) == 0 {
		return method.DefaultNRDL
	}
	return method.DefaultNRC
}

// embeddingMethod is the method for vectors of a network.
var embeddingMethod classify.Method = method.Mean{}

// forPeople returns in without its projection where there are too few people for
// one.
func forPeople(in frontend.Pipeline, people int) frontend.Pipeline {
	if people < minProjected {
		return unprojected(in)
	}
	return in
}

func unprojected(in frontend.Pipeline) frontend.Pipeline {
	in.Projection, in.Shift = projection.Choice{}, 0
	return in
}
