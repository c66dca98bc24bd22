package file

import (
	"bytes"
	"fmt"
	"io"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/internal/kit/regular"
)

// Misplaced returns an error if the file at path begins as a model does, where something else was wanted,
// such as records, and nil for other files and where none is.
func Misplaced(path, wanted string) error {
	f, _, err := regular.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	begins, _ := io.ReadAll(io.LimitReader(f, 64))
	if !bytes.HasPrefix(begins, []byte(index.Magic)) && !bytes.Contains(begins, []byte(`{"`+aboutKey+`":`)) {
		return nil
	}
	return advice.Add(fmt.Errorf("%s is a model, not %s", path, wanted),
		"%v says how well it recognises its people", advice.Survey.With(advice.Model.To(path)))
}
