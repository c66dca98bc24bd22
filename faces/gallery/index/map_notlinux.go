//go:build unix && !linux

package index

func inLargePages([]byte) {}
