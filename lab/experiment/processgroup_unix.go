//go:build unix

package experiment

import (
	"os/exec"
	"syscall"
)

// together makes the end of the context of c also kill the processes that c has started.
func together(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
