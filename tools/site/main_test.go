package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// All links of the pages lead to a page, a heading or a file of the site, nothing is loaded from
// elsewhere, and the index leads to what is there. With NRDL_LONG, the pages of commands too.
func TestSite(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "site")
	long := os.Getenv("NRDL_LONG") != ""
	s := newSite(filepath.Join("..", ".."))
	if err := s.run(out, long); err != nil {
		t.Fatal(err)
	}
	site := os.DirFS(out)
	ids := map[string][]string{}
	text := map[string]string{}
	id := regexp.MustCompile(` id="([^"]*)"`)
	err := fs.WalkDir(site, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".html" || strings.HasPrefix(name, "pages/") {
			return err
		}
		data, err := fs.ReadFile(site, name)
		text[name] = string(data)
		for _, m := range id.FindAllStringSubmatch(text[name], -1) {
			ids[name] = append(ids[name], m[1])
		}
		return err
	})
	if err != nil || len(text) < 100 {
		t.Fatalf("%d pages, %v", len(text), err)
	}
	link := regexp.MustCompile(`(href|src)="([^"]*)"`)
	for name, html := range text {
		for _, m := range link.FindAllStringSubmatch(html, -1) {
			if err := leads(site, ids, name, m[2]); err != "" && !(m[1] == "href" && strings.Contains(m[2], "://")) {
				t.Errorf("%s: %s: %s", name, m[0], err)
			}
		}
	}
	index, err := fs.ReadFile(site, "index.js")
	if err != nil {
		t.Fatal(err)
	}
	var parts []struct{ U string }
	if err := json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimPrefix(string(index), "const parts = "), ";\n")),
		&parts); err != nil || len(parts) < 500 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	for _, p := range parts {
		if err := leads(site, ids, "index.html", p.U); err != "" {
			t.Errorf("index: %s: %s", p.U, err)
		}
	}
	for _, d := range doors {
		if text[d.URL] == "" {
			t.Errorf("there is no %s", d.URL)
		}
	}
	if page := text["method-parameters.html"]; !regexp.MustCompile(`\d,\d{3} samples`).MatchString(page) ||
		regexp.MustCompile(`\d{4,} samples|\(doc/`).MatchString(page) {
		t.Error("limits of methods have numbers without commas, or paths of the source")
	}
	ranks(t, out)
	if long {
		searches(t, out)
	}
}

// ranks types what readers type, by the ranking of the page in Node: the first page must be one of those
// that a person wants.
func ranks(t *testing.T, out string) {
	node, err := exec.LookPath("node")
	if err != nil {
		lacking.Skip(t, "there is no Node: apt-get install nodejs")
	}
	data, err := os.ReadFile(filepath.Join("testdata", "searches.txt"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := strings.Split(strings.TrimSpace(string(data)), "\n")
	var queries []string
	for i, line := range wanted {
		query, pages, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("line %d is %q", i+1, line)
		}
		queries, wanted[i] = append(queries, query), pages
	}
	typed, _ := json.Marshal(queries)
	cmd := exec.CommandContext(t.Context(), node, "--eval", `
		const read = name => require("fs").readFileSync(require("path").join(process.argv[1], name), "utf8");
		const parts = new Function(read("index.js") + "; return parts")();
		const search = new Function(read("search.js") + "; return { indexOf, rank }")();
		const where = search.indexOf(parts);
		console.log(JSON.stringify(JSON.parse(process.argv[2]).map(q => search.rank(parts, where, q).map(e => e.u))))`, out, string(typed))
	answer, err := cmd.Output()
	var found [][]string
	if err := errors.Join(err, json.Unmarshal(answer, &found)); err != nil {
		t.Fatal(err)
	}
	for i, pages := range found {
		if len(pages) == 0 {
			t.Errorf("%s: no page", queries[i])
			continue
		}
		page, _, _ := strings.Cut(pages[0], "#")
		if !slices.Contains(strings.Fields(wanted[i]), strings.TrimSuffix(page, ".html")) {
			t.Errorf("%s: %q come first, not %s", queries[i], pages[:min(3, len(pages))], wanted[i])
		}
	}
}

// searches opens a page of the site in a browser, without a server, and types words.
func searches(t *testing.T, out string) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		lacking.Skip(t, "there is no Chromium: apt-get install chromium")
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer func() {
		_ = chromedp.Cancel(ctx)
		cancel()
	}()
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+filepath.Join(out, "how-to", "door-camera.html"))); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{"RECOGNISED strangers how": "../unknown.html", "zzzz": ""} {
		links, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](fmt.Sprintf(`(async () => {
			q.value = %q;
			q.dispatchEvent(new Event("input"));
			while (found.hidden) await new Promise(done => setTimeout(done, 20));
			return [...found.querySelectorAll("a")].map(a => a.getAttribute("href"));
		})()`, words), chromedp.EvalAwaitPromise))
		if err != nil || len(links) > 20 || (want == "") != (len(links) == 0) || want != "" && !strings.HasPrefix(links[0], want) {
			t.Errorf("%s: %q, %v; the first should be %q", words, links, err, want)
		}
	}
}

// leads returns what is wrong with a link of the page at name, "" if nothing.
func leads(site fs.FS, ids map[string][]string, name, to string) string {
	if strings.Contains(to, "://") {
		return "it leads elsewhere"
	}
	file, fragment, _ := strings.Cut(to, "#")
	if file != "" {
		name = path.Join(path.Dir(name), file)
	}
	if _, err := fs.Stat(site, name); err != nil {
		return err.Error()
	}
	if fragment != "" && path.Ext(name) == ".html" && !slices.Contains(ids[name], fragment) {
		return "no such heading"
	}
	return ""
}

// Pages find their way by themselves, and a link to a heading that is not there is an error.
func TestPages(t *testing.T) {
	const tasks = "# Do it\n\nIt is **easy**. See [more](../x.md#a-b-and-c%C3%A9).\n"
	for name, c := range map[string]struct{ heading, want string }{
		"it leads":  {"A b, and cé!", ""},
		"it is not": {"A", "no heading"},
	} {
		s := newSite(t.TempDir())
		s.root = fstest.MapFS{
			"README.md":        {Data: []byte("# x\n\nTwo `sentences`.\n")},
			"doc/how-to/do.md": {Data: []byte(tasks)}, "doc/x.md": {Data: []byte("# X\n\n## " + c.heading + "\n\n```sh\na | b\n```\n")},
		}
		err := s.documents()
		if err == nil {
			err = s.convert()
		}
		if got := s.of("How-to"); len(got) != 1 || got[0].Title != "Do it" || got[0].Lead != "It is easy." {
			t.Errorf("%s: %+v", name, got)
		}
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if at := s.paths["doc/how-to/do.md"]; err == nil && !strings.Contains(string(at.Body), `href="../x.html#a-b-and-c`) {
			t.Errorf("%s: %s", name, at.Body)
		}
	}
}
