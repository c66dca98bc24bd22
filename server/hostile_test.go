package server

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nrdl.example/nrdl/internal/kit/testing/postgres"
	"nrdl.example/nrdl/internal/testing/lacking"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/store"
)

// formOf is a multipart body with one file.
func formOf(name string, data []byte) (kind string, body []byte) {
	var b bytes.Buffer
	f := multipart.NewWriter(&b)
	w, err := f.CreateFormFile(name, "x")
	if err != nil {
		panic(err) // a buffer takes everything
	}
	_, _ = w.Write(data)
	f.Close()
	return f.FormDataContentType(), b.Bytes()
}

// hostileImages are files that claim or hide much, or are damaged.
func hostileImages(t testing.TB) map[string][]byte {
	t.Helper()
	var p, g bytes.Buffer
	if err := png.Encode(&p, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&g, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	wide := bytes.Clone(p.Bytes())
	copy(wide[16:24], "\x00\x01\x00\x00\x00\x01\x00\x00") // 65,536 × 65,536, with another checksum
	large := bytes.Clone(g.Bytes())
	copy(large[6:10], "\xff\xff\xff\xff")
	all := map[string][]byte{
		"empty": nil, "text": []byte("hello"), "wide PNG": wide, "cut PNG": p.Bytes()[:60], "large GIF": large, "cut GIF": g.Bytes()[:20],
		"PGM of 3.6 gigapixels": []byte("P5 60000 60000 255\n"), "PPM without an end": []byte("P6 99999999999999999999 1 255\n"),
		"PAM":                   []byte("P7\nWIDTH 4\n"),
		"JPEG of nothing":       []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9"),
		"JPEG of 65500 × 65500": []byte("\xff\xd8\xff\xc0\x00\x0b\x08\xff\xdc\xff\xdc\x01\x01\x11\x00\xff\xd9"),
		"BMP": append([]byte(
			"BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\xff\xff\xff\x7f\xff\xff\xff\x7f\x01\x00\x18\x00"),
			make([]byte, 40)...),
		"TIFF":                       []byte("II*\x00\xff\xff\xff\xff"),
		"TIFF that refers to itself": []byte("II*\x00\x08\x00\x00\x00\x01\x00\x00\x01\x03\x00\x01\x00\x00\x00\xff\xff\x00\x00\x08\x00\x00\x00"),
		"WebP":                       []byte("RIFF\xff\xff\xff\x7fWEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff"),
		"HEIC":                       []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic\xff\xff\xff\xffmeta"),
	}
	seeds, err := filepath.Glob("../faces/dataset/testdata/seeds/*")
	if err != nil || len(seeds) == 0 {
		t.Fatal(seeds, err)
	}
	for _, f := range seeds {
		if data, err := os.ReadFile(f); err == nil {
			all[filepath.Base(f)] = data
		}
	}
	return all
}

// No image file, however hostile, is answered as a fault of the service.
func TestHostileImages(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	for name, data := range hostileImages(t) {
		for _, route := range []string{"/identify", "/detect", "/faces"} {
			kind, body := formOf("photo", data)
			r, err := http.NewRequestWithContext(t.Context(), "POST", c.server.URL+at+route, bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", kind)
			a, err := c.server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(a.Body)
			a.Body.Close()
			if a.StatusCode != http.StatusOK && a.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s %s: %d %s", name, route, a.StatusCode, text)
			}
		}
	}
}

// endless is a body of zeros that counts what is read of it.
type endless struct {
	left, read int64
}

func (e *endless) Read(b []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(b)), e.left))
	clear(b[:n])
	e.left, e.read = e.left-int64(n), e.read+int64(n)
	return n, nil
}

// Of a body of 2 GB little more than the limit is read, announced or not, with a key for
// its answer or not.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Body: 1 << 20, Import: 4 << 20})
	at := c.collection()
	const size = 2 << 30
	for _, announced := range []bool{false, true} {
		for _, key := range []string{"", "k"} {
			for _, route := range []string{at + "/identify", at + "/faces", at + "/import", "/v1/collections", at + "/review/decide"} {
				head := "--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"x\"\r\n\r\n"
				zeros := &endless{left: size}
				r, err := http.NewRequestWithContext(t.Context(), "POST", c.server.URL+route, io.MultiReader(strings.NewReader(head), zeros))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
				if strings.HasSuffix(route, "s") && !strings.HasSuffix(route, "/faces") || strings.HasSuffix(route, "decide") {
					r.Header.Set("Content-Type", "application/json")
				}
				if key != "" {
					r.Header.Set(onceHeader, key+route)
				}
				if announced {
					r.ContentLength = size + int64(len(head))
				}
				a, err := c.server.Client().Do(r)
				if err == nil {
					text, _ := io.ReadAll(a.Body)
					a.Body.Close()
					if a.StatusCode != http.StatusRequestEntityTooLarge && a.StatusCode != http.StatusUnprocessableEntity {
						t.Errorf("%s: %d %s", route, a.StatusCode, text)
					}
				}
				const limit = 64 << 20
				if zeros.read > limit {
					t.Errorf("%s: %d bytes were read", route, zeros.read)
				}
			}
		}
	}
}

