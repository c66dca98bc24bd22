package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// debFiles puts the files of the package for Debian into the folder root.
func (r *release) debFiles(root, program string) error {
	put := func(to, from string, mode os.FileMode) error {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		return write(filepath.Join(root, to), text, mode)
	}
	zip := func(to string, text []byte) error {
		var z bytes.Buffer
		w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
		if err == nil {
			_, err = w.Write(text)
		}
		if err == nil {
			err = w.Close()
		}
		return cmp.Or(err, write(filepath.Join(root, to), z.Bytes(), 0o644))
	}
	zipped := func(to, from string) error {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		return zip(to, text)
	}
	err := cmp.Or(
		put("usr/bin/nrdl", program, 0o755),
		put("lib/systemd/system/nrdl.service", "packaging/nrdl.service", 0o644),
		put("etc/default/nrdl", "packaging/nrdl.default", 0o644),
		put("usr/share/bash-completion/completions/nrdl", filepath.Join(r.tmp, "completion/nrdl.bash"), 0o644),
		put("usr/share/zsh/vendor-completions/_nrdl", filepath.Join(r.tmp, "completion/nrdl.zsh"), 0o644),
		put("usr/share/fish/vendor_completions.d/nrdl.fish", filepath.Join(r.tmp, "completion/nrdl.fish"), 0o644),
		put("usr/share/doc/nrdl/copyright", "LICENSE", 0o644),
		put("usr/share/lintian/overrides/nrdl", "packaging/debian/lintian-overrides", 0o644),
		zipped("usr/share/doc/nrdl/NOTICE.gz", "NOTICE"),
		zipped("usr/share/doc/nrdl/CHANGELOG.md.gz", filepath.Join(r.tmp, "CHANGELOG.md")),
		zip("usr/share/doc/nrdl/changelog.gz", fmt.Appendf(nil,
			"nrdl (%s) unstable; urgency=medium\n\n  * Release %[1]s: CHANGELOG.md.gz in this folder says what is new.\n\n "+
				"-- The maintainers of nrdl <maintainers@nrdl.example>  %s\n", forDebian(r.version), r.date.Format(time.RFC1123Z))),
		write(filepath.Join(root, "DEBIAN/conffiles"), []byte("/etc/default/nrdl\n"), 0o644),
		put("DEBIAN/postinst", "packaging/debian/postinst", 0o755),
		put("DEBIAN/prerm", "packaging/debian/prerm", 0o755),
		put("DEBIAN/postrm", "packaging/debian/postrm", 0o755),
	)
	if err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(r.tmp, "man/*"))
	for _, page := range pages {
		err = cmp.Or(err, zipped("usr/share/man/man1/"+filepath.Base(page)+".gz", page))
	}
	return err
}

// forDebian writes a version so that what comes before a release sorts before it, 0.3.0~dev+COMMIT.
func forDebian(version string) string { return strings.ReplaceAll(version, "-", "~") }

// deb makes the package for Debian.
func (r *release) deb(arch, program string) error {
	root := filepath.Join(r.tmp, "deb-"+arch)
	if err := r.debFiles(root, program); err != nil {
		return err
	}
	size, err := r.finish(root)
	if err != nil {
		return err
	}
	control := strings.NewReplacer("@VERSION@", forDebian(r.version), "@ARCH@", arch, "@SIZE@", fmt.Sprint((size+1023)/1024))
	text, err := os.ReadFile("packaging/debian/control")
	if err != nil {
		return err
	}
	if err := write(filepath.Join(root, "DEBIAN/control"), []byte(control.Replace(string(text))), 0o644); err != nil {
		return err
	}
	if _, err := r.finish(root); err != nil {
		return err
	}
	// More threads compress to other bytes.
	pack := exec.CommandContext(r.ctx, "dpkg-deb", "--root-owner-group", "-Zxz", fmt.Sprintf("-z%d", r.level),
		"--threads-max=1", "--build", root, filepath.Join(r.output, fmt.Sprintf("nrdl_%s_%s.deb", forDebian(r.version), arch)))
	pack.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
	if out, err := pack.CombinedOutput(); err != nil {
		return fmt.Errorf("dpkg-deb: %w\n%s", err, out)
	}
	return nil
}

func write(path string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, text, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

// finish gives everything in a tree the modes and the time of the release, and
// returns the size of what is installed.
func (r *release) finish(root string) (size int64, err error) {
	var all []string
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		all = append(all, path)
		if e.IsDir() {
			return os.Chmod(path, 0o755)
		}
		info, err := e.Info()
		if err == nil && !strings.Contains(path, "DEBIAN") {
			size += info.Size()
		}
		return err
	})
	for _, path := range all {
		err = cmp.Or(err, os.Chtimes(path, r.date, r.date))
	}
	return size, err
}
