package jobs

import (
	"context"
	"encoding/json"
	"image"
	"math"
	"path/filepath"

	"nrdl.example/nrdl/faces/tags"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// A TagRequest asks for a job that writes the names of people into the photographs in the folder of originals.
type TagRequest struct {
	Embed  bool `json:"embed,omitempty" doc:"Into the JPEG files themselves; otherwise beside each photograph, into a sidecar"`
	Remove bool `json:"remove,omitempty" doc:"Take back what such a job has written"`
}

// A TagResult tells what was written.
type TagResult struct {
	Photos  int           `json:"photos" doc:"With names"`
	Faces   int           `json:"faces" doc:"Whose names are written"`
	Kept    int           `json:"kept" doc:"Faces that keep the name that another program wrote"`
	Files   int           `json:"files" doc:"That were written, changed or removed"`
	Refused []RefusedFile `json:"refused" doc:"Photographs whose names could not be written, the first 500"`
}

// StartTags starts a job that writes names, once, until it ends.
func (v *Service) StartTags(ctx context.Context, collection string, r TagRequest) (store.Job, error) {
	return v.Enqueue(ctx, store.Job{Collection: collection, Kind: kindTags, Key: kindTags, Payload: people.AsJSON(r)})
}

// tag is a job that writes names into photographs or sidecars, or takes them back.
func (v *Service) tag(ctx context.Context, j *store.Job) (*TagResult, error) {
	var request TagRequest
	if err := json.Unmarshal(j.Payload, &request); err != nil {
		return nil, err
	}
	faces, err := v.facesByPhotograph(ctx, j.Collection)
	if err != nil {
		return nil, err
	}
	folder, err := people.OpenFolder(ctx, v.people.Options)
	if err != nil {
		return nil, err
	}
	defer folder.Root.Close()
	result := &TagResult{Refused: []RefusedFile{}}
	s, err := v.resume(j, len(folder.Paths), result)
	if err != nil {
		return nil, err
	}
	w := &tags.Writer{Root: v.people.Photos, Model: j.Collection, Embed: request.Embed}
	for n := j.Done; n < len(folder.Paths); n++ {
		name := folder.Paths[n]
		path := filepath.Join(v.people.Photos, filepath.FromSlash(name))
		if request.Remove {
			var changed []string
			changed, err = w.Remove(ctx, path)
			result.Files += len(changed)
		} else {
			data, _ := folder.Read(name) // one that cannot be read is none of those with faces
			err = result.write(ctx, w, path, facesIn(faces, data))
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			result.Refused = refuse(result.Refused, name, err)
		}
		if err := s.note(ctx, n+1); err != nil {
			return nil, err
		}
	}
	return result, s.skip(ctx, len(folder.Paths))
}

// refuse returns all with the file called name, unless they are many.
func refuse(all []RefusedFile, name string, err error) []RefusedFile {
	const limit = 500
	if len(all) < limit {
		all = append(all, RefusedFile{name, err.Error()})
	}
	return all
}

// facesIn are those of all, by the SHA-256 of their photograph, that are in the one with this content.
func facesIn(all map[string][]tags.Face, data []byte) (some []tags.Face) {
	for _, sum := range people.Digests(data) {
		if some = all[sum]; len(some) > 0 {
			break
		}
	}
	return some
}

// write writes the names of the faces in the photograph at path.
func (r *TagResult) write(ctx context.Context, w *tags.Writer, path string, faces []tags.Face) error {
	if len(faces) == 0 {
		return nil
	}
	o, err := w.Write(ctx, path, faces)
	if err != nil {
		return err
	}
	r.Faces, r.Kept = r.Faces+o.Additions, r.Kept+o.Conflicts
	if o.Additions > 0 {
		r.Photos++
	}
	if o.Changed {
		r.Files++
	}
	return nil
}

// facesByPhotograph returns the faces of a collection with the names of their people, by the SHA-256 of
// the photograph.
func (v *Service) facesByPhotograph(ctx context.Context, collection string) (map[string][]tags.Face, error) {
	names, hashes, all := map[string]string{}, map[string]string{}, map[string][]tags.Face{}
	for after := ""; ; {
		some, err := v.store.People(ctx, collection, after, exportBatch)
		if err != nil {
			return nil, err
		}
		for _, p := range some {
			if after = p.ID; p.Kind == store.Known {
				names[p.ID] = p.Name
			}
		}
		if len(some) < exportBatch {
			break
		}
	}
	for after := ""; ; {
		some, err := v.store.Faces(ctx, collection, nil, after, exportBatch)
		if err != nil {
			return nil, err
		}
		for _, f := range some {
			after = f.ID
			var box [4]int
			if f.Photo == "" || json.Unmarshal(f.Box, &box) != nil || box[2] == 0 {
				continue // of a crop
			}
			if _, ok := hashes[f.Photo]; !ok {
				p, err := v.store.Photo(ctx, collection, f.Photo)
				if err != nil {
					return nil, err
				}
				hashes[f.Photo] = p.SHA256
			}
			all[hashes[f.Photo]] = append(all[hashes[f.Photo]], tags.Face{
				Name: names[f.Person], Box: image.Rect(box[0], box[1], box[0]+box[2], box[1]+box[3]), Probability: math.NaN(),
			})
		}
		if len(some) < exportBatch {
			return all, nil
		}
	}
}
