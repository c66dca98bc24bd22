package face

import (
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/testing/realdata"
)

// photographs returns the grey photographs of the folder, every step-th of them.
func photographs(t *testing.T, step int, folder ...string) (images []*image.Gray, names []string) {
	t.Helper()
	for _, path := range photographFiles(t, step, folder...) {
		images, names = append(images, readGrey(t, path)), append(names, path)
	}
	return images, names
}

// photographFiles returns the files of photographs.
func photographFiles(t *testing.T, step int, folder ...string) (some []string) {
	t.Helper()
	if testing.Short() {
		t.Skip("looks at many photographs")
	}
	paths, err := dataset.ImageFiles(realdata.Path(t, folder...))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(paths); i += step {
		some = append(some, paths[i])
	}
	return some
}

func readGrey(t *testing.T, path string) *image.Gray {
	t.Helper()
	m, err := dataset.ReadGrey(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// findAll finds the faces in the images on all processors.
func findAll(images []*image.Gray) [][]Face {
	faces := make([][]Face, len(images))
	var wg sync.WaitGroup
	for p := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := p; i < len(images); i += runtime.GOMAXPROCS(0) {
				faces[i] = DefaultFinder.Find(images[i])
			}
		})
	}
	wg.Wait()
	return faces
}

// often returns the second number with NRDL_LONG=1, and else the first.
func often(short, long int) int {
	if os.Getenv("NRDL_LONG") != "" {
		return long
	}
	return short
}

// TestRealPhotographs finds one face, seen well enough, in photographs of one
// person each.
func TestRealPhotographs(t *testing.T) {
	for _, folder := range []string{"gt_db", "lfw_colour15"} {
		images, names := photographs(t, often(12, 4), "photos", folder)
		missed := 0
		for i, faces := range findAll(images) {
			if len(faces) != 1 {
				missed++
				t.Logf("%s: %d faces", names[i], len(faces))
				continue
			}
			if err := DefaultLimits.Refusal(faces[0]); err != nil {
				t.Errorf("%s: %v", names[i], err)
			}
		}
		if missed*50 > len(images) {
			t.Errorf("%s: %d of %d photographs do not give one face", folder, missed, len(images))
		}
	}
}

// TestRealPupils compares pupils with those that a person marked. Missed is
// s10/07 of Georgia Tech, a head aslant with bright eyes, where the dark corner
// of an eye is taken for its pupil. Without NRDL_LONG=1 every third photograph is looked at.
func TestRealPupils(t *testing.T) {
	var marked []markedFace
	var images []*image.Gray
	for i, m := range markedPupils(t) {
		if i%often(3, 1) == 0 {
			marked, images = append(marked, m), append(images, readGrey(t, realdata.Path(t, "photos", m.file)))
		}
	}
	var missed []string
	for i, faces := range findAll(images) {
		apart := marked[i].pupils[0].to(marked[i].pupils[1])
		smallest := math.Inf(1)
		for _, f := range faces {
			smallest = min(smallest, max(f.Pupils[0].to(marked[i].pupils[0]), f.Pupils[1].to(marked[i].pupils[1]))/apart)
		}
		if smallest > 0.1 {
			missed = append(missed, fmt.Sprintf("%s by %.2f", marked[i].file, smallest))
		}
	}
	if want := len(marked) * 98 / 100; len(marked)-len(missed) < want {
		t.Errorf("of %d photographs %d were wanted, missed: %s", len(marked), want, strings.Join(missed, ", "))
	}
	t.Logf("missed: %s", strings.Join(missed, ", "))
}

// TestRealHidden finds faces under caps, behind glasses, in shadow and in
// grimaces, in the middle of their photographs.
func TestRealHidden(t *testing.T) {
	files := []string{
		"lfw86/Jiang_Zemin/Jiang_Zemin_0009.jpg", "lfw86/John_Bolton/John_Bolton_0005.jpg",
		"lfw86/Lance_Armstrong/Lance_Armstrong_0014.jpg", "lfw86/Lance_Armstrong/Lance_Armstrong_0015.jpg",
		"lfw_strangers/Lin_Yung_Hsi_0001.jpg", "lfw_strangers/Lisa_Stone_0001.jpg",
	}
	for _, file := range files[:often(2, len(files))] {
		m := readGrey(t, realdata.Path(t, "photos", file))
		faces := DefaultFinder.Find(m)
		if len(faces) != 1 {
			t.Errorf("%s: %d faces", file, len(faces))
			continue
		}
		nose := DefaultPupils.windowOf(faces[0].Pupils).Point
		if away := nose.to(Point{125, 125}); away > 25 || DefaultLimits.Refusal(faces[0]) != nil {
			t.Errorf("%s: %+v, %.0f pixels from the middle; refused: %v", file, faces[0], away, DefaultLimits.Refusal(faces[0]))
		}
	}
}

