package advice_test

import (
	"errors"
	"fmt"
	"testing"

	"nrdl.example/nrdl/advice"
)

func TestUnknownNamesTheNearest(t *testing.T) {
	names := []string{"nrc", "crc", "nrdl-test", "nrdl", "sdrerdl-reconstruction"}
	for name, want := range map[string]string{
		"nrld": `did you mean "nrdl"?`, "nrdl_test": `did you mean "nrdl-test"?`, "crcc": `did you mean "crc"?`,
		"nrd": `did you mean "nrdl"?`, "svm": `choose one of nrc, crc, nrdl-test, nrdl, sdrerdl-reconstruction`,
		"": `choose one of nrc, crc, nrdl-test, nrdl, sdrerdl-reconstruction`, "wrd": `choose one of nrc, crc, nrdl-test, nrdl, sdrerdl-reconstruction`,
		"rndl": `did you mean "nrdl"?`, "NRDL": `did you mean "nrdl"?`,
		"sdrerdl": `did you mean "sdrerdl-reconstruction"?`,
	} {
		if got := advice.Text(advice.Unknown("method", name, names)); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func TestAdviceSurvivesWrapping(t *testing.T) {
	cause := errors.New("cause")
	err := fmt.Errorf("outer: %w", advice.Add(cause, "do %d", 1))
	if advice.Text(err) != "do 1" || !errors.Is(err, cause) || err.Error() != "outer: cause" {
		t.Errorf("%q with the advice %q", err, advice.Text(err))
	}
	if advice.Text(cause) != "" || advice.Text(nil) != "" {
		t.Error("advice out of nowhere")
	}
}
