//go:build !unix && !slim

package sandbox

import (
	"io/fs"

	"github.com/tetratelabs/wazero/experimental"
)

func allocate(uint64) experimental.LinearMemory { return &slice{} }

// Windows gives a folder the rights of the one above it, and that for the user's caches
// is private.
func isMine(fs.FileInfo) bool    { return true }
func isPrivate(fs.FileInfo) bool { return true }
