package dataset

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"nrdl.example/nrdl/advice"
)

// loading is the turn of Load for large files: who has memory for the content of one, and waits for
// that of its image, waits only for those who need no more.
var loading = make(turn, 1)

// Load reads the image file at path as ReadFile does, and then does what Reserve does. The content
// of a large file counts, too. More is the number of bytes for each pixel that the caller takes,
// until done, besides those for decoding. It is an error if the file cannot be read, or is refused
// by its header; then done does nothing.
func Load(ctx context.Context, path string, more int) (data []byte, _ context.Context, done func(), err error) {
	release := func() {}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() <= maxFileBytes {
		if content := counted(int(info.Size())); content > 0 {
			if content > Budget() {
				return nil, ctx, release, advice.Add(fmt.Errorf("%s has %d MB; at most %d MB are taken, as the memory of this process is limited",
					path, mega(content), mega(Budget())), "give it more memory, or make the image smaller")
			}
			ended, err := loading.take(ctx)
			if err != nil {
				return nil, ctx, release, err
			}
			defer ended()
			if release, err = acquire(ctx, content); err != nil {
				return nil, ctx, func() {}, err
			}
		}
	}
	if data, err = ReadFile(path); err != nil {
		release()
		return nil, ctx, func() {}, fmt.Errorf("read image: %w", err)
	}
	_, memory, err := claimed(data, more)
	if err != nil {
		release()
		return nil, ctx, func() {}, fmt.Errorf("read image %s: %w", path, err)
	}
	decoded, err := acquire(ctx, memory)
	if err != nil {
		release()
		return nil, ctx, func() {}, err
	}
	return data, context.WithValue(ctx, reservedKey{}, true), func() {
		decoded()
		release()
		if memory+int64(len(data)) > collected {
			runtime.GC()
		}
	}, nil
}
