//go:build unix

package postgres

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// asOther makes c run as the user postgres if this process runs as root: PostgreSQL refuses
// to run as root.
func asOther(c *exec.Cmd) {
	u, err := user.Lookup("postgres")
	if err != nil || os.Getuid() != 0 {
		return
	}
	id, _ := strconv.Atoi(u.Uid)
	group, _ := strconv.Atoi(u.Gid)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(group)}}
}
