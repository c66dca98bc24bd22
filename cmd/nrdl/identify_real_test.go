package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/faces"

	"github.com/rogpeppe/go-internal/testscript"
	xdraw "golang.org/x/image/draw"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/testing/realdata"
)

// TestIdentifyPhotographs learns from real photographs and names others, among
// them bad ones.
func TestIdentifyPhotographs(t *testing.T) {
	t.Parallel()
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG=1 names real photographs; the script identify names drawn faces")
	}
	photos := realdata.Path(t, "photos")
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata", "real", "identify.txtar")},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PHOTOS", photos)
			badPhotographs(t, photos, filepath.Join(env.WorkDir, "bad"))
			if os.Getenv("NRDL_LONG") != "" {
				copies(t, photos, filepath.Join(env.WorkDir, "copies"))
			}
			train, err := filepath.Glob(filepath.Join(photos, "lfw_colour15", "train", "[BGKLM]*", "*_000[1-3].jpg"))
			for _, path := range train {
				err = errors.Join(err, link(path, env.WorkDir, "train", filepath.Base(filepath.Dir(path)), filepath.Base(path)))
			}
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"run": runs, "status": status, "guessed": guessed, "faces": found, "killed": killed, "once": once,
			"drawn": drawnAll, "sorted": sortedRight,
		},
		Condition: holds,
	})
}