type markedFace struct {
	file   string
	pupils [2]Point
}

// markedPupils are those of the photographs by which the finder was adjusted and
// of as many that were marked afterwards.
func markedPupils(t *testing.T) (marked []markedFace) {
	t.Helper()
	if testing.Short() {
		t.Skip("looks at many photographs")
	}
	for _, name := range []string{"pupils.csv", "pupils-held-out.csv"} {
		f, err := os.Open(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r := csv.NewReader(f)
		r.Comment = '#'
		rows, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			var v [4]float64
			for i := range v {
				if v[i], err = strconv.ParseFloat(row[i+1], 64); err != nil {
					t.Fatal(err)
				}
			}
			marked = append(marked, markedFace{filepath.FromSlash(row[0]), [2]Point{{v[0], v[1]}, {v[2], v[3]}}})
		}
	}
	return marked
}

// TestRealPigo compares the walk, from one place, with what pigo found from
// places about it, drawn at random (testdata/pigo.csv).
func TestRealPigo(t *testing.T) {
	golden := pigoGolden(t)
	images, names := photographs(t, 40, "photos", "gt_db")
	for i, m := range images {
		w := DefaultFinder.windows(overview(m, DefaultFinder.Side), m.Rect, DefaultFinder.MinShare, DefaultFinder.Score)[0]
		start := Point{math.Floor(w.X - DefaultFinder.Aside*w.side), math.Floor(w.Y - DefaultFinder.Above*w.side)}
		got, spread := DefaultFinder.pupil(m, Point{start.X + 0.5, start.Y + 0.5}, DefaultFinder.Size*w.side)
		_, name, _ := strings.Cut(filepath.ToSlash(names[i]), "/photos/")
		place, ok := golden[name]
		if !ok {
			t.Fatalf("pigo has not seen %s", name)
		}
		var mean Point
		if _, err := fmt.Sscan(place[0], &mean.X); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(place[1], &mean.Y); err != nil {
			t.Fatal(err)
		}
		// Pigo rounds down and does not take the mirror image.
		if away := got.to(mean); away > spread+0.02*w.side {
			t.Errorf("%s: %v is %.1f pixels from that of pigo, %v; the starts are spread by %.1f", names[i], got, away, mean, spread)
		}
	}
}

func TestRealHits(t *testing.T) {
	for _, folder := range []string{"gt_db", "lfw_strangers"} {
		images, _ := photographs(t, 50, "photos", folder)
		for _, m := range images {
			compareHits(t, m, DefaultFinder.MinSide, min(m.Rect.Dx(), m.Rect.Dy()))
		}
	}
}

// TestRealEquivariance finds the same pupils in mirrored and in reduced
// photographs.
func TestRealEquivariance(t *testing.T) {
	images, names := photographs(t, 50, "photos", "gt_db")
	const within = 0.04 // of the eye distance
	for i, m := range images {
		faces := DefaultFinder.Find(m)
		other := DefaultFinder.Find(mirrored(m))
		smaller := DefaultFinder.Find(reduced(m, m.Rect, 1.6).Gray)
		if len(faces) != 1 || len(other) != 1 || len(smaller) != 1 {
			t.Errorf("%s: %d, %d and %d faces", names[i], len(faces), len(other), len(smaller))
			continue
		}
		p, q, s, width := faces[0].Pupils, other[0].Pupils, smaller[0].Pupils, float64(m.Rect.Dx())
		for k := range p {
			if d := p[k].to(Point{width - q[1-k].X, q[1-k].Y}) / p[0].to(p[1]); d > within {
				t.Errorf("%s: pupil %d is %.3f of the eye distance off in the mirror", names[i], k, d)
			}
			if d := p[k].to(Point{1.6 * s[k].X, 1.6 * s[k].Y}) / p[0].to(p[1]); d > within {
				t.Errorf("%s: pupil %d is %.3f of the eye distance off when reduced", names[i], k, d)
			}
		}
	}
}

