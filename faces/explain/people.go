package explain

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/kit/page"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/parallel"
)

var (
	//go:embed people.html.tmpl
	peopleText string
	//go:embed people.css
	peopleStyle string

	peoplePage = page.New(peopleText, peopleStyle)
)

// People is a page about the people of a model: photographs that look mislabelled, people
// who may be confused, and photographs that should be added.
type People struct {
	Title     string // of the model
	Model     *gallery.Gallery
	Review    *gallery.Review
	Portraits []*Portrait // of the faces of the model; nil shows names only

	// Mend returns what corrects a suspect; nil shows nothing.
	Mend func(gallery.Suspect) []Correction
}

// A Correction is a command for a photograph that looks mislabelled, and the condition for it.
type Correction struct{ If, Command string }

// NewPeople reviews m for a page with this title. Photos is the folder that m was trained
// on; "" for a page without pictures. It is an error if the folder has none of the
// photographs of m. Detector finds the faces in the photographs; nil for the detector of m.
// Progress is called with the name of the current step; may be nil.
func NewPeople(ctx context.Context, m *gallery.Gallery, title, photos string, detector *face.Search,
	progress func(what string, done, total int),
) (*People, error) {
	m, err := m.Whole()
	if err != nil {
		return nil, err
	}
	step := func(what string) func(done, total int) {
		if progress == nil {
			return nil
		}
		return func(done, total int) { progress(what, done, total) }
	}
	p := &People{Title: title, Model: m}
	if p.Review, err = m.Review(ctx, step("holding faces out")); err != nil || photos == "" {
		return p, err
	}
	if p.Portraits, err = Portraits(ctx, m, photos, detector, step("looking at photographs")); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(p.Portraits, func(p *Portrait) bool { return p != nil }) {
		return nil, advice.Add(fmt.Errorf("none of the model's photographs is in %s", photos), "name the folder that the model was trained on")
	}
	return p, nil
}

// A suspectCell is a photograph that looks mislabelled.
type suspectCell struct {
	Face, Nearest page.Picture
	Text, Sure    string
	Mend          []Correction
}

// A suspectGroup is the photographs of a person that look mislabelled.
type suspectGroup struct {
	Anchor, Name string
	Suspects     []suspectCell
}

// A pairCell is two people who may be confused.
type pairCell struct{ A, B, Count, Estimate, Alike, Note string }

// A personCell is a person.
type personCell struct {
	Name, Photographs, Right, Rivals string
	Face                             *page.Picture
	Advice                           []string
}

// A peopleView is what the template shows.
type peopleView struct {
	Heading, Summary  string
	Whole             string // address of the pages that this one is part of; "" for all of p
	Pictures, Measure bool   // whether there are any; whether cosines decide
	Low               string
	Suspects          int
	Groups            []suspectGroup
	Mend              bool
	Pairs             []pairCell
	People            []personCell
	Looked            bool // whether faces could be held out
	Why               string
}

// SuspectsHTML writes the photographs that look mislabelled as a page, of those at the address up.
func (p *People) SuspectsHTML(w io.Writer, up string) error {
	data := p.view()
	data.Heading, data.Whole = "Photographs in "+p.Title+" whose name may be wrong", up
	return page.Write(w, peoplePage, "page", data)
}

// view is the photographs that look mislabelled, by person: that with the surest one first.
func (p *People) view() *peopleView {
	data := &peopleView{
		Heading: "The people of " + p.Title, Summary: p.summary(), Pictures: p.Portraits != nil, Measure: p.Model.Impostors() != nil,
		Looked: p.Review.Held > 0, Why: p.Review.Reason, Suspects: len(p.Review.Suspects), Mend: p.Mend != nil,
		Low: gallery.Probability(p.Model.Numbers().Review.Suspect),
	}
	for _, s := range p.Review.Suspects {
		i := slices.IndexFunc(data.Groups, func(g suspectGroup) bool { return g.Name == s.Person })
		if i < 0 {
			i = len(data.Groups)
			anchor, _ := p.Suspects(s.Person)
			data.Groups = append(data.Groups, suspectGroup{Anchor: anchor, Name: s.Person})
		}
		data.Groups[i].Suspects = append(data.Groups[i].Suspects, p.suspect(s))
	}
	return data
}

