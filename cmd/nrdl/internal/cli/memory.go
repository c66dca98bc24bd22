package cli

import (
	"os"
	"runtime/debug"
)

// CollectEarly has garbage collected when the heap has grown by half, unless the environment
// variable GOGC says otherwise: photographs are large and hold no pointers, so that this
// saves memory and takes hardly any time.
func CollectEarly() {
	const percent = 50
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
