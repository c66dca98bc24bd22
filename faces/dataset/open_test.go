package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
)

// opened opens path and returns what it warned of.
func opened(t testing.TB, path string, in Size) (*Images, []string) {
	t.Helper()
	var warnings []string
	set, err := Open(t.Context(), path, Options{Frame: Frame{Size: in}, Warn: func(s string) { warnings = append(warnings, s) }})
	if err != nil {
		t.Fatal(err)
	}
	return set, warnings
}

// refused opens path, which fails, and returns the error.
func refused(t testing.TB, path string) error {
	t.Helper()
	set, err := Open(t.Context(), path, Options{})
	if err == nil {
		t.Fatalf("%s opens: people %v", path, set.Classes)
	}
	if !strings.HasPrefix(err.Error(), "open data: ") {
		t.Errorf("error %q", err)
	}
	return err
}

var tiny = Size{Height: 4, Width: 3}

func pgm(seed int) []byte {
	m := ramp(4, 3)
	m.Pix[0] = byte(seed)
	return asPGM(m)
}

func TestFolder(t *testing.T) {
	root := drawFiles(t, map[string][]byte{
		"s10/1.pgm": pgm(1), "s2/10.pgm": pgm(2), "s2/2.pgm": pgm(3), "s2/1/b.png": asPNG(ramp(4, 3)), "s2/3/a.PGM": pgm(5),
		"s2/README.txt": []byte("hello"), "s2/notes": []byte("P1 is a person"), "s2/noextension": pgm(6),
		".hidden/1.pgm": pgm(7), "s2/.x.pgm": {}, "s2/Thumbs.db": {1}, "__MACOSX/1.pgm": pgm(8), "empty/.keep": {}, "LICENSE": []byte("x"),
	})
	set, warnings := opened(t, root, tiny)
	if want := []string{"s2", "s10"}; !slices.Equal(set.Classes, want) {
		t.Errorf("people %v, want %v", set.Classes, want)
	}
	if want := []string{"s2/1/b.png", "s2/2.pgm", "s2/3/a.PGM", "s2/10.pgm", "s2/noextension", "s10/1.pgm"}; !slices.Equal(set.IDs, want) {
		t.Errorf("images %v, want %v", set.IDs, want)
	}
	if got := mat.Col(nil, 1, set.X); got[0] != 3 || set.Frame.Size != tiny {
		t.Errorf("sample %v of size %v", got, set.Frame)
	}
	want := []string{"ignored the folder empty: it holds no images", "left out: 3 other files, for example LICENSE"}
	if !slices.Equal(warnings, want) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
	images, err := ImageFiles(root)
	if err != nil || len(images) != 6 || images[5] != filepath.Join(root, "s10", "1.pgm") {
		t.Errorf("images %v, error %v", images, err)
	}
}

func TestFolderThatIsNoDataSet(t *testing.T) {
	for name, c := range map[string]struct {
		files      map[string][]byte
		want, hint string
	}{
		"empty": {map[string][]byte{".x": {}}, "holds no images", "folder of their own"},
		"no people": {
			map[string][]byte{"1.pgm": pgm(1), "2.pgm": pgm(2)},
			"holds 2 images (1.pgm, …) but no folder of a person", "folder of their own",
		},
		"one date": {map[string][]byte{"2023/1.pgm": pgm(1)}, "2023: it looks like a date", "folder of their own"},
		"people inside": {
			map[string][]byte{"all/ann/1.pgm": pgm(1), "all/bob/1.pgm": pgm(2)},
			"whose images lie in folders: ann and bob", "if these are the people, give ",
		},
		"more beside": {
			map[string][]byte{"old/1.pgm": pgm(1), "1.pgm": pgm(2), "2.pgm": pgm(3)},
			"one folder with 1 image, old, and beside it 2 images", "folder of their own",
		},
		"broken": {
			map[string][]byte{"a/1.pgm": pgm(1), "b/1.pgm": {}, "b/2.jpg": []byte("x")},
			"1.pgm: the file is empty", "remove the file",
		},
		"text":  {map[string][]byte{"a/1.pgm": pgm(1), "b/2.jpg": []byte("x")}, "2.jpg: not an image", "remove the file"},
		"parts": {map[string][]byte{"train/a/1.pgm": pgm(1), "test/a/2.pgm": pgm(2)}, "one level down", "give "},
		"deep":  {map[string][]byte{"a/b/c/1.pgm": pgm(1)}, "a/b/c/1.pgm", "folder of their own"},
	} {
		root := drawFiles(t, c.files)
		err := refused(t, root)
		if !strings.Contains(err.Error(), c.want) || !strings.Contains(advice.Text(err), c.hint) {
			t.Errorf("%s: error %q, hint %q; want %q, %q", name, err, advice.Text(err), c.want, c.hint)
		}
	}
	root := drawFiles(t, map[string][]byte{"a.jpg": pgm(1), "a.dat": {1}, "a.zip": {1}})
	for name, want := range map[string]string{"none": "does not exist", "a.jpg": "one image", "a.dat": "not a data set", "a.zip": "archive"} {
		if err := refused(t, filepath.Join(root, name)); !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %q, want %q", name, err, want)
		}
	}
}

