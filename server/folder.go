package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/legible"
)

// CheckFolder returns an error unless the folder has the database of a service, or is empty, so that it
// may get one; with fresh it need not be there. So a name that was mistyped, or a folder of
// photographs, gets none.
func CheckFolder(folder string, fresh bool) error {
	if _, err := os.Stat(filepath.Join(folder, "nrdl.db")); err == nil {
		return nil
	}
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist) && fresh:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return advice.Add(fmt.Errorf("there is no folder %s, and so no service", folder),
			"nrdl serve %[1]s makes it; to create a key before the first start, make the folder: mkdir %[1]s", legible.ShellWord(folder))
	case err != nil:
		return advice.Add(err, "the database needs a folder of its own, which may not exist yet: not a model, not a photograph")
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || name == "lost+found" || name == "backups" || strings.HasPrefix(name, "nrdl.db") {
			continue
		}
		err := fmt.Errorf("%s is no folder of a service: it has %.60s, and no database", folder, name)
		if e.IsDir() || dataset.IsImage(name) {
			return advice.Add(err,
				"for a page on which these photographs are grouped and named: nrdl open %s; for a service, give a new folder: nrdl serve nrdl-data",
				legible.ShellWord(folder))
		}
		return advice.Add(err, "give a new folder: nrdl serve nrdl-data")
	}
	return nil
}
