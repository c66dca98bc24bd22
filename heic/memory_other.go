//go:build !unix

package heic

import "github.com/tetratelabs/wazero/experimental"

func allocate(_, _ uint64) experimental.LinearMemory { return &slice{} }