func TestOnePersonIsEnough(t *testing.T) {
	for name, files := range map[string]map[string][]byte{
		"a folder":           {"a/1.pgm": pgm(1), "a/2.pgm": pgm(2), "1.pgm": pgm(3)},
		"folders of days":    {"a/2023/1.pgm": pgm(1), "a/2024/1.pgm": pgm(2)},
		"others are no text": {"a/1.pgm": pgm(1), "b/photo": []byte("\x00\x00\x00\x0cJXL ....")},
		"others are damaged": {"a/1.pgm": pgm(1), "b/1.pgm": {}},
	} {
		if set, _ := opened(t, drawFiles(t, files), tiny); !slices.Equal(set.Classes, []string{"a"}) {
			t.Errorf("%s: people %v", name, set.Classes)
		}
	}
}

func TestStrayImagesAreLeftOut(t *testing.T) {
	root := drawFiles(t, map[string][]byte{"a/1.pgm": pgm(1), "b/1.pgm": pgm(2), "all.pgm": pgm(3)})
	set, warnings := opened(t, root, tiny)
	if len(set.IDs) != 2 || len(warnings) != 1 || !strings.Contains(warnings[0], "all.pgm") {
		t.Errorf("images %v, warnings %q", set.IDs, warnings)
	}
}

func TestLinksAreFollowedAndLoopsEnd(t *testing.T) {
	root := drawFiles(t, map[string][]byte{"a/1.pgm": pgm(1), "b/1.pgm": pgm(2)})
	beside := drawFiles(t, map[string][]byte{"1.pgm": pgm(3)})
	for link, target := range map[string]string{"c": beside, "b/loop": ".", "a/up": ".."} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	set, _ := opened(t, root, tiny)
	if want := []string{"a/1.pgm", "b/1.pgm", "c/1.pgm"}; !slices.Equal(set.IDs, want) {
		t.Errorf("images %v, want %v", set.IDs, want)
	}
}

func TestFirstBadImageIsNamedOnAnyNumberOfProcessors(t *testing.T) {
	files := map[string][]byte{}
	for i := range 60 {
		files[fmt.Sprintf("s%d/1.pgm", i)] = pgm(i)
	}
	files["s20/1.pgm"], files["s40/1.pgm"] = []byte("x"), []byte("y")
	root := drawFiles(t, files)
	for _, procs := range []int{1, 2, 7} {
		old := runtime.GOMAXPROCS(procs)
		err := refused(t, root)
		runtime.GOMAXPROCS(old)
		if !strings.Contains(err.Error(), filepath.Join("s20", "1.pgm")) {
			t.Errorf("%d processors: %v", procs, err)
		}
	}
}