// A client that sends nothing more loses its connection, and the service answers others.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{part: 5 * time.Second})
	c.server.Config.ReadHeaderTimeout = 3 * time.Second // the requests of others have as long, also on a busy machine
	c.server.Config.ReadTimeout = 4 * time.Second
	at := c.collection()
	for _, text := range []string{"GET /v1/collec", "POST " + at +
		"/identify HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n--x\r\n"} {
		conn, err := net.Dial("tcp", c.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, text)
		if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the connection is still there")
		}
		c.server.Client().CloseIdleConnections() // which the server closes as well, after ReadTimeout
		c.do(200, "GET", at, nil, nil)
	}
}

// While 100 clients hold their requests, whatever they have sent of them, a photograph is
// answered at once, and those who stand still lose their connections.
func TestHeldBodies(t *testing.T) {
	t.Parallel()
	const clients, size, sent = 100, 1 << 20, 100 << 10 // they send more than there is room for
	part := "--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"x\"\r\n\r\n"
	some := strings.Repeat("x", sent)
	length := fmt.Sprintf("Content-Length: %d\r\n\r\n", size)
	for name, o := range map[string]struct {
		route, rest string
		drip        string // sent again and again
	}{
		"headers":         {"/identify", "X-A: b\r\n", ""},
		"drip of headers": {"/identify", "X-A: b\r\n", "c"},
		"announced":       {"/identify", length, ""},
		"part-way":        {"/identify", length + part + some, ""},
		"drip":            {"/identify", length + part + some, "x"},
		"chunked":         {"/identify", "Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n", len(part)+sent, part+some), ""},
		"drip of chunks": {
			"/identify", "Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n", len(part)+sent, part+some),
			"1\r\nx\r\n",
		},
		"import":     {"/import", length + part + some, ""},
		"with a key": {"/faces", onceHeader + ": k%d\r\n" + length + part + some, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const longPart = 10 * time.Minute // what is answered sooner did not wait for it
			c := newClient(t, Options{Bodies: 8 << 20, Body: 2 << 20, part: longPart})
			at := c.collection()
			photo := "photo=" + photos(t, "people/person001")[0]
			c.upload(200, at+"/identify", nil, photo)
			var dripping sync.WaitGroup
			stop := make(chan struct{})
			defer func() { close(stop); dripping.Wait() }()
			for i := range clients {
				conn, err := net.Dial("tcp", c.server.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				rest := strings.Replace(o.rest, "k%d", fmt.Sprint("k", i), 1)
				fmt.Fprintf(conn, "POST %s%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n%s", at, o.route, rest)
				if o.drip == "" {
					continue
				}
				dripping.Go(func() {
					for {
						select {
						case <-stop:
							return
						case <-time.After(50 * time.Millisecond):
							_, _ = io.WriteString(conn, o.drip) // it may have been closed
						}
					}
				})
			}
			time.Sleep(500 * time.Millisecond) // a body that is slower gives its memory away
			c.server.Client().Timeout = longPart / 2
			c.upload(200, at+"/identify", nil, photo)
		})
	}
}

// Two clients who change the same at once: one change after the other, or a conflict, and
// nothing in between.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	const rounds = 10
	for range rounds {
		var a, b Person
		c.do(200, "POST", at+"/people", object{"name": "a", "namesake": true}, &a)
		c.do(200, "POST", at+"/people", object{"name": "b", "namesake": true}, &b)
		var both sync.WaitGroup
		statuses := make([]int, 2)
		for i, merge := range [][2]string{{a.ID, b.ID}, {b.ID, a.ID}} {
			both.Go(func() {
				r, err := http.NewRequestWithContext(t.Context(), "POST", c.server.URL+at+"/people/"+merge[0]+"/merge",
					strings.NewReader(`{"from":["`+merge[1]+`"]}`))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("Content-Type", "application/json")
				if answer, err := c.server.Client().Do(r); err != nil {
					t.Error(err)
				} else {
					answer.Body.Close()
					statuses[i] = answer.StatusCode
				}
			})
		}
		both.Wait()
		if min(statuses[0], statuses[1]) != 200 || max(statuses[0], statuses[1]) != 404 {
			t.Fatalf("%v", statuses)
		}
	}
	var all api.Page[Person]
	if c.do(200, "GET", at+"/people", nil, &all); len(all.Items) != rounds {
		t.Fatalf("%d people", len(all.Items))
	}
}

