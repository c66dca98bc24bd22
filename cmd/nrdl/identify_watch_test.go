package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/kit/picture"
	"nrdl.example/nrdl/method"
)

// TestWatch names what is there, and what arrives in pieces, until it is
// interrupted.
func TestWatch(t *testing.T) {
	t.Parallel()
	path, set := trained(t, method.DefaultCRC, 3, 3, dataset.Size{Height: 16, Width: 16})
	dir, inbox := t.TempDir(), t.TempDir()
	face := func(j int) []byte {
		t.Helper()
		m, err := picture.Sample(set.X, j, picture.Size(set.Frame.Size), picture.Grey)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	add := func(name string, data []byte) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(inbox, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		if err == nil {
			_, err = f.Write(data)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	add("there.png", face(0))

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	story, err := os.Create(filepath.Join(dir, "story"))
	if err != nil {
		t.Fatal(err)
	}
	defer story.Close()
	i := newIdentification(newApp(w, story))
	i.watchFolder, i.html = inbox, filepath.Join(dir, "page.html")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- i.run(ctx, path, nil, nil); w.Close() }()

	lines := bufio.NewScanner(r)
	wants := func(name, person string) {
		t.Helper()
		if !lines.Scan() || lines.Text() != filepath.Join(inbox, name)+","+person+"," {
			t.Errorf("%q, want %s of %s", lines.Text(), name, person)
		}
	}
	wants("there.png", "person001")
	data := face(3)
	add("later.png", data[:len(data)/2])
	add("gone.png", data[:len(data)/2])
	time.Sleep(750 * time.Millisecond)
	add("later.png", data[len(data)/2:])
	if err := os.Remove(filepath.Join(inbox, "gone.png")); err != nil {
		t.Fatal(err)
	}
	wants("later.png", "person002")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if lines.Scan() {
		t.Errorf("then it says %q", lines.Text())
	}
	if page, err := os.ReadFile(i.html); err != nil || !strings.Contains(string(page), "later.png") ||
		!strings.HasSuffix(string(page), "</html>\n") {
		t.Errorf("the page has %d bytes: %v", len(page), err)
	}
	if output, _ := os.ReadFile(story.Name()); strings.Contains(string(output), "error") {
		t.Errorf("it says %q", output)
	}
}
