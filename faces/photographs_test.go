package faces_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/synthetic"
)

// Pixels of a drawn face, of the wall on each side of it, and of both.
const (
	faceSide = 84
	wall     = 21
	tileSide = faceSide + 2*wall
)

// drawnFaces returns so many faces of each person, for photographs.
func drawnFaces(people, each int, seed uint64) *dataset.Images {
	faces, err := synthetic.Faces{
		People: people, PerPerson: each, Input: dataset.Size{Height: faceSide, Width: faceSide}, Seed: seed,
		Light: 0.4, Pose: 0.4, Expression: 0.4, Noise: 1,
	}.Draw(context.Background())
	check(err)
	return faces
}

// photograph returns a photograph of the given columns of faces, side by side from
// the largest to the smallest.
func photograph(faces *dataset.Images, columns ...int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, tileSide*len(columns), tileSide))
	for i, j := range columns {
		tile := image.NewGray(image.Rect(0, 0, tileSide, tileSide))
		for x := range tileSide {
			for y := range tileSide {
				u, v := min(max(x-wall, 0), faceSide-1), min(max(y-wall, 0), faceSide-1)
				tile.Pix[y*tile.Stride+x] = byte(faces.X.At(u*faceSide+v, j))
			}
		}
		side := tileSide - i*tileSide/8
		draw.CatmullRom.Scale(m, image.Rect(0, 0, side, side).Add(image.Pt(i*tileSide, 0)), tile, tile.Rect, draw.Src, nil)
	}
	return m
}

// quick finds faces by the cascade, in a quarter of the time of the default.
func quick() face.Options {
	cascade, err := face.OpenSearch("cascade")
	check(err)
	return face.Options{Search: cascade}
}

// encoded returns the content of an image file.
func encoded(img image.Image) []byte {
	var b bytes.Buffer
	check(png.Encode(&b, img))
	return b.Bytes()
}

// writePhotographs writes a photograph of each face below dir, in a folder for each
// person.
func writePhotographs(dir string, faces *dataset.Images) {
	for j := range faces.Len() {
		c := faces.ClassOf(j)
		path := filepath.Join(dir, faces.Classes[c], fmt.Sprintf("%04d.png", j-faces.Groups[c]+1))
		check(os.MkdirAll(filepath.Dir(path), 0o777))
		check(os.WriteFile(path, encoded(photograph(faces, j)), 0o666))
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
