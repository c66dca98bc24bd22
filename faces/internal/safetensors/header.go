package safetensors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"nrdl.example/nrdl/internal/config"
)

// bytesOf holds the size of an element of every type of the format.
var bytesOf = map[string]int64{
	"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1, "F8_E5M2": 1,
	"I64": 8, "I32": 4, "I16": 2, "I8": 1,
	"U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1,
}

const metadataKey = "__metadata__"

func parseHeader(header []byte) (*File, error) {
	members, err := config.Members(header)
	if err != nil {
		return nil, err
	}
	f := &File{}
	for _, m := range members {
		if m.Name == metadataKey {
			if f.Metadata, err = parseMetadata(m.Value); err != nil {
				return nil, fmt.Errorf("%s: %w", metadataKey, err)
			}
			continue
		}
		info, err := parseInfo(m.Name, m.Value)
		if err != nil {
			return nil, fmt.Errorf("tensor %.80q: %w", m.Name, err)
		}
		f.Tensors = append(f.Tensors, info)
	}
	return f, f.place()
}

func parseMetadata(raw json.RawMessage) (map[string]string, error) {
	members, err := config.Members(raw)
	if err != nil {
		return nil, err
	}
	metadata := make(map[string]string, len(members))
	for _, m := range members {
		var value string
		if m.Value[0] != '"' || json.Unmarshal(m.Value, &value) != nil {
			return nil, fmt.Errorf("%.80q is not text", m.Name)
		}
		metadata[m.Name] = value
	}
	return metadata, nil
}

func parseInfo(name string, raw json.RawMessage) (Info, error) {
	members, err := config.Members(raw)
	if err != nil {
		return Info{}, err
	}
	info := Info{Name: name, begin: -1}
	var shape, offsets []int64
	for _, m := range members {
		switch m.Name {
		case "dtype":
			err = json.Unmarshal(m.Value, &info.DType)
		case "shape":
			shape, err = naturals(m.Value)
		case "data_offsets":
			offsets, err = naturals(m.Value)
		default:
			err = errors.New("not a field of a tensor")
		}
		if err != nil {
			return Info{}, fmt.Errorf("%.80q: %w", m.Name, err)
		}
	}
	if len(offsets) != 2 || shape == nil || offsets[0] > offsets[1] {
		return Info{}, errors.New("it has no shape, or no place")
	}
	info.begin, info.end = offsets[0], offsets[1]
	size, ok := bytesOf[info.DType]
	if !ok {
		return Info{}, fmt.Errorf("unknown type %.80q", info.DType)
	}
	for _, n := range shape {
		if n > math.MaxInt || n > 0 && size > math.MaxInt64/n {
			return Info{}, fmt.Errorf("a shape of %.200s is too large", fmt.Sprint(shape))
		}
		size *= n
		info.Shape = append(info.Shape, int(n))
	}
	if size != info.end-info.begin {
		return Info{}, fmt.Errorf("%d bytes for %s of shape %.200s", info.end-info.begin, info.DType, fmt.Sprint(shape))
	}
	return info, nil
}

// naturals reads a JSON list of integers ≥ 0. An empty list is not nil.
func naturals(raw json.RawMessage) ([]int64, error) {
	var list []int64
	null := bytes.IndexByte(raw, 'n') >= 0 // which encoding/json reads as 0
	if err := json.Unmarshal(raw, &list); err != nil || null {
		return nil, errors.New("not a list of integers")
	}
	for _, v := range list {
		if v < 0 {
			return nil, fmt.Errorf("%d is negative", v)
		}
	}
	return list, nil
}

// place puts the tensors in the order of their bytes, and reports a hole or an
// overlap between them.
func (f *File) place() error {
	slices.SortFunc(f.Tensors, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), cmp.Compare(a.Name, b.Name))
	})
	var at int64
	for _, info := range f.Tensors {
		if info.begin != at {
			return fmt.Errorf("tensor %.80q begins at byte %d, the one before it ends at %d", info.Name, info.begin, at)
		}
		at = info.end
	}
	return nil
}

// formatHeader gives the header for tensors that lie in their order, with its
// length before it. It is padded with spaces to a multiple of 8 bytes.
func formatHeader(infos []Info, metadata map[string]string) ([]byte, error) {
	header := []byte("00000000{")
	if len(metadata) > 0 {
		header = fmt.Appendf(header, "%q:%s,", metadataKey, encode(metadata)) // encoding/json sorts the keys
	}
	for _, info := range infos {
		header = fmt.Appendf(header, `%s:{"dtype":%q,"shape":[`, encode(info.Name), info.DType)
		for i, n := range info.Shape {
			if i > 0 {
				header = append(header, ',')
			}
			header = strconv.AppendInt(header, int64(n), 10)
		}
		header = fmt.Appendf(header, `],"data_offsets":[%d,%d]},`, info.begin, info.end)
	}
	header = append(bytes.TrimSuffix(header, []byte{','}), '}')
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	if len(header)-8 > MaxHeader {
		return nil, fmt.Errorf("a header of %d bytes is longer than %d", len(header)-8, MaxHeader)
	}
	return header, nil
}

// encode gives v, text or a map of texts, as JSON.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // text has a JSON form
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}
