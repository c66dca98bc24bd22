package people

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
)

// What the API says instead of options and functions is an operation that it has.
func TestWordingNamesOperations(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../client/openapi.json") // which a test compares with what the service sends
	if err != nil {
		t.Fatal(err)
	}
	var api struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal(text, &api); err != nil {
		t.Fatal(err)
	}
	for _, words := range slices.Concat(slices.Collect(maps.Values(offered)), slices.Collect(maps.Values(doing))) {
		method, path, _ := strings.Cut(words, " ")
		if api.Paths[path][strings.ToLower(method)] == nil {
			t.Errorf("there is no operation %s", words)
		}
	}
}

// Advice is in the words of the API, and is left out where a client cannot follow it.
func TestHint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		advice advice.Advice
		want   string
	}{
		{advice.New("hold the camera still"), "hold the camera still"},
		{
			advice.New("give photographs of other people: %v", advice.Strangers),
			"give photographs of other people: POST /v1/collections/{collection}/strangers",
		},
		{advice.New("train it again: %v", advice.Train), "train it again: POST /v1/collections/{collection}/jobs"},
		{advice.New("%v takes images as they are", advice.Detect.To("never")), ""},
		{advice.New("train it again: %v", advice.Train.With(advice.Detect.To("always"))), ""},
		{advice.New("%v makes them", advice.RunPlan), ""},
		{nil, ""},
	} {
		if got := hint(advice.Add(errors.New("failed"), "%v", c.advice)); got != c.want {
			t.Errorf("%v: %q, want %q", c.advice, got, c.want)
		}
	}
	if got := hint(errors.New("failed")); got != "" {
		t.Errorf("%q without advice", got)
	}
}
