package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/testing/realdata"
)

func TestEnrolBadInput(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata", "enrol", "bad.txtar")},
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"run": runs, "status": status, "locked": locked},
	})
}

// locked FILE ARG... runs nrdl while this process is writing FILE, and wants it
// to refuse with a hint and to leave no lock of its own.
func locked(ts *testscript.TestScript, _ bool, args []string) {
	unlock, err := atomicfile.Lock(ts.MkAbs(args[0]))
	ts.Check(err)
	defer unlock()
	status(ts, false, append([]string{"1", "nrdl"}, args[1:]...))
}

// A person is added to 20 real ones and removed again.
func TestEnrolORL(t *testing.T) {
	t.Parallel()
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG=1 enrols real faces; the script enrol enrols drawn ones")
	}
	faces := realdata.Path(t, "orl_faces")
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata", "real", "enrol.txtar")},
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"run": runs},
		Setup: func(env *testscript.Env) error {
			for i := range 20 {
				s := fmt.Sprintf("s%d", i+1)
				for _, set := range []string{"twenty", "all"} {
					if err := link(filepath.Join(faces, s), env.WorkDir, set, s); err != nil {
						return err
					}
				}
			}
			return nil
		},
	})
}

// Photographs in which faces are found.
func TestEnrolPhotographs(t *testing.T) {
	t.Parallel()
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG=1 enrols real photographs; the script one enrols drawn ones")
	}
	photos := realdata.Path(t, "photos", "gt_db")
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata", "real", "enrol_photos.txtar")},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PHOTOS", photos)
			for i := range 9 {
				person, file := fmt.Sprintf("s%02d", i/3+1), fmt.Sprintf("%02d.jpg", i%3+1)
				for _, set := range []string{"two", "three"} {
					if set == "two" && person == "s03" {
						continue
					}
					if err := link(filepath.Join(photos, person, file), env.WorkDir, set, person, file); err != nil {
						return err
					}
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"run": runs, "status": status, "several": several},
	})
}

// link makes a link to the file or folder at from, and the folders above it.
func link(from string, to ...string) error {
	path := filepath.Join(to...)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.Symlink(from, path)
}

// several OUT FILE... draws photographs of one size side by side, five a row.
func several(ts *testscript.TestScript, _ bool, args []string) {
	const across = 2
	var all *image.RGBA
	for i, path := range args[1:] {
		data, err := os.ReadFile(path)
		ts.Check(err)
		img, err := dataset.DecodePhoto(context.Background(), data, path)
		ts.Check(err)
		size := img.Bounds().Size()
		if all == nil {
			rows := (len(args[1:]) + across - 1) / across
			all = image.NewRGBA(image.Rect(0, 0, across*size.X, rows*size.Y))
		}
		at := image.Pt(i%across*size.X, i/across*size.Y)
		draw.Draw(all, image.Rectangle{Min: at, Max: at.Add(size)}, img, img.Bounds().Min, draw.Src)
	}
	var out bytes.Buffer
	ts.Check(jpeg.Encode(&out, all, &jpeg.Options{Quality: 95}))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o666))
}
