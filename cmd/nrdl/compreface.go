package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/legible"
)

func (a *app) comprefaceCmd() *cobra.Command {
	var key string
	c := &cobra.Command{
		Use:  "compreface URL OUT",
		Args: cli.Arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := url.Parse(args[0])
			if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
				return cli.Misuse("%q is not an address such as http://127.0.0.1:8000", args[0])
			}
			f := comprefaceImages{address: at, key: key, output: args[1], warn: func(text string) { a.Warn("%s", text) }}
			if err := f.fetch(c.Context()); err != nil {
				return advice.Add(fmt.Errorf("CompreFace at %s: %w", args[0], err), "the images that were written stay; run the command again to go on")
			}
			a.Tell("%s of %s are new in %s; %d were there", legible.Count(f.images, "image"),
				legible.Count(len(f.subjects), "subject"), args[1], f.earlier)
			if f.refusals > 0 {
				err := fmt.Errorf("CompreFace at %s: %d of %s are left out, named above", args[0], f.refusals,
					legible.Count(f.images+f.earlier+f.refusals, "image"))
				return advice.Add(err,
					"rename these subjects, or take their images from where they came; without them: nrdl train %s -o people.nrdl",
					legible.ShellWord(args[1]))
			}
			a.Next("nrdl train %s -o people.nrdl", legible.ShellWord(args[1]))
			return nil
		},
	}
	c.Flags().StringVar(&key, "key", "", "use this `KEY` of the recognition service of CompreFace")
	return c
}

// comprefaceImages writes the images of the subjects of a recognition service of CompreFace into a
// folder for each subject.
type comprefaceImages struct {
	address     *url.URL
	key, output string
	warn        func(text string) // of an image that is left out

	subjects                  map[string]bool
	images, earlier, refusals int
}

const (
	comprefacePage  = 100      // images in one request for their list
	comprefaceImage = 64 << 20 // bytes of an image at most
)

// isImageID has what names an image of CompreFace, a UUID.
var isImageID = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

// imageExtensions are the extensions of the types of images.
var imageExtensions = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif",
	"image/bmp": ".bmp", "image/webp": ".webp",
}

// fetch reads the list of images, page after page, and each image.
func (f *comprefaceImages) fetch(ctx context.Context) error {
	f.subjects = map[string]bool{}
	for page := 0; ; page++ {
		data, _, err := f.get(ctx, fmt.Sprintf("?page=%d&size=%d", page, comprefacePage), 16<<20)
		if err != nil {
			return err
		}
		var list struct {
			Faces []struct {
				ID      string `json:"image_id"`
				Subject string `json:"subject"`
			} `json:"faces"`
			Pages int `json:"total_pages"`
		}
		if err := json.Unmarshal(data, &list); err != nil {
			return fmt.Errorf("page %d of the list of faces: %w", page, err)
		}
		for _, o := range list.Faces {
			if err := f.image(ctx, o.ID, o.Subject); err != nil {
				return err
			}
		}
		if len(list.Faces) == 0 || page+1 >= list.Pages {
			return nil
		}
	}
}

// leave leaves out an image of a subject.
func (f *comprefaceImages) leave(id, subject string, why error) {
	f.refusals++
	f.warn(fmt.Sprintf("image %.64q of subject %.200q is left out: %v", id, subject, why))
}

// image writes an image of a subject, unless it is there.
func (f *comprefaceImages) image(ctx context.Context, id, subject string) error {
	if !isImageID.MatchString(id) {
		f.leave(id, subject, errors.New("its ID has other characters than letters, digits and hyphens"))
		return nil
	}
	if err := dataset.CheckName(subject); err != nil {
		f.leave(id, subject, err)
		return nil
	}
	folder := filepath.Join(f.output, subject)
	for _, extension := range imageExtensions {
		if _, err := os.Stat(filepath.Join(folder, id+extension)); err == nil {
			f.earlier++
			f.subjects[subject] = true
			return nil
		}
	}
	data, status, err := f.get(ctx, "/"+id+"/img", comprefaceImage)
	if status == http.StatusNotFound {
		f.leave(id, subject, errors.New("CompreFace does not have it; it can be set to keep no images"))
		return nil
	}
	if err != nil {
		return err
	}
	extension := imageExtensions[http.DetectContentType(data)]
	if extension == "" {
		f.leave(id, subject, fmt.Errorf("it is %s, and no JPEG, PNG, GIF, BMP or WebP", http.DetectContentType(data)))
		return nil
	}
	f.subjects[subject] = true
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	_, err = new(atomicfile.Writer).Write(ctx, filepath.Join(folder, id+extension), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err == nil {
		f.images++
	}
	return err
}

// get reads up to maxBytes bytes of the faces of CompreFace, at a path below them.
func (f *comprefaceImages) get(ctx context.Context, path string, maxBytes int64) (data []byte, status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address.JoinPath("api/v1/recognition/faces").String()+path, nil)
	if err != nil {
		return nil, 0, err
	}
	r.Header.Set("X-Api-Key", f.key)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, 0, err
	}
	defer a.Body.Close()
	data, err = io.ReadAll(io.LimitReader(a.Body, maxBytes+1))
	switch {
	case a.StatusCode != http.StatusOK:
		return nil, a.StatusCode, fmt.Errorf("it answers %s to %s: %.200q", a.Status, path, data)
	case err == nil && int64(len(data)) > maxBytes:
		err = fmt.Errorf("the answer to %s has more than %d bytes", path, maxBytes)
	}
	return data, a.StatusCode, err
}
