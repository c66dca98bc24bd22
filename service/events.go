package service

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"nrdl.example/nrdl/service/store"

	"github.com/danielgtaylor/huma/v2"
)

// jobFile answers with the file of an export.
func (v *Service) jobFile(w http.ResponseWriter, r *http.Request) error {
	j, err := v.job(r.Context(), &InJob{InCollection{r.PathValue("c")}, r.PathValue("j")})
	if err != nil {
		return err
	}
	var told ExportResult
	pieces, err := v.store.Pieces(r.Context(), j.Collection, j.ID)
	switch {
	case err != nil:
		return err
	case j.Kind != kindExport || j.State != store.Succeeded || pieces == 0:
		return huma.Error404NotFound("the job has no file")
	}
	if err := json.Unmarshal(j.Result, &told); err != nil {
		return err
	}
	attach(w, j.ID)
	w.Header().Set("Content-Length", strconv.FormatInt(told.Bytes, 10))
	from := io.NewSectionReader(&jobReader{ctx: r.Context(), store: v.store, collection: j.Collection, job: j.ID, size: told.Bytes}, 0, told.Bytes)
	if _, err := io.Copy(&patient{w, http.NewResponseController(w)}, from); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// events tells of each change of a job until it has ended or the time of a request is
// over; the client comes back then by itself.
func (v *Service) events(w http.ResponseWriter, r *http.Request) error {
	in := &InJob{InCollection{r.PathValue("c")}, r.PathValue("j")}
	seen, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	j, err := v.job(r.Context(), in)
	if err != nil {
		return err
	}
	if !j.Finished.IsZero() && j.Version == seen {
		w.WriteHeader(http.StatusNoContent) // nothing will come: the client does not ask again
		return nil
	}
	if !v.following.TryAcquire(1) {
		return errBusy
	}
	defer v.following.Release(1)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // for nginx
	out := &patient{w, http.NewResponseController(w)}
	const often, quiet = 300 * time.Millisecond, 15 * time.Second
	spoke := time.Now()
	fmt.Fprint(out, "retry: 1000\n\n")
	for {
		if j.Version != seen {
			fmt.Fprintf(out, "id: %d\nevent: job\ndata: %s\n\n", j.Version, asJSON(toldJob(j)))
			seen, spoke = j.Version, time.Now()
		} else if time.Since(spoke) > quiet {
			fmt.Fprint(out, ": still there\n\n")
			spoke = time.Now()
		}
		if err := out.control.Flush(); err != nil || !j.Finished.IsZero() {
			return nil
		}
		pause(r.Context(), often, v.stopping)
		select {
		case <-v.stopping:
			return nil
		case <-r.Context().Done():
			return nil
		default:
		}
		if j, err = v.job(r.Context(), in); err != nil {
			return nil // the client comes back, and is told then
		}
	}
}
