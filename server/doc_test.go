package server

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// The examples of doc/service.md run as they stand, and there is one for each operation.
func TestDocumentedExamples(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			lacking.Skip(t, err)
		}
	}
	text, err := os.ReadFile("../doc/service.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, set := t.TempDir(), filepath.Dir(filepath.Dir(photos(t, "others")[0]))
	for _, folder := range []string{"people", "others"} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(set, folder))); err != nil {
			t.Fatal(err)
		}
	}
	c := newClient(t, Options{Backups: filepath.Join(t.TempDir(), "backups"), Photos: dir})
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(text, -1) {
		script.Write(block[1])
	}
	bash := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(script.String(), "http://127.0.0.1:8080", c.server.URL))
	bash.Dir = dir
	if out, err := bash.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	keys, err := c.v.store.Keys(t.Context())
	if err != nil || len(keys) != 1 {
		t.Fatalf("%v, %v", keys, err)
	}
	_, c.key, err = c.v.store.CreateKey(t.Context(), "tester", "metrics", []string{"metrics"}, nil, keys[0].Expires)
	if err != nil {
		t.Fatal(err)
	}
	done := c.send(200, "GET", "/metrics", "", nil, nil)
	for path, item := range c.v.Description.OpenAPI().Paths {
		for method, there := range map[string]bool{
			"GET": item.Get != nil, "POST": item.Post != nil,
			"PATCH": item.Patch != nil, "PUT": item.Put != nil, "DELETE": item.Delete != nil,
		} {
			status := `20`
			if strings.HasSuffix(path, "/discard") {
				status = `409` // nothing is worse there
			}
			if there && !bytes.Contains(done, []byte(`nrdl_requests_total{route="`+method+" "+path+`",status="`+status)) {
				t.Errorf("doc/service.md has no example of %s %s", method, path)
			}
		}
	}
}
