package tags_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/tags"
)

// white is the rectangle that drawn paints.
var white = image.Rect(96, 32, 144, 96)

// drawn is a dark photograph of 256×192, stored with an orientation, with a white rectangle
// where upright photographs have white.
func drawn(orientation int) *image.Gray {
	const w, h = 256, 192
	stored := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		stored = image.Rect(0, 0, h, w)
	}
	m := image.NewGray(stored)
	for y := range stored.Dy() {
		for x := range stored.Dx() {
			// Where row 0 and column 0 of what is stored are seen: the table of EXIF.
			u, v := x, y
			if orientation >= 5 {
				u, v = y, x
			}
			if slices.Contains([]int{2, 3, 6, 7}, orientation) {
				u = w - 1 - u
			}
			if slices.Contains([]int{3, 4, 7, 8}, orientation) {
				v = h - 1 - v
			}
			value := uint8(20)
			if image.Pt(u, v).In(white) {
				value = 240
			}
			m.SetGray(x, y, color.Gray{Y: value})
		}
	}
	return m
}

// bright is the smallest rectangle about what is white in m.
func bright(m image.Image) (r image.Rectangle) {
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			if v, _, _, _ := m.At(x, y).RGBA(); v > 0x8000 {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// photograph writes a JPEG file with an orientation and returns its path.
func photograph(t *testing.T, dir, name string, orientation int) string {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, drawn(orientation), &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if orientation != 1 {
		exiftool(t, "-overwrite_original", "-n", "-Orientation="+string(rune('0'+orientation)), path)
	}
	return path
}

// regions are the areas and names that exiftool reads.
func regions(t *testing.T, path string) (areas [][4]float64, names []string) {
	t.Helper()
	var all []struct {
		RegionInfo struct {
			RegionList []struct {
				Area struct{ X, Y, W, H float64 }
				Name string
			}
		}
	}
	if err := json.Unmarshal([]byte(exiftool(t, "-j", "-n", "-struct", "-XMP-mwg-rs:RegionInfo", path)), &all); err != nil {
		t.Fatal(err)
	}
	for _, r := range all[0].RegionInfo.RegionList {
		areas, names = append(areas, [4]float64{r.Area.X, r.Area.Y, r.Area.W, r.Area.H}), append(names, r.Name)
	}
	return areas, names
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A face is written where it is seen in the stored image, for all orientations: exiftool reads
// the area, and the pixels show where it must be.
func TestOrientations(t *testing.T) {
	dir := t.TempDir()
	for o := 1; o <= 8; o++ {
		path := photograph(t, dir, string(rune('0'+o))+".jpg", o)
		upright, err := dataset.ReadPhoto(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if got := bright(upright); got != white {
			t.Fatalf("orientation %d: drawn at %v", o, got)
		}
		face := []tags.Face{{Name: "Ann & Bo <1>", Box: white, Probability: 0.98}}
		for _, embed := range []bool{false, true} {
			w := tags.Writer{Embed: embed, Model: "abc"}
			out, err := w.Write(t.Context(), path, face)
			if err != nil || !out.Changed || out.Additions != 1 {
				t.Fatalf("orientation %d: %+v, %v", o, out, err)
			}
			validate(t, out.Path)
			areas, names := regions(t, out.Path)
			want, size := bright(drawn(o)), drawn(o).Rect.Size()
			if len(areas) != 1 || names[0] != "Ann & Bo <1>" {
				t.Fatalf("%v %q", areas, names)
			}
			a := areas[0]
			for i, pair := range [][2]float64{
				{(a[0] - a[2]/2) * float64(size.X), float64(want.Min.X)},
				{(a[1] - a[3]/2) * float64(size.Y), float64(want.Min.Y)},
				{(a[0] + a[2]/2) * float64(size.X), float64(want.Max.X)},
				{(a[1] + a[3]/2) * float64(size.Y), float64(want.Max.Y)},
			} {
				if math.Abs(pair[0]-pair[1]) > 1 {
					t.Errorf("orientation %d, side %d: at %v, want %v", o, i, pair[0], pair[1])
				}
			}
			if embed {
				if err := os.Remove(path + ".xmp"); err != nil {
					t.Fatal(err)
				}
			}
			p, err := tags.Read(path)
			if err != nil || len(p.Regions) != 1 || p.Box(p.Regions[0].Area) != white || !p.Regions[0].Written || p.Orientation != o ||
				len(p.Names) != 0 {
				t.Errorf("orientation %d: %+v, %v", o, p, err)
			}
		}
	}
}

// As programs write them, exiftool writes regions into each kind of file, and they are read.
func TestReadKinds(t *testing.T) {
	dir := t.TempDir()
	files := map[string]func(path string){
		"a.png": func(path string) { encode(t, path, func(b *bytes.Buffer) error { return png.Encode(b, drawn(1)) }) },
		"a.tif": func(path string) {
			encode(t, path, func(b *bytes.Buffer) error { return tiff.Encode(b, drawn(1), nil) })
		},
		"a.jpg":  func(path string) { photograph(t, dir, "a.jpg", 1) },
		"a.webp": func(path string) { copyTo(t, "../dataset/testdata/seeds/FuzzDecodeImage/webp_lossy", path) },
		"a.heic": func(path string) { copyTo(t, "../heic/testdata/pattern.heic", path) },
		"a.avif": func(path string) { copyTo(t, "../heic/testdata/pattern.avif", path) },
	}
	for name, make := range files {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			make(path)
			before, err := tags.Read(path)
			if err != nil || before.Size() == (image.Point{}) || len(before.Problems) > 0 {
				t.Fatalf("%+v, %v", before, err)
			}
			tag(t, path)
			check(t, path)
		})
	}
}

// tag lets exiftool write what programs write: regions of two standards, and names.
func tag(t *testing.T, path string) {
	t.Helper()
	exiftool(t, "-overwrite_original",
		"-RegionInfo={RegionList=[{Name=Ann,Type=Face,Area={X=0.4,Y=0.3,W=0.2,H=0.2,Unit=normalized}},{Type=Face,Area={X=0.8,Y=0.3,W=0.1,H=0.1,Unit=normalized}},{Name=Rex,Type=Pet,Area={X=0.1,Y=0.1,W=0.1,H=0.1,Unit=normalized}}]}",
		"-RegionInfoMP={Regions=[{PersonDisplayName=Bo,Rectangle=0.1|, 0.5|, 0.2|, "+
			"0.25},{PersonDisplayName=Cy,Rectangle=0.75|, 0.25|, 0.1|, 0.1}]}",
		"-XMP-iptcExt:PersonInImage=Ann", "-XMP-iptcExt:PersonInImage=Zoë", "-XMP-dc:Subject=holiday", path)
}

// check reads what tag wrote.
func check(t *testing.T, path string) {
	t.Helper()
	p, err := tags.Read(path)
	if err != nil || len(p.Problems) > 0 {
		t.Fatal(err, p.Problems)
	}
	var got []string
	for _, r := range p.Regions {
		got = append(got, r.Name)
	}
	if !slices.Equal(got, []string{"Ann", "Cy", "Bo"}) ||
		!slices.Equal(p.Names, []string{"Ann", "Zoë"}) { // Cy's face has no name by the first standard
		t.Fatalf("%q %q", got, p.Names)
	}
	a := p.Regions[0].Area
	if math.Abs(a.X-0.3) > 1e-6 || math.Abs(a.Y-0.2) > 1e-6 || math.Abs(a.W-0.2) > 1e-6 {
		t.Errorf("%+v", a)
	}
}

func encode(t *testing.T, path string, f func(*bytes.Buffer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	if err := os.WriteFile(to, read(t, from), 0o666); err != nil {
		t.Fatal(err)
	}
}

// What a person wrote stays, twice is once, and Remove takes back all: in sidecars and in files.
func TestRoundTrip(t *testing.T) {
	for _, embed := range []bool{false, true} {
		for _, tagged := range []string{"nothing", "file", "sidecar", "adobe", "both"} {
			dir := t.TempDir()
			path := photograph(t, dir, "a.jpg", 6)
			switch tagged {
			case "file":
				tag(t, path)
			case "sidecar":
				tag(t, path+".xmp")
			case "adobe":
				tag(t, path)
				exiftool(t, "-q", "-o", filepath.Join(dir, "a.xmp"), "-tagsfromfile", path, "-all:all")
			case "both":
				tag(t, path)
				exiftool(t, "-q", "-o", path+".xmp", "-tagsfromfile", path, "-all:all")
			}
			before := snapshot(t, dir)
			others, err := tags.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			faces := []tags.Face{
				{Name: "Dee", Box: image.Rect(0, 0, 20, 20), Probability: 0.9},
				{Name: "Bo", Box: image.Rect(200, 150, 220, 170), Probability: math.NaN()},
			}
			if len(others.Regions) > 0 {
				faces = append(faces, tags.Face{Name: "Eve", Box: others.Box(others.Regions[0].Area), Probability: 0.99}) // it is Ann
			}
			w := tags.Writer{Embed: embed}
			out, err := w.Write(t.Context(), path, faces)
			if err != nil {
				t.Fatalf("%s, embed %v: %v", tagged, embed, err)
			}
			if want := map[bool]int{true: 1, false: 2}[len(others.Regions) > 0]; out.Additions != want {
				t.Errorf("%s, embed %v: %+v", tagged, embed, out)
			}
			validate(t, out.Path)
			once := snapshot(t, dir)
			after, err := tags.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range others.Regions {
				if !slices.ContainsFunc(after.Regions,
					func(q tags.Region) bool { return q.Area == r.Area && q.Name == r.Name && q.Written == r.Written }) {
					t.Errorf("%s, embed %v: %+v is lost: %+v", tagged, embed, r, after.Regions)
				}
			}
			if !slices.Equal(after.Names, others.Names) {
				t.Errorf("%s, embed %v: names %q, were %q", tagged, embed, after.Names, others.Names)
			}
			if subject := exiftool(t, "-s3", "-Subject", out.Path); tagged != "nothing" &&
				strings.Contains(string(before[filepath.Base(out.Path)]), "holiday") && strings.TrimSpace(subject) != "holiday" {
				t.Errorf("%s, embed %v: the subject is %q", tagged, embed, subject)
			}
			if out, err := w.Write(t.Context(), path, faces); err != nil || out.Changed {
				t.Errorf("%s, embed %v: twice is not once: %+v, %v", tagged, embed, out, err)
			}
			same(t, once, snapshot(t, dir))
			if !bytes.Equal(tags.Without(once["a.jpg"]), before["a.jpg"]) {
				t.Errorf("%s, embed %v: without what was embedded the photograph is another one", tagged, embed)
			}
			changed, err := w.Remove(t.Context(), path)
			if err != nil || !slices.Equal(changed, []string{out.Path}) {
				t.Errorf("%s, embed %v: %q, %v", tagged, embed, changed, err)
			}
			same(t, before, snapshot(t, dir))
		}
	}
}

func snapshot(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all[e.Name()] = read(t, filepath.Join(dir, e.Name()))
	}
	return all
}

func same(t *testing.T, want, got map[string][]byte) {
	t.Helper()
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is new", name)
		}
	}
	for name, data := range want {
		if !bytes.Equal(got[name], data) {
			t.Errorf("%s has changed:\n%.3000s\n\nwas\n%.3000s", name, got[name], data)
		}
	}
}

