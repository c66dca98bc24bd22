package plot_test

import (
	"fmt"
	"strings"

	"nrdl.example/nrdl/lab/report/plot"
)

// Draw two lines as an SVG figure.
func Example() {
	axes := plot.Axes{Title: "accuracy and noise", X: "noise", Y: "accuracy, %"}
	svg, err := plot.Lines(axes, []plot.Series{
		{Name: "NRC", X: []float64{0, 0.1, 0.2}, Y: []float64{95, 90, 70}},
		{Name: "CRC", X: []float64{0, 0.1, 0.2}, Y: []float64{94, 85, 60}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.HasPrefix(string(svg), "<svg"), strings.Contains(string(svg), "NRC"))
	// Output: true true
}
