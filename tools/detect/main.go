// Command detect measures detectors of faces on photographs of people and on pictures
// made of them: turned, dark, small, covered; and on pictures without people.
//
//	go -C tools run ./detect -data DIR -photos lfw_several -n 100
//	go -C tools run ./detect -data DIR -photos gt_db,lfw86 -n 100 -detectors auto -negatives -save OUT
//	go -C tools run ./detect -data DIR -photos lfw86,lfw_strangers -found auto
//	go -C tools run ./detect -data DIR -photos gt_db,lfw_colour15,lfw86 -n 100 -turned auto
//	go -C tools run ./detect -data DIR -photos lfw_several -n 200 -slanted auto -covered auto
//	go -C tools run ./detect -data DIR -webcams auto -animals auto -photos gt_db -far auto
//	go -C tools run ./detect -data DIR -photos lfw_cohort -n 1400 -fitted faces/face/networks/covered.f32
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/tools/internal/cputime"
	"nrdl.example/nrdl/tools/internal/hint"
)

func main() {
	data := flag.String("data", os.Getenv("NRDL_DATA"), "folder with photos")
	photos := flag.String("photos", "lfw_several", "folders of photographs of one face, with commas between")
	n := flag.Int("n", 100, "photographs")
	only := flag.String("detectors", "", "names, with commas between; all by default")
	alone := flag.Bool("negatives", false, "only count false faces in pictures without people")
	save := flag.String("save", "", "folder for the pictures without people in which faces are found, with scores in their names")
	names := flag.Bool("names", false, "with -found and -turned: name the photographs that fail")
	var measurements []func() error
	ctx := context.Background()
	add := func(name, usage string, measure func(by *face.Search, folders []string) error) {
		flag.Func(name, "only measure "+usage+", by this `DETECTOR`", func(detector string) error {
			by, err := face.OpenSearch(detector)
			measurements = append(measurements, func() error { return measure(by, strings.Split(*photos, ",")) })
			return err
		})
	}
	add("found", "how many faces are found in all photographs of the folders", func(by *face.Search, folders []string) error {
		return found(ctx, by, *data, folders, *names)
	})
	add("turned", "how many faces are found and named in turned photographs", func(by *face.Search, folders []string) error {
		return turned(ctx, by, *data, folders, *n, *names)
	})
	for name, covered := range map[string]bool{"slanted": false, "covered": true} {
		add(name, "how many small faces in pictures that are turned, or covered faces, are found and named, made of the first folder",
			func(by *face.Search, folders []string) error {
				return wild(ctx, by, *data, folders, *n, covered)
			})
	}
	add("webcams", "how many faces with and without a mask are found in photos/webcams", func(by *face.Search, _ []string) error {
		return webcams(ctx, by, *data, *names)
	})
	add("animals", "in how many pictures of photos/animals a face is found", func(by *face.Search, _ []string) error {
		return animals(ctx, by, *data, *names)
	})
	add("far", "how many small faces are found in large photographs, made of the first folder", func(by *face.Search, folders []string) error {
		return far(ctx, by, *data, folders)
	})
	fitted := flag.String("fitted", "",
		"only fit what tells covered faces, on those of the first folder, and write the weights to this `FILE`")
	flag.Parse()
	if *fitted != "" {
		measurements = append(measurements, func() error {
			return fitCovers(ctx, face.DefaultSearch, filepath.Join(*data, "photos", strings.Split(*photos, ",")[0]), *n, *fitted)
		})
	}
	if len(measurements) == 0 {
		hint.Exit("detect", run(ctx, *data, strings.Split(*photos, ","), *n, *only, *alone, *save))
	}
	for _, measure := range measurements {
		hint.Exit("detect", measure())
	}
}

