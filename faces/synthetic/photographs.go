package synthetic

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/internal/scatter"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/parallel"
)

// Photographs describes a set of drawn photographs in colour, for demonstrations of face
// detection and recognition. Equal values draw equal sets.
//
// In the folder people, each person has a folder of photographs that show nobody else. The
// folder others has photographs for identification: some show one of these people, some a
// group, which may include strangers, some a stranger, and one shows nobody. File names
// describe the content; TruthFile has the exact content.
//
// Recognition rates on drawn people say nothing about real people: the drawing was designed
// so that most of the faces are found.
type Photographs struct {
	People    int          // without strangers, 2 … 1000
	PerPerson int          // training photographs of each, 1 … 1000
	Size      dataset.Size // of a landscape photograph; a portrait one has the sides exchanged
	Seed      uint64
	Smile     float64 // least strength of the smile of each person, who then does not frown, 0 … 1; 0 leaves faces as they come
}

// DefaultPhotographs is enough for a first try.
var DefaultPhotographs = Photographs{People: 6, PerPerson: 4, Size: dataset.Size{Height: 1200, Width: 1600}, Seed: 1, Smile: 0.7}

// TruthFile is the name of the file with a Photograph per line, as JSON. It is in the same
// folder as people and others.
const TruthFile = "truth.jsonl"

// A Photograph describes the content of a drawn photograph.
type Photograph struct {
	File        string      `json:"file"` // path relative to the folder of the set, with slashes
	Width       int         `json:"width"`
	Height      int         `json:"height"`      // upright
	Orientation int         `json:"orientation"` // in EXIF: 1, 3, 6 or 8
	Faces       []DrawnFace `json:"faces"`       // from left to right
}

// A DrawnFace is a face in a drawn photograph. Positions are pixels of the upright
// photograph, from its top left corner.
type DrawnFace struct {
	Name   string   `json:"name"` // "" for a stranger
	Box    DrawnBox `json:"box"`
	Pupils [2]struct {
		X float64 `json:"x"`
		Y float64 `json:"y"`
	} `json:"pupils"` // first the left one in the photograph
}

// A DrawnBox is the square about a face, from above the eyebrows to the chin.
type DrawnBox struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Limits of a set of photographs.
const (
	maxDrawn     = 1000
	minPhotoSide = 240
	maxPhotoSide = 4000
)

// Validate reports the first parameter that is outside its range.
func (p Photographs) Validate() error {
	switch {
	case p.People < 2 || p.People > maxDrawn:
		return fmt.Errorf("draw photographs: %d people, 2 … %d are possible", p.People, maxDrawn)
	case p.PerPerson < 1 || p.PerPerson > maxDrawn:
		return fmt.Errorf("draw photographs: %d of each person, 1 … %d are possible", p.PerPerson, maxDrawn)
	case !(p.Smile >= 0 && p.Smile <= 1):
		return fmt.Errorf("draw photographs: a smile of %v, 0 … 1 is possible", p.Smile)
	case min(p.Size.Height, p.Size.Width) < minPhotoSide || max(p.Size.Height, p.Size.Width) > maxPhotoSide:
		err := fmt.Errorf("draw photographs: a size of %v", p.Size)
		return advice.Add(err, "the sides of a photograph are %d … %d pixels, for example 1200x1600", minPhotoSide, maxPhotoSide)
	}
	return nil
}

// plannedPhoto has the numbers of the persons in a photograph; strangers have numbers after
// those of the people.
type plannedPhoto struct {
	file string
	who  []int
}

// plan lists the photographs.
func (p Photographs) plan() (all []plannedPhoto) {
	for person := range p.People {
		for i := range p.PerPerson {
			all = append(all, plannedPhoto{fmt.Sprintf("people/%s/%d.jpg", className(person), i+1), []int{person}})
		}
	}
	stranger := p.People
	next := func() int { stranger++; return stranger - 1 }
	for person := range p.People {
		all = append(all, plannedPhoto{fmt.Sprintf("others/%s.jpg", className(person)), []int{person}})
	}
	r := p.stream(len(all))
	for i := range max(2, p.People/2) {
		who := r.Perm(p.People)[:min(p.People, 2+i%3)]
		if i%2 == 1 {
			who = append(who, next())
			r.Shuffle(len(who), func(a, b int) { who[a], who[b] = who[b], who[a] })
		}
		all = append(all, plannedPhoto{fmt.Sprintf("others/group%d.jpg", i+1), who})
	}
	for i := range max(2, p.People/2) {
		all = append(all, plannedPhoto{fmt.Sprintf("others/stranger%d.jpg", i+1), []int{next()}})
	}
	return append(all, plannedPhoto{"others/nobody.jpg", nil})
}

// stream returns the random numbers of photograph i.
func (p Photographs) stream(i int) random {
	key := scatter.Bits(p.Seed ^ scatter.Bits(uint64(i)<<40|0x70686f746f))
	return random{Rand: rand.New(rand.NewPCG(key, scatter.Bits(key)))}
}

// Len is the number of photographs.
func (p Photographs) Len() int { return len(p.plan()) }

// Draw draws photograph i, upright.
func (p Photographs) Draw(i int) (*image.NRGBA, Photograph) {
	return p.draw(i, p.plan()[i])
}

