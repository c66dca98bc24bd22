package clients_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	client "nrdl.example/nrdl/client/go"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/testing/lacking"
	"nrdl.example/nrdl/server"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/store"
)

// serve starts a service with an admin key, and draws photographs in a folder.
func serve(t *testing.T) (address, key, photos string) {
	t.Helper()
	dir := t.TempDir()
	p := synthetic.Photographs{People: 3, PerPerson: 2, Size: dataset.Size{Height: 240, Width: 320}, Seed: 4}
	if err := p.Write(t.Context(), filepath.Join(dir, "photos"), nil); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), filepath.Join(dir, "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	if key, err = api.CreateKey(t.Context(), db, store.Key{Name: "tester", Scopes: []string{"admin"}}, nil); err != nil {
		t.Fatal(err)
	}
	cascade, err := face.OpenSearch("cascade")
	if err != nil {
		t.Fatal(err)
	}
	v := server.New(db, server.Options{Search: cascade, Backups: filepath.Join(dir, "backups"), Photos: filepath.Join(dir, "photos")})
	srv := httptest.NewServer(v)
	ctx, stop := context.WithCancel(context.Background())
	var working sync.WaitGroup
	working.Go(func() { v.Work(ctx) })
	t.Cleanup(func() { srv.Close(); stop(); working.Wait(); db.Close() })
	return srv.URL, key, filepath.Join(dir, "photos")
}

// A caller checks that answers are no errors.
type caller struct {
	*testing.T
	photos string
}

func (c caller) photo(name string) client.File {
	c.Helper()
	data, err := os.ReadFile(filepath.Join(c.photos, filepath.FromSlash(name)))
	if err != nil {
		c.Fatal(err)
	}
	return client.File{Name: filepath.Base(name), Content: bytes.NewReader(data)}
}

