//go:build unix

package faces

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/internal/testing/realdata"
)

// BenchmarkNames first runs the network for embeddings on a face and its mirror image,
// which tells how fast the machine is. It then goes from the bytes of a photograph to names: decoding, detection,
// alignment, the network with the mirror image, decision. It prints the least processor
// time of a run, with the system's, as only the sum is exact, and the most memory that the process had, which
// tells something where one photograph runs alone (-bench Names/NAME$).
func BenchmarkNames(b *testing.B) {
	images, err := Read(b.Context(), realdata.Path(b, "photos", "lfw_colour15", "train"), ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	r, err := Train(b.Context(), images, Defaults(images))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("network", func(b *testing.B) {
		face := make([]float32, 3*embedding.Default().Input().Len())
		face[0] = 1 // not of a single colour
		minTime(b, func() {
			if _, err := embedding.Default().Embed(b.Context(), [][]float32{face}); err != nil {
				b.Fatal(err)
			}
		})
	})
	crop := photoOf(b, "alike50", "p050", "t_test150.jpg")
	lfw := photoOf(b, "lfw_colour15", "test", "Kofi_Annan", "Kofi_Annan_0027.jpg")
	gt := photoOf(b, "gt_db", "s02", "04.jpg")
	wall := gt.(interface {
		SubImage(image.Rectangle) image.Image
	}).SubImage(image.Rect(0, 0, 200, 150))
	upsideDown := image.NewRGBA(gt.Bounds())
	for y := range upsideDown.Rect.Dy() {
		for x := range upsideDown.Rect.Dx() {
			upsideDown.Set(x, y, gt.At(upsideDown.Rect.Dx()-1-x, upsideDown.Rect.Dy()-1-y))
		}
	}
	for _, c := range []struct {
		name          string
		width, height int
		of            image.Image
		within        image.Rectangle // what else there is than enlarged wall; empty: of fills all
		faces         int
	}{
		{"160x160 crop", 160, 160, crop, image.Rectangle{}, 1},
		{"250x250", 250, 250, lfw, image.Rectangle{}, 1},
		{"250x250 without a face", 250, 250, wall, image.Rectangle{}, 0},
		{"640x480", 640, 480, gt, image.Rectangle{}, 1},
		{"640x480 upside down", 640, 480, upsideDown, image.Rectangle{}, 1},
		{"640x480 without a face", 640, 480, wall, image.Rectangle{}, 0},
		{"4000x3000", 4000, 3000, gt, image.Rectangle{}, 1},
		{"4000x3000 upside down", 4000, 3000, upsideDown, image.Rectangle{}, 1},
		{"4000x3000 small face", 4000, 3000, gt, image.Rect(2400, 1200, 3040, 1680), 1},
		{"4000x3000 without a face", 4000, 3000, wall, image.Rectangle{}, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := photograph(b, c.width, c.height, c.of, wall, c.within)
			debug.FreeOSMemory()
			if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
				b.Log(err)
			}
			minTime(b, func() {
				for photo, err := range r.IdentifyAll(b.Context(), slices.Values([]Photo{{Load: func() ([]byte, error) { return data, nil }}})) {
					if err != nil || len(photo.Faces) != c.faces {
						b.Fatalf("%d faces, not %d: %v", len(photo.Faces), c.faces, err)
					}
				}
			})
			if status, err := os.ReadFile("/proc/self/status"); err == nil {
				if m := regexp.MustCompile(`VmHWM:\s*(\d+)`).FindSubmatch(status); m != nil {
					kib, _ := strconv.Atoi(string(m[1]))
					b.ReportMetric(float64(kib)/1024, "MiB-peak")
				}
			}
		})
	}
}

// minTime reports the least processor time of a run.
func minTime(b *testing.B, run func()) {
	smallest := math.Inf(1)
	for b.Loop() {
		before := cpuTime(b)
		run()
		smallest = min(smallest, cpuTime(b)-before)
	}
	b.ReportMetric(smallest*1e3, "cpu-ms-least")
}

// cpuTime is the processor time of this process so far, in seconds.
func cpuTime(b *testing.B) float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

func photoOf(b *testing.B, path ...string) image.Image {
	m, err := dataset.ReadPhoto(b.Context(), realdata.Path(b, append([]string{"photos"}, path...)...))
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// photograph is a JPEG of this size that shows of, in within or everywhere, on wall,
// with the noise of a camera, which takes its time to decode.
func photograph(b *testing.B, w, h int, of, wall image.Image, within image.Rectangle) []byte {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	if within.Empty() {
		within = m.Rect
	}
	draw.ApproxBiLinear.Scale(m, m.Rect, wall, wall.Bounds(), draw.Src, nil)
	draw.ApproxBiLinear.Scale(m, within, of, of.Bounds(), draw.Src, nil)
	if w > 1000 {
		rng := rand.New(rand.NewPCG(1, 1))
		for i, v := range m.Pix {
			m.Pix[i] = byte(max(0, min(255, int(v)+rng.IntN(15)-7)))
		}
	}
	var data bytes.Buffer
	if err := jpeg.Encode(&data, m, &jpeg.Options{Quality: 93}); err != nil {
		b.Fatal(err)
	}
	return data.Bytes()
}
