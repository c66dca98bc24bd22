package dataset

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/image/tiff"
)

// Decoding allocates no more than was claimed for it, whatever the kind of pixels.
func TestMemoryIsClaimed(t *testing.T) {
	const side = 1200
	r := image.Rect(0, 0, side, side)
	wide, grey16, grey := image.NewNRGBA64(r), image.NewGray16(r), image.NewGray(r)
	colours, mixed := image.NewNRGBA(r), image.NewPaletted(r, color.Palette{color.Black, color.White})
	for i := range wide.Pix {
		wide.Pix[i] = byte(i * 7)
	}
	copy(grey16.Pix, wide.Pix)
	copy(grey.Pix, wide.Pix)
	copy(colours.Pix, wide.Pix)
	files := map[string][]byte{}
	for name, img := range map[string]image.Image{
		"16 bits": wide, "grey of 16 bits": grey16, "grey": grey,
		"colours": colours, "palette": mixed,
	} {
		var p, zip, plain bytes.Buffer
		if err := png.Encode(&p, img); err != nil {
			t.Fatal(err)
		}
		if err := tiff.Encode(&zip, img, &tiff.Options{Compression: tiff.Deflate}); err != nil {
			t.Fatal(err)
		}
		if err := tiff.Encode(&plain, img, nil); err != nil {
			t.Fatal(err)
		}
		files["PNG, "+name], files["TIFF by deflate, "+name], files["TIFF, "+name] = p.Bytes(), zip.Bytes(), plain.Bytes()
	}
	for name, data := range files {
		claim, err := DecodingMemory(data, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeColour(t.Context(), data, name); err != nil { // what is made once
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := DecodeColour(t.Context(), data, name); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		const small = 1 << 20 // tables, and what a test beside this one allocates
		if took := int64(after.TotalAlloc - before.TotalAlloc); took > claim+small {
			t.Errorf("%s: %d bytes a pixel were allocated, %d were claimed", name, took/(side*side), claim/(side*side))
		}
	}
}

// Large files are loaded together, and hold up nobody; what the caller takes besides is refused with
// the rest, and so is content that leaves too little for the image.
func TestLoad(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large.pgm")
	if err := os.WriteFile(large, append([]byte("P5 3000 3000 255\n"), make([]byte, 9_000_000)...), 0o666); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			data, ctx, done, err := Load(t.Context(), large, 0)
			defer done()
			if err == nil {
				_, err = DecodeColour(ctx, data, large)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if !budget().TryAcquire(Budget()) {
		t.Fatal("some memory is not given back")
	}
	budget().Release(Budget())
	_, _, done, err := Load(t.Context(), large, int(Budget()/9_000_000))
	if done(); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Error(err)
	}
	if err := admissibleMemory(Budget()-5_000_000, 9_000_000); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprint("at most ", mega(Budget()-9_000_000))) {
		t.Error(err)
	}
	if _, _, done, err := Load(t.Context(), large+"x", 0); err == nil {
		t.Error("a file that is not there is loaded")
	} else {
		done()
	}
}