// A damaged image is left out, and a warning names it with its reason; a person who has no
// others is left out.
func TestDamagedImagesAreLeftOut(t *testing.T) {
	root := drawFiles(t, map[string][]byte{
		"a/1.pgm": pgm(1), "a/2.pgm": []byte("x"), "a/3.pgm": pgm(2), "b/1.pgm": pgm(3), "c/1.pgm": {}, "c/2.pgm": []byte("y"),
		"list.csv": []byte("a/1.pgm;a\na/2.pgm;a\nb/1.pgm;b\n"),
	})
	for _, procs := range []int{1, 4} {
		old := runtime.GOMAXPROCS(procs)
		set, warnings := opened(t, root, tiny)
		runtime.GOMAXPROCS(old)
		if want := []string{"a/1.pgm", "a/3.pgm", "b/1.pgm"}; !slices.Equal(set.IDs, want) || !slices.Equal(set.Classes, []string{"a", "b"}) {
			t.Errorf("images %v of %v, want %v", set.IDs, set.Classes, want)
		}
		text := strings.Join(warnings, "\n")
		for _, want := range []string{
			"a/2.pgm: not an image", "c/1.pgm: the file is empty", "c/2.pgm: not an image",
			"3 of 6 images could not be read", `"c" is left out: 2 images could not be read`,
		} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%d processors: warnings %q lack %q", procs, text, want)
			}
		}
	}
	set, warnings := opened(t, filepath.Join(root, "list.csv"), tiny)
	if !slices.Equal(set.IDs, []string{"a/1.pgm", "b/1.pgm"}) || len(warnings) != 2 || !strings.Contains(warnings[0], "list.csv:2: ") {
		t.Errorf("images %v, warnings %q", set.IDs, warnings)
	}
	_, err := Open(t.Context(), drawFiles(t, map[string][]byte{"a/1.pgm": {}, "b/1.pgm": {}}), Options{Warn: func(string) {}})
	if err == nil || !strings.Contains(err.Error(), "1.pgm: the file is empty") || advice.Text(err) == "" {
		t.Errorf("error %v", err)
	}
}

