package face

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/kit/regular"
)

// Names of the built-in detectors.
const autoDetector, cascadeDetector, tinyDetector, ssdDetector = "auto", "cascade", "tiny", "ssd"

// Detectors lists the built-in detectors.
var Detectors = []string{autoDetector, cascadeDetector, tinyDetector, ssdDetector}

// OpenSearch returns the Search by the built-in detector of this name, or by the network in
// the ONNX file text. The network's outputs tell its format:
//
//	yunet     cls_S, obj_S, bbox_S and kps_S for each stride S
//	scrfd     scores, distances and landmarks for each stride
//	corners   scores of the background and of faces, and corners from 0 to 1
//	ssd, tiny the built-in networks; the file names them as "preset" in its metadata
func OpenSearch(text string) (*Search, error) {
	s, err := openSearch(text)
	if err != nil || s == DefaultSearch {
		return s, err
	}
	s.initial = new(Search)
	*s.initial = *s
	return s, nil
}

func openSearch(text string) (*Search, error) {
	alone := *DefaultSearch
	alone.Name, alone.Large, alone.First, alone.Last, alone.Turns = text, 0, false, nil, nil
	switch text {
	case "", autoDetector:
		return DefaultSearch, nil
	case cascadeDetector:
		alone.Network = nil
		return &alone, nil
	case tinyDetector:
		alone.Network, alone.Turns = DefaultSearch.Network, DefaultSearch.Turns
		return &alone, nil
	case ssdDetector:
		alone.Network = aloneDetector(builtInSSD, 512)
		return &alone, nil
	}
	if !strings.HasSuffix(strings.ToLower(text), ".onnx") {
		return nil, advice.Unknown("detector", text, append(slices.Clone(Detectors), "FILE.onnx"))
	}
	data, err := readDetector(text)
	if err != nil {
		return nil, fmt.Errorf("detector: %w", err)
	}
	net, side, err := netOf(data)
	if err != nil {
		err = fmt.Errorf("detector %s: %w", text, err)
		if advice.Text(err) == "" {
			err = advice.Add(err, "the file has to be an ONNX network that finds faces, as YuNet or SCRFD; built in are %s",
				strings.Join(Detectors, ", "))
		}
		return nil, err
	}
	alone.Name, alone.path, alone.Digest = filepath.Base(text), text, fmt.Sprintf("%x", sha256.Sum256(data))
	alone.Network = aloneDetector(net, side)
	return &alone, nil
}

// aloneDetector is the detector with this network that no other detector helps.
func aloneDetector(net *detectorNet, side int) NetDetector {
	return NetDetector{Side: side, Border: 0.15, Overlap: 0.4, MinScore: 0.1, Light: DefaultLight, net: net}
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
		if !slices.Contains(Detectors, name) {
			return nil, fmt.Errorf("the detector %.80q is not built in, and has no digest", name)
		}
		return OpenSearch(name)
	}
	if filepath.Base(name) != name || !strings.HasSuffix(strings.ToLower(name), ".onnx") {
		return nil, fmt.Errorf("the detector %.80q is no name of an ONNX file", name)
	}
	lost := absent{advice.Add(fmt.Errorf("the faces of this model were found by the detector %s, which is not at hand", name),
		"put the file beside the model, or name another detector: %v", advice.Detector.To("NAME"))}
	for _, folder := range folders {
		s, err := OpenSearch(filepath.Join(folder, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case s.Digest == digest:
			return s, nil
		default:
			lost.why = advice.Add(fmt.Errorf("the detector %s in %s is not the one by which the faces of this model were found", name, folder),
				"%v", advice.Of(lost.why))
		}
	}
	return &Search{Name: name, Digest: digest, Network: lost, Sighting: DefaultSighting, Content: DefaultContent}, nil
}

// absent is a detector whose file is missing.
type absent struct{ why error }

// Detect implements BoxDetector.
func (a absent) Detect(context.Context, *dataset.Photo) ([]Detection, error) { return nil, a.why }
