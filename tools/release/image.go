package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is who the program of an image runs as; packaging/Containerfile has the same.
const user = 10001

// image writes NAME.oci.tar, an archive that podman load, docker load and skopeo read: an image with the
// program alone, as packaging/Containerfile builds it.
func (r *release) image(name, goarch, program string) error {
	files, err := r.rootOfImage(program)
	if err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files)), nil })
	if err != nil {
		return err
	}
	img, err := mutate.Append(empty.Image, mutate.Addendum{
		Layer: layer, History: v1.History{Created: v1.Time{Time: r.date}, CreatedBy: "nrdl, tools/release"},
	})
	if err != nil {
		return err
	}
	img, err = mutate.ConfigFile(img, r.imageConfig(img, goarch))
	if err != nil {
		return err
	}
	tag := "nrdl:" + strings.ReplaceAll(r.version, "+", "-") // a tag has no plus
	dir := filepath.Join(r.tmp, name+".oci")
	index, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := index.AppendImage(img, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": tag})); err != nil {
		return err
	}
	if err := forDocker(dir, img, tag); err != nil {
		return err
	}
	return r.tarOf(dir, filepath.Join(r.output, name+".oci.tar"))
}

// imageConfig says how a container of the image runs.
func (r *release) imageConfig(img v1.Image, goarch string) *v1.ConfigFile {
	has, err := img.ConfigFile()
	if err != nil {
		panic(err) // it was computed here
	}
	has.Architecture, has.OS, has.Created = goarch, "linux", v1.Time{Time: r.date}
	has.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", user, user), Entrypoint: []string{"/nrdl"}, Cmd: []string{"serve", "/data", "--listen", "0.0.0.0:8080"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}}, Volumes: map[string]struct{}{"/data": {}},
		Healthcheck: &v1.HealthConfig{
			Test:     []string{"CMD", "/nrdl", "healthcheck", "http://127.0.0.1:8080"},
			Interval: 30 * time.Second, Timeout: 5 * time.Second, StartPeriod: 20 * time.Second,
		},
		Labels: map[string]string{"org.opencontainers.image.version": r.version, "org.opencontainers.image.licenses": "MIT"},
	}
	return has
}

// rootOfImage is the file system of an image: the program, the folder of its data, one for temporary
// files, and the certificates of authorities.
func (r *release) rootOfImage(program string) ([]byte, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var certificates bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			if err := pem.Encode(&certificates, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
				return nil, err
			}
		}
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range []struct {
		name  string
		mode  int64
		owner int
		text  []byte
	}{
		{"data/", 0o755, user, nil},
		{"etc/", 0o755, 0, nil},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, certificates.Bytes()},
		{"nrdl", 0o755, 0, text},
		{"tmp/", 0o1777, 0, nil},
	} {
		h := &tar.Header{
			Name: f.name, Mode: f.mode, Uid: f.owner, Gid: f.owner, Size: int64(len(f.text)), ModTime: r.date,
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return b.Bytes(), err
}

// forDocker adds the list by which docker load finds an image in a layout.
func forDocker(dir string, img v1.Image, tag string) error {
	config, err := img.ConfigName()
	if err != nil {
		return err
	}
	manifest, err := img.Manifest()
	if err != nil {
		return err
	}
	blob := func(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }
	text, err := json.Marshal([]map[string]any{{
		"Config": blob(config), "RepoTags": []string{tag, "nrdl:latest"}, "Layers": []string{blob(manifest.Layers[0].Digest)},
	}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), text, 0o666)
}

// tarOf writes the files of a folder to an archive.
func (r *release) tarOf(dir, to string) error {
	names, err := filesIn(dir)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{
			Name: name, Mode: 0o644, Size: int64(len(text)), ModTime: r.date,
			Format: tar.FormatUSTAR,
		}); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, b.Bytes(), 0o666)
}
