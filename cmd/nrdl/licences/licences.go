// Package licences has the licences of what the command contains: the text of the
// file NOTICE, which go generate makes of the modules that are linked and of the
// data that are embedded.
//
// Experimental: this package may change in any version.
package licences

import (
	_ "embed" // the text

	"nrdl.example/nrdl/internal/kit/packed"
)

//go:generate go -C ../../../tools run ./licences

//go:embed notice.zst
var notice []byte

// Notice returns the text of NOTICE.
func Notice() []byte { return packed.Bytes(notice) }
