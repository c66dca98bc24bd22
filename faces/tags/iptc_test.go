package tags_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/tags"
)

// Regions of IPTC that name one person are read as exiftool writes them, as a rectangle, a circle and a
// polygon, in shares and in pixels, in each orientation; the area is that of the stored image. What may be
// no person is counted.
func TestRegionsOfIPTC(t *testing.T) {
	const human = "{Identifier=http://cv.iptc.org/newscodes/imageregiontype/human,Name=Human}"
	rectangle := "RegionBoundary={RbShape=rectangle,RbUnit=relative,RbX=0.2,RbY=0.3,RbW=0.1,RbH=0.2}"
	for name, c := range map[string]struct {
		region            string
		regions, unusable int
	}{
		"person":     {"PersonInImage=[Ann]," + rectangle, 1, 0},
		"details":    {"PersonInImageWDetails=[{PersonName=Ann}]," + rectangle, 1, 0},
		"both":       {"PersonInImage=[Ann],PersonInImageWDetails=[{PersonName=Ann}]," + rectangle, 1, 0},
		"name":       {"Name=Ann,RCtype=[" + human + "]," + rectangle, 1, 0},
		"role":       {"Name=Ann,RRole=[{Name=Person}]," + rectangle, 1, 0},
		"pixels":     {"PersonInImage=[Ann],RegionBoundary={RbShape=rectangle,RbUnit=pixel,RbX=W0.2,RbY=H0.3,RbW=W0.1,RbH=H0.2}", 1, 0},
		"polygon":    {"PersonInImage=[Ann],RegionBoundary={RbShape=polygon,RbUnit=relative,RbVertices=[{RbX=0.25,RbY=0.3},{RbX=0.3,RbY=0.4},{RbX=0.25,RbY=0.5},{RbX=0.2,RbY=0.4}]}", 1, 0},
		"circle":     {"PersonInImage=[Ann],RegionBoundary={RbShape=circle,RbUnit=relative,RbX=0.25,RbY=0.4,RbRx=0.05}", 1, 0},
		"two people": {"PersonInImage=[Ann,Bo]," + rectangle, 0, 1},
		"unsaid":     {"Name=Ann," + rectangle, 0, 1},
		"a dog":      {"Name=Rex,RCtype=[{Identifier=http://cv.iptc.org/newscodes/imageregiontype/animal}]," + rectangle, 0, 1},
		"nobody":     {"RCtype=[" + human + "]," + rectangle, 0, 0},
		"no place":   {"PersonInImage=[Ann]", 0, 1},
		"outside":    {"PersonInImage=[Ann],RegionBoundary={RbShape=rectangle,RbUnit=relative,RbX=2,RbY=0.3,RbW=0.1,RbH=0.2}", 0, 1},
	} {
		for _, orientation := range []int{1, 6} {
			path := photograph(t, t.TempDir(), "a.jpg", orientation)
			w, h := 256., 192.
			if orientation == 6 {
				w, h = h, w
			}
			region := c.region
			for _, side := range []struct {
				sign string
				of   float64
			}{{"W", w}, {"H", h}} {
				for _, share := range []float64{0.1, 0.2, 0.3} {
					region = strings.ReplaceAll(region, fmt.Sprintf("=%s%g", side.sign, share), fmt.Sprintf("=%g", share*side.of))
				}
			}
			exiftool(t, "-overwrite_original", "-XMP-iptcExt:ImageRegion=[{"+region+"}]", path)
			p, err := tags.Read(path)
			if err != nil || len(p.Problems) > 0 || len(p.Regions) != c.regions || total(p) != c.unusable {
				t.Errorf("%s, %d: %+v, %v", name, orientation, p, err)
				continue
			}
			want := tags.Area{X: 0.2, Y: 0.3, W: 0.1, H: 0.2}
			if name == "circle" {
				want = tags.Area{X: 0.2, Y: 0.4 - 0.05*w/h, W: 0.1, H: 0.1 * w / h}
			}
			want = want.Turned(orientation)
			for _, r := range p.Regions {
				if math.Abs(r.X-want.X)+math.Abs(r.Y-want.Y)+math.Abs(r.W-want.W)+math.Abs(r.H-want.H) > 0.001 || r.Name != "Ann" {
					t.Errorf("%s, %d: %+v, want %v", name, orientation, r, want)
				}
			}
		}
	}
}

// Keywords with names of people are counted in each property that exiftool writes, once a name, unless a
// region has the name; others are where the name is known.
func TestPeopleAsKeywords(t *testing.T) {
	known := func(name string) bool { return name == "Cy" }
	for _, c := range []struct {
		tag, region string
		want        int
	}{
		{"-XMP-lr:HierarchicalSubject=People|Ann", "", 1},
		{"-XMP-digiKam:TagsList=People/Family/Ann", "", 1},
		{"-XMP-microsoft:LastKeywordXMP=People/Ann", "", 1},
		{"-XMP-mediapro:CatalogSets=People|Ann", "", 1},
		{"-XMP-mediapro:People=Ann", "", 1},
		{"-XMP-acdsee:Keywords=People|Ann", "", 1},
		{"-XMP-acdsee:Categories=<Categories><Category Assigned=\"0\">People<Category " +
			"Assigned=\"1\">Ann</Category></Category></Categories>", "", 1},
		{"-XMP-dc:Subject=People|Ann", "", 1},
		{"-XMP-dc:Subject=Personen/Ann", "", 1},
		{"-IPTC:Keywords=People|Ann", "", 1},
		{"-IPTC:Keywords=Cy", "", 1},
		{"-XMP-dc:Subject=Cy", "", 1},
		{"-XMP-dc:Subject=beach", "", 0},
		{"-XMP-lr:HierarchicalSubject=Places|Ann", "", 0},
		{"-XMP-lr:HierarchicalSubject=People|Ann", "Ann", 0},
	} {
		path := photograph(t, t.TempDir(), "a.jpg", 1)
		args := []string{"-overwrite_original", c.tag}
		if c.region != "" {
			args = append(args,
				"-XMP-mwg-rs:RegionInfo={AppliedToDimensions={W=256,H=192,Unit=pixel},RegionList=[{Area={X=0.5,Y=0.5,W=0.1,H=0.1,Unit=normalized},Name="+
					c.region+",Type=Face}]}")
		}
		exiftool(t, append(args, path)...)
		p, err := tags.Read(path)
		if err != nil || len(p.Problems) > 0 {
			t.Fatal(err, p.Problems)
		}
		n := 0
		for _, k := range p.OfKeywords(known) {
			n += k
		}
		if n != c.want {
			t.Errorf("%s, region %q: %d, want %d: %+v", c.tag, c.region, n, c.want, p.Keywords)
		}
	}
	path := photograph(t, filepath.Dir(photograph(t, t.TempDir(), "b.jpg", 1)), "a.jpg", 1)
	exiftool(t, "-overwrite_original", "-XMP-digiKam:TagsList=People", "-XMP-digiKam:TagsList=People/Family",
		"-XMP-digiKam:TagsList=People/Family/Ann", "-XMP-digiKam:TagsList=People/Family name/Bo",
		"-XMP-lr:HierarchicalSubject=People|Ann", "-XMP-dc:Subject=Ann", path)
	p, err := tags.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var people []string
	for _, k := range p.Keywords {
		if k.Person {
			people = append(people, k.Name)
		}
	}
	if slices.Sort(people); len(slices.Compact(people)) != 2 {
		t.Errorf("%+v", p.Keywords)
	}
}
