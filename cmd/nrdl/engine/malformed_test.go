package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/engine"
	"nrdl.example/nrdl/internal/kit/npz"
)

// A request that cannot be done is an error with a code and, where there is one, advice as
// data; the next request is answered.
func TestRefusals(t *testing.T) {
	s := found(t, 3, 3)
	c := start(t, engine.Options{})
	bad := npz.Float64("x", []int{9, 2}, make([]float64, 18))
	cut := s.sent[0]
	cut.Name = "z"
	for _, r := range []struct {
		request       header
		all           []npz.Array
		code, message string
	}{
		{header{"verb": "predictt"}, nil, "request", "unknown verb"},
		{header{"verb": "fit", "colour": 1}, nil, "request", "colour"},
		{header{"verb": "fit", "Seed": 1}, nil, "request", `"Seed"`},
		{header{"verb": "fit", "method": "nrc", "params": []header{{"name": "kappa", "vaLue": "1"}}}, nil, "request", `"vaLue"`},
		{header{"verb": "fit", "seed": "x"}, nil, "request", "seed"},
		{header{"verb": "fit", "method": "nrcc", "classes": s.names}, s.sent, "failed", "nrcc"},
		{
			header{"verb": "fit", "method": "nrc", "params": []header{{"name": "kappa", "value": "1"}}, "classes": s.names},
			s.sent, "failed", "kappa",
		},
		{header{"verb": "fit", "method": "nrc"}, s.sent, "failed", "no index of 0 classes"},
		{header{"verb": "fit", "method": "nrc", "classes": []string{"a", "a", "b"}}, s.sent, "failed", "a"},
		{header{"verb": "fit", "method": "nrc", "classes": []string{"a", "b", "unknown"}}, s.sent, "failed", "strangers"},
		{header{"verb": "fit", "method": "nrc", "classes": s.names}, []npz.Array{s.sent[0]}, "failed", "no array y"},
		{header{"verb": "fit", "method": "nrc", "classes": s.names}, []npz.Array{s.sent[0], s.sent[1], cut}, "request", "takes no array"},
		{header{"verb": "fit", "method": "nrc", "classes": s.names, "image": []int{3}}, s.sent, "request", "height and width"},
		{header{"verb": "fit", "method": "nrc", "classes": s.names, "image": []int{3, 3}}, s.sent, "failed", "pixels"},
		{header{"verb": "predict"}, []npz.Array{bad}, "request", "needs a model"},
		{header{"verb": "predict"}, []npz.Array{bad, npz.Uint8("model", []int{4}, []byte("abcd"))}, "failed", "not an nrdl model"},
		{header{"verb": "predict"}, []npz.Array{bad, npz.Int64("model", []int{1}, []int64{1})}, "request", "uint8"},
		{header{"verb": "dictionary", "method": "ksvd", "atoms": 1 << 30}, []npz.Array{bad}, "failed", ""},
		{header{"verb": "observe", "method": "ksvd", "atoms": 1}, []npz.Array{bad}, "failed", "online"},
		{
			header{"verb": "observe", "method": "online"},
			[]npz.Array{bad, npz.Float64("state.atoms", []int{2, 2}, []float64{1, 0, 0, 1})},
			"failed", "state.A of the state is missing",
		},
		{header{"verb": "dictionary", "method": "k-svd"}, []npz.Array{bad}, "failed", "k-svd"},
		{header{"verb": "learned"}, nil, "request", "no fit"},
		{
			header{"verb": "steps", "method": "nrc", "classes": s.names, "state": []header{{"name": "D", "rows": 9, "columns": 0}}},
			s.sent, "failed", "axes",
		},
		{header{"verb": "learn", "method": "nrc", "classes": s.names}, []npz.Array{s.sent[0], s.sent[1], cut}, "request", "takes no array"},
	} {
		code, message := c.refused(r.request, r.all...)
		if code != r.code || !strings.Contains(message, r.message) {
			t.Errorf("%v: %s, %q", r.request, code, message)
		}
	}
	got, _ := c.ask(header{"verb": "predict", "model": strings.Repeat("0", 64)}, bad)
	e := got["error"].(header)
	if e["advice"].([]any)[0].(header)["text"] == nil || e["hint"] == "" {
		t.Errorf("without advice: %v", e)
	}
}

// Numbers that are not finite are refused by every verb that takes samples.
func TestNotFinite(t *testing.T) {
	s := found(t, 3, 3)
	c := start(t, engine.Options{})
	h, _ := c.do(header{"verb": "fit", "method": "nrc", "classes": s.names}, s.sent...)
	nan := samples("x", s.x)
	binary.LittleEndian.PutUint64(nan.Data, 0x7ff8<<48)
	for _, verb := range []string{"predict", "decision_function", "transform"} {
		if _, message := c.refused(header{"verb": verb, "model": h["model"]}, nan); !strings.Contains(message, "NaN") {
			t.Error(message)
		}
	}
	for _, verb := range []string{"fit", "learn", "steps"} {
		if _, message := c.refused(header{"verb": verb, "method": "nrc", "classes": s.names}, nan, s.sent[1]); !strings.Contains(message, "NaN") {
			t.Error(message)
		}
	}
}

var frames = map[string][]byte{
	"a length that is cut short":  {1, 2},
	"a long header":               {0xff, 0xff, 0xff, 0xff, 'a'},
	"a header that is cut short":  {9, 0, 0, 0, '{'},
	"no JSON":                     {1, 0, 0, 0, 'x'},
	"a list":                      {2, 0, 0, 0, '[', ']'},
	"an array that is cut short":  withHeader(`{"verb":"fit","arrays":[{"name":"x","bytes":200}]}`, "abc"),
	"an array of negative length": withHeader(`{"verb":"fit","arrays":[{"name":"x","bytes":-1}]}`, ""),
	"an array that is too long":   withHeader(`{"verb":"fit","arrays":[{"name":"x","bytes":9000000000000000000}]}`, ""),
	"arrays that are too long":    withHeader(`{"verb":"fit","arrays":[{"name":"x","bytes":1500000000},{"name":"y","bytes":1500000000}]}`, ""),
	"two arrays of one name":      withHeader(`{"verb":"fit","arrays":[{"name":"x","bytes":0},{"name":"x","bytes":0}]}`, ""),
}

