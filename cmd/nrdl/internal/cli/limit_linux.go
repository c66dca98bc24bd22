package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"nrdl.example/nrdl/advice"
)

// Address space that a process of Go has reservedMemory before it does anything, and that one
// needs to find faces in photographs; measured.
const (
	reservedMemory = 1_000_000_000
	minMemory      = 3_000_000_000
)

// CheckMemory returns an error if the address space (ulimit -v) is too small for the
// command, whose failing allocation would otherwise end the process without a message. If
// there is a sufficient limit, or a limit of the control group, it makes the garbage collector
// stay below it, unless the environment variable GOMEMLIMIT is set.
func CheckMemory() error {
	if limit := groupLimit("/proc/self/cgroup", "/sys/fs/cgroup"); limit > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit / 10 * 7)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur > 1<<46 {
		return nil //nolint:nilerr // as if there were none
	}
	if limit.Cur < minMemory {
		return advice.Add(fmt.Errorf("programs of this shell get %.1f GB of address space, and nrdl needs %.1f GB",
			float64(limit.Cur)/1e9, minMemory/1e9),
			"raise the limit, ulimit -v unlimited, and run the same command again; a control group can bound the memory instead")
	}
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), int64(limit.Cur-reservedMemory)/4*3))
	return nil
}

// groupLimit returns the smallest memory limit of the control groups that the file lists, below
// the folder in which they are mounted; 0 if there is none. It knows both versions.
func groupLimit(file, mounted string) int64 {
	list, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	minLimit := int64(math.MaxInt64)
	for line := range strings.Lines(string(list)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		root, name := mounted, "memory.max"
		switch {
		case slices.Contains(strings.Split(part[1], ","), "memory"):
			root, name = filepath.Join(mounted, "memory"), "memory.limit_in_bytes"
		case part[1] != "":
			continue
		}
		// In a container the path may be that outside of it; then only the root is there.
		for at := filepath.Clean("/" + part[2]); ; at = filepath.Dir(at) {
			text, err := os.ReadFile(filepath.Join(root, at, name))
			if limit, bad := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && bad == nil && limit > 0 {
				minLimit = min(minLimit, limit)
			}
			if at == "/" {
				break
			}
		}
	}
	if minLimit > 1<<46 { // how version 1 says that there is none
		return 0
	}
	return minLimit
}
