package face

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/kit/packed"
	"nrdl.example/nrdl/internal/parallel"
	"nrdl.example/nrdl/internal/testing/lacking"
)

// A goldenFace is a face that a detector finds, as testdata/golden.json keeps it: JSON
// keeps all bits of a float64.
type goldenFace struct {
	Box     image.Rectangle
	Pupils  [2]Point
	Aligned [2]Point
	Quality dataset.Quality
	Crops   string // digest of the crops, grey and in colour
}

// drawnScene draws photograph i of a set, and turns or cuts it.
func drawnScene(width, height, i int) *image.NRGBA {
	p := synthetic.Photographs{People: 3, PerPerson: 2, Size: dataset.Size{Height: height, Width: width}, Seed: 5}
	img, _ := p.Draw(i)
	return img
}

// turnedBy turns img by degrees about its centre, on grey.
func turnedBy(img image.Image, degrees float64) *image.NRGBA {
	b := img.Bounds()
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := int(math.Abs(cos)*float64(b.Dx())+math.Abs(sin)*float64(b.Dy())), int(math.Abs(sin)*float64(b.Dx())+math.Abs(cos)*float64(b.Dy()))
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			dx, dy := float64(x)+0.5-float64(w)/2, float64(y)+0.5-float64(h)/2
			at := image.Pt(b.Min.X+int(math.Floor(cos*dx+sin*dy+float64(b.Dx())/2)), b.Min.Y+int(math.Floor(-sin*dx+cos*dy+float64(b.Dy())/2)))
			out.Set(x, y, color.NRGBA{128, 128, 128, 255})
			if at.In(b) {
				out.Set(x, y, img.At(at.X, at.Y))
			}
		}
	}
	return out
}

// bordered puts img into the middle of a grey photograph that is share of its sides larger.
func bordered(img image.Image, share float64) *image.NRGBA {
	b := img.Bounds()
	dx, dy := int(share*float64(b.Dx())), int(share*float64(b.Dy()))
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx()+2*dx, b.Dy()+2*dy))
	draw.Draw(out, out.Rect, image.NewUniform(color.Gray{90}), image.Point{}, draw.Src)
	draw.Draw(out, b.Sub(b.Min).Add(image.Pt(dx, dy)), img, b.Min, draw.Src)
	return out
}

// cutOff is the part of img from the shares x and y of its sides on.
func cutOff(img *image.NRGBA, x, y float64) image.Image {
	b := img.Rect
	return img.SubImage(image.Rect(b.Min.X+int(x*float64(b.Dx())), b.Min.Y+int(y*float64(b.Dy())), b.Max.X, b.Max.Y))
}

// darker has the light of img divided by 4.
func darker(img *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(img.Rect)
	for i, v := range img.Pix {
		out.Pix[i] = v / 4
		if i%4 == 3 {
			out.Pix[i] = v
		}
	}
	return out
}

// goldenScenes draw photographs of one person, of groups and of nobody, small and large,
// turned, with a border, cut by the edge and dark.
func goldenScenes() map[string]func() image.Image {
	portrait := sync.OnceValue(func() *image.NRGBA { return drawnScene(320, 240, 0) })
	drawn := func(width, height, i int) func() image.Image {
		return func() image.Image { return drawnScene(width, height, i) }
	}
	scenes := map[string]func() image.Image{
		"portrait 320": drawn(320, 240, 0), "portrait 640": drawn(640, 480, 1), "portrait 1600": drawn(1600, 1200, 2),
		"dark":     func() image.Image { return darker(drawnScene(480, 360, 3)) },
		"bordered": func() image.Image { return bordered(portrait(), 0.5) }, "far": func() image.Image { return bordered(portrait(), 3) },
		"cut left":   func() image.Image { return cutOff(portrait(), 0.45, 0) },
		"cut top":    func() image.Image { return cutOff(portrait(), 0, 0.3) },
		"drawn face": func() image.Image { return cartoon(300) }, "turned drawn face": func() image.Image { return turnedBy(cartoon(300), 180) },
		"stone": func() image.Image { return stone(300) }, "noise": func() image.Image { return noise(200, 150, 7) },
		"tiny": func() image.Image { return noise(20, 20, 7) }, "group 1200": drawn(1200, 900, 9), "other 6": drawn(480, 360, 6),
		"other 7": drawn(480, 360, 7), "other 8": drawn(480, 360, 8),
		"crowd 1800": func() image.Image {
			crowd := image.NewNRGBA(image.Rect(0, 0, 1800, 1200))
			draw.Draw(crowd, crowd.Rect, image.NewUniform(color.Gray{110}), image.Point{}, draw.Src)
			for i := range 6 {
				one := drawnScene(320, 240, i)
				draw.Draw(crowd, one.Rect.Add(image.Pt(40+590*(i%3), 80+600*(i/3))), one, image.Point{}, draw.Src)
			}
			return crowd
		},
	}
	for _, degrees := range []float64{30, 90, -120, 180} {
		scenes[fmt.Sprint("turned by ", degrees)] = func() image.Image { return turnedBy(portrait(), degrees) }
	}
	for name, draw := range scenes { // once, and what no search needs not at all
		scenes[name] = sync.OnceValue(draw)
	}
	return scenes
}

