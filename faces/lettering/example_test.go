package lettering_test

import (
	"fmt"
	"image"
	"image/color"

	"nrdl.example/nrdl/faces/lettering"
)

func Example() {
	label := image.NewRGBA(image.Rect(0, 0, 120, 30))
	lettering.Bold.Write(label, color.White, "محمد", 16, image.Pt(4, 20), 112)
	fmt.Println(lettering.Regular.Fit("Augusta Ada King, Countess of Lovelace", 16, 112))
	// Output: Augusta Ada…
}