func TestProgressAndCancel(t *testing.T) {
	files := map[string][]byte{}
	for i := range 40 {
		files[fmt.Sprintf("s%d/1.pgm", i)] = pgm(i)
	}
	root := drawFiles(t, files)
	last := 0
	_, err := Open(t.Context(), root, Options{Frame: Frame{Size: tiny}, Progress: func(done, total int) {
		if done != last+1 || total != 40 {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
	}})
	if err != nil || last != 40 {
		t.Errorf("progress ends at %d, error %v", last, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = Open(ctx, root, Options{Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestList(t *testing.T) {
	root := drawFiles(t, map[string][]byte{"img/1.pgm": pgm(1), "img/2.pgm": pgm(2), "img/a;b.pgm": pgm(3)})
	for name, text := range map[string]string{
		"semicolon": "img/1.pgm;bob\nimg/2.pgm;ann\n\"img/a;b.pgm\";bob\n",
		"windows":   "\ufeffpath;label\r\nimg/1.pgm;bob\r\nimg/2.pgm;ann\r\n\"img/a;b.pgm\";bob",
		"comma":     "# people\n\nFile,Person\nimg/1.pgm, bob\nimg/2.pgm,ann\n\"img/a;b.pgm\",bob\n",
		"tab":       "img/1.pgm\tbob\nimg/2.pgm\tann\n# none\n\"img/a;b.pgm\"\tbob\n",
	} {
		path := filepath.Join(root, name+".csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		set, _ := opened(t, path, tiny)
		if !slices.Equal(set.Classes, []string{"ann", "bob"}) || !slices.Equal(set.IDs, []string{"img/2.pgm", "img/1.pgm", "img/a;b.pgm"}) {
			t.Errorf("%s: people %v, images %v", name, set.Classes, set.IDs)
		}
		if got := mat.Row(nil, 0, set.X); !slices.Equal(got, []float64{2, 1, 3}) {
			t.Errorf("%s: first pixels %v", name, got)
		}
	}
}

func TestBadListsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "it names no images",
		"# only this\n":                      "it names no images",
		"path;label\n":                       "it names no images",
		"a.pgm\n":                            "line 1 holds no separator",
		"a.pgm;x\n\nb.pgm;y;z\n":             "line 3: 3 fields",
		"a.pgm;x\n;y\n":                      "line 2: the path is empty",
		"a.pgm;x\nb.pgm; \n":                 "line 2: the person is empty",
		"a;\"b\nc":                           "line 1",
		"a;\xff\n":                           "not UTF-8",
		"a;b\n" + strings.Repeat("c", 1<<17): "line 2 is longer",
	} {
		_, err := parseCSV([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: error %v, want %q", text, err, want)
		}
	}
	root := drawFiles(t, map[string][]byte{"list.csv": []byte("none.pgm;a\n")})
	if err := refused(t, filepath.Join(root, "list.csv")); !strings.Contains(advice.Text(err), "relative to the folder of the list") {
		t.Errorf("error %v, hint %q", err, advice.Text(err))
	}
}

// A brightReader sees a face in every image whose first pixel is not 0, and two
// where it is 2.
type brightReader struct{ in Frame }

func (r brightReader) Read(ctx context.Context, data []byte, name string) ([]Crop, error) {
	v, err := DecodeImage(context.Background(), data, name, r.in)
	if err != nil {
		return nil, err
	}
	if v[0] == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNoFace)
	}
	crops := []Crop{{Values: v, Quality: Quality{Eyes: v[0]}}}
	if v[0] == 2 {
		crops = append(crops, crops[0])
	}
	return crops, nil
}

// Images without a face are zero, are reported, and are marked wherever they are
// sorted to; people who have no others are left out.
func TestImagesWithoutAFaceAreMarked(t *testing.T) {
	in := Frame{Size: tiny}
	image := func(first byte) []byte {
		m := ramp(4, 3)
		m.Pix[0] = first
		return asPGM(m)
	}
	root := drawFiles(t, map[string][]byte{
		"s10/1.pgm": image(5), "s10/2.pgm": image(0), "s2/1.pgm": image(0), "s2/2.pgm": image(2), "s2/3.pgm": image(7), "s3/1.pgm": image(0),
	})
	var warnings []string
	set, err := Open(t.Context(), root, Options{
		Frame: in, Warn: func(s string) { warnings = append(warnings, s) },
		Faces: func(context.Context, []string) (Reader, Frame, error) {
			return brightReader{in}, Frame{Size: tiny, Eyes: DefaultEyes}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"s2/1.pgm", "s2/2.pgm", "s2/2.pgm#2", "s2/3.pgm", "s10/1.pgm", "s10/2.pgm"}; !slices.Equal(set.IDs, want) {
		t.Errorf("images %v, want %v", set.IDs, want)
	}
	if want := []bool{true, false, false, false, false, true}; !slices.Equal(set.NoFace, want) {
		t.Errorf("marks %v, want %v", set.NoFace, want)
	}
	for j, without := range set.NoFace {
		if first := set.X.At(0, j); (mat.Norm(set.X.ColView(j), 1) == 0) != without || set.Quality[j].Eyes != first ||
			set.Faceless(j) != without {
			t.Errorf("%s: %v, %v, faceless %v", set.IDs[j], first, set.Quality[j], set.Faceless(j))
		}
	}
	if set.Frame.Eyes != DefaultEyes || len(warnings) != 4 ||
		!strings.Contains(warnings[3], `"s3" is left out: no face was found in 1 image`) {
		t.Errorf("%v, warnings %q", set.Frame, warnings)
	}
	faces := set.Faces()
	if !slices.Equal(faces.IDs, set.IDs[1:5]) || slices.Contains(faces.NoFace, true) || len(faces.Quality) != 4 || faces.Faces() != faces {
		t.Errorf("faces %v, marks %v", faces.IDs, faces.NoFace)
	}
	unmarked := *set
	unmarked.NoFace = nil
	if !slices.Equal(unmarked.Faces().IDs, faces.IDs) {
		t.Error("black images are faces")
	}
	if set.Select([]int{0, 5}).Faces() != nil {
		t.Error("there are faces where there are none")
	}
	set.NoFace = set.NoFace[1:]
	if err := set.Validate(); err == nil || !strings.Contains(err.Error(), "5 marks of images without a face for 6 images") {
		t.Errorf("a mark is missing: %v", err)
	}
}
