//go:build !(linux || darwin || freebsd || netbsd)

package atomicfile

import (
	"io/fs"
	"os"
)

// keep gives f the mode of a file with info. Other systems give a file what its folder says.
func keep(f *os.File, _ string, info fs.FileInfo) []string {
	_ = f.Chmod(info.Mode().Perm())
	return nil
}

func own(*os.File, fs.FileInfo) []string { return nil }
