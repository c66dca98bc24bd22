package frontend

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/internal/kit/regular"
	"nrdl.example/nrdl/openset"
)

// Law returns the impostor distribution of the network of in, with the alignment and the
// mirror images of in; nil if there is no network, or if it was not measured.
func (in Pipeline) Law() *openset.Impostors {
	if in.Measured != nil {
		return in.Measured
	}
	e := in.Embedding
	return openset.ImpostorsOf(e.Digest, e.Channels, e.Mirror, e.Alignment != dataset.ByPupils, e.Centring)
}

// Describe completes l, the impostor distribution of vectors that e made: it says by which network
// and with which settings.
func Describe(l *openset.Impostors, e *embedding.Embedder) {
	made := e.Frame().Embedding
	l.Network, l.Mirror, l.Landmarks = made.Digest, made.Mirror, made.Alignment != dataset.ByPupils
	l.Centring, l.Settings = made.Centring, settingsOf(e)
}

// settingsOf are the settings of e on which an impostor distribution depends, as words of an input.
func settingsOf(e *embedding.Embedder) string {
	f := e.Frame()
	return strings.Join(append(f.Embedding.Words()[1:], "eyes="+f.Eyes.String()), " ")
}

// LawFile returns the path of the file with the impostor distribution of the network file at
// path. It is beside the network file.
func LawFile(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".json" }

// maxLaw bounds the size of a LawFile.
const maxLaw = 1 << 24

// lawBeside returns the impostor distribution in the LawFile of the network file at path, which e
// is; nil if there is no such file, or if it is of another kind. It is an error if it was
// measured for another network or with other settings.
func lawBeside(path string, e *embedding.Embedder) (*openset.Impostors, error) {
	file := LawFile(path)
	data, err := regular.ReadFile(file, maxLaw)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, regular.ErrNot) || errors.Is(err, regular.ErrTooLarge) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the measurement of a network: %w", err)
	}
	if !bytes.Contains(data, []byte(`"deviates"`)) {
		return nil, nil // of another program
	}
	l, err := openset.ParseImpostors(data)
	if err == nil {
		err = suits(l, e.Frame().Embedding)
	}
	// Measurements of versions before 0.3 do not say red first.
	set := settingsOf(e)
	if err == nil && l.Settings != "" && l.Settings != set && "channels=rgb "+l.Settings != set {
		err = fmt.Errorf("it was measured with %s, not with %s", l.Settings, set)
	}
	if err != nil {
		return nil, advice.Add(fmt.Errorf("the measurement %s of network %s: %w", file, path, err),
			"measure this network, with these settings: %v; or move the file away: then it counts as not measured", advice.MeasureNetwork)
	}
	return l, nil
}

// suits reports whether l is the impostor distribution of vectors of e.
func suits(l *openset.Impostors, e dataset.Embedding) error {
	switch {
	case l.Network != e.Digest:
		return fmt.Errorf("it is of a network with the SHA-256 %.12s…, not %.12s…", l.Network, e.Digest)
	case l.Centring != e.Centring:
		return errors.New("vectors were measured that are not centred like these")
	case l.Mirror != e.Mirror:
		return fmt.Errorf("mirror=%s was measured, not mirror=%s", onOff(l.Mirror), onOff(e.Mirror))
	case l.Landmarks != (e.Alignment != dataset.ByPupils):
		return fmt.Errorf("faces aligned by landmarks: measured %s, here %s", onOff(l.Landmarks), onOff(!l.Landmarks))
	}
	return l.Validate()
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
