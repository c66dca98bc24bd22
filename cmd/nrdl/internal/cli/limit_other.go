//go:build !linux

package cli

// CheckMemory does nothing on this system: no limit of the address space is known.
func CheckMemory() error { return nil }
