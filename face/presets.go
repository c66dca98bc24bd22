package face

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/regular"
)

// autoDetector is the name of the built-in detector.
const autoDetector = "auto"

// Detectors lists the built-in detectors.
var Detectors = []string{autoDetector}

// formerDetectors were built in before; models that name one open with the present one.
var formerDetectors = []string{"cascade", "tiny", "ssd"}

// OpenSearch returns the Search by the built-in detector ("" or "auto"), or by the network in the
// ONNX file text. The network's outputs tell its format:
//
//	yunet     cls_S, obj_S, bbox_S and kps_S for each stride S
//	scrfd     scores, distances and landmarks for each stride
//	corners   scores of the background and of faces, and corners from 0 to 1
func OpenSearch(text string) (*Search, error) {
	switch {
	case text == "" || text == autoDetector:
		return DefaultSearch, nil
	case slices.Contains(formerDetectors, text):
		return nil, advice.Add(fmt.Errorf("the detector %s is no longer built in", text), "leave out %v: the detector that is built in finds more faces in less time", advice.Detector.To(text))
	case !strings.HasSuffix(strings.ToLower(text), ".onnx"):
		return nil, advice.Unknown("detector", text, append(slices.Clone(Detectors), "FILE.onnx"))
	}
	data, err := readDetector(text)
	if err != nil {
		return nil, fmt.Errorf("detector: %w", err)
	}
	net, err := netOf(data)
	if err != nil {
		err = fmt.Errorf("detector %s: %w", text, err)
		if advice.Text(err) == "" {
			err = advice.Add(err, "the file has to be an ONNX network that finds faces, as YuNet or SCRFD; built in is %s", autoDetector)
		}
		return nil, err
	}
	s := *DefaultSearch
	s.Name, s.path, s.Digest, s.net = filepath.Base(text), text, fmt.Sprintf("%x", sha256.Sum256(data)), net
	opened := s
	s.opened = &opened
	return &s, nil
}

// maxDetectorBytes bounds the file of a detector.
const maxDetectorBytes = 1 << 30

func readDetector(path string) ([]byte, error) {
	return regular.ReadFile(path, maxDetectorBytes)
}

// RestoreSearch returns the Search of this name and digest, as a model file has them. It
// searches folders, in order, for the file of a network. If no folder has the file, or the
// file has another digest, the result is a Search whose Find returns an error: a model can
// still be used without photographs.
func RestoreSearch(name, digest string, folders []string) (*Search, error) {
	if digest == "" {
		if slices.Contains(formerDetectors, name) {
			return DefaultSearch, nil
		}
		if !slices.Contains(Detectors, name) {
			return nil, fmt.Errorf("the detector %.80q is not built in, and has no digest", name)
		}
		return OpenSearch(name)
	}
	if filepath.Base(name) != name || !strings.HasSuffix(strings.ToLower(name), ".onnx") {
		return nil, fmt.Errorf("the detector %.80q is no name of an ONNX file", name)
	}
	lost := advice.Add(fmt.Errorf("the faces of this model were found by the detector %s, which is not at hand", name),
		"put the file beside the model, or name another detector: %v", advice.Detector.To("NAME"))
	for _, folder := range folders {
		s, err := OpenSearch(filepath.Join(folder, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case s.Digest == digest:
			return s, nil
		default:
			lost = advice.Add(fmt.Errorf("the detector %s in %s is not the one by which the faces of this model were found", name, folder), "%v", advice.Of(lost))
		}
	}
	s := *DefaultSearch
	s.Name, s.Digest, s.lost, s.net = name, digest, lost, nil
	return &s, nil
}
