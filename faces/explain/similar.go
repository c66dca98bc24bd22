package explain

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/legible"
)

// byScore reports whether the best score itself decides, a cosine.
func (f *view) byScore() bool { return f.Similarities != nil && f.Similarities.ByScore }

// threshold is what the decisive score must reach; the model must have one.
func (f *view) threshold() float64 {
	if f.byScore() {
		return f.Similarities.Threshold
	}
	return f.p.Calibration.Threshold
}

// cosine says how similar the face is to the best guess and to the next person, and how similar
// it must be.
func (f *view) cosine() string {
	text := fmt.Sprintf("similarity with %s %s", f.name(f.Class), f.number(f.Scores[f.Class]))
	if f.p.Calibration != nil {
		text += fmt.Sprintf(", a name needs %s", f.number(f.threshold()))
	}
	text += " (1 is the same picture); "
	if f.alone() {
		return text + "nobody else is in the model"
	}
	return text + fmt.Sprintf("the rival, %s, has %s", f.name(f.rival()), f.number(f.Scores[f.rival()]))
}

// similar says how similar the face is to the best guess and to the next person, where another
// score decides.
func (f *view) similar() string {
	e := f.Similarities
	if len(e.People) < 2 {
		return "the model keeps no photographs to compare the face with"
	}
	return fmt.Sprintf("the cosine of the face and %s is %s, with that of %s %s", f.mean(), decimals(e.People[0].Mean, cosineDigits),
		e.People[1].Person, decimals(e.People[1].Mean, cosineDigits))
}

// mean names the mean of the photographs of the best guess.
func (f *view) mean() string {
	if len(f.Similarities.People) == 0 {
		return "the mean of the photographs of " + f.name(f.Class)
	}
	n := f.Similarities.People[0].Photographs
	if n == 1 {
		return "the photograph of " + f.name(f.Class)
	}
	return fmt.Sprintf("the mean of the %d photographs of %s", n, f.name(f.Class))
}

// counted says which similarity the cosine with the mean of the best guess counts as; "" if
// it is that one.
func (f *view) counted() string {
	e, score := f.Similarities, f.number(f.Scores[f.Class])
	if !f.byScore() || len(e.People) == 0 || decimals(e.People[0].Mean, cosineDigits) == score {
		return ""
	}
	return fmt.Sprintf(
		"that with %s is %s; it counts as %s, since the mean of few photographs is less similar to every face than that of many",
		f.mean(), decimals(e.People[0].Mean, cosineDigits), score)
}

// cosineDigits is how many decimals of a cosine are shown.
const cosineDigits = 3

// occluded is the row of the crop and of what its parts do for the decision; without a
// title where the crop is not known.
func (f *view) occluded() (row, error) {
	e := f.Similarities
	if e.Crop == nil {
		return row{}, nil
	}
	crop := e.Crop.picture()
	r := row{
		Title: "The face, and which parts of it count",
		Pictures: []figure{{
			img: crop, Name: "the face", Sub: fmt.Sprintf("%v pixels", e.Crop.Size), Alt: "The face as the network sees it",
		}},
	}
	o := e.Occlusion
	if o == nil {
		r.Title = "The face"
		return r, nil
	}
	what, falls := f.decisive(), slices.Concat(o.Falls...)
	largest := max(slices.Max(falls), -slices.Min(falls))
	if largest == 0 {
		r.Caption = fmt.Sprintf("No part matters: %s stays the same wherever a square covers the face.", what)
		return r, nil
	}
	text := func(v float64) string { return decimals(v, cosineDigits) }
	r.Caption = fmt.Sprintf(
		"A grey square is moved over the face, to %d×%d places. Blue: %s falls where this part is covered, so the part speaks for %s. "+
			"Orange: it rises, so the part speaks against. %s", len(o.Falls), len(o.Falls[0]), what, f.name(f.Class), f.changed())
	r.Pictures = append(r.Pictures, figure{
		img: o.over(crop), Name: "the map", Sub: "blue speaks for",
		Alt: "The face, with the parts that speak for " + f.name(f.Class) + " in blue and those against in orange",
	})
	if at := slices.Index(falls, slices.Max(falls)); falls[at] > 0 {
		top := spread(len(o.Falls), e.Crop.Height-o.Square.Height)[at/len(o.Falls[0])]
		left := spread(len(o.Falls[0]), e.Crop.Width-o.Square.Width)[at%len(o.Falls[0])]
		hidden := Crop{e.Crop.Size, covered(e.Crop.Values, e.Crop.Size, top, left, o.Square, means(e.Crop.Values))}
		r.Pictures = append(r.Pictures, figure{
			img: hidden.picture(), Name: "what counts most", Sub: fmt.Sprintf("covered: %s falls to %s", text(o.Score), text(o.Score-falls[at])),
			Alt: "The face with the square where it matters most",
		})
	}
	return r, nil
}