func (p Photographs) draw(i int, planned plannedPhoto) (*image.NRGBA, Photograph) {
	r := p.stream(i)
	photo := Photograph{File: planned.file, Width: p.Size.Width, Height: p.Size.Height, Orientation: 1, Faces: []DrawnFace{}}
	if turned := r.chance(0.4); turned && len(planned.who) < 2 {
		photo.Width, photo.Height = photo.Height, photo.Width
		photo.Orientation = []int{1, 6, 8}[r.IntN(3)]
	} else if r.chance(0.15) {
		photo.Orientation = 3
	}
	img := &picture{photo.Width, photo.Height, make([]headVec, photo.Width*photo.Height)}
	img.paint(backdrops[r.IntN(len(backdrops))](r, float64(img.width)/float64(img.height)))
	for j, f := range p.figures(r, planned.who, img) {
		drawn := f.draw(img)
		if who := planned.who[j]; who < p.People {
			drawn.Name = className(who)
		}
		photo.Faces = append(photo.Faces, drawn)
	}
	warm := r.between(-0.08, 0.12)
	return img.expose(r, headVec{1 + warm, 1, 1 - warm}, r.between(0.5, 3)), photo
}

// figures places persons side by side, in the same light.
func (p Photographs) figures(r random, who []int, img *picture) (all []*figure) {
	if len(who) == 0 {
		return nil
	}
	width, height := float64(img.width), float64(img.height)
	room := width / float64(len(who))
	unit := min(room/3.2, height/r.between(5, 9))
	var sun scene
	sun.drawLight(r, 0.5)
	for j, person := range who {
		s := newScene(r, Faces{Light: 0.5, Pose: 1, Expression: 0.6})
		s.light, s.ambient = sun.light, 0.3+0.5*sun.ambient
		s.exposure, s.scale = 1.1*sun.exposure, 1
		s.mix[mouthOpens] *= 0.4
		if smile := r.between(0.2, 1); r.chance(0.7) {
			s.mix[smiles] = smile
		}
		if p.Smile > 0 {
			s.mix[smiles] = min(1.2, max(s.mix[smiles], 0)+p.Smile)
			s.mix[browsFrown], s.mix[lidsClose] = 0, min(s.mix[lidsClose], 0.1)
		}
		const degree = math.Pi / 180
		s.turn = headRotation(r.around(0, 5)*degree, r.around(0, 3)*degree, r.around(0, 4)*degree)
		size := unit * r.between(0.88, 1.05)
		x := room * (float64(j) + r.between(0.45, 0.55))
		if len(who) == 1 {
			x = r.between(2*size, width-2*size)
		}
		faces := Faces{Seed: p.Seed}
		who := faces.stream(person, 0)
		who.wide = 0.4
		all = append(all, &figure{
			who: who, dress: faces.stream(person, dressed), scene: s,
			x: x, y: r.between(1.9*size, min(height-1.6*size, 0.45*height+size)), unit: size,
		})
	}
	return all
}

// dressed is the number of the stream for the clothes of a person; no image has it.
const dressed = 1 << 31

// className is the name of a person, from 0.
func className(person int) string { return fmt.Sprintf("person%03d", person+1) }

// jpeg returns photograph i as a file.
func (p Photographs) jpeg(i int, planned plannedPhoto) ([]byte, Photograph, error) {
	img, photo := p.draw(i, planned)
	var b bytes.Buffer
	err := jpeg.Encode(&b, stored(img, photo.Orientation), &jpeg.Options{Quality: 88})
	return withOrientation(b.Bytes(), photo.Orientation), photo, err
}

// stored returns img as a camera in this orientation (1, 3, 6 or 8) stores it.
func stored(img *image.NRGBA, orientation int) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if orientation == 1 {
		return img
	}
	out := image.NewNRGBA(image.Rect(0, 0, h, w))
	if orientation == 3 {
		out = image.NewNRGBA(img.Rect)
	}
	for y := range h {
		for x := range w {
			u, v := w-1-x, h-1-y // 3
			switch orientation {
			case 6:
				u, v = y, w-1-x
			case 8:
				u, v = h-1-y, x
			}
			copy(out.Pix[v*out.Stride+4*u:][:4], img.Pix[y*img.Stride+4*x:])
		}
	}
	return out
}

// withOrientation inserts the EXIF orientation into a JPEG file, after its first marker.
func withOrientation(file []byte, orientation int) []byte {
	exif := []byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01")
	exif = append(exif, 0x01, 0x12, 0, 3, 0, 0, 0, 1)
	exif = binary.BigEndian.AppendUint16(exif, uint16(orientation))
	exif = append(exif, 0, 0, 0, 0, 0, 0)
	return bytes.Join([][]byte{file[:2], exif, file[2:]}, nil)
}

// Write draws the set into the folder dir, which must not exist or be empty. If Write fails
// there is no folder. One photograph per thread is in memory. Progress may be nil.
func (p Photographs) Write(ctx context.Context, dir string, progress func(done, total int)) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return advice.Add(fmt.Errorf("the folder %s is not empty", dir), "choose another name, or remove it")
	}
	return atomicfile.WriteFolder(filepath.Clean(dir), func(folder string) error {
		plan := p.plan()
		truth := make([]Photograph, len(plan))
		failed := make([]error, len(plan))
		parallel.Each(ctx, len(plan), progress, func(i int) {
			var file []byte
			if file, truth[i], failed[i] = p.jpeg(i, plan[i]); failed[i] != nil {
				return
			}
			path := filepath.Join(folder, filepath.FromSlash(plan[i].file))
			failed[i] = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, file, 0o666))
		})
		if err := errors.Join(append(failed, context.Cause(ctx))...); err != nil {
			return err
		}
		var lines strings.Builder
		for _, photo := range truth {
			line, err := json.Marshal(photo)
			if err != nil {
				return err
			}
			fmt.Fprintf(&lines, "%s\n", line)
		}
		return os.WriteFile(filepath.Join(folder, TruthFile), []byte(lines.String()), 0o666)
	})
}
