package face

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	xdraw "golang.org/x/image/draw"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
)

// onGrey is a grey photograph with pictures scaled into these places.
func onGrey(w, h int, places map[image.Rectangle]image.Image) *dataset.Photo {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(m, m.Rect, image.NewUniform(color.Gray{120}), image.Point{}, draw.Src)
	for r, picture := range places {
		xdraw.CatmullRom.Scale(m, r, picture, picture.Bounds(), draw.Src, nil)
	}
	return dataset.NewPhoto(m)
}

func findIn(t *testing.T, photo *dataset.Photo) []Face {
	t.Helper()
	faces, err := DefaultSearch.Find(t.Context(), photo)
	if err != nil {
		t.Fatal(err)
	}
	return faces
}

// A drawn face with all of its parts is a face; with a few strokes it is none.
func TestFindCartoon(t *testing.T) {
	if faces := findIn(t, onGrey(640, 480, map[image.Rectangle]image.Image{image.Rect(170, 90, 470, 390): cartoon(300)})); len(faces) !=
		1 || !image.Pt(320, 240).In(faces[0].Box) {
		t.Errorf("%+v", faces)
	}
	smiley := image.NewRGBA(image.Rect(0, 0, 200, 200))
	for y := range 200 {
		for x := range 200 {
			disc := func(cx, cy, r int) bool { return (x-cx)*(x-cx)+(y-cy)*(y-cy) < r*r }
			switch {
			case disc(70, 75, 12), disc(130, 75, 12), disc(100, 115, 50) && !disc(100, 105, 48):
				smiley.Set(x, y, color.Black)
			case disc(100, 100, 90):
				smiley.Set(x, y, color.RGBA{255, 220, 0, 255})
			default:
				smiley.Set(x, y, color.White)
			}
		}
	}
	if faces := findIn(t, onGrey(640, 480, map[image.Rectangle]image.Image{image.Rect(170, 90, 470, 390): smiley})); len(faces) != 0 {
		t.Errorf("a smiley is a face: %+v", faces)
	}
}

// A face of 8 pixels is not found, and the error has advice.
func TestFindSmallest(t *testing.T) {
	photo := onGrey(640, 480, map[image.Rectangle]image.Image{image.Rect(300, 200, 312, 212): cartoon(240)})
	found := findIn(t, photo)
	if len(found) != 0 {
		t.Fatalf("%+v", found)
	}
	if err := whyNone(Largest.chosen(found, DefaultLimits), Largest); !errors.Is(err, dataset.ErrNoFace) ||
		!strings.Contains(advice.Text(err), "fill more of the photograph") {
		t.Errorf("%v; %s", err, advice.Text(err))
	}
	if faces := findIn(t, dataset.NewPhoto(cartoon(8))); len(faces) != 0 {
		t.Errorf("%+v", faces)
	}
}

// photographsInColour returns every step-th photograph of a folder.
func photographsInColour(t *testing.T, step, limit int, folder string) (all []*dataset.Photo) {
	t.Helper()
	files := photographFiles(t, step, "photos", folder)
	for _, file := range files[:min(limit, len(files))] {
		data, err := dataset.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		photo, err := dataset.DecodeColour(t.Context(), data, file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, photo)
	}
	return all
}

// pictureOf returns the colours of photo.
func pictureOf(photo *dataset.Photo) *image.RGBA {
	m := image.NewRGBA(photo.Grey.Rect)
	at := photo.Colours()
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			r, g, b := at(x, y)
			m.SetRGBA(x, y, color.RGBA{r, g, b, 255})
		}
	}
	return m
}

// Sixty people in one photograph are sixty faces; without NRDL_LONG=1 they are five.
func TestRealSixtyFaces(t *testing.T) {
	places := map[image.Rectangle]image.Image{}
	const side = 240
	people, columns := often(5, 60), often(5, 10)
	for i, photo := range photographsInColour(t, 3, people, "gt_db") {
		r := image.Rect(0, 0, side, side*photo.Grey.Rect.Dy()/photo.Grey.Rect.Dx())
		places[r.Add(image.Pt(side*(i%columns), 200*(i/columns)))] = pictureOf(photo)
	}
	if faces := findIn(t, onGrey(columns*side, people/columns*200, places)); len(faces) != len(places) {
		t.Errorf("%d faces of %d", len(faces), len(places))
	}
}

// framed is picture with a white mount and a dark frame about it, as it hangs on a wall.
func framed(picture image.Image) *image.RGBA {
	b := picture.Bounds()
	mount, frame := b.Dx()/8, b.Dx()/5
	m := image.NewRGBA(b.Inset(-frame))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{45, 30, 20, 255}), image.Point{}, draw.Src)
	draw.Draw(m, b.Inset(-mount), image.White, image.Point{}, draw.Src)
	draw.Draw(m, b, picture, b.Min, draw.Src)
	return m
}

// A photograph that hangs on a wall shows a face: nothing tells it from one that is
// there.
func TestFindPhotographOfAPhotograph(t *testing.T) {
	hung := image.Rect(60, 40, 290, 270)
	faces := findIn(t, onGrey(640, 480, map[image.Rectangle]image.Image{hung: framed(cartoon(200))}))
	if len(faces) != 1 || !middlePoint(hung).In(faces[0].Box) {
		t.Errorf("%+v", faces)
	}
}

func middlePoint(r image.Rectangle) image.Point { return r.Min.Add(r.Max).Div(2) }

