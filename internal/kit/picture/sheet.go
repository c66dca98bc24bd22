package picture

import (
	"errors"
	"fmt"
	"image"
	"image/color"

	"golang.org/x/image/draw"
	"gonum.org/v1/gonum/mat"
)

// A Mark is a border drawn around a sample.
type Mark uint8

// The marks.
const (
	Plain Mark = iota // no border
	Right             // green: recognised
	Wrong             // red: taken for somebody else
)

// SheetOptions says how a sheet looks.
type SheetOptions struct {
	Title    string   // one line above the sheet; "" for none
	Groups   []int    // len R+1 like Set.Groups: group r begins a new row; nil for one group
	Captions []string // len R, in front of the groups; nil for none
	Marks    []Mark   // len n; nil for none
	Columns  int      // samples in a row, ≥ 1; a longer group runs over several rows
	Side     int      // height of a sample on the sheet in pixels, ≥ 1
	Range    Range

	Letters, Heading Letters // of the captions and of the title; nil where there are none
}

// Letters writes lines of text, size pixels high.
type Letters interface {
	// Bounds returns the box of text whose base line begins at (0, 0).
	Bounds(text string, size float64) image.Rectangle
	// Write writes text with its base line beginning at at, cut to a width of room pixels.
	Write(dst draw.Image, ink color.Color, text string, size float64, at image.Point, room int)
}

// DefaultSheet is a sheet for the screen.
var DefaultSheet = SheetOptions{Columns: 10, Side: 96, Range: Each}

// What a sheet is made of, in pixels.
const (
	margin   = 16
	gap      = 4   // between samples
	groupGap = 4   // more of it between groups
	border   = 3   // of a mark
	longest  = 220 // of a caption; a longer one is cut short
	size     = 14  // of the letters
	ascent   = 14
	lineH    = 20
	maxSide  = 1024
	maxSheet = 1 << 26 // pixels, 256 MiB
)

var (
	paper = color.RGBA{255, 255, 255, 255}
	text  = color.RGBA{34, 34, 34, 255}
	marks = map[Mark]color.RGBA{Right: {0, 140, 60, 255}, Wrong: {210, 30, 40, 255}}
)

// Sheet draws the columns of x, d×n, as images of in.Height×in.Width pixels
// side by side, group after group. Each column of x has the pixels of an image column
// after column.
func Sheet(x *mat.Dense, in Size, opt SheetOptions) (image.Image, error) {
	s, err := newSheet(x, in, opt)
	if err != nil {
		return nil, fmt.Errorf("sheet: %w", err)
	}
	s.drawTitle()
	y := s.top
	for r := range len(s.groups) - 1 {
		s.drawCaption(r, y)
		for j := s.groups[r]; j < s.groups[r+1]; j++ {
			at := j - s.groups[r]
			s.drawSample(j, s.left+at%opt.Columns*(s.width+gap), y+at/opt.Columns*(opt.Side+gap))
		}
		y += s.groupHeight(r) + groupGap
	}
	return s.img, nil
}

// A sheet being drawn.
type sheet struct {
	SheetOptions
	x           *mat.Dense
	shape       Size
	groups      []int
	width       int  // of a sample; its height is Side
	left, top   int  // where the samples begin
	hasNegative bool // some value is negative
	img         *image.RGBA
}

func newSheet(x *mat.Dense, in Size, opt SheetOptions) (*sheet, error) {
	if err := fits(x, in, opt.Range); err != nil {
		return nil, err
	}
	_, n := x.Dims()
	s := &sheet{SheetOptions: opt, x: x, shape: in, groups: opt.Groups}
	if s.groups == nil {
		s.groups = []int{0, n}
	}
	if err := s.validate(n); err != nil {
		return nil, err
	}
	s.hasNegative = mat.Min(x) < 0
	s.width = max(1, opt.Side*in.Width/in.Height)
	return s, s.layOut()
}

