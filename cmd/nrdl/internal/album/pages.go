package album

import (
	"context"
	_ "embed" // the pages
	"fmt"
	"html/template"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/kit/page"
	"nrdl.example/nrdl/internal/legible"
)

var (
	//go:embed album.html.tmpl
	pageText string
	//go:embed album.css
	pageStyle string

	pages = page.New(pageText, pageStyle)
)

// perPage is the number of photographs on a page: a browser shows a page of them at once.
const perPage = 200

// A picture is a thumbnail on a page.
type picture struct {
	page.Picture
	Style template.CSS // which part a portrait shows
	ID    string       // of the photograph in the viewer
	Large template.URL // what the viewer shows
	Day   string       // that begins with this photograph; "" if it is that of the one before
	Faces []faceBox

	Address    template.URL // of the photograph
	File       string
	Date, Note string
	People     []link
}

// A faceBox is a face in the viewer.
type faceBox struct {
	Name  string // "" of an unknown face
	Style template.CSS
	Ask   string // the command that gives it a name; "" if it has one
}

type link struct {
	Name    string
	Address template.URL
}

// A year has pictures under a heading.
type year struct {
	Title    string
	Pictures []picture
}

// A sheet is a page of a shelf.
type sheet struct {
	*shelf
	Title    string
	Summary  string
	Home     template.URL
	Pages    []link // Address is "" of the page itself
	Previous template.URL
	Next     template.URL
	Years    []year
	All      []picture // of Years
	Model    string
	Suspects *link // nil for none
	Reviewed bool  // whether they are known
}

// Beside is the address of the picture before or after All[i] in the viewer; "" if there is none.
func (s sheet) Beside(i, step int) template.URL {
	if i += step; i < 0 || i >= len(s.All) {
		return ""
	}
	return template.URL("#" + s.All[i].ID)
}

// A place takes the files of an album, and knows those of its photographs.
type place interface {
	put(ctx context.Context, name string, write func(io.Writer) error) error // makes a file, whole or not at all
	thumbSize(ctx context.Context, p *photo) (width, height int)             // of the thumbnail; 0 for none
	large(p *photo) string                                                   // the file that the viewer shows; "" for the photograph itself
	original(from string, p *photo) template.URL                             // of the photograph in a page of the folder from; "" for none
	path(file string) string                                                 // of the photograph
}

// writing is one run of Write.
type writing struct {
	place
	names    map[string]bool
	pictures map[*photo]picture // without addresses
	people   map[string]*shelf
	counts   Counts
	all      []*photo
	list     []*shelf
	model    string // as a word of the shell
	suspects *explain.People
}

// newWriting is a run for the photographs all, and so many that are absent.
func newWriting(to place, all []*photo, absent int) *writing {
	w := &writing{
		place: to, names: map[string]bool{}, pictures: map[*photo]picture{}, people: map[string]*shelf{},
		counts: countsOf(all, absent), all: all, list: shelves(all),
	}
	for _, s := range w.list {
		if s.Person {
			w.people[s.Name] = s
			w.counts.People++
		}
	}
	return w
}

// shelves writes the pages of each shelf.
func (w *writing) shelves(ctx context.Context) error {
	for _, p := range w.all {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		w.pictures[p] = w.picture(ctx, p)
	}
	for _, s := range w.list {
		for first := 0; first < len(s.photos); first += perPage {
			if err := w.sheet(ctx, s, first); err != nil {
				return err
			}
		}
	}
	return nil
}

