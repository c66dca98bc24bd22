package tags_test

import (
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"log"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/faces/tags"
)

// A name that a model found is written beside the photograph, read back, and taken away again.
func Example() {
	dir, err := os.MkdirTemp("", "tags")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	photo := filepath.Join(dir, "beach.jpg")
	f, err := os.Create(photo)
	if err != nil {
		log.Fatal(err)
	}
	if err := jpeg.Encode(f, image.NewGray(image.Rect(0, 0, 400, 300)), nil); err != nil {
		log.Fatal(err)
	}
	f.Close()

	ctx, w := context.Background(), &tags.Writer{}
	done, err := w.Write(ctx, photo, []tags.Face{{Name: "Ann", Box: image.Rect(100, 60, 200, 180), Probability: 0.98}})
	if err != nil {
		log.Fatal(err)
	}
	read, err := tags.Read(photo)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(filepath.Base(done.Path), read.Regions[0].Name, read.Box(read.Regions[0].Area), read.Regions[0].Written)
	if _, err := w.Remove(ctx, photo); err != nil {
		log.Fatal(err)
	}
	_, err = os.Stat(done.Path)
	fmt.Println(os.IsNotExist(err))
	// Output:
	// beach.jpg.xmp Ann (100,60)-(200,180) true
	// true
}
