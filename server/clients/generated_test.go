package clients_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
	"nrdl.example/nrdl/server"
)

// oapiCodegen is the generator of Go clients that the test runs.
const oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"

// described writes the description of the service at a path of it to a file.
func described(t *testing.T, at, file string) {
	t.Helper()
	w := httptest.NewRecorder()
	server.New(nil, server.Options{Version: "1"}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, at, nil))
	if err := os.WriteFile(file, w.Body.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ran runs a program in a folder, and returns what it prints.
func ran(t *testing.T, dir string, environment []string, command ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), environment...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return string(out)
}

// generating returns a copy of testdata/generated, or skips the test: generators are fetched from the network.
func generating(t *testing.T, program string) (dir string) {
	t.Helper()
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG fetches generators of clients")
	}
	if _, err := exec.LookPath(program); err != nil {
		lacking.Skip(t, "there is no "+program)
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/generated")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Clients that hey-api and orval generate from the description compile, and make a round trip. The client
// of openapi-typescript is in client/typescript.
func TestGeneratedTypeScript(t *testing.T) {
	t.Parallel()
	dir := generating(t, "npm")
	address, key, photos := serve(t)
	described(t, "/openapi.json", filepath.Join(dir, "openapi.json"))
	environment := []string{"NRDL_URL=" + address, "NRDL_KEY=" + key, "NRDL_PHOTOS=" + photos}
	ran(t, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	ran(t, dir, environment, "npm", "run", "--silent", "generate")
	ran(t, dir, environment, "npm", "run", "--silent", "test")
}

// The client that oapi-codegen generates from the description of OpenAPI 3.0 compiles, and makes a round trip.
func TestGeneratedGo(t *testing.T) {
	t.Parallel()
	dir := generating(t, "go")
	address, key, photos := serve(t)
	described(t, "/openapi-3.0.json", filepath.Join(dir, "openapi.json"))
	outside := []string{"GOWORK=off", "GOFLAGS=-mod=mod"}
	ran(t, dir, outside, "go", "mod", "init", "example.com/round")
	ran(t, dir, outside, "go", "run", oapiCodegen, "-generate", "types,client", "-package", "main", "-o", "client.go", "openapi.json")
	if err := os.Rename(filepath.Join(dir, "round.go.txt"), filepath.Join(dir, "main.go")); err != nil {
		t.Fatal(err)
	}
	ran(t, dir, outside, "go", "mod", "tidy")
	got := ran(t, dir, outside, "go", "run", ".", address, key, photos)
	if want := "1 Ann 200\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
