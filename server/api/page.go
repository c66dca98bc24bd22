package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"nrdl.example/nrdl/server/people"
)

//go:embed page
var pageFiles embed.FS

// policy lets the page load and send nothing but from and to this service, and run no script
// or style but the files of the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// A pageFile is a file of the page as it is sent.
type pageFile struct {
	kind         string
	text, packed []byte // packed by gzip
}

func newPageFile(kind string, text []byte) pageFile {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(text)
	_ = w.Close() // a buffer takes everything
	return pageFile{kind, text, packed.Bytes()}
}

// page answers / with the page. Its other files are below the hash of all of them, so that
// a browser may keep them for ever.
func (v *Service) page() {
	files, hash := map[string]pageFile{}, sha256.New()
	err := fs.WalkDir(pageFiles, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := pageFiles.ReadFile(name)
		if err != nil {
			return err
		}
		kind := mime.TypeByExtension(path.Ext(name))
		if path.Ext(name) == ".js" {
			kind = "text/javascript; charset=utf-8" // some systems say otherwise
		}
		files[strings.TrimPrefix(name, "page/")] = newPageFile(kind, text)
		hash.Write([]byte(name + "\x00" + string(text) + "\x00"))
		return nil
	})
	if err != nil {
		panic(err) // the files are embedded
	}
	digest := hex.EncodeToString(hash.Sum(nil))[:16]
	text := string(files["index.html"].text)
	for _, name := range slices.Sorted(maps.Keys(files)) { // the browser asks for all at once, not for those that one imports
		if path.Ext(name) == ".js" {
			text = strings.Replace(text, "</head>", `<link rel="modulepreload" href="page/`+name+"\">\n</head>", 1)
		}
	}
	index := newPageFile("text/html; charset=utf-8", []byte(strings.ReplaceAll(text, "page/", "page/"+digest+"/")))
	delete(files, "index.html")

	v.Routes.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+digest+`"`)
		if r.Header.Get("If-None-Match") == `"`+digest+`"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		index.send(w, r, "no-cache")
	})
	v.Routes.HandleFunc("GET /page/{digest}/{file}", func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[r.PathValue("file")]
		if !ok || r.PathValue("digest") != digest {
			writeProblem(w, people.Failed(http.StatusNotFound, "there is no such file: load the page again"))
			return
		}
		f.send(w, r, "public, max-age=31536000, immutable")
	})
}

// send sends a file, packed if the browser takes that.
func (f pageFile) send(w http.ResponseWriter, r *http.Request, cache string) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", cache)
	h.Set("Content-Security-Policy", policy)
	if isNear(r) && r.Header.Get(ingressHeader) != "" { // in a frame of the same site
		h.Set("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	}
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		f.text = f.packed
	}
	_, _ = w.Write(f.text)
}
