package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"nrdl.example/nrdl/internal/kit/page"
)

var (
	//go:embed page.html.tmpl
	pageTemplate string
	//go:embed site.css
	siteStyle string
	//go:embed search.js
	searchScript []byte
)

// A site is the pages of a checkout.
type site struct {
	root  fs.FS
	dir   string // of root
	pages []*Document
	paths map[string]*Document // by the path of the document
	files map[string]bool      // pictures and data that pages show or link to
}

// A Document is one of the documents, and what is made of it.
type Document struct {
	Source string // path in the checkout; of what is generated, the path where it would be
	URL    string // path in the site
	Title  string
	Lead   string // first sentence
	Door   string
	text   string
	Body   template.HTML
	Parts  []part
}

// A part is what follows a heading.
type part struct {
	ID, Title string
	Level     int
	text      string
}

func newSite(dir string) *site {
	return &site{root: os.DirFS(dir), dir: dir, paths: map[string]*Document{}, files: map[string]bool{}}
}

// doors are the parts of the site, in their order.
var doors = []struct{ Name, URL, Text string }{
	{"Tutorial", "tutorial.html", "15 minutes, one path: draw photographs, train, name faces, look at the result."},
	{
		"How-to", "how-to.html",
		"Family photographs, names of other photo programs, a door camera, a service for a team, your own data: one page a task.",
	},
	{"Reference", "reference.html", "Commands, files, methods with equations and parameters, interfaces, packages."},
	{"Explanation", "explanation.html", "How unknown faces are recognised, what limits accuracy, many machines, speed."},
	{"Research", "research-pages.html", "Methods compared, the paper equation by equation, results, agreement with published programs."},
}

// order has the pages of the doors, the first to be read first. Pages of doc that are in no list
// are reference, after the others.
var order = map[string][]string{
	"How-to": {
		"how-to/family-photographs", "how-to/face-tags", "how-to/google-photos", "how-to/apple-photos", "how-to/lightroom",
		"how-to/digikam", "how-to/immich", "how-to/photoprism", "how-to/door-camera", "how-to/home-assistant", "how-to/frigate",
		"how-to/team-service", "how-to/login",
		"how-to/own-data", "how-to/compare-method", "how-to/new-method", "how-to/better-network", "how-to/many-machines", "trouble",
	},
	"Explanation": {"unknown", "photographs", "embeddings", "openset", "scale", "performance"},
	"Research": {
		"research", "results", "results/paper", "results/tuned", "results/open", "notebooks/paper", "equations", "frontends",
		"agreement", "notebooks/compare", "databases", "results/noise", "results/convergence", "results/ablation",
		"results/atoms", "results/sensitivity", "results/authors", "results/cost", "results/presets", "results/to-repeat-it",
	},
	"Reference": {
		"commands", "commands/nrdl", "scripting", "json", "formats", "service", "interface", "operating", "programs", "python", "python/README",
		"languages", "learning", "engine", "packages", "methods", "method-parameters", "plan-fields",
		"external", "face-tags", "network", "glossary",
	},
}

// openings are first sentences of pages that begin with something else.
var openings = map[string]string{
	"equations":            "The paper, equation by equation: what is printed, derived, implemented and tested.",
	"glossary":             "The terms of these pages.",
	"trouble":              "What you see, and what to do.",
	"operating":            "Running the service for others: health, metrics, limits, backups, upgrades.",
	"privacy":              "What is stored, where and how long, for whoever answers for data protection.",
	"programs":             "The Go library in examples.",
	"results/to-repeat-it": "The commands that make all records.",
}

// names are words by which readers look for a page, beside those in its titles.
var names = map[string]string{
	"README":       "nrdl license licence cite commercial commercially free price",
	"installation": "install uninstall update upgrade download windows macos linux raspberry mac apple arm",
	"unknown": "siblings brothers sisters twins relatives baby children confidence certainty sure likely " +
		"doubtful threshold false match error rate",
	"trouble":            "video no face found not find wrong name mistake problem help memory raw error message troubleshooting faq crash",
	"tutorial":           "start begin beginner undo rename",
	"photographs":        "heic pose profile glasses mask beard blur quality size exif rotation accuracy blurry sharp duplicates",
	"face-tags":          "xmp exif iptc metadata sidecar write names into",
	"how-to/face-tags":   "xmp metadata sidecar write into",
	"how-to/door-camera": "webcam doorbell rtsp ip camera",
	"privacy":            "gdpr consent delete person erase law legal allowed telemetry offline cloud sent",
	"operating": "docker kubernetes container podman systemd backup restore password https tls certificate " +
		"nginx proxy port login reverse logging logs prometheus metrics upgrade",
	"scripting":       "exit code status json cron",
	"research":        "latex convergence plot figure seed reproduce experiment paper cite best choose",
	"formats":         "csv npz mat matlab numpy file",
	"how-to/own-data": "csv spreadsheet table numpy excel",
	"performance":     "gpu speed fast slow benchmark cuda",
	"commands":        "rename merge move split correct",
	"references":      "bibtex",
	"scale":           "many millions capacity hold",
	"service":         "api rest",
}

// short is the name of a page in order.
func short(source string) string {
	return strings.TrimSuffix(strings.TrimPrefix(source, "doc/"), ".md")
}

// door is the part to which a page belongs, "" for one that another page leads to.
func door(source string) string {
	name := short(source)
	switch {
	case name == "tutorial":
		return "Tutorial"
	case strings.HasPrefix(name, "how-to/") || name == "trouble":
		return "How-to"
	case slices.Contains(order["Explanation"], name):
		return "Explanation"
	case slices.Contains(order["Research"], name) || strings.HasPrefix(name, "results/"):
		return "Research"
	case path.Dir(source) == "doc" && name != "README" || slices.Contains(order["Reference"], name):
		return "Reference"
	}
	return ""
}