// goldenOf is what s finds in photo.
func goldenOf(ctx context.Context, t *testing.T, s *Search, photo *dataset.Photo) (all []goldenFace) {
	faces, behind, err := s.FindAll(ctx, photo)
	if err != nil {
		t.Fatal(err)
	}
	in := dataset.Frame{Size: dataset.Size{Height: 24, Width: 20}, Eyes: dataset.DefaultEyes}
	for i, f := range append(faces, behind...) {
		sum := fnv.New64a()
		for _, values := range []any{Crop(photo.Grey, f.Pupils, in), CropColour(photo, f.alignment(), in), i >= len(faces)} {
			if err := binary.Write(sum, binary.LittleEndian, values); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, goldenFace{f.Box, f.Pupils, f.Aligned, f.Quality, fmt.Sprintf("%x", sum.Sum64())})
	}
	return all
}

// Every detector finds the same faces as when testdata/golden.json was written, to the
// last bit where the same kernels of the linear algebra run; elsewhere networks round
// otherwise, and the faces have to be as many and at the same places. Without NRDL_LONG a
// fifth of the searches run, and none of the largest photographs. With NRDL_GOLDEN=write the file is written.
func TestGolden(t *testing.T) {
	const path = "testdata/golden.json"
	kernels := runtime.GOARCH
	if b := blas.Current(); b == blas.AVX512 || b == blas.AVX2 { // which give the same bits
		kernels += " assembly"
	}
	type golden struct {
		Kernels string
		Faces   map[string][]goldenFace
	}
	want := golden{}
	writing := os.Getenv("NRDL_GOLDEN") == "write"
	if !writing {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
	}
	if kernels != want.Kernels && blas.Available()[0] == blas.Go && !writing {
		lacking.Note(t, "the bits of the faces that are found are those of ", want.Kernels, ": their number and places are tested")
	}
	file := filepath.Join(t.TempDir(), "tiny.onnx")
	if err := os.WriteFile(file, packed.Bytes(tinyFile), 0o666); err != nil {
		t.Fatal(err)
	}
	scenes := goldenScenes()
	names := slices.Sorted(maps.Keys(scenes))
	got := golden{kernels, map[string][]goldenFace{}}
	long := writing || os.Getenv("NRDL_LONG") != ""
	large := []string{"portrait 1600", "group 1200", "crowd 1800"}
	runs := func(k int) bool { return long || k%5 == 0 && !slices.Contains(large, names[k/len(Detectors)]) }
	results := make([][]goldenFace, len(names)*len(Detectors))
	parallel.For(len(results), 1, func(k, _ int) {
		if !runs(k) {
			return
		}
		s, err := OpenSearch(Detectors[k%len(Detectors)])
		if err != nil {
			t.Error(err)
			return
		}
		results[k] = goldenOf(t.Context(), t, s, dataset.NewPhoto(scenes[names[k/len(Detectors)]]()))
	})
	for k, found := range results {
		if !runs(k) {
			continue
		}
		got.Faces[names[k/len(Detectors)]+" by "+Detectors[k%len(Detectors)]] = found
	}
	tiny, err := OpenSearch(file)
	if err != nil {
		t.Fatal(err)
	}
	got.Faces["portrait 320 by a file"] = goldenOf(t.Context(), t, tiny, dataset.NewPhoto(scenes["portrait 320"]()))
	if writing {
		text, err := json.MarshalIndent(got, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, found := range got.Faces {
		t.Logf("%-40s %d faces", name, len(found))
		switch expected := want.Faces[name]; {
		case writing:
		case want.Kernels == kernels:
			if !slices.Equal(found, expected) {
				t.Errorf("%s: found\n%+v\nnot\n%+v", name, found, expected)
			}
		case len(found) != len(expected):
			t.Errorf("%s: %d faces, not %d", name, len(found), len(expected))
		default:
			for i, f := range found {
				if far := middle(f.Pupils).to(middle(expected[i].Pupils)); far > 0.05*f.Quality.Eyes {
					t.Errorf("%s: face %d is %v pixels off", name, i, far)
				}
			}
		}
	}
	if len(got.Faces) != len(want.Faces) && long && !writing {
		t.Errorf("%d searches, not %d", len(got.Faces), len(want.Faces))
	}
}
