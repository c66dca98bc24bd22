//go:build unix

// Package cputime tells the processor time of this process.
package cputime

import (
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
