package report

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestReadPasses(t *testing.T) {
	const lines = `{"iter":1,"mu":1e-4,"residual":2,"fit":3,"code":null}` + "\n" + `{"iter":2,"mu":1e-4,"residual":1,"fit":2,"code":1}` + "\n"
	p, err := ReadPasses(strings.NewReader(lines), "training")
	if err != nil {
		t.Fatal(err)
	}
	figures := p.Figures()
	if len(figures) != 2 || figures[0].Name != "objective" || figures[1].Name != "residual" {
		t.Fatalf("figures %v", figures)
	}
	total := figures[0].Series[0]
	if len(figures[0].Series) != 3 || total.Y[1] != 3 || !math.IsNaN(total.Y[0]) {
		t.Errorf("series %v: the total of fit and code", figures[0].Series)
	}
	for _, format := range PassFormats {
		var b bytes.Buffer
		want := "training"
		if format == "csv" {
			want = "pass,mu,residual,fit,code\n1,0.0001,2,3,\n2,0.0001,1,2,1\n"
		}
		if err := p.Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v", format, err)
		}
	}
	for name, text := range map[string]string{
		"records": `{"plan":"quick","iter":1}`, "empty": "",
		"text": "x", "list": "[1]", "alone": `{"iter":1}`,
	} {
		if _, err := ReadPasses(strings.NewReader(text), ""); !errors.Is(err, ErrNoPasses) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadPasses(strings.NewReader(lines+`{"iter":3,"other":1}`), ""); err == nil || errors.Is(err, ErrNoPasses) {
		t.Errorf("another term in line 3: %v", err)
	}
}

func FuzzReadPasses(f *testing.F) {
	f.Add([]byte(`{"iter":1,"residual":2,"fit":3}` + "\n" + `{"iter":2,"residual":null,"fit":-1e308}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadPasses(bytes.NewReader(data), "x")
		if err != nil {
			return
		}
		_ = p.Write(&bytes.Buffer{}, "html")
	})
}
