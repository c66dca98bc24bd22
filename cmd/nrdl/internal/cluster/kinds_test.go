package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
)

func drawn(t testing.TB) *dataset.Images {
	t.Helper()
	f := synthetic.Default
	f.People, f.PerPerson, f.Input, f.Seed = 6, 8, dataset.Size{Height: 12, Width: 10}, 3
	set, err := f.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// A search on workers gives the trials of one process, those that fail too.
func TestTuneIsThatOfOneProcess(t *testing.T) {
	t.Parallel()
	set := drawn(t)
	c := served(t)
	k := joined(t, c)
	work(t, c, "a", experiment.Bench{Version: "v"})
	work(t, c, "b", experiment.Bench{Version: "v"})
	in, err := frontend.Parse("lbp:cell=4")
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]classify.Method{"nrc": method.DefaultNRC, "lcksvd2": method.DefaultLCKSVD2} {
		s := experiment.Search{Budget: 6, Folds: 3, Seed: 7}
		want, err := experiment.Tune(t.Context(), set, in, m, s, experiment.TuneObserver{})
		if err != nil {
			t.Fatal(err)
		}
		var last Status
		got, err := k.Tune(t.Context(), set, in, m, s, experiment.TuneObserver{}, "v", func(s Status) { last = s })
		if err != nil {
			t.Fatal(err)
		}
		for _, trials := range [][]experiment.Trial{want.Trials, got.Trials} {
			for i := range trials {
				trials[i].Seconds = 0
			}
		}
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s: %+v, not %+v (%+v)", name, got, want, last)
		}
	}
	if n := left(t, c); n > 0 {
		t.Errorf("%d messages are left on the server", n)
	}
}

// Nothing can be learned: the error is that of one process.
func TestTuneFails(t *testing.T) {
	t.Parallel()
	set := drawn(t)
	c := served(t)
	k := joined(t, c)
	work(t, c, "a", experiment.Bench{Version: "v"})
	m, err := method.Set(method.DefaultLCKSVD2, "atoms", "50")
	if err != nil {
		t.Fatal(err)
	}
	s := experiment.Search{Budget: 2, Folds: 2}
	_, want := experiment.Tune(t.Context(), set, frontend.Pipeline{}, m, s, experiment.TuneObserver{})
	_, got := k.Tune(t.Context(), set, frontend.Pipeline{}, m, s, experiment.TuneObserver{}, "v", nil)
	if want == nil || got == nil || !strings.HasSuffix(got.Error(), want.Error()) || advice.Text(got) != advice.Text(want) {
		t.Errorf("%v (%s), not %v (%s)", got, advice.Text(got), want, advice.Text(want))
	}
}

// Photographs that workers look at get the names of one process, in their order; a damaged
// one its error, and one that is larger than a message its faces.
func TestIdentifyIsThatOfOneProcess(t *testing.T) {
	t.Parallel()
	set := drawn(t)
	o := faces.Defaults(set)
	r, err := faces.Train(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	var files [][]byte
	for j := range 5 {
		img := image.NewGray(image.Rect(0, 0, 10, 12))
		for i := range 120 {
			img.SetGray(i/12, i%12, color.Gray{Y: uint8(math.Round(set.X.At(i, j*8) * set.Scale()))})
		}
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		files = append(files, b.Bytes())
	}
	files[3] = []byte("no image")
	files = append(files, slices.Concat(files[0], make([]byte, maxMessage))) // with rubbish after its end
	photos := func(yield func(faces.Photo) bool) {
		for i, f := range files {
			if !yield(faces.Photo{Name: fmt.Sprint(i), Load: func() ([]byte, error) { return f, nil }, Details: i == 1}) {
				return
			}
		}
	}
	type outcome struct {
		name, err, hint string
		faces           []faces.Face
	}
	collect := func(all func(func(faces.Result, error) bool)) (out []outcome) {
		for r, err := range all {
			one := outcome{r.Photo.Name, fmt.Sprint(err), "", r.Faces}
			if err != nil {
				one.hint = advice.Text(err)
			}
			out = append(out, one)
		}
		return out
	}
	want := collect(r.IdentifyAll(t.Context(), photos))
	c := served(t)
	k := joined(t, c)
	work(t, c, "a", experiment.Bench{Version: "v"})
	work(t, c, "b", experiment.Bench{Version: "v"})
	got := collect(k.IdentifyAll(t.Context(), r, face.Options{}, photos, "x", "v", nil))
	if len(want) != len(files) || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) && !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nnot\n%+v", got, want)
	}
	if want[3].err == "<nil>" || len(want[5].faces) != 1 {
		t.Errorf("a file that is no image: %q; a large one: %d faces", want[3].err, len(want[5].faces))
	}
	if n := left(t, c); n > 0 {
		t.Errorf("%d messages are left on the server", n)
	}
	if files, err := c.files.List(t.Context()); err == nil && len(files) > 0 {
		t.Errorf("%d files are left on the server", len(files))
	}
}

// Work that is interrupted ends with the cause. What is in the queue after all is removed
// by workers.
func TestIdentifyIsInterrupted(t *testing.T) {
	t.Parallel()
	set := drawn(t)
	r, err := faces.Train(t.Context(), set, faces.Defaults(set))
	if err != nil {
		t.Fatal(err)
	}
	c := served(t)
	k := joined(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	endless := func(yield func(faces.Photo) bool) {
		for i := 0; yield(faces.Photo{Load: func() ([]byte, error) {
			if i == 40 {
				cancel()
			}
			return []byte("x"), nil
		}}); i++ {
		}
	}
	var last error
	for _, err := range k.IdentifyAll(ctx, r, face.Options{}, endless, "x", "v", nil) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Error(last)
	}
	work(t, c, "a", experiment.Bench{Version: "v"})
	for left(t, c) > 0 { // until the time of the test is over
		time.Sleep(10 * time.Millisecond)
	}
}

func TestMetrics(t *testing.T) {
	c, err := Connect(t.Context(), Options{URL: started(t), Metrics: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.meter.showCoordinator()
	resp, err := http.Get("http://" + c.meter.server.Addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(text), "nrdl_pieces_left 0") || strings.Contains(string(text), "nrdl_worker_") {
		t.Errorf("%s, %v", text, err)
	}
	if other, err := Connect(t.Context(), Options{URL: c.URL, Metrics: c.meter.server.Addr}); err == nil || advice.Text(err) == "" {
		other.Close()
		t.Error("two listen at one port")
	}
}