// Suspects counts the photographs of a person that look mislabelled, and returns their place on the pages.
func (p *People) Suspects(name string) (anchor string, n int) {
	for _, s := range p.Review.Suspects {
		if s.Person == name {
			n++
		}
	}
	return fmt.Sprintf("p%d", slices.Index(p.Model.Names(), name)+1), n
}

// maxPictured bounds the photographs that Picture reads.
const maxPictured = 200

// Picture makes the portraits of the photographs that look mislabelled, and of the nearest to each, the surest
// first, at most 200. Folder is where the file of an ID lies, "" if it is not known; several goroutines call it at once.
func (p *People) Picture(ctx context.Context, folder func(file string) string) error {
	var faces []int
	for _, s := range p.Review.Suspects {
		for _, j := range []int{s.Image, s.Nearest} {
			if j >= 0 && len(faces) < maxPictured && !slices.Contains(faces, j) {
				faces = append(faces, j)
			}
		}
	}
	p.Portraits = make([]*Portrait, p.Model.Images().Len())
	parallel.Each(ctx, len(faces), nil, func(i int) {
		id := p.Model.Images().ID(faces[i])
		file, _ := numbered(id)
		if at := folder(file); at != "" {
			p.Portraits[faces[i]] = portrait(ctx, p.Model, at, p.Model.Search, id)
		}
	})
	return context.Cause(ctx)
}

// HTML writes p as one self-contained page, without scripts.
func (p *People) HTML(w io.Writer) error {
	data := p.view()
	for _, one := range p.Review.Pairs {
		data.Pairs = append(data.Pairs, pairOf(one))
	}
	for c := range p.Review.People {
		data.People = append(data.People, p.person(c))
	}
	return page.Write(w, peoplePage, "page", data)
}

func (p *People) summary() string {
	r := p.Review
	text := fmt.Sprintf("%s, %s", legible.People(len(r.People)), legible.Count(r.Faces, "face"))
	if r.Held > 0 {
		text += "; " + r.Tested(p.Model)
	}
	if promise := p.Model.Promise(); promise != "" {
		text += ". Strangers: " + promise
	}
	return text + "."
}

// face is image j of the model.
func (p *People) face(j int, sub string) page.Picture {
	f := page.Picture{
		Name: p.Model.Images().ID(j), Sub: sub,
		Alt: "A photograph of the model, of " + p.Model.Names()[p.Model.Images().ClassOf(j)],
	}
	if p.Portraits != nil && p.Portraits[j] != nil {
		one := p.Portraits[j]
		f.Source, f.Width, f.Height = page.Data("jpeg", one.Thumb), one.Size.X, one.Size.Y
	}
	return f
}

func (p *People) suspect(s gallery.Suspect) suspectCell {
	one := suspectCell{Face: p.face(s.Image, "in the model as "+s.Person)}
	if p.Mend != nil {
		one.Mend = p.Mend(s)
	}
	groups := p.Model.Enrolled.Groups()
	c := p.Model.Images().ClassOf(s.Image)
	switch {
	case len(s.Part) > 0 && groups[c+1]-groups[c] == len(s.Part):
		one.Text = fmt.Sprintf("The two photographs of %s do not look like one person. Nobody can tell which one is wrong.", s.Person)
	case s.Other == "" && len(s.Part) > 1:
		one.Text = fmt.Sprintf("%d photographs of %s look like one other person, who is nobody else in the model: two people?",
			len(s.Part), s.Person)
	case s.Other == "":
		one.Text = fmt.Sprintf("It looks neither like the other photographs of %s nor like anybody else in the model.", s.Person)
	case s.Probability == nil:
		one.Text = fmt.Sprintf("Trained without it, the model names it %s.", s.Other)
	default:
		one.Text = fmt.Sprintf("It may show %s.", s.Other)
	}
	if s.Probability != nil {
		one.Sure = fmt.Sprintf("The probability that the name is wrong: %s.", gallery.Probability(*s.Probability))
	}
	if s.Nearest >= 0 {
		of := s.Other
		if of == "" {
			of = s.Person
		}
		one.Nearest = p.face(s.Nearest, "the most similar of "+of)
	}
	return one
}

// pairOf says in words how easily two people are confused.
func pairOf(p gallery.Pair) pairCell {
	c := pairCell{A: p.A, B: p.B, Count: fmt.Sprintf("%d of %d", p.Wrong, p.Held)}
	if p.Share != nil {
		c.Estimate = oneIn(*p.Share)
	}
	if p.Alike != nil {
		c.Alike = oneIn(*p.Alike)
	}
	if p.Same {
		c.Note = "may be one person under two names"
	}
	return c
}

