// Command bundled writes the data sets of package faces/dataset/bundled from the files of two
// packages of Debian: python3-sklearn and dataset-fashion-mnist. FOLDER is where they are
// unpacked, or / where they are installed:
//
//	go -C tools run ./bundled FOLDER
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"

	"nrdl.example/nrdl/internal/kit/npz"
)

// perClass is how many images of a class of Fashion-MNIST are kept, the first ones of
// its test part.
const perClass = 100

var clothes = []string{"T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: bundled FOLDER, in which the packages are unpacked")
	}
	root := os.Args[1]
	pixels, labels, err := digits(filepath.Join(root, "usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"))
	if err == nil {
		err = write("../faces/dataset/bundled/digits.npz", 8, pixels, labels)
	}
	if err != nil {
		log.Fatal(err)
	}
	pixels, labels, err = fashion(filepath.Join(root, "usr/share/datasets/fashion-mnist"))
	if err == nil {
		err = write("../faces/dataset/bundled/fashion.npz", 28, pixels, labels)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func unpacked(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// digits reads lines of 64 grey values, 0 … 16, row after row, and the digit.
func digits(path string) (pixels []uint8, labels []string, err error) {
	text, err := unpacked(path)
	if err != nil {
		return nil, nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	for _, line := range lines {
		for _, word := range line[:64] {
			v, err := strconv.ParseUint(word, 10, 8)
			if err != nil {
				return nil, nil, err
			}
			pixels = append(pixels, uint8(v))
		}
		labels = append(labels, line[64])
	}
	return pixels, labels, nil
}

// fashion reads the IDX files of the test part: a header of 16 or 8 bytes, then bytes.
func fashion(folder string) (pixels []uint8, labels []string, err error) {
	images, err := unpacked(filepath.Join(folder, "t10k-images-idx3-ubyte.gz"))
	if err != nil {
		return nil, nil, err
	}
	classes, err := unpacked(filepath.Join(folder, "t10k-labels-idx1-ubyte.gz"))
	if err != nil {
		return nil, nil, err
	}
	images, classes = images[16:], classes[8:]
	kept := map[byte]int{}
	for i, c := range classes {
		if kept[c]++; kept[c] <= perClass {
			pixels = append(pixels, images[i*28*28:(i+1)*28*28]...)
			labels = append(labels, clothes[c])
		}
	}
	return pixels, labels, nil
}

func write(path string, side int, pixels []uint8, labels []string) error {
	var b bytes.Buffer
	if err := npz.Write(&b, npz.Uint8("X", []int{len(labels), side, side}, pixels), npz.Text("y", labels)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
