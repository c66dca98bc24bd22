// Package licences has the licences of what the command contains: the text of the
// file NOTICE, which go generate makes of the modules that are linked and of the
// data that are embedded.
package licences

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

//go:generate go -C ../../studies run ./licences

//go:embed notice.gz
var notice []byte

// Notice returns the text of NOTICE.
func Notice() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(notice))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