// oneIn writes a share with about two digits: 1 in 350.
func oneIn(share float64) string {
	const rare, half = 1e-6, 0.5
	switch {
	case share >= half:
		return "most"
	case share < rare:
		return "fewer than 1 in 1000000"
	}
	return "1 in " + legible.OneIn(-math.Log10(share))
}

// shownRivals is the largest number of similar people that are listed for a person.
const shownRivals = 3

func (p *People) person(c int) personCell {
	of := p.Review.People[c]
	d := personCell{Name: of.Name, Photographs: legible.Count(of.Faces, "photograph"), Advice: slices.Clone(p.Review.Advice[c])}
	if of.Held > 0 {
		d.Right = fmt.Sprintf("%d of %d are most similar to this person", of.Right, of.Held)
		if of.Known != nil {
			d.Right += fmt.Sprintf(", %d got the name", *of.Known)
		}
	}
	var rivals []string
	for _, one := range p.Review.Pairs {
		if other := one.A; (one.B == of.Name || one.A == of.Name) && len(rivals) < shownRivals {
			if other == of.Name {
				other = one.B
			}
			rivals = append(rivals, other)
		}
	}
	d.Rivals = legible.Abridged(rivals)
	if p.Portraits == nil {
		return d
	}
	lo, hi := p.Model.Enrolled.Groups()[c], p.Model.Enrolled.Groups()[c+1]
	for j := lo; j < hi; j++ {
		if p.Portraits[j] == nil {
			continue
		}
		suspect := slices.ContainsFunc(p.Review.Suspects, func(s gallery.Suspect) bool { return s.Image == j })
		if face := p.face(j, ""); d.Face == nil && !suspect {
			d.Face = &face
		}
	}
	d.Advice = append(d.Advice, Lacking(p.Portraits[lo:hi])...)
	return d
}

// Lacking suggests which photographs of a person to add: in other light, or with the head
// turned. Portraits may contain nil.
func Lacking(portraits []*Portrait) []string {
	var lights, turns []float64
	for _, p := range portraits {
		if p == nil {
			continue
		}
		lights = append(lights, p.Light)
		if p.Turn != nil {
			turns = append(turns, *p.Turn)
		}
	}
	return append(lit(lights), turned(turns)...)
}

// Measured on the 86 people of LFW with 11 photographs or more: 1 % of the faces have a Light
// below dark, 1 % one above bright, and the faces of each person differ by at least 27.
const dark, bright, equal = 75, 186, 25

// fewest photographs of a person, for all of them to say something.
const minTurns = 4

// frontal is the largest Turn of a face that looks into the camera, turnedAside the least of
// one that clearly does not, by looking at faces of LFW in the order of their Turn.
const frontal, turnedAside = 0.1, 0.15

// turned says what the Turn of the photographs of a person says of what is lacking.
func turned(turns []float64) []string {
	n := len(turns)
	if n < minTurns {
		return nil
	}
	slices.Sort(turns)
	left, right := turns[0], turns[n-1]
	switch {
	case max(-left, right) < frontal:
		return []string{fmt.Sprintf("all %d photographs are frontal: add some with the head turned to the left and to the right", n)}
	case right > turnedAside && left > -frontal:
		return []string{"no photograph shows the head turned to the left of the picture"}
	case left < -turnedAside && right < frontal:
		return []string{"no photograph shows the head turned to the right of the picture"}
	}
	return nil
}

// lit says which light is missing among the photographs of a person, which have these values of Light.
func lit(lights []float64) []string {
	n := len(lights)
	if n < minTurns {
		return nil
	}
	slices.Sort(lights)
	differ := lights[n-1] - lights[0]
	switch {
	case lights[n-1] < dark:
		return []string{fmt.Sprintf("all %d photographs are dark: add some in brighter light", n)}
	case lights[0] > bright:
		return []string{fmt.Sprintf("all %d photographs are very bright: add some in less light", n)}
	case differ < equal:
		return []string{fmt.Sprintf("the face is about equally bright in all %d photographs: add some in other light", n)}
	case differ > 2*equal && lights[n-2]-lights[0] < equal:
		return []string{"only one photograph is bright: add more in bright light"}
	case differ > 2*equal && lights[n-1]-lights[1] < equal:
		return []string{"only one photograph is dark: add more in poor light"}
	}
	return nil
}
