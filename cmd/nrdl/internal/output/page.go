package output

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/internal/atomicfile"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/page"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	pageStyle string

	facesPage = page.New(pageText, pageStyle, nil)
)

// thumbQuality keeps a face below 5 KB, so that a page of ten thousand opens.
const thumbQuality = 70

// A Page collects results and writes them as one self-contained page: the faces by name,
// in each group the least certain first. Of a face it holds some bytes in memory; the rest
// waits in a temporary file until Close.
type Page struct {
	Skipped int // photographs that are not on the page, as an earlier run has named them

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
	refused  // faces of too poor quality
	faceless // photographs
	unread   // files
)

// A place is where a card waits, and where it belongs.
type place struct {
	section
	name  string // of the person, if named
	doubt float64
	at    int64
	size  int
}

// A card is what a page has of a face, or of a photograph without one.
type card struct {
	File, Link    string
	Face          string // which of several; "" of a single one
	Box           string
	Name, Sub     string
	Guess         string // who is most likely, if that is not Name
	Probability   string
	RunnerUp      string
	Why           []string
	Trained       string
	Reason        string // why it has no name
	Thumb         []byte // JPEG; nil for a photograph without a face
	Width, Height int
}

// Source is the picture of c.
func (c card) Source() template.URL { return page.Data("jpeg", c.Thumb) }

// Address is that of the photograph, which Link has checked.
func (c card) Address() template.URL { return template.URL(c.Link) }

// NewPage returns a Page to be written to path, of results of m, which was read from the
// file at model. The photographs must ask for Details.
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

// Close frees what p holds.
func (p *Page) Close() error {
	err := p.temp.Close()
	if removed := os.Remove(p.temp.Name()); !errors.Is(removed, os.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// Add is a Writer.
func (p *Page) Add(r nrdl.Result, why error) error {
	p.photos++
	shared := card{File: legible.Escaped(r.Photo.Name), Link: string(page.Link(filepath.Dir(p.path), r.Photo.Name))}
	if why != nil {
		shared.Reason = legible.Escaped(why.Error())
		return p.add(place{section: unread}, shared)
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

// add puts c aside.
func (p *Page) add(at place, c card) error {
	data, err := json.Marshal(c)
	if err == nil {
		_, err = p.spool.Write(data)
	}
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	at.at, at.size = p.size, len(data)
	p.size += int64(len(data))
	p.cards = append(p.cards, at)
	return nil
}

// fill fills in what is known of f, and returns where it belongs.
func (p *Page) fill(c *card, f nrdl.Face) (place, error) {
	if f.Thumb != nil {
		var err error
		if c.Thumb, err = page.JPEG(f.Thumb, thumbQuality); err != nil {
			return place{}, err
		}
		c.Width, c.Height = f.Thumb.Rect.Dx(), f.Thumb.Rect.Dy()
	}
	if f.Detected != nil {
		c.Box = fmt.Sprintf("%d×%d pixels, from the left %d, from the top %d", f.Box.Dx(), f.Box.Dy(), f.Box.Min.X, f.Box.Min.Y)
	}
	if f.Rejected != nil {
		c.Reason = f.Rejected.Error()
		return place{section: refused}, nil
	}
	if !math.IsNaN(f.Probability) {
		c.Probability = percent(f.Probability)
	}
	c.Name, c.Sub = said(f), c.Probability
	c.Trained = legible.Escaped(f.Trained)
	c.RunnerUp = f.Ranked[1].Name
	c.Why = p.why(f)
	if f.Known {
		return place{section: named, name: f.Name, doubt: f.Margin}, nil
	}
	c.Sub, c.Guess = "", f.Ranked[0].Name
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
func (p *Page) why(f nrdl.Face) (all []string) {
	best, second := f.Ranked[0], f.Ranked[1]
	c := p.m.Calibration
	switch {
	case c == nil:
		all = append(all, fmt.Sprintf("The model has no threshold, so every face is named. The score of %s is %.3f, the one of %s %.3f.", best.Name, best.Score, second.Name, second.Score))
	case c.Photographs != nil: // the margin is evidence
		all = append(all, fmt.Sprintf("The similarity with %s, a cosine of %.3f, is %s: %s as similar to somebody in the model; a face is named if this is 1 in %s or fewer. The similarity with %s is %.3f.",
			best.Name, best.Score, distance(math.Abs(f.Margin-c.Threshold), f.Known), legible.AsSimilar(f.Margin), legible.OneIn(c.Threshold), second.Name, second.Score))
	default:
		all = append(all, fmt.Sprintf("The lead of %s over %s, %.4f, is %s, %.4f.", best.Name, second.Name, f.Margin, distance(2*math.Abs(f.Margin-c.Threshold)/max(c.Threshold, math.SmallestNonzeroFloat32), f.Known), c.Threshold))
	}
	for _, n := range f.Nearest {
		all = append(all, fmt.Sprintf("The enrolled photograph of %s nearest to the face is %s, with a cosine of %.3f.", n.Person, legible.Escaped(n.ID), n.Cosine))
	}
	return all
}

// distance says on which side of the threshold a face is, and how far from it in
// powers of ten of strangers, or in halves of the threshold.
func distance(d float64, above bool) string {
	const near, far = 0.5, 2
	side := "below"
	if above {
		side = "above"
	}
	switch {
	case d < near:
		return "just " + side + " the threshold"
	case d > far:
		return "far " + side + " the threshold"
	}
	return "clearly " + side + " the threshold"
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
		return cmp.Compare(a.doubt, b.doubt)
	})
	return atomicfile.Write(ctx, p.path, func(w io.Writer) error { return p.write(ctx, w) })
}

// A group has the cards of a person, or of a section.
type group struct {
	ID           int
	Title, About string
	Count        string
	Files        bool // the cards are photographs, not faces
	Cards        []place
}

// groups are the cards, which are sorted, in groups.
func (p *Page) groups() (all []group) {
	titles := [...][2]string{
		unknown:  {nrdl.Unknown, "Faces that match nobody in the model. Those closest to the threshold come first."},
		refused:  {"Not identified", "Faces of too poor quality to be identified; each has its reason."},
		faceless: {"No face found", ""},
		unread:   {"Files that could not be read", ""},
	}
	for i, c := range p.cards {
		if i == 0 || c.section != p.cards[i-1].section || c.name != p.cards[i-1].name {
			g := group{ID: len(all) + 1, Title: titles[c.section][0], About: titles[c.section][1], Files: c.section >= faceless}
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
		Model, Summary, Skipped string
		Groups                  []group
	}{Model: legible.Escaped(filepath.Base(p.model)), Groups: groups}
	of := fmt.Sprintf("%d people", people)
	if people == 1 {
		of = "1 person"
	}
	top.Summary = fmt.Sprintf("%s: %s of %s named, %d unknown", legible.Count(p.photos, "photograph"), legible.Count(count[named], "face"), of, count[unknown])
	if p.Skipped > 0 {
		top.Skipped = legible.Count(p.Skipped, "photograph") + " named by an earlier run, not shown on this page."
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
			if err := p.writeCard(w, at, g.Files); err != nil {
				return err
			}
		}
		if err := page.Write(w, facesPage, "close", nil); err != nil {
			return err
		}
	}
	return page.Write(w, facesPage, "bottom", nil)
}

func (p *Page) writeCard(w io.Writer, at place, file bool) error {
	data := make([]byte, at.size)
	if _, err := p.temp.ReadAt(data, at.at); err != nil {
		return err
	}
	var c card
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	name := "face"
	if file {
		name = "file"
	}
	return page.Write(w, facesPage, name, c)
}
