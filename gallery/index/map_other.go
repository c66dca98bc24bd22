//go:build !unix

package index

import "os"

const keepsOpen = false

func largeMemory(size int) (*memory, error) { return smallMemory(size), nil }

func readAhead(*os.File, int64, int64) {}
