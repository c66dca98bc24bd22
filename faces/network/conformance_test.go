package network

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// suite is where Debian's package libonnx-testdata puts the official conformance
// suite of ONNX.
const suite = "/usr/share/libonnx-testdata/data"

var update = flag.Bool("update", false, "write the results into doc/network.md")

// Every case of the suite whose operators are supported passes, call by call and
// as it is planned; the others are refused with a reason.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob(suite + "/*/test_*/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		lacking.Skip(t, "no conformance suite; apt-get install libonnx-testdata")
	}
	var passed, failed []string
	refused := map[string][]string{} // cases by reason
	covered := map[string]bool{}
	for _, file := range files {
		dir := filepath.Dir(file)
		name := strings.TrimPrefix(filepath.Base(dir), "test_")
		ops, err := conforms(dir)
		switch {
		case err == nil:
			passed = append(passed, name)
			for _, op := range ops {
				covered[op] = true
			}
		case isRefusal(err):
			reason := "another operator"
			if !slices.ContainsFunc(ops, func(op string) bool { return operators[op].complete == nil }) {
				reason = err.Error()
				if _, after, ok := strings.Cut(reason, "): "); ok {
					reason = after
				}
				reason = strings.Join(slices.Compact(slices.Sorted(slices.Values(ops))), ", ") + ": " + reason
			}
			refused[reason] = append(refused[reason], name)
		default:
			failed = append(failed, name)
			t.Errorf("%s: %v", name, err)
		}
	}
	for op := range operators {
		if !covered[op] {
			t.Logf("no case of the suite uses %s and passes", op)
		}
	}
	other := refused["another operator"]
	delete(refused, "another operator")
	var b strings.Builder
	n := len(other)
	for _, names := range refused {
		n += len(names)
	}
	fmt.Fprintf(&b,
		"| cases | |\n| --- | ---: |\n| passed | %d |\n| failed | %d |\n| refused: an operator that is not supported | %d "+
			"|\n| refused: something else that is not supported | %d |\n",
		len(passed), len(failed), len(other), n-len(other))
	for _, reason := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("refused: %s: %s", reason, list(refused[reason]))
	}
	if len(failed) > 0 {
		t.Errorf("failed: %s", list(failed))
	}
	t.Logf("passed: %s", list(passed))
	t.Logf("refused for their operator: %s", list(other))
	checkDocument(t, b.String())
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// checkDocument compares doc/network.md with the results, or writes them there.
func checkDocument(t *testing.T, results string) {
	const path, begin, end = "../../doc/network.md", "<!-- conformance -->\n", "<!-- end -->"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("doc/network.md has no place for the results")
	}
	if *update {
		if err := os.WriteFile(path, []byte(head+begin+results+end+tail), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if old != results {
		t.Error("doc/network.md has other results; go test ./faces/network -run Conformance -update writes these")
	}
}

// The document lists the operators that there are.
func TestDocumentListsOperators(t *testing.T) {
	text, err := os.ReadFile("../../doc/network.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(slices.Sorted(maps.Keys(operators)), ", ") + "."; !strings.Contains(string(text), "\n"+want+"\n") {
		t.Errorf("doc/network.md does not list: %s", want)
	}
}

func isRefusal(err error) bool { _, ok := err.(refusal); return ok }

// conforms runs one case and returns the operators of its model. The error is a
// refusal if the model is not supported.
func conforms(dir string) (ops []string, err error) {
	defer catch(&err)
	data, err := os.ReadFile(dir + "/model.onnx")
	if err != nil {
		return nil, err
	}
	m := readModel(data)
	for _, n := range m.nodes {
		ops = append(ops, n.op)
	}
	m.arguments() // which refuses inputs that are not tensors
	sets, err := filepath.Glob(dir + "/test_data_set_*")
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		if err := conformsOn(data, set); err != nil {
			return ops, err
		}
	}
	return ops, nil
}

// catch turns a refusal into an error.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case refusal:
		*err = r
	default:
		panic(r)
	}
}

func conformsOn(data []byte, set string) (err error) {
	want := suiteTensors(set, "output")
	// Sizes, axes and limits are inputs in the suite where networks have
	// constants: where it is needed all inputs but the first are made constant,
	// and then all.
	for _, variable := range []int{math.MaxInt, 1, 0} {
		err = conformsWith(data, suiteTensors(set, "input"), want, variable)
		if err == nil || !isRefusal(err) {
			return err
		}
		if variable == math.MaxInt {
			defer func(first error) {
				if isRefusal(err) && !strings.Contains(first.Error(), "is not constant") {
					err = first
				}
			}(err)
		}
	}
	return err
}

func suiteTensors(set, kind string) (ts []tensor) {
	for k := 0; ; k++ {
		data, err := os.ReadFile(fmt.Sprintf("%s/%s_%d.pb", set, kind, k))
		if err != nil {
			return ts
		}
		_, v := readTensor(data)
		ts = append(ts, v)
	}
}

func conformsWith(data []byte, in, want []tensor, variable int) (err error) {
	defer catch(&err)
	m := readModel(data)
	var shapes [][]int
	var inputs []*tensor
	arguments := m.arguments()
	must(len(arguments) == len(in), "inputs that are left out are not supported")
	for k, a := range arguments {
		if k < variable {
			shapes = append(shapes, in[k].shape)
			inputs = append(inputs, &in[k])
			continue
		}
		m.initialised[a.name] = true
		m.initial = append(m.initial, constant{a.name, in[k]})
	}
	b := newBudget(context.Background(), 1<<22)
	g := build(m, shapes, b)
	if err := compare(g.interpret(inputs, nil), want); err != nil {
		return err
	}
	if err := compare(planned(g, b, inputs), want); err != nil {
		return fmt.Errorf("planned: %w", err)
	}
	return nil
}

// planned is the results of a graph's plan for one item.
func planned(g *graph, b *budget, inputs []*tensor) (outputs []*tensor) {
	p := newPlan(g, b)
	s := p.newState(1)
	for k := range inputs {
		x := make([]float32, inputs[k].len())
		store(x, inputs[k])
		s.load(p, k, 0, x)
		if inputs[k].i != nil { // which float32 may not hold
			copyAll(&s.tensors[p.inputs[k]][0], inputs[k])
		}
	}
	if err := p.run(context.Background(), s, 1); err != nil {
		panic(err)
	}
	for _, at := range p.outputs {
		outputs = append(outputs, &s.tensors[at][0])
	}
	return outputs
}

// compare has the tolerance of the suite.
func compare(got []*tensor, want []tensor) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d outputs, not %d", len(got), len(want))
	}
	for k, g := range got {
		w := want[k]
		if g.dtype != w.dtype || !slices.Equal(g.shape, w.shape) {
			return fmt.Errorf("output %d is %v of shape %v, not %v of %v", k, g.dtype, g.shape, w.dtype, w.shape)
		}
		for e := range g.len() {
			a, b := g.at(e), w.at(e)
			if !(math.Abs(a-b) <= 1e-7+1e-3*math.Abs(b)) && !(a != a && b != b) && a != b {
				return fmt.Errorf("output %d, element %d of %v: %g, not %g", k, e, g.shape, a, b)
			}
		}
	}
	return nil
}