var scenes = []scene{
	{Label: "as it is"},
	{Label: "turned by 30°", Turn: 30},
	{Label: "turned by 60°", Turn: 60},
	{Label: "turned by 90°", Turn: 90},
	{Label: "turned by 180°", Turn: 180},
	{Label: "aside by 0.4", Yaw: 0.4},
	{Label: "aside by 0.6", Yaw: 0.6},
	{Label: "dark, 0.12 of the light", Light: 0.12},
	{Label: "over-exposed, 2.2 times", Light: 2.2},
	{Label: "12 pixels, in 640×480", Width: 640, Height: 480, Eyes: 12},
	{Label: "16 pixels, in 640×480", Width: 640, Height: 480, Eyes: 16},
	{Label: "24 pixels, in 640×480", Width: 640, Height: 480, Eyes: 24},
	{Label: "18 pixels, in 320×240, turned by 90°", Width: 320, Height: 240, Eyes: 18, Turn: 90},
	{Label: "24 pixels, in 2000×1500", Width: 2000, Height: 1500, Eyes: 24},
	{Label: "32 pixels, in 2000×1500", Width: 2000, Height: 1500, Eyes: 32},
	{Label: "15 pixels, thumbnail", Width: 60, Height: 75, Eyes: 15},
	{Label: "the face fills it", Width: 600, Height: 750, Eyes: 230, Position: face.Point{X: 0.5, Y: 0.4}},
	{Label: "cut by the left edge", Width: 320, Height: 320, Eyes: 80, Position: face.Point{X: 0.16, Y: 0.45}},
	{Label: "cut by the upper edge", Width: 320, Height: 320, Eyes: 80, Position: face.Point{X: 0.5, Y: 0.04}},
	{Label: "cap", Accessory: "cap"},
	{Label: "pale cap", Accessory: "pale cap"},
	{Label: "glasses", Accessory: "glasses"},
	{Label: "sunglasses", Accessory: "sunglasses"},
	{Label: "mask", Accessory: "mask"},
	{Label: "blurred by 0.15", Blur: 0.15},
}

// lfwPupils are where the pupils are on average in the photographs of LFW, which are
// aligned.
var lfwPupils = placed{{X: 105, Y: 113}, {X: 145, Y: 113}}

// A detector is what is measured.
type detector struct {
	name   string
	detect func(context.Context, *dataset.Photo) ([]face.Detection, error)
}

// A source is a photograph with one main face.
type source struct {
	photo  *dataset.Photo
	pupils placed // zero where they are not known
}

// sources returns n photographs of a folder, spread evenly.
func sources(root, folder string, n int) (all []source, err error) {
	files, err := dataset.ImageFiles(filepath.Join(root, "photos", folder))
	if err != nil {
		return nil, err
	}
	for i := range min(n, len(files)) {
		s, err := sourceOf(files[i*len(files)/min(n, len(files))])
		if err != nil {
			return nil, err
		}
		if s.pupils != (placed{}) {
			all = append(all, s)
		}
	}
	return all, nil
}

// sourceOf reads a photograph. Its pupils are those that the cascade finds; in the
// photographs of LFW, if these are elsewhere than in all others, where they are in those.
func sourceOf(file string) (s source, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	if s.photo, err = dataset.DecodeColour(context.Background(), data, file); err != nil {
		return s, err
	}
	lfw := strings.Contains(filepath.ToSlash(file), "/lfw")
	if lfw {
		s.pupils = lfwPupils
	}
	if faces := face.DefaultFinder.Find(s.photo.Grey); len(faces) > 0 && (!lfw || near(faces[0].Pupils, lfwPupils)) {
		s.pupils = faces[0].Pupils
	}
	return s, nil
}

// near reports whether pupils are those of a face at p.
func near(pupils [2]face.Point, p placed) bool {
	return math.Hypot(pupils[0].X-p[0].X, pupils[0].Y-p[0].Y) < 0.4*p.eyes() &&
		math.Hypot(pupils[1].X-p[1].X, pupils[1].Y-p[1].Y) < 0.4*p.eyes()
}

// minOverlap is the intersection over the union of a box with that of a face, from
// which it shows the face.
const minOverlap = 0.25

// A tally has the results of a detector on the pictures of a scene.
type tally struct {
	best    []float64 // score of the surest box of the face; −1 where there is none
	offsets []float64 // how far the farther pupil is, in eye distances
	ms      []float64
}