// TestRealSpoilt spoils photographs in which a face is found.
func TestRealSpoilt(t *testing.T) {
	images, names := photographs(t, often(400, 100), "photos", "gt_db")
	for i, m := range images {
		whole := view{m, similarity{a: 1}}
		f := DefaultFinder.Find(m)[0]
		eyes, left, right := f.Quality.Eyes, f.Pupils[0], f.Pupils[1]
		for _, c := range []struct {
			what, why string // why the face is refused, if it is
			image     *image.Gray
		}{
			{"whole", "", m},
			{"tilted", "", whole.turned(25).Gray},
			{"upside down", "turned by", whole.turned(180).Gray},
			{"on its side", "turned by", whole.turned(90).Gray},
			{"tiny", "pixels between the eyes", reduced(m, m.Rect, eyes/12).Gray},
			{"blurred", "blurred", blurred(reduced(m, m.Rect, eyes/33).Gray, 6)},
			{"cut beside the eye", "", reduced(m, image.Rect(int(left.X-0.35*eyes), 0, m.Rect.Dx(), m.Rect.Dy()), 1).Gray},
			{"cut between the eyes", "no face", reduced(m, image.Rect(int((left.X+right.X)/2), 0, m.Rect.Dx(), m.Rect.Dy()), 1).Gray},
			{"dark", "no face", drawn(m.Rect.Dx(), m.Rect.Dy(), func(x, y float64) float64 { return float64(m.GrayAt(int(x), int(y)).Y) / 60 })},
		} {
			err := errors.New("no face")
			if faces := DefaultFinder.Find(c.image); len(faces) > 0 {
				err = DefaultLimits.Refusal(faces[0])
			}
			if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
				t.Errorf("%s, %s: %v, want %q", names[i], c.what, err, c.why)
			}
		}
	}
}

// blurred returns m after a Gaussian of the standard deviation sigma, pixels.
func blurred(m *image.Gray, sigma float64) *image.Gray {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	along := func(from *image.Gray, dx, dy int) *image.Gray {
		return drawn(w, h, func(x, y float64) float64 {
			var sum, weights float64
			for k := -int(3 * sigma); k <= int(3*sigma); k++ {
				g := math.Exp(-float64(k*k) / (2 * sigma * sigma))
				sum += g * float64(from.GrayAt(max(0, min(w-1, int(x)+k*dx)), max(0, min(h-1, int(y)+k*dy))).Y)
				weights += g
			}
			return sum / weights
		})
	}
	return along(along(m, 1, 0), 0, 1)
}

// TestRealGroup puts ten people in one photograph.
func TestRealGroup(t *testing.T) {
	images, _ := photographs(t, 15, "photos", "lfw_colour15", "train")
	images = images[len(images)-5:]
	group := image.NewGray(image.Rect(0, 0, 5*180, 2*180))
	for i := range 10 {
		m := images[i%5]
		if i >= 5 {
			m = mirrored(m)
		}
		x0, y0 := i%5*180, i/5*180
		for y := range 180 {
			for x := range 180 {
				group.SetGray(x0+x, y0+y, m.GrayAt(35+x, 35+y))
			}
		}
	}
	faces := DefaultFinder.Find(group)
	if len(faces) != 10 {
		t.Fatalf("%d faces", len(faces))
	}
	for i := range faces[1:] {
		if DefaultOneFace.size(faces[i]) < DefaultOneFace.size(faces[i+1]) {
			t.Errorf("face %d is larger than the one before", i+1)
		}
	}
}

func TestRealContent(t *testing.T) {
	for folder, want := range map[string]Content{
		"orl_faces": Crops, "photos/alike50": Crops, "photos/gt_db": Photographs, "photos/lfw86": Photographs,
		"photos/lfw_strangers": Photographs, "photos/lfw_colour15/train": Photographs, "photos/lfw_colour15/test": Photographs,
	} {
		if often(0, 1) == 0 && (folder == "photos/alike50" || strings.HasPrefix(folder, "photos/lfw")) {
			continue // as the others
		}
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			paths, err := dataset.ImageFiles(realdata.Path(t, folder))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := DefaultContent.Of(t.Context(), paths); err != nil || got != want {
				t.Errorf("%v, want %v, error %v", got, want, err)
			}
		})
	}
}

func TestRealReader(t *testing.T) {
	r := &Reader{Limits: DefaultLimits, Which: Largest, Cut: Cut{Frame: dataset.Frame{Size: dataset.DefaultSize, Eyes: dataset.DefaultEyes}}}
	path := realdata.Path(t, "photos", "gt_db", "s02", "04.jpg")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	crops, err := r.Read(t.Context(), data, path)
	if err != nil || len(crops) != 1 || len(crops[0].Values) != r.Frame.Len() || crops[0].Quality.Eyes < 40 {
		t.Fatalf("%d crops, error %v", len(crops), err)
	}
	r.Limits.Eyes = 1000
	if _, err := r.Read(t.Context(), data, path); !errors.Is(err, dataset.ErrNoFace) {
		t.Errorf("error %v", err)
	}
	if _, err := r.Read(t.Context(), data[:1000], path); err == nil || errors.Is(err, dataset.ErrNoFace) {
		t.Errorf("error %v", err)
	}
	if got, want := r.Tally(), (Tally{Photographs: 2, Refusals: 1, Faces: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