// picture is the thumbnail of p.
func (w *writing) picture(ctx context.Context, p *photo) picture {
	t := picture{File: legible.Escaped(path.Base(p.File))}
	if p.Error != "" {
		t.Note = legible.Escaped(p.Error)
		return t
	}
	t.Width, t.Height = w.thumbSize(ctx, p)
	t.Date = p.date.Format("2 January 2006, 15:04")
	if p.byFile {
		t.Date = "no date; file of " + p.date.Format("2 January 2006")
	}
	var names, covered []string
	for _, f := range p.Faces {
		if f.Name != nil && !slices.Contains(names, *f.Name) {
			names = append(names, *f.Name)
		}
		if f.Covered != "" && !slices.Contains(covered, f.Covered) {
			covered = append(covered, f.Covered)
		}
	}
	t.Alt = t.File + ", " + t.Date
	if len(names) > 0 {
		t.Alt = strings.Join(names, ", ") + ": " + t.Alt
	}
	if len(covered) > 0 {
		t.Note = strings.Join(covered, ", ") + " probably covered"
	}
	if t.Width > 0 {
		w.names[thumb(p.File)], w.names[w.large(p)] = true, true
	}
	for _, f := range p.Faces {
		if f.Box == nil || p.Size == nil || f.Refused != "" {
			continue
		}
		width, height := float64(p.Size.Width)/100, float64(p.Size.Height)/100
		b := faceBox{Style: template.CSS(fmt.Sprintf("left:%.2f%%;top:%.2f%%;width:%.2f%%;height:%.2f%%",
			float64(f.Box.X)/width, float64(f.Box.Y)/height, float64(f.Box.Width)/width, float64(f.Box.Height)/height))}
		if f.Name != nil {
			b.Name = *f.Name
		} else if w.model != "" {
			b.Ask = fmt.Sprintf("nrdl add %s %s --name NAME --box %d,%d,%d,%d", w.model, legible.Arguments(w.path(p.File)),
				f.Box.X, f.Box.Y, f.Box.Width, f.Box.Height)
		}
		t.Faces = append(t.Faces, b)
	}
	return t
}

// meant is the box of the face for which p is on the shelf s: the largest of the person, or of the unknown ones.
func (s *shelf) meant(p *photo) (box *results.Box) {
	for i, f := range p.Faces {
		is := f.Name == nil && !s.Person && f.Refused == "" || f.Name != nil && s.Person && *f.Name == s.Name
		if b := p.Faces[i].Box; is && b != nil && (box == nil || b.Width*b.Height > box.Width*box.Height) {
			box = b
		}
	}
	return box
}

// on is the picture of p on a page in the folder from, with links to the people in it but not to
// the one of s.
func (w *writing) on(from string, p *photo, s *shelf) picture {
	t := w.pictures[p]
	t.Address = w.original(from, p)
	if t.Width > 0 {
		t.Source = address(from, thumb(p.File))
		const margin, minSide = 2.2, 96 // of the thumbnail, which has few pixels
		t.Style = portrait(p, s.meant(p), t.Width, t.Height, margin, minSide)
		if t.Large = t.Address; w.large(p) != "" {
			t.Large = address(from, w.large(p))
		}
	}
	seen := map[string]bool{s.Name: s.Person}
	for _, f := range p.Faces {
		if f.Name != nil && !seen[*f.Name] {
			seen[*f.Name] = true
			t.People = append(t.People, link{*f.Name, w.people[*f.Name].href(from, 1)})
		}
	}
	return t
}