func run(ctx context.Context, root string, folders []string, n int, only string, negatives bool, save string) error {
	var all []source
	for _, folder := range folders {
		some, err := sources(root, folder, n)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	for _, d := range detectors() {
		if only != "" && !slices.Contains(strings.Split(only, ","), d.name) {
			continue
		}
		if err := measure(ctx, d, all, negatives, save); err != nil {
			return err
		}
	}
	return nil
}

func measure(ctx context.Context, d detector, all []source, negatives bool, save string) error {
	kinds, err := falseFaces(ctx, d, all, save)
	if err != nil {
		return err
	}
	var scores []float64
	pictures := 0
	for _, k := range kinds {
		pictures += k.pictures
		scores = append(scores, k.scores...)
	}
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	at := func(rate float64) float64 { // the score that so many false faces a picture exceed
		k := int(rate * float64(pictures))
		if k >= len(scores) {
			return 0
		}
		return scores[k]
	}
	strict, loose := at(0.01), at(0.1)
	fmt.Printf("\n%s: %d false faces in %d pictures without people; 0.01 a picture have a score above %.3f, 0.1 above %.3f\n",
		d.name, len(scores), pictures, strict, loose)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	if negatives {
		fmt.Fprintln(w, "pictures without people\tnumber\twith false faces\tfalse faces\thighest score\tms\t")
		for _, k := range kinds {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.2f\t%.0f\t\n", k.label, k.pictures, k.positives, len(k.scores),
				slices.Max(append(k.scores, 0)), k.ms/float64(max(1, k.pictures)))
		}
		return w.Flush()
	}
	fmt.Fprintln(w, "pictures\tany score\tat 0.1\tat 0.01\tpupils: median\t90 %\tms\t")
	for i, s := range scenes {
		var t tally
		for j, from := range all {
			rng := rand.New(rand.NewPCG(uint64(j), uint64(i)))
			var background *image.RGBA
			if s.Width > 0 && s.Eyes < 50 {
				background = texture(160, 120, rng)
			}
			m, p := s.of(rgba(from.photo), from.pupils, background)
			found, ms, err := timed(ctx, d, dataset.NewPhoto(m))
			if err != nil {
				return err
			}
			t.add(found, p, ms)
		}
		over := func(limit float64) float64 {
			k := 0
			for _, v := range t.best {
				if v > limit {
					k++
				}
			}
			return 100 * float64(k) / float64(len(t.best))
		}
		slices.Sort(t.offsets)
		slices.Sort(t.ms)
		median, ninth := math.NaN(), math.NaN()
		if len(t.offsets) > 0 {
			median, ninth = t.offsets[len(t.offsets)/2], t.offsets[len(t.offsets)*9/10]
		}
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%.1f\t%.3f\t%.3f\t%.1f\t\n", s.Label, over(-1), over(loose),
			over(strict), median, ninth, t.ms[len(t.ms)/4])
	}
	return w.Flush()
}

func (t *tally) add(found []face.Detection, p placed, ms float64) {
	t.ms = append(t.ms, ms)
	best, off := -1., math.Inf(1)
	for _, f := range found {
		if f.Score > best && overlap(f.Box, p.box()) >= minOverlap {
			best = f.Score
			if len(f.Landmarks) >= 2 {
				off = max(math.Hypot(f.Landmarks[0].X-p[0].X, f.Landmarks[0].Y-p[0].Y),
					math.Hypot(f.Landmarks[1].X-p[1].X, f.Landmarks[1].Y-p[1].Y)) / p.eyes()
			}
		}
	}
	t.best = append(t.best, best)
	if !math.IsInf(off, 1) {
		t.offsets = append(t.offsets, off)
	}
}

func overlap(b, o face.Box) float64 {
	both := max(0, min(b.Right, o.Right)-max(b.Left, o.Left)) * max(0, min(b.Bottom, o.Bottom)-max(b.Top, o.Top))
	return both / ((b.Right-b.Left)*(b.Bottom-b.Top) + (o.Right-o.Left)*(o.Bottom-o.Top) - both)
}

// timed runs d and returns the milliseconds of the processor that it took.
func timed(ctx context.Context, d detector, photo *dataset.Photo) ([]face.Detection, float64, error) {
	runtime.GC()
	before := used()
	found, err := d.detect(ctx, photo)
	return found, used() - before, err
}

// used is the processor time so far, in milliseconds.
func used() float64 { return cputime.Used().Seconds() * 1e3 }

func detectors() (all []detector) {
	all = append(all, detector{"cascade", func(ctx context.Context, p *dataset.Photo) ([]face.Detection, error) {
		return face.DefaultFinder.Detect(ctx, p)
	}})
	all = append(all, detector{"auto", face.DefaultSearch.Detect})
	add := func(name string, d face.NetDetector, border float64) {
		d.Border = border
		d.MinScore = 0.05
		all = append(all, detector{name, d.Detect})
	}
	add("tiny", face.NewTiny(224), 0.2)
	add("ssd", face.NewSSD(512), 0)
	add("ssd256", face.NewSSD(256), 0.3)
	return all
}
