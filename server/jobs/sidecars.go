package jobs

import (
	"archive/zip"
	"cmp"
	"path"
	"strings"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/tags"
)

// sidecarFiles are the files of a zip that tell of the photographs beside them.
type sidecarFiles struct {
	sidecars map[string]*zip.File   // by place
	byPlace  map[string][]*zip.File // by place in lower case
	photos   map[string]int         // by place in lower case
	picasa   map[string]*zip.File   // by the place of the folder

	folder string // whose file of Picasa is content
	faces  []byte
}

// isSidecar reports whether a file has the name of a sidecar, or of the one in which Picasa keeps faces.
func isSidecar(name string) bool {
	return strings.EqualFold(path.Ext(name), ".xmp") || isPicasa(name)
}

func isPicasa(name string) bool {
	return strings.EqualFold(strings.TrimPrefix(name, "."), strings.TrimPrefix(tags.PicasaFile, "."))
}

// findSidecars notes the files in z that tell of others.
func (i *importer) findSidecars(z *zip.Reader) {
	i.sidecars = sidecarFiles{map[string]*zip.File{}, map[string][]*zip.File{}, map[string]int{}, map[string]*zip.File{}, "", nil}
	for _, f := range z.File {
		place := i.place(f.Name)
		folded := strings.ToLower(place)
		switch base := path.Base(place); {
		case isPicasa(base):
			i.sidecars.picasa[path.Dir(place)] = f
		case isSidecar(base):
			i.sidecars.sidecars[place] = f
			i.sidecars.byPlace[folded] = append(i.sidecars.byPlace[folded], f)
		case dataset.IsImage(base):
			i.sidecars.photos[folded]++
		}
	}
}

// sidecar is the content of the sidecar of the photograph called name; nil if there is none. The name of a
// sidecar may have another case, if that of no other photograph has.
func (i *importer) sidecar(name string) ([]byte, string, error) {
	place := i.place(name)
	all := tags.Sidecars(place)
	for _, at := range all {
		if f := i.sidecars.sidecars[at]; f != nil {
			return i.unpack(f)
		}
	}
	if i.sidecars.photos[strings.ToLower(place)] > 1 {
		return nil, "", nil
	}
	for _, at := range all {
		if f := i.sidecars.byPlace[strings.ToLower(at)]; len(f) == 1 {
			return i.unpack(f[0])
		}
	}
	return nil, "", nil
}

// picasa is the content of the file of Picasa in the folder of the photograph called name; nil if there
// is none. It keeps that of one folder.
func (i *importer) picasa(name string) (data []byte, why string, err error) {
	folder := path.Dir(i.place(name))
	f := i.sidecars.picasa[folder]
	switch {
	case f == nil:
		return nil, "", nil
	case i.sidecars.folder == folder && i.sidecars.faces != nil:
		return i.sidecars.faces, "", nil
	}
	data, why, err = i.unpack(f)
	i.sidecars.folder, i.sidecars.faces = folder, data
	return data, why, err
}

// tagsOf are the face tags of a photograph, and why files beside it could not be read. The result gets what
// is not used of them.
func (i *importer) tagsOf(name string, data []byte) (p *tags.Photo, why string, err error) {
	sidecar, why, err := i.sidecar(name)
	if err != nil {
		return nil, "", err
	}
	picasa, problem, err := i.picasa(name)
	if err != nil {
		return nil, "", err
	}
	p = tags.Parse(path.Base(i.place(name)), data, sidecar, picasa)
	p.Unused.Add(p.OfKeywords(func(string) bool { return false }))
	for _, line := range tags.Told(p.Unused) {
		i.note(name, "not used of its tags: "+line)
	}
	return p, cmp.Or(why, problem), nil
}

// place is the path of a file of the zip by which photographs and the files beside them belong
// together: receive has put each upload into a folder of its own.
func (i *importer) place(name string) string {
	if i.request.Photos {
		return path.Base(name)
	}
	return name
}