// sheet writes the page of s that begins with the photograph first.
func (w *writing) sheet(ctx context.Context, s *shelf, first int) error {
	from := peopleFolder + "/" + s.folder
	part := s.photos[first:min(first+perPage, len(s.photos))]
	h := sheet{shelf: s, Title: s.Name, Home: address(from, indexFile), Model: w.model, Reviewed: w.suspects != nil}
	h.Summary = legible.Count(len(s.photos), "photograph") + ", " + span(s.photos[0].date, s.photos[len(s.photos)-1].date)
	if s.Person {
		h.Suspects = w.suspectsOf(from, s.Name)
	}
	number, last := first/perPage+1, (len(s.photos)+perPage-1)/perPage
	if last > 1 {
		h.Title = fmt.Sprintf("%s, page %d of %d", s.Name, number, last)
		for n := 1; n <= last; n++ {
			l := link{strconv.Itoa(n), s.href(from, n)}
			switch n {
			case number:
				l.Address = ""
			case number - 1:
				h.Previous = l.Address
			case number + 1:
				h.Next = l.Address
			}
			h.Pages = append(h.Pages, l)
		}
	}
	before := ""
	for i, p := range part {
		title := p.date.Format("2006")
		if n := len(h.Years); n == 0 || h.Years[n-1].Title != title {
			h.Years = append(h.Years, year{Title: title})
		}
		y := &h.Years[len(h.Years)-1]
		shown := w.on(from, p, s)
		shown.ID = fmt.Sprintf("p%d", number*perPage+i)
		if day := p.date.Format("2 January 2006"); p.byFile {
			shown.Day = "no date; file of " + day
		} else {
			shown.Day = day
		}
		if shown.Day == before {
			shown.Day = ""
		} else {
			before = shown.Day
		}
		y.Pictures = append(y.Pictures, shown)
		h.All = append(h.All, shown)
	}
	name := indexFile
	if number > 1 {
		name = strconv.Itoa(number) + ".html"
	}
	return w.write(ctx, from+"/"+name, "sheet", h)
}

// span says the first and the last year.
func span(first, last time.Time) string {
	if first.Year() == last.Year() {
		return strconv.Itoa(first.Year())
	}
	return fmt.Sprintf("%d to %d", first.Year(), last.Year())
}

// write writes a page of the album by the template of this name.
func (w *writing) write(ctx context.Context, name, by string, data any) error {
	w.names[name] = true
	w.counts.Pages++
	return w.put(ctx, name, func(out io.Writer) error { return page.Write(out, pages, by, data) })
}

// An entry is a shelf in the index.
type entry struct {
	link
	Count    string
	Portrait picture
}

// index writes the page of all people.
func (w *writing) index(ctx context.Context, model string) error {
	top := struct {
		Summary        string
		People, Others []entry
		Unreadable     []picture
		Suspects       *link
	}{Summary: w.counts.String() + ".", Suspects: w.suspectsOf("", "")}
	if model != "" {
		top.Summary += " Model " + legible.Escaped(filepath.Base(model)) + "."
	}
	for _, s := range w.list {
		e := entry{link: link{s.Name, s.href("", 1)}, Count: legible.Count(len(s.photos), "photograph")}
		if !s.Person {
			top.Others = append(top.Others, e)
			continue
		}
		e.Portrait = w.on("", s.faceOf, s)
		e.Portrait.Alt, e.Portrait.Style = "A face of "+s.Name, portrait(s.faceOf, s.box, e.Portrait.Width, e.Portrait.Height, 1.5, 0)
		top.People = append(top.People, e)
	}
	for _, p := range w.all {
		if p.Error != "" {
			t := w.pictures[p]
			t.Address = w.original("", p)
			top.Unreadable = append(top.Unreadable, t)
		}
	}
	return w.write(ctx, indexFile, "index", top)
}

// portrait shows a square about the face in box of p, with a margin, of a thumbnail of this size: the side is margin
// times that of the face, and at least so many pixels.
func portrait(p *photo, box *results.Box, width, height int, margin, minSide float64) template.CSS {
	if width == 0 || height == 0 {
		return ""
	}
	W, H := float64(width), float64(height)
	side, x, y := min(W, H), W/2, H/2
	if box != nil && p.Size != nil {
		scale := W / float64(p.Size.Width)
		x, y = (float64(box.X)+float64(box.Width)/2)*scale, (float64(box.Y)+float64(box.Height)/2)*scale
		side = min(side, max(minSide, margin*scale*float64(max(box.Width, box.Height))))
	}
	x, y = min(max(0, x-side/2), W-side), min(max(0, y-side/2), H-side)
	return template.CSS(fmt.Sprintf("width:%.2f%%;left:%.2f%%;top:%.2f%%", 100*W/side, -100*x/side, -100*y/side))
}
