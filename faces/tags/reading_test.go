package tags_test

import (
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/tags"
)

// stored is the area of the stored image that a is of the upright one, by the definition of EXIF: which
// corner of the stored image is the left upper one of the upright image.
func stored(a tags.Area, orientation int) tags.Area {
	point := func(x, y float64) (float64, float64) {
		switch orientation {
		case 2:
			return 1 - x, y
		case 3:
			return 1 - x, 1 - y
		case 4:
			return x, 1 - y
		case 5:
			return y, x
		case 6:
			return y, 1 - x
		case 7:
			return 1 - y, 1 - x
		case 8:
			return 1 - y, x
		}
		return x, y
	}
	x0, y0 := point(a.X, a.Y)
	x1, y1 := point(a.X+a.W, a.Y+a.H)
	return tags.Area{X: min(x0, x1), Y: min(y0, y1), W: math.Abs(x1 - x0), H: math.Abs(y1 - y0)}
}

// people is a packet with a region for each area, with the names A, B, C, D.
func people(areas []tags.Area, w, h int, rotation string) string {
	var bag strings.Builder
	for i, a := range areas {
		turn := ""
		if rotation != "" {
			turn = ` mwg-rs:Rotation="` + rotation + `"`
		}
		fmt.Fprintf(&bag,
			`<rdf:li><rdf:Description mwg-rs:Name="%c" mwg-rs:Type="Face"%s><mwg-rs:Area stArea:x="%f" stArea:y="%f" stArea:w="%f" stArea:h="%f"/>`+
				`</rdf:Description></rdf:li>`, 'A'+i, turn, a.X+a.W/2, a.Y+a.H/2, a.W, a.H)
	}
	return packet(fmt.Sprintf(
		`<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:AppliedToDimensions xmlns:stDim="http://ns.adobe.com/xap/1.0/sType/Dimensions#" `+
			`stDim:w="%d" stDim:h="%d" stDim:unit="pixel"/><mwg-rs:RegionList><rdf:Bag>%s</rdf:Bag></mwg-rs:RegionList>`+
			`</mwg-rs:Regions>`, w, h, bag.String()))
}

// names are those that the regions of the photograph at path give to faces.
func names(t *testing.T, path string, faces []tags.Area) (string, error) {
	t.Helper()
	p, err := tags.Read(path)
	if err != nil || len(p.Problems) > 0 {
		t.Fatal(err, p.Problems)
	}
	of, err := p.Match(faces)
	names := slices.Repeat([]string{"-"}, len(faces))
	for i, k := range of {
		if k >= 0 {
			names[k] = p.Regions[i].Name
		}
	}
	return strings.Join(names, ""), err
}

// Areas of the stored or of the upright image beside the size of the upright one, also of a smaller
// original: the faces decide where no rotation says it, and nothing is doubled.
func TestRegionsOfTurnedPhotographs(t *testing.T) {
	row := []tags.Area{
		{X: 0.05, Y: 0.2, W: 0.15, H: 0.2},
		{X: 0.3, Y: 0.25, W: 0.15, H: 0.2},
		{X: 0.55, Y: 0.2, W: 0.15, H: 0.2},
		{X: 0.8, Y: 0.22, W: 0.15, H: 0.2},
	}
	for o := 1; o <= 8; o++ {
		rotation := map[int]string{3: "3.14159", 4: "3.14159", 5: "-1.57080", 6: "-1.57080", 7: "1.57080", 8: "1.57080"}[o]
		for _, upright := range []bool{false, true} {
			for _, turn := range []string{"", rotation} {
				for _, scale := range []int{1, 4} {
					if upright && (turn != "" || o == 2) { // a row that is mirrored lies on itself: the standard counts
						continue
					}
					path := photograph(t, t.TempDir(), "a.jpg", o)
					w, h := 256, 192
					areas := slices.Clone(row)
					for i := range areas {
						if !upright {
							areas[i] = stored(areas[i], o)
						}
					}
					if err := os.WriteFile(path+".xmp", []byte(people(areas, w/scale, h/scale, turn)), 0o666); err != nil {
						t.Fatal(err)
					}
					if got, err := names(t, path, row); got != "ABCD" || err != nil {
						t.Errorf("orientation %d, upright %v, rotation %q: %s, %v", o, upright, turn, got, err)
					}
					p, err := tags.Read(path)
					if err != nil {
						t.Fatal(err)
					}
					faces := []tags.Face{
						{Name: "A", Box: p.Box(row[0])},
						{Name: "X", Box: p.Box(row[1])},
						{Box: p.Box(row[2])},
						{Box: p.Box(row[3])},
						{Name: "New", Box: image.Rect(110, 150, 130, 170)},
					}
					var writer tags.Writer
					if out, err := writer.Write(t.Context(), path, faces); err != nil || out.Additions != 1 || out.Conflicts != 2 {
						t.Errorf("orientation %d, upright %v, rotation %q: %+v, %v", o, upright, turn, out, err)
					}
					after, err := tags.Read(path)
					if _, open := after.Match(row); err != nil || open != nil || len(after.Regions) != 5 {
						t.Errorf("orientation %d: %d regions, %v %v", o, len(after.Regions), err, open)
					}
					if box := after.Box(after.Regions[4].Area); !box.In(faces[4].Box.Inset(-1)) {
						t.Errorf("orientation %d, upright %v, rotation %q: written at %v", o, upright, turn, box)
					}
				}
			}
		}
	}
}

// Where both readings lie on faces, and give them other names, none counts; where both give the same
// names, they do.
func TestOpenRegions(t *testing.T) {
	four := []tags.Area{
		{X: 0.1, Y: 0.1, W: 0.2, H: 0.2},
		{X: 0.7, Y: 0.1, W: 0.2, H: 0.2},
		{X: 0.1, Y: 0.7, W: 0.2, H: 0.2},
		{X: 0.7, Y: 0.7, W: 0.2, H: 0.2},
	}
	for rotation, want := range map[string]string{"": "", "-1.57080": "ABCD", "0.05": ""} {
		path := photograph(t, t.TempDir(), "a.jpg", 6)
		areas := slices.Clone(four)
		for i := range areas {
			areas[i] = stored(areas[i], 6)
		}
		if err := os.WriteFile(path+".xmp", []byte(people(areas, 256, 192, rotation)), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := names(t, path, four)
		if open := errors.Is(err, tags.ErrOpen); open != (want == "") || !open && got != want {
			t.Errorf("rotation %q: %s, %v", rotation, got, err)
		}
		if got, err := names(t, path, nil); (rotation == "-1.57080") != (err == nil) {
			t.Errorf("no faces: %q, %v", got, err)
		}
	}
	path := photograph(t, t.TempDir(), "b.jpg", 6)
	middle := []tags.Area{{X: 0.4, Y: 0.4, W: 0.2, H: 0.2}}
	if err := os.WriteFile(path+".xmp", []byte(people(middle, 256, 192, "")), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := names(t, path, middle); got != "A" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}
