//go:build !unix

package experiment

import "os/exec"

// together does nothing: there are no process groups.
func together(*exec.Cmd) {}
