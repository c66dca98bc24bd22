// Package cputime tells the processor time of this process.
package cputime

import (
	"syscall"
	"time"
)

// Used is the processor time of all threads of this process so far: in its own code and in
// the kernel for it.
func Used() time.Duration {
	this, err := syscall.GetCurrentProcess()
	var made, ended, kernel, user syscall.Filetime
	if err == nil {
		err = syscall.GetProcessTimes(this, &made, &ended, &kernel, &user)
	}
	if err != nil {
		panic(err) // it has no cause but wrong arguments
	}
	ticks := func(t syscall.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) } // of 100 ns
	return time.Duration(ticks(kernel)+ticks(user)) * 100
}