// All but the packet stays: what follows the picture, and segments behind the packet.
func TestEmbedKeepsTheRest(t *testing.T) {
	path := photograph(t, t.TempDir(), "a.jpg", 3)
	exiftool(t, "-q", "-overwrite_original", "-Comment=a comment", "-IPTC:City=Rome", "-Artist=Di", path)
	data := read(t, path)
	// Further pictures whose places count from the segment, as telephones write them.
	mpf := append([]byte{0xff, 0xe2, 0, 12}, "MPF\x00II*\x00\x08\x00"...)
	sos := bytes.Index(data, []byte{0xff, 0xda})
	data = slices.Concat(data[:sos], mpf, data[sos:], []byte("trailing data of a moving photograph"))
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	w := tags.Writer{Embed: true}
	if _, err := w.Write(t.Context(), path, []tags.Face{{Name: "Ann", Box: white, Probability: 0.5}}); err != nil {
		t.Fatal(err)
	}
	now := read(t, path)
	at := bytes.Index(now, []byte("\xff\xe1")) // EXIF
	at += 2 + int(binary.BigEndian.Uint16(now[at+2:]))
	n := 2 + int(binary.BigEndian.Uint16(now[at+2:]))
	if !bytes.Contains(now[at:at+n], []byte("ns.adobe.com/xap")) || !bytes.Equal(slices.Concat(now[:at], now[at+n:]), data) {
		t.Error("more than a segment has changed")
	}
	if _, err := w.Remove(t.Context(), path); err != nil || !bytes.Equal(read(t, path), data) {
		t.Error("not as before", err)
	}
}
