package output

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/page"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/natural"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	pageStyle string

	facesPage = page.New(pageText, pageStyle)
)

// thumbQuality keeps a face below 5 KB, so that a page of ten thousand opens.
const thumbQuality = 70

// A Page collects results and writes them as one self-contained page: the faces by name,
// in each group the least certain first. It is safe for concurrent use until Write. The HTML of each face waits in a temporary file
// until Close; memory holds only its place.
type Page struct {
	mu     sync.Mutex
	path   string
	m      *gallery.Gallery
	model  string // its file
	temp   *os.File
	spool  *bufio.Writer
	size   int64
	cards  []place
	photos int
}

// The sections of a page, in their order.
type section int

const (
	named section = iota
	unknown
	refused    // faces of too poor quality
	faceless   // photographs
	unreadable // files
)

// ofFiles reports whether the cards of s are photographs, not faces.
func (s section) ofFiles() bool { return s >= faceless }

// A place is where a card waits, and where it belongs.
type place struct {
	section
	name   string // of the person, if named
	doubt  float64
	file   string
	offset int64
	size   int64
}

// A card has the texts and the picture of a face, or of a photograph without a face.
type card struct {
	page.Picture // without one for a photograph without a face
	File         string
	Address      template.URL // of the photograph
	Face         string       // which of several; "" of a single one
	Box          string
	Guess        string // who is most likely, if that is not Name
	Probability  string
	RunnerUp     string
	Covered      string // parts of the face
	Why          []string
	Trained      string
	Reason       string // why it has no name
}

// NewPage returns a Page for the file at path and for results of m, the model in the file
// named model; nil for results of a service at that address, which AddRecorded adds. The photographs
// must have Details set.
func NewPage(path string, m *gallery.Gallery, model string) (*Page, error) {
	if err := atomicfile.Check(path); err != nil {
		return nil, err
	}
	temp, err := os.CreateTemp("", "nrdl-page-")
	if err != nil {
		return nil, fmt.Errorf("html: %w", err)
	}
	_ = os.Remove(temp.Name()) // where open files can be removed, nothing is left behind by a process that is killed
	return &Page{path: path, m: m, model: model, temp: temp, spool: bufio.NewWriter(temp)}, nil
}