// A person before a photograph of somebody else is found too.
func TestRealPhotographOfAPhotograph(t *testing.T) {
	photos := photographsInColour(t, 30, often(2, 6), "gt_db")
	for i, photo := range photos {
		hung := image.Rect(10, 20, 430, 335)
		places := map[image.Rectangle]image.Image{hung: framed(pictureOf(photo))}
		if faces := findIn(t, onGrey(800, 600, places)); len(faces) != 1 {
			t.Errorf("%d: %d faces", i, len(faces))
		}
		places[image.Rect(440, 200, 790, 460)] = pictureOf(photos[(i+1)%len(photos)])
		if faces := findIn(t, onGrey(800, 600, places)); len(faces) != 2 {
			t.Errorf("%d with a person before it: %d faces", i, len(faces))
		}
	}
}

// A face turned in the plane is found with the angle by which it is turned, and with the
// same pupils.
func TestRealTurned(t *testing.T) {
	for i, photo := range photographsInColour(t, 30, often(1, 6), "gt_db") {
		want := findIn(t, photo)
		if len(want) != 1 {
			t.Fatalf("%d: %d faces", i, len(want))
		}
		size := photo.Grey.Rect.Size()
		for quarter, turn := range []func(x, y int) (int, int){
			1: func(x, y int) (int, int) { return size.Y - 1 - y, x },
			2: func(x, y int) (int, int) { return size.X - 1 - x, size.Y - 1 - y },
			3: func(x, y int) (int, int) { return y, size.X - 1 - x },
		} {
			if turn == nil {
				continue
			}
			from := pictureOf(photo)
			m := image.NewRGBA(image.Rectangle{Max: image.Pt(size.X, size.Y)})
			if quarter%2 == 1 {
				m = image.NewRGBA(image.Rect(0, 0, size.Y, size.X))
			}
			for y := range size.Y {
				for x := range size.X {
					u, v := turn(x, y)
					m.SetRGBA(u, v, from.RGBAAt(x, y))
				}
			}
			faces := findIn(t, dataset.NewPhoto(m))
			if len(faces) != 1 {
				t.Errorf("%d by %d°: %d faces", i, 90*quarter, len(faces))
				continue
			}
			for k, p := range want[0].Pupils {
				x, y := turn(int(p.X), int(p.Y))
				if off := faces[0].Pupils[k].to(Point{float64(x) + 0.5, float64(y) + 0.5}); off > 0.2*want[0].Quality.Eyes {
					t.Errorf("%d by %d°: a pupil is off by %.1f pixels", i, 90*quarter, off)
				}
			}
		}
	}
}

// stone is a drawn face as a statue has it: grey, grained, and without pupils.
func stone(side int) *image.RGBA {
	m := cartoon(side)
	rng := rand.New(rand.NewPCG(1, 2))
	for y := range side {
		for x := range side {
			c := m.RGBAAt(x, y)
			v := (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000
			if dx, dy := 1000*x/side, 1000*y/side-470; min(max(dx-400, 400-dx), max(dx-600, 600-dx)) < 66 && max(dy, -dy) < 34 {
				v = max(v, 110) // the ball of the eye is of stone too
			}
			v = max(0, min(255, 60+v*6/10+rng.IntN(17)-8))
			m.SetRGBA(x, y, color.RGBA{byte(v), byte(v), byte(v * 95 / 100), 255})
		}
	}
	return m
}

// A statue has a face.
func TestFindStatue(t *testing.T) {
	faces := findIn(t, onGrey(640, 480, map[image.Rectangle]image.Image{image.Rect(170, 90, 470, 390): stone(300)}))
	if len(faces) != 1 || !image.Pt(320, 240).In(faces[0].Box) {
		t.Errorf("%+v", faces)
	}
}

// A drawn face that is turned is found once, with its angle.
func TestFindTurned(t *testing.T) {
	const side = 480
	upright := onGrey(side, side, map[image.Rectangle]image.Image{image.Rect(120, 110, 360, 350): cartoon(240)})
	for quarter, turn := range []func(x, y int) (int, int){
		1: func(x, y int) (int, int) { return side - 1 - y, x },
		2: func(x, y int) (int, int) { return side - 1 - x, side - 1 - y },
		3: func(x, y int) (int, int) { return y, side - 1 - x },
	} {
		if turn == nil {
			continue
		}
		from, m := pictureOf(upright), image.NewRGBA(image.Rect(0, 0, side, side))
		for y := range side {
			for x := range side {
				u, v := turn(x, y)
				m.SetRGBA(u, v, from.RGBAAt(x, y))
			}
		}
		faces := findIn(t, dataset.NewPhoto(m))
		if len(faces) != 1 || math.Abs(math.Remainder(faces[0].Quality.Angle-float64(90*quarter), 360)) > 10 {
			t.Errorf("by %d°: %+v", 90*quarter, faces)
		}
	}
}

// Sixty drawn people in one photograph are sixty faces.
func TestFindSixty(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG finds the faces")
	}
	places := map[image.Rectangle]image.Image{}
	const side = 100
	face := cartoon(side)
	for i := range 60 {
		places[image.Rect(0, 0, side, side).Add(image.Pt(side*(i%10), side*(i/10)))] = face
	}
	if faces := findIn(t, onGrey(10*side, 6*side, places)); len(faces) != len(places) {
		t.Errorf("%d faces of %d", len(faces), len(places))
	}
}

// A small face in a large picture is found where it stands aslant.
func TestSmallFaceAslant(t *testing.T) {
	portrait := drawnPortrait(t)
	for _, degrees := range []float64{45, -45} {
		photo := onGrey(600, 450, map[image.Rectangle]image.Image{image.Rect(240, 160, 360, 280): portrait})
		turned := dataset.NewPhoto(turnedBy(photo.Image(), degrees))
		faces := findIn(t, turned)
		if len(faces) != 1 || math.Abs(math.Remainder(faces[0].Quality.Angle-degrees, 360)) > 15 {
			t.Errorf("turned by %v°: %+v", degrees, faces)
		}
	}
}
