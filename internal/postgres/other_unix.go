//go:build unix

package postgres

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// asOther lets c run as the user postgres if this is root, as whom PostgreSQL refuses to run.
func asOther(c *exec.Cmd) {
	u, err := user.Lookup("postgres")
	if err != nil || os.Getuid() != 0 {
		return
	}
	id, _ := strconv.Atoi(u.Uid)
	group, _ := strconv.Atoi(u.Gid)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(group)}}
}
