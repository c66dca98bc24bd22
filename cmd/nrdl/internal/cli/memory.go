package cli

import (
	"os"
	"runtime/debug"
)

// CollectEarly makes the garbage collector run when the heap has grown by half, unless the
// environment variable GOGC is set. Photographs are large and hold no pointers, so this
// saves memory at little cost.
func CollectEarly() {
	const percent = 50
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
