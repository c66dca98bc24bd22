//go:build linux || darwin || freebsd || netbsd

package atomicfile

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// keep gives f the owner, the group, the mode and the extended attributes of the file at path, which
// has info. It returns what the system does not let it keep.
func keep(f *os.File, path string, info fs.FileInfo) (lost []string) {
	if lost = own(f, info); info.Mode() != 0 {
		_ = f.Chmod(info.Mode().Perm()) // not every file system has modes
	}
	fd := int(f.Fd())
	theirs := attributes(func(to []byte) (int, error) { return unix.Listxattr(path, to) })
	for _, name := range theirs {
		value, err := attribute(func(to []byte) (int, error) { return unix.Getxattr(path, name, to) })
		if err == nil {
			err = unix.Fsetxattr(fd, name, value, 0)
		}
		if err != nil && !hasAttribute(fd, name, value) {
			lost = append(lost, "the attribute "+name)
		}
	}
	for _, name := range attributes(func(to []byte) (int, error) { return unix.Flistxattr(fd, to) }) {
		if !slices.Contains(theirs, name) { // as an access list that the folder gives to new files
			_ = unix.Fremovexattr(fd, name)
		}
	}
	return lost
}

// own gives f the owner and the group of a file with info.
func own(f *os.File, info fs.FileInfo) (lost []string) {
	want, ok := info.Sys().(*syscall.Stat_t)
	have, err := f.Stat()
	if !ok || err != nil {
		return nil
	}
	is := have.Sys().(*syscall.Stat_t)
	if is.Gid != want.Gid && f.Chown(-1, int(want.Gid)) != nil {
		lost = append(lost, "its group")
	}
	if is.Uid != want.Uid && f.Chown(int(want.Uid), -1) != nil {
		lost = append([]string{"its owner"}, lost...)
	}
	return lost
}

// attributes are the names that list writes; none where a file system has none.
func attributes(list func(to []byte) (int, error)) []string {
	names, _ := attribute(list)
	return strings.FieldsFunc(string(names), func(r rune) bool { return r == 0 })
}

// attribute returns what get writes, which says how long that is where it has no room.
func attribute(get func(to []byte) (int, error)) ([]byte, error) {
	n, err := get(nil)
	if err != nil || n == 0 {
		return nil, err
	}
	value := make([]byte, n)
	if n, err = get(value); err != nil {
		return nil, err
	}
	return value[:n], nil
}

func hasAttribute(fd int, name string, want []byte) bool {
	value, err := attribute(func(to []byte) (int, error) { return unix.Fgetxattr(fd, name, to) })
	return err == nil && string(value) == string(want)
}
