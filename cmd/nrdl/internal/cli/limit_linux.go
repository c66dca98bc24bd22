package cli

import (
	"fmt"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"nrdl.example/nrdl/advice"
)

// Address space that a process of Go has reserved before it does anything, and that one
// needs to find faces in photographs; measured.
const (
	reserved    = 1_000_000_000
	leastMemory = 3_000_000_000
)

// CheckMemory returns an error if the address space (ulimit -v) is too small for the
// command, whose failing allocation would otherwise end the process without a message. If
// there is a sufficient limit, it makes the garbage collector stay below it.
func CheckMemory() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur > 1<<46 {
		return nil //nolint:nilerr // as if there were none
	}
	if limit.Cur < leastMemory {
		return advice.Add(fmt.Errorf("the address space of this process is limited to %.1f GB, and %.1f GB are needed, of which the Go runtime reserves about %.0f GB", float64(limit.Cur)/1e9, leastMemory/1e9, reserved/1e9),
			"raise the limit (ulimit -v unlimited); the memory that is used can be bounded by a control group instead")
	}
	debug.SetMemoryLimit(int64(limit.Cur-reserved) / 4 * 3)
	return nil
}
