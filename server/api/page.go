package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"nrdl.example/nrdl/server/people"
)

// The modules of the page are sent as one file: on a slow line a browser waits for each file, and has six
// connections.
//
//go:generate go tool esbuild page/app.js --bundle --minify --format=esm --target=es2022 --charset=utf8 --log-level=warning --outfile=page.js

//go:embed page/*.html page/*.css page/*.json page/*.svg
var pageFiles embed.FS

//go:embed page.js
var script []byte

// policy lets the page load and send nothing but from and to this service, and run no script
// or style but the files of the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// A pageFile is a file as it is sent.
type pageFile struct {
	kind       string
	text, gzip []byte // packed by gzip
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
		files[strings.TrimPrefix(name, "page/")] = newPageFile(mime.TypeByExtension(path.Ext(name)), text)
		hash.Write([]byte(name + "\x00" + string(text) + "\x00"))
		return nil
	})
	if err != nil {
		panic(err) // the files are embedded
	}
	files["page.js"] = newPageFile("text/javascript; charset=utf-8", script) // some systems have another type for .js
	hash.Write(script)
	digest := hex.EncodeToString(hash.Sum(nil))[:16]
	text := strings.ReplaceAll(string(files["index.html"].text), "page/", "page/"+digest+"/")
	index := newPageFile("text/html; charset=utf-8", []byte(text))
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
	h.Set("Cache-Control", cache)
	h.Set("Content-Security-Policy", policy)
	if isNear(r) && r.Header.Get(ingressHeader) != "" { // in a frame of the same site
		h.Set("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	}
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	f.write(w, r)
}

// write sends a file without the headers of a page.
func (f pageFile) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Vary", "Accept-Encoding")
	if takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		f.text = f.gzip
	}
	_, _ = w.Write(f.text)
}

// takesGzip reports whether a client takes what is packed by gzip: it names gzip or *, and not with q=0.
func takesGzip(r *http.Request) bool {
	takes := map[string]bool{}
	for o := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, options, _ := strings.Cut(o, ";")
		_, q, hasQ := strings.Cut(strings.ReplaceAll(strings.ToLower(options), " ", ""), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		takes[strings.ToLower(strings.TrimSpace(name))] = !hasQ || err == nil && weight > 0
	}
	if yes, ok := takes["gzip"]; ok {
		return yes
	}
	return takes["*"]
}
