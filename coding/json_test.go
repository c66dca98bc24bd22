package coding_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/coding"
)

func TestJSONRoundTrip(t *testing.T) {
	for _, c := range coding.All {
		raw, err := coding.Marshal(c)
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			continue
		}
		if got, err := coding.Unmarshal(raw); err != nil || got != c {
			t.Errorf("%s is read as %+v, want %+v: %v", raw, got, c, err)
		}
	}
}

func TestMarshalBeginsWithTheName(t *testing.T) {
	raw, err := coding.Marshal(coding.Ridge{Lambda: 1e-3})
	if want := `{"name":"ridge","lambda":0.001}`; err != nil || string(raw) != want {
		t.Errorf("%s, %v; want %s", raw, err, want)
	}
}

func TestMarshalRefuses(t *testing.T) {
	for name, c := range map[string]coding.Coder{
		"no coder":     nil,
		"not a number": coding.Ridge{Lambda: math.NaN()},
		"a pointer":    &coding.Ridge{},
	} {
		if raw, err := coding.Marshal(c); err == nil {
			t.Errorf("%s is written as %s", name, raw)
		}
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	for raw, want := range map[string]struct{ message, hint string }{
		`{"name":"rigde","lambda":1}`:           {`read the coder: unknown coder "rigde"`, `did you mean "ridge"?`},
		`{"name":"ridge","lamda":1}`:            {`read the coder: unknown parameter of ridge "lamda"`, `did you mean "lambda"?`},
		`{"name":"ridge"}`:                      {`read the coder: parameter "lambda" of ridge is missing`, ""},
		`{"lambda":1}`:                          {`read the coder: a coder without a name`, ""},
		`{"name":"ridge","lambda":1,"name":""}`: {`read the coder: coder: "name" is there twice`, ""},
		`{"name":"ridge","lambda":"1"}`:         {`read the coder: lambda = "\"1\"" is not a number`, ""},
		`null`:                                  {`read the coder: coder: not a JSON object`, ""},
		``:                                      {`read the coder: coder: not valid JSON`, ""},
	} {
		c, err := coding.Unmarshal(json.RawMessage(raw))
		if err == nil || err.Error() != want.message {
			t.Errorf("%s: %+v, %v; want %s", raw, c, err, want.message)
		}
		if h := advice.Text(err); h != want.hint {
			t.Errorf("%s: hint %q, want %q", raw, h, want.hint)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, c := range coding.All {
		raw, err := coding.Marshal(c)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := coding.Unmarshal(raw)
		if err != nil {
			return
		}
		again, err := coding.Marshal(c)
		if err != nil {
			t.Fatalf("%+v cannot be written: %v", c, err)
		}
		if d, err := coding.Unmarshal(again); err != nil || c != d {
			t.Fatalf("%s reads as %+v, then as %+v (%v)", raw, c, d, err)
		}
	})
}

func TestUnmarshalCorpusIsThere(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("testdata", "fuzz", "FuzzUnmarshal"))
	if err != nil || len(entries) == 0 {
		t.Errorf("FuzzUnmarshal has no corpus: %v", err)
	}
}