// decisive names the decisive score.
func (f *view) decisive() string {
	if f.byScore() {
		return "the similarity with " + f.name(f.Class)
	}
	return fmt.Sprintf("the lead of %s over the next person", f.name(f.Class))
}

// changed says how often a covered face is decided otherwise.
func (f *view) changed() string {
	o := f.Similarities.Occlusion
	places := len(o.Falls) * len(o.Falls[0])
	decision := "the face is still named " + f.name(f.Class)
	if !f.Known {
		decision = "the face stays unknown"
	}
	if o.Changes == 0 {
		return fmt.Sprintf("At all %d places %s.", places, decision)
	}
	return fmt.Sprintf("At %d of %d places %s; at the others the decision changes.", places-o.Changes, places, decision)
}

// picture is the crop as an image.
func (c *Crop) picture() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, c.Width, c.Height))
	n := c.Size.Len()
	at := func(i int) uint8 { return uint8(math.Round(float64(max(0, min(white, c.Values[i]))))) }
	for i := range n {
		img.SetRGBA(i%c.Width, i/c.Width, color.RGBA{at(i), at(n + i), at(2*n + i), math.MaxUint8})
	}
	return img
}

// strongest is the tint of the largest fall, so that the face is seen through it.
const strongest = 0.8

// over is the crop in grey, with the falls as colours: the largest of a pixel is the
// strongest. A pixel has the mean over the squares that cover it, in which those
// count more whose middle is near.
func (o *Occlusion) over(crop *image.RGBA) image.Image {
	size := dataset.Size{Height: crop.Rect.Dy(), Width: crop.Rect.Dx()}
	falls := o.pixels(size)
	largest := max(slices.Max(falls), -slices.Min(falls))
	img := image.NewRGBA(crop.Rect)
	for i, v := range falls {
		x, y := i%size.Width, i/size.Width
		grey := color.GrayModel.Convert(crop.RGBAAt(x, y)).(color.Gray)
		img.SetRGBA(x, y, tint(grey.Y, v/largest))
	}
	return img
}

// pixels are the falls of the pixels of the crop, row after row.
func (o *Occlusion) pixels(size dataset.Size) []float64 {
	falls, weights := make([]float64, size.Len()), make([]float64, size.Len())
	tops := spread(len(o.Falls), size.Height-o.Square.Height)
	lefts := spread(len(o.Falls[0]), size.Width-o.Square.Width)
	tent := func(i, n int) float64 { return 1 - math.Abs(2*(float64(i)+0.5)/float64(n)-1) }
	for r, top := range tops {
		for c, left := range lefts {
			for y := range o.Square.Height {
				for x := range o.Square.Width {
					w := tent(y, o.Square.Height) * tent(x, o.Square.Width)
					at := (top+y)*size.Width + left + x
					falls[at] += w * o.Falls[r][c]
					weights[at] += w
				}
			}
		}
	}
	for i, w := range weights {
		if w > 0 {
			falls[i] /= w
		}
	}
	return falls
}

// tint is grey under the colour of v, −1 … 1.
func tint(grey uint8, v float64) color.RGBA {
	if v < 0 {
		return mix(grey, orange, strongest*min(1, -v))
	}
	return mix(grey, blue, strongest*min(1, v))
}

