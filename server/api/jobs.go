package api

import (
	"archive/zip"
	"context"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// jobRoutes are the routes of jobs, imports and exports.
type jobRoutes struct{ *Service }

func (v jobRoutes) register() {
	const path = "/v1/collections/{collection}/jobs"
	operation(v.Service, http.MethodGet, path, "List jobs, the latest first", forReading, func(ctx context.Context, in *struct {
		InCollection
		Cursor
		Kind  string `query:"kind" enum:"import,refit,regroup,erase,export,tags,album"`
		State string `query:"state" enum:"waiting,running,done,failed,cancelled"`
	},
	) (*body[Page[jobs.Job]], error) {
		if _, err := v.store.Collection(ctx, in.Collection); err != nil {
			return nil, err
		}
		list := func(before string, limit int) ([]store.Job, error) {
			return v.store.Jobs(ctx, in.Collection, in.Kind, in.State, "", before, limit)
		}
		return pageByID(in.Cursor, list, func(j store.Job) string { return j.ID }, jobs.JobResponse)
	})
	operation(v.Service, http.MethodPost, path, "Start a job; refit, regroup and album are there once, until they end",
		forAdmin, func(ctx context.Context, in *inCollection[jobs.JobRequest]) (*body[jobs.Job], error) {
			return jobBody(v.jobs.Start(ctx, in.Collection, in.Body))
		})
	operation(v.Service, http.MethodGet, path+"/{job}", "Get a job", forReading,
		func(ctx context.Context, in *InJob) (*body[jobs.Job], error) {
			return jobBody(v.jobs.Job(ctx, in.Collection, in.Job))
		})
	operation(v.Service, http.MethodDelete, path+"/{job}", "Cancel a job, unless it has ended; what it has done stays",
		forEnrolling, func(ctx context.Context, in *InJob) (*body[jobs.Job], error) {
			return jobBody(v.jobs.Cancel(ctx, in.Collection, in.Job))
		})
	operation(v.Service, http.MethodPost, path+"/{job}/retry", "Try a job again that has failed",
		forAdmin, func(ctx context.Context, in *InJob) (*body[jobs.Job], error) {
			return jobBody(v.jobs.Retry(ctx, in.Collection, in.Job))
		})
	v.registerRefit()
	v.registerTags()
	v.registerAlbum()
	v.plain(http.MethodGet, path+"/{job}/file",
		plain{summary: "Get the file of an export, a tar, for a day", scopes: forAdmin, kind: "application/x-tar"}, v.jobFile)
	v.plain(http.MethodGet, path+"/{job}/events",
		plain{summary: "Follow a job: server-sent events, each with the job", scopes: forReading, kind: "text/event-stream"}, v.events)
	v.plain(http.MethodPost, "/v1/collections/{collection}/import", plain{
		summary: "Add all faces of many photographs, or of an archive of photographs (zip) or an export (tar), by a job",
		scopes:  forEnrolling, answer: jobs.Job{},
		fields: []field{
			{name: "photo", description: "image file, or with tags=regions a sidecar", maxValues: anyNumber},
			{name: "archive", description: "a zip of photographs, or an export (tar), instead of photo"},
		},
		query: []*huma.Param{option("folders", "people", "In a zip, Ann/1.jpg is of Ann"), option("tags", "regions",
			"The names are those of face tags, in the photographs and in sidecars a.jpg.xmp or a.xmp that are sent with them; faces without a tag are of nobody yet"), option("as", "strangers", "The photographs are of people who are not in the collection, for its calibration")},
	}, v.upload)
	v.plain(http.MethodGet, "/v1/collections/{collection}/people/{person}/export",
		plain{summary: "Get a person with all crops and vectors, a tar", scopes: forReview, kind: "application/x-tar"}, v.sendExport)
	v.plain(http.MethodGet, "/v1/collections/{collection}/export",
		plain{summary: "Get the collection with all crops and vectors, a tar", scopes: forAdmin, kind: "application/x-tar"}, v.sendExport)
}

// registerRefit registers what comes before and after a refit.
func (v jobRoutes) registerRefit() {
	operation(v.Service, http.MethodGet, "/v1/collections/{collection}/refit", "Say what a refit would change, and how long it takes", forReading,
		func(ctx context.Context, in *InCollection) (*body[jobs.RefitPreview], error) {
			return answered(v.jobs.PreviewRefit(ctx, in.Collection))
		})
	for _, verb := range []string{"accept", "discard"} {
		operation(v.Service, http.MethodPost, "/v1/collections/{collection}/jobs/{job}/"+verb, "Decide on what a refit has found, if that is worse: "+verb+" it",
			forAdmin, func(ctx context.Context, in *InJob) (*body[jobs.Job], error) {
				return jobBody(v.jobs.Decide(ctx, in.Collection, in.Job, verb))
			})
	}
}

// registerTags registers the route that writes names beside the photographs, where that is allowed.
func (v jobRoutes) registerTags() {
	if !v.jobs.Tags {
		return
	}
	operation(v.Service, http.MethodPost, "/v1/collections/{collection}/tags",
		"Write the names into the photographs in the folder of --photos, or beside them, or take them back, by a job", forAdmin,
		func(ctx context.Context, in *inCollection[jobs.TagRequest]) (*body[jobs.Job], error) {
			return jobBody(v.jobs.StartTags(ctx, in.Collection, in.Body))
		})
}

// registerAlbum registers the route of the pages of an album, where there may be any.
func (v jobRoutes) registerAlbum() {
	if v.jobs.Album == nil || v.people.Photos == "" {
		return
	}
	const at = "/v1/collections/{collection}/jobs/{job}/album/"
	p := plain{summary: "Get a file of an album for a browser, such as index.html, or all as album.zip, for a day", scopes: forReview, kind: "*/*"}
	v.describe(http.MethodGet, at+"{file}", p)
	v.Routes.HandleFunc("GET "+at+"{file...}", func(w http.ResponseWriter, r *http.Request) {
		err := v.allow(r, p.scopes)
		if err == nil {
			err = v.albumFile(w, r)
		}
		if err != nil {
			v.fail(w, r, err)
		}
	})
}

// albumPolicy lets the pages of an album load their pictures, and nothing else.
const albumPolicy = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// albumFile answers with a file of an album, or with its zip.
func (v jobRoutes) albumFile(w http.ResponseWriter, r *http.Request) error {
	all, err := v.jobs.File(r.Context(), r.PathValue("collection"), r.PathValue("job"), true)
	if err != nil {
		return err
	}
	name, file := r.PathValue("file"), io.Reader(all)
	kind := mime.TypeByExtension(path.Ext(name))
	if name == "album.zip" {
		kind = "application/zip" // systems differ
		w.Header().Set("Content-Disposition", `attachment; filename="album.zip"`)
		w.Header().Set("Content-Length", strconv.FormatInt(all.Size(), 10))
	} else {
		z, err := zip.NewReader(all, all.Size())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == jobs.AlbumFolder+name })
		if i < 0 {
			return people.Failed(http.StatusNotFound, "the album has no such file")
		}
		part, err := z.File[i].Open()
		if err != nil {
			return err
		}
		defer part.Close()
		file = part
	}
	w.Header().Set("Content-Security-Policy", albumPolicy)
	w.Header().Set("Content-Type", kind)
	if _, err := io.Copy(&patient{w, http.NewResponseController(w)}, file); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

