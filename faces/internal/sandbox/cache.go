//go:build !slim

package sandbox

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/tetratelabs/wazero"

	"nrdl.example/nrdl/internal/kit/regular"
)

// Bounds on the machine code that is kept: the program for HEIC takes 3 MB.
const (
	maxKept      = 8 // files; older ones are removed
	maxKeptBytes = 32 << 20
)

const (
	sumSuffix  = ".sha256"
	unfinished = ".tmp" // files that another process is writing
)

var keptIn atomic.Pointer[string]

// KeepCode has the machine code of the decoders kept in folder, so that later processes
// need not compile them. Call it before the first file is decoded. Whoever may
// write there can have this program run any code. So the folder is made for the user
// only, and nothing is kept where the folder, or the existing one above it, belongs to
// somebody else, or others may use it; nor where it cannot be written. Eight files are
// kept at most. They are named by the version of wazero, the processor and the program.
func KeepCode(folder string) { keptIn.Store(&folder) }

// compile compiles code for a runtime that it makes, or takes the machine code that is kept.
func compile(ctx context.Context, code []byte) (wazero.Runtime, wazero.CompiledModule, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(maxMemory)
	if folder := keptIn.Load(); folder != nil && ownFolder(*folder) {
		tidy(*folder)
		if cache, err := wazero.NewCompilationCacheWithDir(*folder); err == nil {
			runtime := wazero.NewRuntimeWithConfig(ctx, config.WithCompilationCache(cache))
			if module, err := runtime.CompileModule(ctx, code); err == nil {
				sumUp(*folder)
				return runtime, module, nil
			}
			runtime.Close(ctx)
		}
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, config)
	module, err := runtime.CompileModule(ctx, code)
	return runtime, module, err
}

// ownFolder makes the folder if it does not exist, and reports whether only this user
// may use it.
func ownFolder(folder string) bool {
	if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
		above := filepath.Dir(folder)
		for _, err := os.Stat(above); errors.Is(err, fs.ErrNotExist) && above != filepath.Dir(above); _, err = os.Stat(above) {
			above = filepath.Dir(above)
		}
		if info, err := os.Stat(above); err != nil || !isMine(info) { // as after sudo
			return false
		}
		if os.MkdirAll(folder, 0o700) != nil {
			return false
		}
	}
	info, err := os.Lstat(folder)
	return err == nil && info.IsDir() && isMine(info) && isPrivate(info)
}

// kept returns the files of machine code in the folder, the newest first.
func kept(folder string) []string {
	type file struct {
		path string
		info fs.FileInfo
	}
	paths, _ := filepath.Glob(filepath.Join(folder, "wazero-*", "*"))
	var files []file
	for _, p := range paths {
		if info, err := os.Lstat(p); err == nil && filepath.Ext(p) != sumSuffix {
			files = append(files, file{p, info})
		}
	}
	slices.SortStableFunc(files, func(a, b file) int { return b.info.ModTime().Compare(a.info.ModTime()) })
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.path
	}
	return names
}

// tidy removes what is too much, and files that are not as sumUp has seen them: wazero does
// not check all of a file that a disk may have damaged.
func tidy(folder string) {
	for i, path := range kept(folder) {
		if i < maxKept && filepath.Ext(path) == unfinished {
			continue
		}
		want, err := regular.ReadFile(path+sumSuffix, sha256.Size)
		if sum, ok := sumOf(path); i >= maxKept || err != nil || !ok || string(want) != string(sum) {
			os.Remove(path)
			os.Remove(path + sumSuffix)
		}
	}
}

// sumUp writes the sums of new files.
func sumUp(folder string) {
	for _, path := range kept(folder) {
		if _, err := os.Lstat(path + sumSuffix); err == nil || filepath.Ext(path) == unfinished {
			continue
		}
		if sum, ok := sumOf(path); ok {
			os.WriteFile(path+sumSuffix, sum, 0o600) // else the file is made again
		}
	}
}

func sumOf(path string) (sum []byte, ok bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxKeptBytes {
		return nil, false
	}
	data, err := regular.ReadFile(path, maxKeptBytes)
	s := sha256.Sum256(data)
	return s[:], err == nil
}