func (s *sheet) validate(n int) error {
	groups := len(s.groups) - 1
	switch {
	case s.Columns < 1:
		return fmt.Errorf("%d samples in a row", s.Columns)
	case s.Side < 1 || s.Side > maxSide:
		return fmt.Errorf("a sample %d pixels high is outside 1 … %d", s.Side, maxSide)
	case s.Marks != nil && len(s.Marks) != n:
		return fmt.Errorf("%d marks for %d samples", len(s.Marks), n)
	case groups < 1 || s.groups[0] < 0 || s.groups[groups] > n:
		return fmt.Errorf("%d groups do not fit %d samples", groups, n)
	case s.Captions != nil && len(s.Captions) != groups:
		return fmt.Errorf("%d captions for %d groups", len(s.Captions), groups)
	case s.Captions != nil && s.Letters == nil || s.Title != "" && s.Heading == nil:
		return errors.New("there are no letters for the text")
	}
	for j, m := range s.Marks {
		if m > Wrong {
			return fmt.Errorf("unknown mark %d of sample %d", m, j)
		}
	}
	for r := range groups {
		if s.groups[r+1] <= s.groups[r] {
			return fmt.Errorf("group %d is empty", r)
		}
	}
	return nil
}

// layOut finds where things go and makes the image.
func (s *sheet) layOut() error {
	s.left, s.top = margin, margin
	for _, c := range s.Captions {
		s.left = max(s.left, 2*margin+min(longest, s.Letters.Bounds(c, size).Dx()))
	}
	if s.Title != "" {
		s.top += lineH + margin/2
	}
	maxSamples, height := 0, s.top+margin-groupGap
	for r := range len(s.groups) - 1 {
		maxSamples = max(maxSamples, s.groups[r+1]-s.groups[r])
		height += s.groupHeight(r) + groupGap
		if height > maxSheet {
			break
		}
	}
	width := s.left + min(maxSamples, s.Columns)*(s.width+gap) - gap + margin
	if height > maxSheet/width {
		return errors.New("the sheet is too large: draw fewer samples, or smaller ones")
	}
	s.img = image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(s.img, s.img.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	return nil
}

// groupHeight is the height of group r with the gap below it.
func (s *sheet) groupHeight(r int) int {
	rows := (s.groups[r+1] - s.groups[r] + s.Columns - 1) / s.Columns
	high := rows * (s.Side + gap)
	if s.Captions != nil { // room for the text beside small samples
		high = max(high, lineH)
	}
	return high
}

func (s *sheet) drawTitle() {
	if s.Title == "" {
		return
	}
	room := s.img.Bounds().Dx() - 2*margin
	s.Heading.Write(s.img, text, s.Title, size, image.Pt(margin, margin+ascent), room)
}

// drawCaption writes the caption of group r beside the middle of its first row.
func (s *sheet) drawCaption(r, y int) {
	if s.Captions == nil {
		return
	}
	const x = 8 // half of the height of a letter and of one with a descender
	base := y + max(s.Side, lineH)/2 + x/2
	s.Letters.Write(s.img, text, s.Captions[r], size, image.Pt(margin, base), longest)
}

func (s *sheet) drawSample(j, x, y int) {
	box := image.Rect(x, y, x+s.width, y+s.Side)
	img := grey(s.x, j, s.shape, toneOf(s.Range, s.x, j, s.hasNegative))
	draw.NearestNeighbor.Scale(s.img, box, img, img.Bounds(), draw.Src, nil)
	if s.Marks == nil || s.Marks[j] == Plain {
		return
	}
	c := image.NewUniform(marks[s.Marks[j]])
	for _, side := range []image.Rectangle{
		{box.Min, image.Pt(box.Max.X, box.Min.Y+border)},
		{image.Pt(box.Min.X, box.Max.Y-border), box.Max},
		{box.Min, image.Pt(box.Min.X+border, box.Max.Y)},
		{image.Pt(box.Max.X-border, box.Min.Y), box.Max},
	} {
		draw.Draw(s.img, side.Intersect(box), c, image.Point{}, draw.Src)
	}
}
