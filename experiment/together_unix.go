//go:build unix

package experiment

import (
	"os/exec"
	"syscall"
)

// together makes the end of c's context end the processes that c started, too.
func together(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