// photographs is the row of the face beside the nearest photographs, as far as open has them.
func (f *view) photographs(open func(id string) image.Image) (row, error) {
	const side = 3 // by side with the face
	r := row{Title: "The face beside the most similar photographs of the model"}
	if open == nil {
		return row{}, nil
	}
	if c := f.Similarities.Crop; c != nil {
		r.Pictures = append(r.Pictures, figure{img: c.picture(), Name: "the face", Alt: "The face as the network sees it"})
	}
	shown := 0
	for _, p := range f.nearest() {
		if shown == side {
			break
		}
		if img := open(p.ID); img != nil {
			cosine := decimals(p.Cosine, cosineDigits)
			r.Pictures = append(r.Pictures,
				figure{thumbnail(img), p.Person, "similarity " + cosine, "A photograph of the model, of " + p.Person, f.markOf(p.Person)})
			shown++
		}
	}
	if shown == 0 {
		r.Pictures = nil
		r.Caption = "None of them is in the folder of photographs."
	}
	return r, nil
}

// thumbnail is img at a height that is enough for a page.
func thumbnail(img image.Image) image.Image {
	const enough = 2 * pictureH
	b := img.Bounds()
	if b.Dy() <= enough {
		return img
	}
	small := image.NewRGBA(image.Rect(0, 0, max(1, b.Dx()*enough/b.Dy()), enough))
	draw.CatmullRom.Scale(small, small.Rect, img, b, draw.Src, nil)
	return small
}

// nearest are the nearest photographs, and that of the best guess in any case, the nearest first.
func (f *view) nearest() []Photograph {
	e := f.Similarities
	list := slices.Clone(e.Nearest)
	if e.Guess != nil && !slices.Contains(list, *e.Guess) {
		list = append(list, *e.Guess)
	}
	slices.SortStableFunc(list, func(a, b Photograph) int { return cmp.Compare(b.Cosine, a.Cosine) })
	return list
}

// short returns the ID without the folder of the person, and the person if the rest
// does not have the name.
func (p *Photograph) short() (name, person string) {
	name = strings.TrimPrefix(p.ID, p.Person+"/")
	if strings.Contains(name, p.Person) {
		return name, ""
	}
	return name, p.Person
}

func (f *view) markOf(person string) mark {
	switch {
	case person == f.name(f.Class):
		return ofBest
	case !f.alone() && person == f.name(f.rival()):
		return ofRival
	}
	return ofNobody
}

// rebuiltPeople is for how many people it is shown how well their photographs rebuild
// the face.
const rebuiltPeople = 6

// similarities are the charts of the similarity with people and photographs, and further ones.
func (f *view) similarities(people int) (all, further []chart) {
	e := f.Similarities
	if len(e.People) == 0 {
		return nil, nil
	}
	means, rebuilt, photographs := f.cosines(), f.cosines(), f.cosines()
	for i, s := range e.People {
		note := legible.Count(s.Photographs, "photograph")
		if i < people {
			means.add(s.Person, note, s.Person, s.Mean)
		}
		if i < rebuiltPeople {
			rebuilt.add(s.Person, note, s.Person, s.Rebuilt)
		}
	}
	for _, p := range f.nearest() {
		name, note := p.short()
		photographs.add(name, note, p.Person, p.Cosine)
	}
	if !f.byScore() {
		all = append(all, means.chart("Similarity with each person", "The cosine of the face and the mean of the photographs of the person."))
	}
	return append(all, photographs.chart("The most similar photographs of the model", "")),
		[]chart{rebuilt.chart("Reconstruction from the photographs of each person",
			"The similarity of the face with the combination of the photographs of the person that is nearest to it. 1 is a "+
				"perfect reconstruction; more photographs reconstruct every face better.")}
}

// cosines are the bars of a chart of cosines.
type cosines struct {
	face   *view
	bars   []bar
	values []float64
}

func (f *view) cosines() *cosines { return &cosines{face: f} }

func (c *cosines) add(name, note, person string, v float64) {
	c.bars = append(c.bars, bar{Name: name, Note: note, Score: decimals(v, cosineDigits), Mark: c.face.markOf(person)})
	c.values = append(c.values, v)
}

// chart draws the bars, the longest first.
func (c *cosines) chart(title, caption string) chart {
	from := min(0, slices.Min(c.values))
	const limit = 1
	place := func(v float64) float64 {
		return min(1, (v-from)/(limit-from))
	}
	for i, v := range c.values {
		c.bars[i].End = place(v)
	}
	slices.SortStableFunc(c.bars, func(a, b bar) int { return cmp.Compare(b.End, a.End) })
	return chart{Title: title, Caption: caption, Bars: c.bars, Zero: place(0)}
}
