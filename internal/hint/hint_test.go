package hint_test

import (
	"errors"
	"fmt"
	"testing"

	"nrdl.example/nrdl/internal/hint"
)

func TestUnknownNamesTheNearest(t *testing.T) {
	names := []string{"nrc", "crc", "nrdl-test", "nrdl", "sdrerdl-reconstruction"}
	for name, want := range map[string]string{
		"nrld": `did you mean "nrdl"?`, "nrdl_test": `did you mean "nrdl-test"?`, "crcc": `did you mean "crc"?`,
		"nrd": `did you mean "nrdl"?`, "svm": `choose one of nrc, crc, nrdl-test, nrdl, sdrerdl-reconstruction`,
		"": `choose one of nrc, crc, nrdl-test, nrdl, sdrerdl-reconstruction`, "NRDL": `did you mean "nrdl"?`, "sdrerdl": `did you mean "sdrerdl-reconstruction"?`,
	} {
		if got := hint.Of(hint.Unknown("method", name, names)); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func TestHintsSurviveWrapping(t *testing.T) {
	cause := errors.New("cause")
	err := fmt.Errorf("outer: %w", hint.Add(cause, "do %d", 1))
	if hint.Of(err) != "do 1" || !errors.Is(err, cause) || err.Error() != "outer: cause" {
		t.Errorf("%q with the hint %q", err, hint.Of(err))
	}
	if hint.Of(cause) != "" || hint.Of(nil) != "" {
		t.Error("a hint out of nowhere")
	}
}
