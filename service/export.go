package service

import (
	"archive/tar"
	"encoding/json"
	"net/http"
	"time"

	"nrdl/service/store"
)

// An Export is person.json in the export of a person.
type Export struct {
	Person
	Space string         `json:"space"` // of the vectors
	Faces []ExportedFace `json:"all_faces"`
}

// An ExportedFace is a face in an Export. Its crop, if it has one, is faces/ID.png.
type ExportedFace struct {
	Face
	Vector []float32 `json:"vector"`
}

// export writes a tar with person.json and the crops of a person.
func (v *Service) export(w http.ResponseWriter, r *http.Request) error {
	ctx, collection := r.Context(), r.PathValue("c")
	p, err := v.store.Person(ctx, collection, r.PathValue("p"))
	if err != nil {
		return err
	}
	_, _, samples, err := v.store.Samples(ctx, collection, v.engine.space, false)
	if err != nil {
		return err
	}
	told := Export{toldPerson(p), v.engine.space, []ExportedFace{}}
	for _, s := range samples {
		if s.Person != p.ID {
			continue
		}
		f, err := v.store.Face(ctx, collection, s.Face)
		if err != nil {
			return err
		}
		told.Faces = append(told.Faces, ExportedFace{toldFace(f), s.Vector})
	}
	about, err := json.MarshalIndent(told, "", "\t")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-tar")
	w.Header().Set("Content-Disposition", `attachment; filename="`+p.ID+`.tar"`)
	t := tar.NewWriter(w)
	add := func(name string, data []byte, at time.Time) error {
		if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: at}); err != nil {
			return err
		}
		_, err := t.Write(data)
		return err
	}
	err = add("person.json", about, p.Created)
	for _, f := range told.Faces {
		var crop []byte
		if err == nil && f.Source != store.Vector {
			if crop, err = v.store.Crop(ctx, collection, f.ID); err == nil {
				err = add("faces/"+f.ID+".png", crop, f.Created)
			}
		}
	}
	if err == nil {
		err = t.Close()
	}
	if err != nil { // too late for a status: the client sees that the answer is cut short
		panic(http.ErrAbortHandler)
	}
	return nil
}
