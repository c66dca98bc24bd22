//go:build unix && !linux

package index

import "os"

func inLargePages([]byte) {}

func readAhead(*os.File, int64, int64) {}
