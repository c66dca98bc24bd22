package metadata

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/bep/imagemeta"
)

// readByImagemeta is Read by the library imagemeta.
func readByImagemeta(data []byte) (*File, error) {
	f := &File{Orientation: 1}
	formats := map[string]imagemeta.ImageFormat{"JPEG": imagemeta.JPEG, "PNG": imagemeta.PNG, "WebP": imagemeta.WebP, "TIFF": imagemeta.TIFF, "HEIF": imagemeta.HEIF}
	h, _ := Read(bytes.NewReader(data), int64(min(len(data), 16)))
	if f.Kind = h.Kind; f.Kind == "" {
		return f, nil
	}
	dates, orientation := map[string]time.Time{}, 0
	result, err := imagemeta.Decode(imagemeta.Options{
		R: bytes.NewReader(data), ImageFormat: formats[f.Kind], Sources: imagemeta.EXIF | imagemeta.IPTC | imagemeta.XMP | imagemeta.CONFIG,
		HandleXMP: func(r io.Reader) error {
			packet, err := io.ReadAll(r)
			f.XMP = append(f.XMP, packet)
			return err
		},
		HandleTag: func(tag imagemeta.TagInfo) error {
			switch {
			case tag.Tag == "Orientation" && orientation == 0:
				if _, err := fmt.Sscan(fmt.Sprint(tag.Value), &orientation); err != nil || orientation < 1 || orientation > 8 {
					orientation = 1
				}
			case tag.Source == imagemeta.IPTC && tag.Tag == "Keywords":
				f.Keywords = append(f.Keywords, fmt.Sprint(tag.Value))
			case tag.Tag == "DateTimeOriginal" || tag.Tag == "CreateDate" || tag.Tag == "ModifyDate":
				if at, err := time.Parse(dateLayout, fmt.Sprint(tag.Value)); err == nil {
					dates[tag.Tag] = at
				}
			}
			return nil
		},
	})
	f.Width, f.Height = result.ImageConfig.Width, result.ImageConfig.Height
	for _, name := range []string{"DateTimeOriginal", "CreateDate", "ModifyDate"} {
		if f.Taken.IsZero() {
			f.Taken = dates[name]
		}
	}
	if f.Orientation = orientation; orientation == 0 {
		f.Orientation = f.orientationOfXMP()
	}
	return f, err
}

// It prints where imagemeta reads something else than Read.
func TestImagemeta(t *testing.T) {
	files, want := orientationFiles(t)
	wrong := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := readByImagemeta(files[name])
		if f.Orientation != want[name] {
			wrong["orientation"] = append(wrong["orientation"], fmt.Sprintf("%s: %d, right is %d, error %v", name, f.Orientation, want[name], err))
		}
	}
	t.Logf("orientations: %d of %d files are wrong", len(wrong["orientation"]), len(files))
	for _, line := range wrong["orientation"] {
		t.Log("  ", line)
	}
	first, second := "<a>"+string(bytes.Repeat([]byte("x"), 100)), "<b/>"
	const id = "0123456789ABCDEF0123456789ABCDEF"
	part := func(text string, at int) string {
		head := binary.BigEndian.AppendUint32([]byte(extendedHeader+id), uint32(len(text)))
		return string(binary.BigEndian.AppendUint32(head, uint32(at))) + text
	}
	cases := map[string][]byte{
		"extended XMP.jpg":   withSegments(t, XMPHeader+first+id, part(second, 0)),
		"two packets.jpg":    withSegments(t, XMPHeader+first, XMPHeader+second),
		"iTXt.png":           withChunk(t, "iTXt", keyword+"\x00\x00\x00\x00"+first),
		"compressed.png":     withChunk(t, "iTXt", keyword+"\x01\x00\x00\x00"+deflated(first)),
		"raw profile.png":    withChunk(t, "zTXt", "Raw profile type xmp\x00\x00"+deflated(profile("xmp", first))),
		"fill byte.jpg":      append([]byte("\xff\xd8\xff"), withSegments(t, XMPHeader+first)[2:]...),
		"cut in its XMP.jpg": withSegments(t, XMPHeader+first)[:60],
	}
	for _, pattern := range []string{"../../../faces/heic/testdata/*.*", "../../../faces/dataset/testdata/seeds/FuzzDecodeImage/*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			cases[filepath.Base(path)] = data
		}
	}
	differ, read := 0, 0
	fields := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		ours, err := Read(bytes.NewReader(cases[name]), int64(len(cases[name])))
		if ours.Kind == "" || err != nil {
			continue
		}
		read++
		theirs, err := readByImagemeta(cases[name])
		a, b := reflect.ValueOf(*ours), reflect.ValueOf(*theirs)
		text := ""
		for i := range a.NumField() {
			if field := a.Type().Field(i); field.IsExported() && fmt.Sprint(a.Field(i)) != fmt.Sprint(b.Field(i)) {
				fields[field.Name]++
				text += fmt.Sprintf(" %s %.40q, ours %.40q;", field.Name, fmt.Sprint(b.Field(i)), fmt.Sprint(a.Field(i)))
			}
		}
		if text != "" {
			differ++
			t.Logf("%s:%s error %v", name, text, err)
		}
	}
	t.Logf("%d of %d files differ: %v", differ, read, fields)
}

func FuzzImagemeta(f *testing.F) {
	paths, _ := filepath.Glob("../../../faces/dataset/testdata/seeds/FuzzDecodeImage/*")
	more, _ := filepath.Glob("../../../faces/heic/testdata/*")
	for _, path := range append(paths, more...) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, err := readByImagemeta(data); err == nil && (h.Orientation < 1 || h.Orientation > 8) {
			t.Errorf("%+v", h)
		}
	})
}