func jobBody(j store.Job, err error) (*body[jobs.Job], error) {
	return answered(jobs.JobResponse(j), err)
}

// events sends each change of a job until the job ends, or the time of a request: then the
// client asks again by itself.
func (v jobRoutes) events(w http.ResponseWriter, r *http.Request) error {
	get := func() (store.Job, error) {
		return v.jobs.Job(r.Context(), r.PathValue("collection"), r.PathValue("job"))
	}
	seen, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	j, err := get()
	if err != nil {
		return err
	}
	if !j.Finished.IsZero() && j.Version == seen {
		w.WriteHeader(http.StatusNoContent) // nothing will come: the client does not ask again
		return nil
	}
	out, done, err := v.stream(w)
	if err != nil {
		return err
	}
	defer done()
	const often = 300 * time.Millisecond
	for err == nil {
		if j.Version != seen {
			out.event(strconv.FormatInt(j.Version, 10), "job", jobs.JobResponse(j))
			seen = j.Version
		}
		if !j.Finished.IsZero() || !out.wait(r.Context(), often, v.Stopping) {
			return nil
		}
		j, err = get()
	}
	return nil // the client comes back, and gets the error then
}

// jobFile answers with the file of an export.
func (v jobRoutes) jobFile(w http.ResponseWriter, r *http.Request) error {
	file, err := v.jobs.File(r.Context(), r.PathValue("collection"), r.PathValue("job"), false)
	if err != nil {
		return err
	}
	attach(w, r.PathValue("job"))
	w.Header().Set("Content-Length", strconv.FormatInt(file.Size(), 10))
	if _, err := io.Copy(&patient{w, http.NewResponseController(w)}, file); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// sendExport answers with the tar of the collection, or of the person of the path.
func (v jobRoutes) sendExport(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("collection")
	if p := r.PathValue("person"); p != "" {
		name = p
		if _, err := v.store.Person(r.Context(), r.PathValue("collection"), p); err != nil {
			return err
		}
	}
	if err := v.people.CheckNetwork(r.Context(), r.PathValue("collection")); err != nil {
		return err
	}
	attach(w, name)
	if _, err := v.jobs.Export(r.Context(), &patient{w, http.NewResponseController(w)}, r.PathValue("collection"),
		r.PathValue("person"), func(int) {}); err != nil {
		panic(http.ErrAbortHandler) // too late for a status: the client sees that the answer is cut short
	}
	return nil
}

// attach sets the headers of an answer that is a tar.
func attach(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/x-tar")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`.tar"`)
}

// A patient writer has a minute for each part of an answer, so that a long answer may take
// longer than others.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *patient) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(time.Minute)) // connections of some tests have none
	return p.ResponseWriter.Write(b)
}
