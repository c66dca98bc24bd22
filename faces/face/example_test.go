package face_test

import (
	"context"
	"fmt"
	"image"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/synthetic"
)

// Find the faces in a photograph, and cut out each with its pupils at fixed places.
func Example() {
	photo := drawnPhotograph() // or dataset.ReadGrey(ctx, "photo.jpg")
	frame := dataset.Frame{Size: dataset.Size{Height: 32, Width: 32}, Eyes: dataset.DefaultEyes}
	for _, f := range face.DefaultFinder.Find(photo) {
		crop := face.Crop(photo, f.Pupils, frame)
		fmt.Printf("pupils about %.0f pixels apart, seen well: %v; a crop of %d grey values\n", f.Quality.Eyes,
			face.DefaultLimits.Refusal(f) == nil, len(crop))
	}
	// Output:
	// pupils about 43 pixels apart, seen well: true; a crop of 1024 grey values
}

// drawnPhotograph draws the face of a person who does not exist.
func drawnPhotograph() *image.Gray {
	const side = 128
	faces, err := synthetic.Faces{People: 1, PerPerson: 1, Input: dataset.Size{Height: side, Width: side}, Seed: 1}.Draw(context.Background())
	if err != nil {
		panic(err)
	}
	m := image.NewGray(image.Rect(0, 0, side, side))
	for x := range side {
		for y := range side {
			m.Pix[y*m.Stride+x] = byte(faces.X.At(x*side+y, 0))
		}
	}
	return m
}