func withHeader(text, rest string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	return append(append(b, text...), rest...)
}

// After a frame whose end nobody knows the engine answers with an error and ends; what it
// declares takes no memory.
func TestMalformedFrames(t *testing.T) {
	for name, b := range frames {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var out bytes.Buffer
		err := engine.Serve(context.Background(), bytes.NewReader(b), &out, engine.Options{})
		runtime.ReadMemStats(&after)
		h, _, unread := answer(&out)
		if err == nil || unread != nil || h["error"].(header)["code"] != "frame" {
			t.Errorf("%s: %v, %v, %v", name, err, h, unread)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
			t.Errorf("%s takes %d bytes", name, grown)
		}
	}
}

// What is no array is an error of its request only.
func TestMalformedArray(t *testing.T) {
	c := start(t, engine.Options{})
	go func() { _, _ = c.requests.Write(withHeader(`{"verb":"fit","arrays":[{"name":"x","bytes":3}]}`, "abc")) }()
	if h, _, err := answer(c.out); err != nil || h["error"].(header)["code"] != "request" {
		t.Errorf("%v, %v", h, err)
	}
	c.do(header{"verb": "methods"})
}

// An engine ends when its caller is gone, also during long work.
func TestEndsWithItsCaller(t *testing.T) {
	s := found(t, 10, 10)
	c := start(t, engine.Options{})
	endless := header{
		"verb": "fit", "method": "nrdl", "classes": s.names,
		"params": []header{{"name": "passes", "value": "1000000000"}, {"name": "tol", "value": "0"}, {"name": "growth", "value": "1"}},
	}
	if _, err := c.requests.Write(frame(endless, s.sent...)); err != nil {
		t.Fatal(err)
	}
	_ = c.requests.Close()
	if err := <-c.result; err != nil {
		t.Error(err)
	}
	idle := start(t, engine.Options{})
	_ = idle.requests.Close()
	if err := <-idle.result; err != nil {
		t.Error(err)
	}
}

// Models beyond the limit are dropped, those that were not used for longest first.
func TestCache(t *testing.T) {
	s := found(t, 3, 3)
	c := start(t, engine.Options{Cache: 1})
	h, made := c.do(header{"verb": "fit", "method": "nrc", "classes": s.names}, s.sent...)
	if code, _ := c.refused(header{"verb": "predict", "model": h["model"]}, s.sent[0]); code != "model" {
		t.Error(code)
	}
	c.do(header{"verb": "predict", "model": h["model"]}, s.sent[0], made["model"])

	d, k := s.x.Dims()
	size := int64(len(made["model"].Data) + 8*k*(2*d+3*k)) // the samples are the atoms, and coders keep matrices of them
	c = start(t, engine.Options{Cache: 2*size + size/2})
	var hashes []any
	for seed := range 3 {
		if seed == 2 {
			c.do(header{"verb": "predict", "model": hashes[0]}, s.sent[0])
		}
		h, _ := c.do(header{"verb": "fit", "method": "nrc", "seed": seed, "classes": s.names}, s.sent...)
		hashes = append(hashes, h["model"])
	}
	if code, _ := c.refused(header{"verb": "predict", "model": hashes[1]}, s.sent[0]); code != "model" {
		t.Error(code)
	}
	c.do(header{"verb": "predict", "model": hashes[0]}, s.sent[0])
}

func TestErrorsOfTheWriter(t *testing.T) {
	r, w := io.Pipe()
	_ = r.CloseWithError(errors.New("the reader is gone"))
	err := engine.Serve(context.Background(), bytes.NewReader(frame(header{"verb": "methods"})), w, engine.Options{})
	if err != nil && !strings.Contains(err.Error(), "the reader is gone") {
		t.Error(err, advice.Text(err))
	}
}

// FuzzServe: whatever comes in, the engine ends, and all that it writes are frames.
func FuzzServe(f *testing.F) {
	for _, b := range frames {
		f.Add(b)
	}
	f.Add(frame(header{"verb": "methods"}))
	x := npz.Float64("x", []int{4, 2}, []float64{1, 2, 2, 1, 5, 1, 1, 9})
	f.Add(frame(header{"verb": "fit", "method": "nrc", "classes": []string{"a", "b"}}, x, npz.Int64("y", []int{4}, []int64{0, 0, 1, 1})))
	f.Add(frame(header{"verb": "dictionary", "method": "ksvd", "atoms": 2, "params": []header{{"name": "sparsity", "value": "1"}}}, x))
	f.Add(frame(header{"verb": "detect"}, npz.Uint8("a", []int{2, 2}, []byte{1, 2, 3, 4})))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte(`"files"`)) || bytes.Contains(data, []byte(`"network"`)) || bytes.Contains(data, []byte(`\u`)) {
			t.Skip("files of this machine")
		}
		var out bytes.Buffer
		_ = engine.Serve(context.Background(), bytes.NewReader(data), &out,
			engine.Options{Limits: engine.Limits{Header: 1 << 12, Arrays: 8, Bytes: 1 << 16}})
		for {
			if _, _, err := answer(&out); err != nil {
				if !errors.Is(err, io.EOF) || out.Len() > 0 {
					t.Fatal(err)
				}
				return
			}
		}
	})
}