// Close deletes the temporary file.
func (p *Page) Close() error {
	err := p.temp.Close()
	if removed := os.Remove(p.temp.Name()); !errors.Is(removed, os.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// Add adds the result of a photograph. It is a Writer.
func (p *Page) Add(r faces.Result, why error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.photos++
	shared := card{File: legible.Escaped(r.Photo.Name), Address: page.Link(filepath.Dir(p.path), r.Photo.Name)}
	if why != nil {
		shared.Reason = legible.Escaped(why.Error())
		return p.add(place{section: unreadable}, shared)
	}
	if len(r.Faces) == 0 {
		shared.Reason = face.ErrNoFace.Error()
		return p.add(place{section: faceless}, shared)
	}
	for k, f := range r.Faces {
		c := shared
		if len(r.Faces) > 1 {
			c.Face = fmt.Sprintf("%d of %d", k+1, len(r.Faces))
		}
		at, err := p.fill(&c, f)
		if err == nil {
			err = p.add(at, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add writes the HTML of c to the temporary file.
func (p *Page) add(at place, c card) error {
	name := "face"
	if at.section.ofFiles() {
		name = "file"
	}
	var text bytes.Buffer
	if err := page.Write(&text, facesPage, name, c); err != nil {
		return err
	}
	at.offset, at.size, at.file = p.size, int64(text.Len()), c.File
	p.size += at.size
	p.cards = append(p.cards, at)
	if _, err := text.WriteTo(p.spool); err != nil {
		return fmt.Errorf("html: %w", err)
	}
	return nil
}

// fill fills in what is known of f, and returns where it belongs.
func (p *Page) fill(c *card, f faces.Face) (place, error) {
	if f.Thumb != nil {
		var err error
		if c.Picture, err = page.Thumb(f.Thumb, thumbQuality); err != nil {
			return place{}, err
		}
	}
	if f.Detection != nil {
		c.Box = fmt.Sprintf("%d×%d pixels, from the left %d, from the top %d", f.Box.Dx(), f.Box.Dy(), f.Box.Min.X, f.Box.Min.Y)
	}
	if f.Rejection != nil {
		c.Reason = f.Rejection.Error()
		return place{section: refused}, nil
	}
	if !math.IsNaN(f.Probability) {
		c.Probability = gallery.Probability(f.Probability)
	}
	c.Name, c.Sub = labelOf(f), f.Confidence
	c.Trained, c.Covered = legible.Escaped(f.TrainedID), coveredOf(f)
	if len(f.Ranking) > 1 {
		c.RunnerUp = f.Ranking[1].Name
	}
	c.Why = p.why(f)
	if f.Known {
		return place{section: named, name: f.Name, doubt: f.Margin}, nil
	}
	c.Sub, c.Guess = "", f.Ranking[0].Name
	if maybe := f.Maybe; maybe != "" {
		c.Sub = "maybe " + maybe
		if c.Probability != "" {
			c.Sub += ", " + c.Probability
		}
	}
	return place{section: unknown, doubt: -f.Margin}, nil
}

// why says in words how far the decision is from the threshold, and how similar the
// nearest photographs are.
func (p *Page) why(f faces.Face) (all []string) {
	best, other := f.Ranking[0], ""
	if len(f.Ranking) > 1 {
		other = fmt.Sprintf("; the rival, %s, has %.3f", f.Ranking[1].Name, f.Ranking[1].Score)
	}
	if p.m == nil {
		return []string{fmt.Sprintf("The score of %s is %.3f%s.", best.Name, best.Score, other)}
	}
	c := p.m.Calibration
	threshold, cosines := explain.Threshold(p.m)
	switch {
	case c == nil:
		all = append(all,
			fmt.Sprintf("The score of %s is %.3f%s. The model has no threshold, so it names every face.", best.Name, best.Score, other))
	case cosines:
		all = append(all, fmt.Sprintf("The similarity with %s is %.3f, %s what a name needs: %.3f; 1 is the same picture%s.",
			best.Name, best.Score, explain.FromThreshold(c.Known(f.Margin), best.Score, threshold, true), threshold, other))
	default:
		all = append(all, fmt.Sprintf("The score of %s is %.4f%s. The lead, %.4f, is %s the threshold, %.4f.",
			best.Name, best.Score, other, f.Margin, explain.FromThreshold(c.Known(f.Margin), f.Margin, threshold, false), threshold))
	}
	for _, n := range f.Nearest {
		all = append(all, fmt.Sprintf("Of the photographs of %s in the model, %s is most similar: %.3f.",
			n.Person, legible.Escaped(n.ID), n.Cosine))
	}
	return all
}

// Write writes the page, whole or not at all, and returns its size.
func (p *Page) Write(ctx context.Context) (int64, error) {
	if err := p.spool.Flush(); err != nil {
		return 0, fmt.Errorf("html: %w", err)
	}
	slices.SortStableFunc(p.cards, func(a, b place) int {
		if d := cmp.Compare(a.section, b.section); d != 0 {
			return d
		}
		if a.name != b.name {
			return natural.Compare(a.name, b.name)
		}
		return cmp.Or(cmp.Compare(a.doubt, b.doubt), natural.Compare(a.file, b.file))
	})
	return atomicfile.Write(ctx, p.path, func(w io.Writer) error { return p.write(ctx, w) })
}

// A group has the cards of a person, or of a section.
type group struct {
	ID             int
	Title, Caption string
	Count          string
	Files          bool // the cards are photographs, not faces
	Cards          []place
}

// groups are the cards, which are sorted, in groups.
func (p *Page) groups() (all []group) {
	titles := [...][2]string{
		unknown:    {faces.Unknown, "Faces that are not similar enough to anybody in the model. Those nearest to the threshold come first."},
		refused:    {"Not identified", "Faces of too poor quality to be identified; each has its reason."},
		faceless:   {"No face found", ""},
		unreadable: {"Files that could not be read", ""},
	}
	for i, c := range p.cards {
		if i == 0 || c.section != p.cards[i-1].section || c.name != p.cards[i-1].name {
			g := group{ID: len(all) + 1, Title: titles[c.section][0], Caption: titles[c.section][1], Files: c.section.ofFiles()}
			if c.section == named {
				g.Title = c.name
			}
			all = append(all, g)
		}
		last := &all[len(all)-1]
		last.Cards = append(last.Cards, c)
	}
	for i := range all {
		thing := "face"
		if all[i].Files {
			thing = "file"
		}
		all[i].Count = legible.Count(len(all[i].Cards), thing)
	}
	return all
}

// write writes the page to w, one card at a time.
func (p *Page) write(ctx context.Context, w io.Writer) error {
	groups := p.groups()
	count, people := map[section]int{}, 0
	for _, g := range groups {
		count[g.Cards[0].section] += len(g.Cards)
		if g.Cards[0].section == named {
			people++
		}
	}
	top := struct {
		Model, Summary, Promise string
		Groups                  []group
	}{Model: legible.Escaped(filepath.Base(p.model)), Groups: groups}
	top.Summary = fmt.Sprintf("%s: %s of %s named, %d unknown", legible.Count(p.photos, "photograph"),
		legible.Count(count[named], "face"), legible.People(people), count[unknown])
	if p.m != nil && p.m.Promise() != "" {
		top.Promise = "Strangers: " + p.m.Promise() + "."
	}
	if err := page.Write(w, facesPage, "top", top); err != nil {
		return err
	}
	for _, g := range groups {
		if err := page.Write(w, facesPage, "open", g); err != nil {
			return err
		}
		for _, at := range g.Cards {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if _, err := io.Copy(w, io.NewSectionReader(p.temp, at.offset, at.size)); err != nil {
				return err
			}
		}
		if err := page.Write(w, facesPage, "close", nil); err != nil {
			return err
		}
	}
	return page.Write(w, facesPage, "bottom", nil)
}
