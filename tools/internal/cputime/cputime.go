// Package cputime measures the processor time and the memory of this process, on Unix.
package cputime

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// Used is the processor time of all threads of this process so far: in its own code and in
// the kernel for it.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no cause but wrong arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Memory is a line of the file status in /proc of a process, in bytes: VmRSS, VmHWM (the
// peak) and so on; 0 where there is no such file. The process 0 is this one.
func Memory(process int, line string) int {
	path := "/proc/self/status"
	if process != 0 {
		path = fmt.Sprintf("/proc/%d/status", process)
	}
	text, _ := os.ReadFile(path)
	for l := range strings.Lines(string(text)) {
		if number, ok := strings.CutPrefix(l, line+":"); ok {
			var kib int
			_, _ = fmt.Sscanf(number, "%d kB", &kib)
			return kib << 10
		}
	}
	return 0
}
