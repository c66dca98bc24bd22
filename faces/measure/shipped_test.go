package measure

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/openset"
)

// The laws in the program are as Law and Lines make them of the networks in the program.
func TestShippedLaws(t *testing.T) {
	made, err := Law(drawn(1, 60, 8), drawn(2, 200, 1))
	if err != nil {
		t.Fatal(err)
	}
	frontend.Describe(made, embedding.Default())
	made.Source = "a test"
	keys := func(text []byte) []string {
		t.Helper()
		var all map[string]json.RawMessage
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		// What only messages about a measurement say, or what only another network needs, is not
		// in the files of those in the program.
		for _, k := range []string{"people", "photographs", "faces", "accepted", "settings", "channels", "centring"} {
			delete(all, k)
		}
		return slices.Sorted(maps.Keys(all))
	}
	for file, words := range map[string]string{
		"faceplugin-centred-mirror": "embedding", "faceplugin-mirror": "embedding centring=off",
		"faceplugin": "embedding mirror=off", "faceplugin-red-first-mirror": "embedding channels=rgb",
		"faceplugin-red-first": "embedding channels=rgb mirror=off", "dlib-landmarks-mirror": "embedding:dlib",
		"dlib-landmarks": "embedding:dlib mirror=off",
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "openset", "impostors", file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		l, err := openset.ParseImpostors(text)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(Lines(l), text) {
			t.Errorf("%s is not as Lines writes it", file)
		}
		if got, want := keys(text), keys(Lines(made)); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", file, got, want)
		}
		in, err := frontend.Parse(words)
		if err != nil {
			t.Fatal(err)
		}
		e := in.Embedding
		if l.Network != e.Digest || l.Channels != e.Channels || l.Centring != e.Centring || l.Mirror != e.Mirror ||
			l.Landmarks != (e.Alignment != dataset.ByPupils) || len(l.Cosines) != len(made.Cosines) || len(l.Deviates) != points {
			t.Errorf("%s is of %s, mirror %v, landmarks %v; %d × %d", file, l.Network, l.Mirror, l.Landmarks, len(l.Cosines), len(l.Deviates))
		}
		if in.Law() == nil || in.Law().Independent != l.Independent {
			t.Errorf("%q does not take %s", words, file)
		}
	}
}
