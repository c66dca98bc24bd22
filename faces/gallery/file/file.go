// Package file reads and writes model files.
//
// Experimental: this package may change in any version.
package file

import (
	"encoding/json"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/openset"
)

// A model file is a safetensors file, which other programs can open. If the gallery has its
// faces in an index, that file is the first record of the file of the index (index.Save),
// and the faces are in the others. What changes with the people of a gallery that shortlists
// is the state of the index, gallery.State. Without an index its
// tensors are D (F64, d×K), that of the rule if it is one of classify.Trained (F64; W,
// C×K, of linear, M, K×C, of fisher), that of the coder if it is one of coding.Trained
// (F64; A, d×K, of analysis, c, 1×K, of anchored), P and m (F64, d×p and d×1; only where
// samples are projected: D has p rows), groups (I64, C+1), and of the images that
// the model keeps, unless it has forgotten them or they are in the index, X (d×N), enrolled (I64, C+1:
// their groups) and quality (F64, 5×N); and network (U8), the ONNX file of the network
// that makes vectors of faces, unless it is built in or by reference; and centring (U8), what
// embedding.ReadCentring reads, if the vectors are centred. D is left out where its columns are the
// samples of the images, and P and m where they are fit to them: Read makes them
// again. Its metadata holds under "nrdl" what about describes, as JSON, and under
// "sha256" the hexadecimal SHA-256 of that text, a newline, and for every tensor,
// in the order of their names: its name, a space, its shape as [m n], a newline,
// its numbers as they are in the file.
//
// Inside "nrdl" an unknown or a repeated field is refused: a reader that does
// not know a field does not know the model. Other keys of the metadata are
// ignored: they belong to other programs. Another tensor is refused.

// MaxBytes bounds the size of a model file that Read reads and Write
// writes.
const MaxBytes int64 = 8 << 30

// modelFormat is the version of the model file, the only one that is read. A change that an
// older nrdl would misread adds one.
const modelFormat = 9

// Keys of the metadata.
const (
	aboutKey    = "nrdl"
	checksumKey = "sha256"
)

// header is what a model file holds beside the tensors.
type header struct {
	Format  int               `json:"format"`
	Classes []string          `json:"classes"`
	Coder   json.RawMessage   `json:"coder"` // of coding.Marshal
	Rule    string            `json:"rule"`
	Weight  float64           `json:"weight"`
	Input   frontend.Pipeline `json:"input"`
	Finder  *detector         `json:"detector,omitempty"` // by which faces were found; nil: the default
	Method  string            `json:"method"`
	Params  json.RawMessage   `json:"params,omitempty"`
	Seed    uint64            `json:"seed"`
	Data    string            `json:"data,omitempty"` // hash of the images that it was learned from
	Trained classify.Outcome  `json:"trained"`

	Measured    *openset.Impostors   `json:"measured,omitempty"` // of a network that is not built in
	Enrolled    *enrolled            `json:"enrolled,omitempty"`
	Settings    *gallery.Settings    `json:"settings,omitempty"` // nil: gallery.DefaultSettings
	Index       *indexed             `json:"index,omitempty"`    // nil: the faces are not in an index
	Calibration *openset.Calibration `json:"calibration,omitempty"`
	OpenSet     *openset.Options     `json:"openset,omitempty"` // how a missing calibration is to be made
}

// An indexed says what an index has of its faces, and how many it takes for a shortlist;
// 0: the default.
type indexed struct {
	IDs            bool `json:"ids"`
	Quality        bool `json:"quality"`
	Shortlists     bool `json:"shortlists,omitempty"`
	ShortlistAbove int  `json:"shortlist_above,omitempty"`
}

// A detector is one that is built in, or the name of an ONNX file and its SHA-256.
type detector struct {
	Name     string          `json:"name"`
	Digest   string          `json:"digest,omitempty"`
	Settings json.RawMessage `json:"settings,omitempty"` // its numbers, where they are not the usual ones
}

func detectorOf(s *face.Search) (*detector, error) {
	if s == nil {
		return nil, nil
	}
	settings, err := s.Settings()
	return &detector{s.Name, s.Digest, settings}, err
}

// search returns the Search of d; nil for that of models which do not name one.
func (d *detector) search(folders []string) (*face.Search, error) {
	if d == nil {
		return nil, nil
	}
	s, err := face.RestoreSearch(d.Name, d.Digest, folders)
	if err != nil {
		return nil, err
	}
	return s.WithSettings(d.Settings)
}