// badPhotographs makes photographs in dir that are hard to see somebody in.
func badPhotographs(t *testing.T, photos, dir string) {
	t.Helper()
	test := filepath.Join(photos, "lfw_colour15", "test")
	ann := photograph(t, filepath.Join(test, "Kofi_Annan", "Kofi_Annan_0023.jpg"))
	files := map[string][]byte{
		"black.png":   pngOf(t, image.NewRGBA(image.Rect(0, 0, 640, 480))),
		"blurred.jpg": jpegOf(t, scaled(scaled(ann, 22), 250)),
		"upside.jpg":  jpegOf(t, mapped(ann, func(x, y int) (int, int) { return 249 - x, 249 - y })),
		"tiny.png":    pngOf(t, scaled(ann, 70)),
		"brow.jpg": jpegOf(t, mapped(ann, func(x, y int) (int, int) {
			return x,
				min(y+85, 249)
		}).SubImage(image.Rect(0, 0, 250, 165)).(*image.RGBA)),
		"edge.jpg":  jpegOf(t, ann.SubImage(image.Rect(125, 0, 250, 250)).(*image.RGBA)),
		"video.jpg": append([]byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41"), make([]byte, 5000)...),
	}
	files["half.jpg"] = files["upside.jpg"][:len(files["upside.jpg"])/4] // too few rows to be used
	ten := image.NewRGBA(image.Rect(0, 0, 5*250, 2*250))
	people, err := filepath.Glob(filepath.Join(photos, "lfw_colour15", "train", "*", "*_0001.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		at := image.Pt(i%5*250, i/5*250)
		draw.Draw(ten, image.Rectangle{at, at.Add(image.Pt(250, 250))}, photograph(t, people[i]), image.Point{}, draw.Src)
	}
	files["ten.jpg"] = jpegOf(t, ten)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// copies makes copies of photographs in dir, which differ by a byte after the image:
// equal files would be skipped.
func copies(t *testing.T, photos, dir string) {
	t.Helper()
	const sources, each = 10, 10 // more than are named together
	paths, err := filepath.Glob(filepath.Join(photos, "lfw_colour15", "train", "*", "*.jpg"))
	if err != nil || len(paths) < sources {
		t.Fatal(len(paths), err)
	}
	for n := range each {
		sub := filepath.Join(dir, strconv.Itoa(n))
		if err := os.MkdirAll(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, path := range paths[:sources] {
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(filepath.Join(sub, filepath.Base(path)), append(data, byte(n)), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func photograph(t *testing.T, path string) *image.RGBA {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := dataset.DecodePhoto(t.Context(), data, path)
	if err != nil {
		t.Fatal(err)
	}
	m := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(m, m.Rect, img, img.Bounds().Min, draw.Src)
	return m
}

// scaled brings a square image to another side.
func scaled(m image.Image, side int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, side, side))
	xdraw.CatmullRom.Scale(out, out.Rect, m, m.Bounds(), xdraw.Src, nil)
	return out
}

func mapped(m *image.RGBA, from func(x, y int) (int, int)) *image.RGBA {
	out := image.NewRGBA(m.Rect)
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			sx, sy := from(x, y)
			out.SetRGBA(x, y, m.RGBAAt(sx, sy))
		}
	}
	return out
}

func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// objectsIn are the lines of a file of results.
func objectsIn(ts *testscript.TestScript, text string) (all []results.Object) {
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		var o results.Object
		ts.Check(json.Unmarshal(lines.Bytes(), &o))
		all = append(all, o)
	}
	return all
}

// guessed wants the largest face of at least 14 of the 16 photographs on stdout to
// be guessed rightly, and boxes with pupils in their photographs.
func guessed(ts *testscript.TestScript, _ bool, _ []string) {
	all := objectsIn(ts, ts.ReadFile("stdout"))
	right := 0
	for _, o := range all {
		if len(o.Faces) == 0 {
			continue
		}
		f := o.Faces[0]
		if *f.Guess == filepath.Base(filepath.Dir(o.File)) {
			right++
		}
		b := f.Box
		for _, p := range f.Pupils {
			if !(p.X > float64(b.X) && p.X < float64(b.X+b.Width) && p.Y > float64(b.Y) && p.Y < float64(b.Y+b.Height)) {
				ts.Fatalf("%s: the box %+v is not about %v", o.File, *b, p)
			}
		}
		if b.X < 0 || b.Y < 0 || b.X+b.Width > o.Size.Width || b.Y+b.Height > o.Size.Height {
			ts.Fatalf("%s: the box %+v leads out", o.File, *b)
		}
	}
	ts.Logf("%d of %d guessed rightly", right, len(all))
	if len(all) != 16 || right < 14 {
		ts.Fatalf("%d of %d guessed rightly", right, len(all))
	}
}

// faces FILE PATH N M wants results to have N faces of a photograph, M of them
// looked at.
func found(ts *testscript.TestScript, _ bool, args []string) {
	for _, o := range objectsIn(ts, ts.ReadFile(args[0])) {
		if filepath.ToSlash(o.File) != args[1] {
			continue
		}
		seen := 0
		for _, f := range o.Faces {
			if (f.Refused == "") != (f.Guess != nil) {
				ts.Fatalf("%s: a face is refused and named, or neither", args[1])
			}
			if f.Guess != nil {
				seen++
			}
		}
		if strconv.Itoa(len(o.Faces)) != args[2] || strconv.Itoa(seen) != args[3] {
			ts.Fatalf("%s has %d faces, %d are looked at", args[1], len(o.Faces), seen)
		}
		return
	}
	ts.Fatalf("%s is not there", args[1])
}

// drawnAll DIR FROM wants a photograph of the same size in DIR for each in FROM,
// which is not as it was.
func drawnAll(ts *testscript.TestScript, _ bool, args []string) {
	from, err := dataset.ImageFiles(args[1])
	ts.Check(err)
	for _, path := range from {
		rel, err := filepath.Rel(args[1], path)
		ts.Check(err)
		data, err := os.ReadFile(ts.MkAbs(filepath.Join(args[0], rel)))
		ts.Check(err)
		drawn, err := jpeg.Decode(bytes.NewReader(data))
		ts.Check(err)
		before, err := os.ReadFile(path)
		ts.Check(err)
		source, err := jpeg.Decode(bytes.NewReader(before))
		ts.Check(err)
		if drawn.Bounds() != source.Bounds() || bytes.Equal(data, before) {
			ts.Fatalf("%s is %v, or nothing is drawn", rel, drawn.Bounds())
		}
	}
}

// sortedRight DIR wants every folder that is a person to hold links that lead to
// photographs of the person, but for two.
func sortedRight(ts *testscript.TestScript, _ bool, args []string) {
	links, err := filepath.Glob(ts.MkAbs(filepath.Join(args[0], "*", "*")))
	ts.Check(err)
	wrong := 0
	for _, link := range links {
		_, err := os.Stat(link)
		ts.Check(err)
		if person := filepath.Base(filepath.Dir(link)); person != faces.Unknown && !strings.HasPrefix(filepath.Base(link), person) {
			wrong++
		}
	}
	if len(links) < 16 || wrong > 2 {
		ts.Fatalf("%d of %d links are wrong", wrong, len(links))
	}
}

// killed N nrdl ARG... kills a command when its file of results, the argument
// after -o, has N lines.
func killed(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"))
	ts.Check(cmd.Start())
	results := ts.MkAbs(args[slices.Index(args, "-o")+1])
	for patience := time.Now().Add(10 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		data, _ := os.ReadFile(results)
		if bytes.Count(data, []byte("\n")) >= n {
			break
		}
		if time.Now().After(patience) {
			ts.Fatalf("%s does not grow", results)
		}
	}
	ts.Check(cmd.Process.Kill())
	if cmd.Wait() == nil {
		ts.Fatalf("it was done before it was killed")
	}
}

// once DIR RESULTS SORTED wants every image in a folder to be in the results
// once, and to have one link to it a person.
func once(ts *testscript.TestScript, _ bool, args []string) {
	images, err := dataset.ImageFiles(ts.MkAbs(args[0]))
	ts.Check(err)
	for i, path := range images {
		images[i], err = filepath.Rel(ts.MkAbs("."), path)
		ts.Check(err)
	}
	var named []string
	for _, o := range objectsIn(ts, ts.ReadFile(args[1])) {
		named = append(named, o.File)
	}
	slices.Sort(images)
	slices.Sort(named)
	if !slices.Equal(images, named) {
		ts.Fatalf("%d images, %d lines", len(images), len(named))
	}
	links, err := filepath.Glob(ts.MkAbs(filepath.Join(args[2], "*", "*")))
	ts.Check(err)
	if len(links) != len(images) { // one face in each
		ts.Fatalf("%d links to %d images", len(links), len(images))
	}
}