// While the disk is full, changes are refused with 503, and what is there is answered.
// Afterwards changes are made again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", dir).CombinedOutput(); err != nil {
		lacking.Skip(t, "no small file system can be had: ", string(out))
	}
	defer func() {
		if err := exec.Command("umount", "-l", dir).Run(); err != nil {
			t.Error(err)
		}
	}()
	s, err := store.Open(t.Context(), filepath.Join(dir, "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	c := serving(t, s, Options{})
	at := c.collection()
	var p Person
	c.do(200, "POST", at+"/people", object{"name": "x"}, &p)
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = filler.Write(make([]byte, 1<<12))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	refused := 0
	for range 100 { // there may be room in the write-ahead log
		r, err := http.Post(c.server.URL+at+"/people", "application/json", strings.NewReader(`{"name":"y"}`))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode == http.StatusServiceUnavailable {
			if refused++; !bytes.Contains(text, []byte(`"no_room"`)) {
				t.Errorf("the answer is %s", text)
			}
		} else if r.StatusCode != http.StatusOK {
			t.Fatal(r.StatusCode)
		}
	}
	if refused == 0 {
		t.Fatal("the disk is not full")
	}
	if text := c.send(503, "GET", "/readyz", "", nil, nil); !bytes.Contains(text, []byte("disk")) {
		t.Errorf("readyz says %s", text)
	}
	c.send(200, "GET", "/healthz", "", nil, nil)
	var readers sync.WaitGroup
	for range 20 { // so many that connections to the database are opened
		readers.Go(func() {
			r, err := http.Get(c.server.URL + at + "/people/" + p.ID)
			if err != nil {
				t.Error(err)
				return
			}
			if r.Body.Close(); r.StatusCode != http.StatusOK {
				t.Error("nothing can be read: ", r.Status)
			}
		})
	}
	readers.Wait()
	filler.Close()
	if err := os.Remove(filler.Name()); err != nil {
		t.Fatal(err)
	}
	c.do(200, "POST", at+"/people", object{"name": "z"}, nil)
	time.Sleep(time.Second) // readyz looks once a second
	c.send(200, "GET", "/readyz", "", nil, nil)
	if all, err := filepath.Glob(filepath.Join(dir, "*room*")); err != nil || len(all) > 0 {
		t.Errorf("%v is left, %v", all, err)
	}
	if err := s.CheckAudit(t.Context()); err != nil {
		t.Error(err)
	}
}

// While PostgreSQL is gone, requests are answered with 503, and as before when it is back;
// a job that was interrupted goes on.
func TestDatabaseGone(t *testing.T) {
	t.Parallel()
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG starts PostgreSQL")
	}
	server, err := postgres.New(true)
	if err != nil {
		lacking.Skip(t, err)
	}
	defer server.Close()
	s, err := store.Open(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := serving(t, s, Options{Lease: time.Second})
	at := c.collection()
	c.enrol(at, everybody...)
	photo := "photo=" + photos(t, "people/person001")[0]
	c.upload(200, at+"/identify", nil, photo)
	var j Job
	c.upload(200, at+"/import", &j, photo, "photo="+photos(t, "others")[0])
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	c.do(503, "GET", at, nil, nil)
	c.upload(503, at+"/identify", nil, photo)
	c.do(503, "POST", at+"/people", object{"name": "x"}, nil)
	c.send(503, "GET", "/readyz", "", nil, nil)
	c.send(200, "GET", "/healthz", "", nil, nil)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	c.send(200, "GET", "/readyz", "", nil, nil)
	c.upload(200, at+"/identify", nil, photo)
	c.do(200, "POST", at+"/people", object{"name": "x"}, nil)
	var got ImportResult
	if j = c.follow(at, j.ID, &got); j.State != store.Succeeded || got.Duplicates != 1 || got.Photos != 1 {
		t.Fatalf("%+v %+v", j, got)
	}
}