func (c caller) ok(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// read reads an answer that is no JSON, and reports an empty one.
func (c caller) read(body io.ReadCloser, err error) {
	c.Helper()
	c.ok(err)
	defer body.Close()
	if data, err := io.ReadAll(body); err != nil || len(data) == 0 {
		c.Errorf("%d bytes, %v", len(data), err)
	}
}

// got returns an answer that is no error.
func got[T any](answer *T, err error) func(caller) *T {
	return func(c caller) *T {
		c.Helper()
		c.ok(err)
		return answer
	}
}

// The description in the repository is that of the service.
func TestDescription(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	server.New(nil, server.Options{Version: "1"}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	stored, err := os.ReadFile("../../client/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var is, want any
	if err := errors.Join(json.Unmarshal(w.Body.Bytes(), &is), json.Unmarshal(stored, &want)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, is); diff != "" {
		t.Errorf("openapi.json is old: go generate ./client/go\n%s", diff)
	}
}

// The examples of doc/service.md, in their order: every operation answers as its method says.
func TestOperations(t *testing.T) {
	t.Parallel()
	address, key, photos := serve(t)
	ctx, c, n := t.Context(), caller{t, photos}, client.New(address, key)

	visitors := got(n.CreateCollection(client.Once(ctx, "visitors"), client.CollectionFields{Name: "visitors", FPIR: new(0.01)}))(c).ID
	again := got(n.CreateCollection(client.Once(ctx, "visitors"), client.CollectionFields{Name: "visitors", FPIR: new(0.01)}))(c).ID
	if again != visitors {
		t.Errorf("sent again, the collection is %s, not %s", again, visitors)
	}
	if all := got(n.ListCollections(ctx, client.ListCollectionsQuery{Limit: new(5)}))(c); len(all.Items) != 1 {
		t.Errorf("%d collections", len(all.Items))
	}
	got(n.GetCollection(ctx, visitors))(c)
	got(n.ChangeCollection(ctx, visitors, client.ChangeCollectionRequest{FPIR: new(0.02)}))(c)

	enrolAndName(ctx, c, n, visitors)
	reviewAndWork(ctx, c, n, visitors)
	operate(ctx, c, n, visitors)

	metrics, err := n.GetMetrics(ctx)
	c.ok(err)
	defer metrics.Close()
	asked, err := io.ReadAll(metrics)
	c.ok(err)
	text, err := os.ReadFile("../../client/openapi.json")
	c.ok(err)
	var api struct{ Paths map[string]map[string]any }
	c.ok(json.Unmarshal(text, &api))
	for path, item := range api.Paths {
		for method := range item {
			pattern := strings.ToUpper(method) + " " + path
			if !bytes.Contains(asked, []byte(`{route="`+pattern+`",`)) {
				t.Errorf("%s was not tried", pattern)
			}
		}
	}
}

func enrolAndName(ctx context.Context, c caller, n *client.Client, visitors string) {
	ann := got(n.CreatePerson(ctx, visitors, client.PersonFields{Name: "Ann"}))(c).ID
	bo := got(n.CreatePerson(ctx, visitors, client.PersonFields{Name: "Bo"}))(c).ID
	_, err := n.CreatePerson(ctx, visitors, client.PersonFields{Name: "Ann"})
	var p *client.Problem
	if !errors.As(err, &p) || p.Code != "name_taken" || p.ID != ann {
		c.Errorf("a second Ann: %v", err)
	}
	added := got(n.AddPersonFaces(ctx, visitors, ann, client.AddPersonFacesForm{Photo: []client.File{
		c.photo("people/person001/1.jpg"),
		c.photo("people/person001/2.jpg"),
	}}, client.AddPersonFacesQuery{}))(c)
	got(n.AddPersonFaces(ctx, visitors, bo, client.AddPersonFacesForm{Photo: []client.File{c.photo("people/person002/1.jpg")}},
		client.AddPersonFacesQuery{New: "true"}))(c)
	f := added.Faces[0].ID
	_, err = n.AddPersonVectors(ctx, visitors, ann, client.Vector{Vector: []float64{1}, Space: "another"})
	if !errors.As(err, &p) || *p.Status != http.StatusUnprocessableEntity {
		c.Errorf("a vector of another network: %v", err)
	}
	got(n.GetPerson(ctx, visitors, ann))(c)
	got(n.ListPeople(ctx, visitors, client.ListPeopleQuery{Search: "an", Order: "faces"}))(c)
	got(n.ChangePerson(ctx, visitors, ann, client.PersonChange{Name: "Ann Smith"}))(c)
	c.read(n.GetPersonExport(ctx, visitors, ann))
	got(n.ListFaces(ctx, visitors, client.ListFacesQuery{Person: ann}))(c)
	got(n.GetFace(ctx, visitors, f))(c)
	c.read(n.GetFaceCrop(ctx, visitors, f))

	own := got(n.ListPersonPhotographs(ctx, visitors, ann, client.ListPersonPhotographsQuery{}))(c)
	c.read(n.GetPhotographOriginal(ctx, visitors, own.Items[0].ID))
	c.read(n.GetPhotographThumbnail(ctx, visitors, own.Items[0].ID))

	shown := got(n.Identify(ctx, visitors, client.IdentifyForm{Photo: c.photo("people/person001/1.jpg")}, client.IdentifyQuery{}))(c)
	if len(shown.Faces) != 1 || shown.Faces[0].Name == nil || *shown.Faces[0].Name != "Ann Smith" {
		c.Errorf("Ann is %+v", shown.Faces)
	}
	b := c.photo("people/person001/2.jpg")
	same := got(n.Verify(ctx, visitors, client.VerifyForm{A: c.photo("people/person001/1.jpg"), B: &b}))(c)
	if !same.Same {
		c.Errorf("two photographs of Ann: %+v", same)
	}
	got(n.Verify(ctx, visitors, client.VerifyForm{A: c.photo("people/person001/1.jpg"), Person: bo}))(c)
	got(n.Detect(ctx, visitors, client.DetectForm{Photo: c.photo("others/group1.jpg")}, client.DetectQuery{}))(c)
	many := got(n.Compare(ctx, visitors, client.CompareForm{
		A:     c.photo("people/person001/1.jpg"),
		Photo: []client.File{c.photo("people/person001/2.jpg"), c.photo("people/person002/1.jpg")},
	}))(c)
	if len(many.Photos) != 2 {
		c.Errorf("%+v", many)
	}
	got(n.GetCalibration(ctx, visitors))(c)
	got(n.GetCalibrationCurve(ctx, visitors))(c)
	got(n.GetFaceWhy(ctx, visitors, f))(c)
	got(n.GetPersonStatistics(ctx, visitors, ann))(c)
	got(n.GetStatistics(ctx, visitors, client.GetStatisticsQuery{People: []string{ann, bo}}))(c)
	got(n.AddStrangers(ctx, visitors, client.AddStrangersForm{Photo: []client.File{c.photo("others/stranger2.jpg")}},
		client.AddStrangersQuery{}))(c)
	got(n.DeleteStrangers(ctx, visitors))(c)

	got(n.MoveFaces(ctx, visitors, client.FaceList{Faces: []string{f}, Person: bo}))(c)
	got(n.DenyFaces(ctx, visitors, client.FaceList{Faces: []string{f}, Person: bo}))(c)
	merged := got(n.MergePerson(ctx, visitors, ann, client.MergePersonRequest{From: []string{bo}}))(c)
	got(n.ListOperations(ctx, visitors, client.ListOperationsQuery{}))(c)
	c.ok(n.Undo(ctx, visitors, merged.Operation))
	c.ok(n.DeleteFace(ctx, visitors, f, client.DeleteFaceQuery{}))
	got(n.DeletePerson(ctx, visitors, bo, client.DeletePersonQuery{Faces: new(1)}))(c)
}

func reviewAndWork(ctx context.Context, c caller, n *client.Client, visitors string) {
	added := got(n.AddFaces(ctx, visitors, client.AddFacesForm{Photo: []client.File{c.photo("others/stranger1.jpg")}},
		client.AddFacesQuery{}))(c)
	found := got(n.Search(ctx, visitors, client.SearchForm{Photo: c.photo("others/stranger1.jpg")},
		client.SearchQuery{Limit: new(3), Vectors: "true"}))(c)
	if len(found.Faces) != 1 || !found.Faces[0].Seen || found.Faces[0].Nearest[0].ID != added.Faces[0].ID || len(found.Faces[0].Vector) == 0 {
		c.Errorf("%+v", found)
	}
	got(n.GetReview(ctx, visitors, client.GetReviewQuery{State: "doubtful"}))(c)
	got(n.GetReviewCount(ctx, visitors))(c)
	if all := got(n.ListVisitors(ctx, visitors, client.ListVisitorsQuery{}))(c); len(all.Items) != 0 {
		c.Errorf("%+v", all)
	}
	got(n.DeleteVisitors(ctx, visitors))(c)
	got(n.GetReviewSure(ctx, visitors, client.GetReviewSureQuery{Probability: new(0.99)}))(c)
	got(n.SureReview(ctx, visitors, client.SureReviewRequest{Probability: new(0.99)}))(c)
	decided := got(n.DecideReview(ctx, visitors,
		client.DecideReviewRequest{Decisions: []client.Decision{{Faces: []string{added.Faces[0].ID}, Verb: "is", Name: "Cy"}}}))(c)
	if len(decided.Items) != 1 {
		c.Errorf("%d decisions", len(decided.Items))
	}
	done := func(j *client.Job) string {
		c.Helper()
		c.read(n.GetJobEvents(ctx, visitors, j.ID)) // until it ends
		if now := got(n.GetJob(ctx, visitors, j.ID))(c); now.State != "done" {
			c.Errorf("%s: %s %s", now.Kind, now.State, now.Error)
		}
		return j.ID
	}
	events, err := n.GetEvents(ctx)
	if err != nil {
		c.Fatal(err)
	}
	if line, err := bufio.NewReader(events).ReadString('\n'); err != nil || line != "retry: 1000\n" {
		c.Errorf("events begin with %q, %v", line, err)
	}
	events.Close()
	done(got(n.Import(ctx, visitors, client.ImportForm{Photo: []client.File{c.photo("people/person003/1.jpg")}}, client.ImportQuery{}))(c))
	got(n.ListJobs(ctx, visitors, client.ListJobsQuery{Kind: "import", State: "done"}))(c)
	exported := done(got(n.CreateJob(ctx, visitors, client.JobRequest{Kind: "export"}))(c))
	c.read(n.GetJobFile(ctx, visitors, exported))
	refit := done(got(n.CreateJob(ctx, visitors, client.JobRequest{Kind: "refit"}))(c))
	got(n.AcceptJob(ctx, visitors, refit))(c)
	if p := got(n.GetRefit(ctx, visitors))(c); p.ToEmbed != 0 || p.Outdated {
		c.Errorf("a second refit has work: %+v", p)
	}
	for _, refused := range []func(context.Context, string, string) (*client.Job, error){n.DiscardJob, n.RetryJob} {
		var p *client.Problem
		if _, err := refused(ctx, visitors, refit); err != nil && !errors.As(err, &p) {
			c.Error(err)
		}
	}
	got(n.DeleteJob(ctx, visitors, refit))(c)
	c.read(n.GetExport(ctx, visitors))

	hook := got(n.CreateHook(ctx, visitors, client.HookRequest{URL: "http://192.0.2.1/", Events: []string{"photo.known"}}))(c).ID
	got(n.ListHooks(ctx, visitors))(c)
	short, stop := context.WithTimeout(ctx, time.Second) // nobody is there
	defer stop()
	_, _ = n.TestHook(short, visitors, hook)
	got(n.ListHookDeliveries(ctx, visitors, hook, client.ListHookDeliveriesQuery{}))(c)
	c.ok(n.DeleteHook(ctx, visitors, hook))
}

func operate(ctx context.Context, c caller, n *client.Client, visitors string) {
	door := got(n.CreateKey(ctx, client.NewKey{Name: "door", Scopes: []string{"identify"}, Collections: []string{visitors}}))(c)
	got(n.ListKeys(ctx))(c)
	c.ok(n.DeleteKey(ctx, door.ID))
	got(n.GetAudit(ctx, client.GetAuditQuery{Check: true, Limit: new(5)}))(c)
	c.ok(n.CreateSession(ctx))
	if me := got(n.GetSession(ctx))(c); me.Name != "tester" {
		c.Errorf("%+v", me)
	}
	c.ok(n.DeleteSession(ctx))
	got(n.CreateBackup(ctx))(c)
	c.read(n.GetMetrics(ctx))
	c.read(n.GetHealthz(ctx))
	c.read(n.GetReadyz(ctx))
	c.ok(n.DeleteCollection(ctx, visitors))
}

// An answer of a proxy, and one that asks to wait, are errors too.
func TestProblems(t *testing.T) {
	t.Parallel()
	answer := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(http.StatusBadGateway)
	}
	server := httptest.NewServer(http.HandlerFunc(answer))
	defer server.Close()
	_, err := client.New(server.URL, "").ListKeys(t.Context())
	var p *client.Problem
	if !errors.As(err, &p) || *p.Status != http.StatusBadGateway {
		t.Errorf("%v", err)
	}
	if wait, ok := client.RetryAfter(err); !ok || wait != 3*time.Second {
		t.Errorf("wait %s, %v", wait, ok)
	}
	if _, ok := client.RetryAfter(io.EOF); ok {
		t.Error("the end of a file says how long to wait")
	}
}

// npm runs a script of the TypeScript client, whose packages .ci/run installs.
func npm(t *testing.T, script string, environment ...string) {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		lacking.Skip(t, "there is no npm")
	}
	if _, err := os.Stat("../../client/typescript/node_modules"); err != nil {
		lacking.Skip(t, "npm ci was not run in client/typescript")
	}
	run := exec.CommandContext(t.Context(), "npm", "run", "--silent", script)
	run.Dir = "../../client/typescript"
	run.Env = append(os.Environ(), append(environment, "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "REDOCLY_TELEMETRY=off")...)
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Two linters find no error in the description, nor in that for tools of OpenAPI 3.0.
func TestLinters(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG runs the linters, which take longer than the tests of the clients")
	}
	t.Parallel()
	w := httptest.NewRecorder()
	server.New(nil, server.Options{Version: "1"}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi-3.0.json", nil))
	older := filepath.Join(t.TempDir(), "older.json")
	if err := os.WriteFile(older, w.Body.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	npm(t, "lint", "OLDER="+older)
}

// The TypeScript client compiles and does what its tests ask.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	address, key, photos := serve(t)
	npm(t, "test", "NRDL_URL="+address, "NRDL_KEY="+key, "NRDL_PHOTOS="+photos)
}

// The examples of doc/service.md are those that are tested here.
func TestDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../doc/service.md")
	if err != nil {
		t.Fatal(err)
	}
	for language, file := range map[string]string{"go": "example_test.go", "typescript": "../../client/typescript/test/client.test.ts"} {
		tested, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, block, _ := strings.Cut(string(text), "```"+language+"\n")
		block, _, ok := strings.Cut(block, "```")
		if !ok || block == "" || !strings.Contains(string(tested), block) {
			t.Errorf("%s does not have the example of doc/service.md:\n%s", file, block)
		}
	}
}