// address is the path in the site of a document.
func address(source string) string {
	switch source {
	case "README.md":
		return "readme.html"
	case "doc/README.md":
		return "pages.html"
	}
	name := strings.TrimPrefix(source, "doc/")
	if path.Base(name) == "README.md" {
		return path.Join(path.Dir(name), "index.html")
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

var (
	title = regexp.MustCompile(`(?m)^# (.+)$`)
	marks = regexp.MustCompile("[*`]|\\]\\([^)]*\\)|!?\\[|\\]")
)

// add adds a page.
func (s *site) add(source, text string) {
	p := &Document{
		Source: source, URL: address(source), Door: door(source), Lead: openings[short(source)],
		text: text, Title: path.Base(source),
	}
	if m := title.FindStringSubmatch(text); m != nil {
		p.Title = marks.ReplaceAllString(m[1], "")
	}
	s.pages, s.paths[source] = append(s.pages, p), p
}

// of returns the pages of a door.
func (s *site) of(door string) (all []*Document) {
	for _, p := range s.pages {
		if p.Door == door {
			all = append(all, p)
		}
	}
	rank := func(p *Document) int {
		if at := slices.Index(order[door], short(p.Source)); at >= 0 {
			return at
		}
		return len(order[door])
	}
	slices.SortStableFunc(all, func(a, b *Document) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a.Title, b.Title)
	})
	return all
}

// A view is what the template shows.
type view struct {
	*Document
	Root  string // from the page to the root of the site
	Doors any
	List  []*Document
	Kind  string // page, door or home
	Lead  string
}

var pages = page.New(pageTemplate, siteStyle, template.FuncMap{
	"in": func(p *Document, d string) bool {
		within := strings.HasPrefix(p.URL, "commands/") || strings.HasPrefix(p.URL, "packages/")
		return p.Door == d || p.Title == d && p.Source == "" || within && d == "Reference"
	},
	"raw": func(s string) template.URL { return template.URL(s) },
})

// write writes the site into the folder out.
func (s *site) write(out string) error {
	for _, p := range s.pages {
		if err := s.writePage(out, view{Document: p, Kind: "page"}); err != nil {
			return err
		}
	}
	for _, d := range doors[1:] {
		p := &Document{URL: d.URL, Title: d.Name}
		if err := s.writePage(out, view{Document: p, Kind: "door", Lead: d.Text, List: s.of(d.Name)}); err != nil {
			return err
		}
	}
	home := &Document{URL: "index.html", Title: "nrdl"}
	if readme := s.paths["README.md"]; readme != nil {
		home.Lead = marks.ReplaceAllString(strings.Split(readme.text, "\n\n")[1], "")
	}
	s.files["doc/picture.jpg"] = true
	if err := s.writePage(out, view{Document: home, Kind: "home"}); err != nil {
		return err
	}
	for name := range s.files {
		data, err := fs.ReadFile(s.root, name)
		if err != nil {
			return err
		}
		if err := put(out, fileAddress(name), data); err != nil {
			return err
		}
	}
	return s.writeIndex(out)
}

// Browser is the title of the window.
func (v view) Browser() string {
	if v.Kind == "home" {
		return "nrdl: names for faces"
	}
	return v.Title + " · nrdl"
}

func (s *site) writePage(out string, v view) error {
	v.Root, v.Doors = strings.Repeat("../", strings.Count(v.URL, "/")), doors
	var b bytes.Buffer
	if err := page.Write(&b, pages, "page", v); err != nil {
		return fmt.Errorf("%s: %w", v.URL, err)
	}
	return put(out, v.URL, b.Bytes())
}

// weight puts what most readers want first: tasks, then facts, then research; names of Go, decisions
// and what changed are last.
func (p *Document) weight() float64 {
	switch within := strings.Split(p.URL, "/")[0]; {
	case within == "adr" || within == "CHANGELOG.html" || within == "results" || within == "interface.html":
		return 0.08
	case strings.HasPrefix(p.URL, "commands/nrdl_completion"), within == "packages" || within == "python" ||
		within == "json.html" || within == "ARCHITECTURE.html" || within == "CONTRIBUTING.html":
		return 0.1
	case p.Door == "Tutorial" || p.Door == "How-to" || p.Door == "Explanation":
		return 1
	case p.Door == "Research":
		return 0.6
	}
	return 0.8
}

// writeIndex writes the index: an entry for each part of a page.
func (s *site) writeIndex(out string) error {
	type entry struct {
		Page  string `json:"p"`
		Title string `json:"t"`
		URL   string `json:"u"`
		Text  string `json:"x"`
		Names string `json:"a,omitempty"` // what readers call the page, in its first part
		// Weight is how often a reader wants such a page.
		Weight float64 `json:"k"`
	}
	var all []entry
	for _, p := range s.pages {
		for i, part := range p.Parts {
			e := entry{Page: p.Title, Title: part.Title, URL: p.URL, Text: part.text, Weight: p.weight()}
			if i == 0 {
				e.Names = names[short(p.Source)]
			}
			if part.ID != "" {
				e.URL += "#" + part.ID
			}
			all = append(all, e)
		}
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := put(out, "index.js", fmt.Appendf(nil, "const parts = %s;\n", data)); err != nil {
		return err
	}
	return put(out, "search.js", searchScript)
}

// put writes a file of the site.
func put(out, name string, data []byte) error {
	to := filepath.Join(out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
