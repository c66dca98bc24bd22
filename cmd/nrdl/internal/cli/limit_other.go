//go:build !linux

package cli

// CheckMemory is an error if a limit of the process is too low for work; none is known here.
func CheckMemory() error { return nil }
