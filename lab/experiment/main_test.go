package experiment_test

import (
	"runtime/debug"
	"testing"
)

// Tests make many small heaps, which are collected less often.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
