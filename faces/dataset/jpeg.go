package dataset

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"runtime"
	"strings"
	"sync"

	"nrdl.example/nrdl/faces/internal/bounded"
	"nrdl.example/nrdl/faces/internal/libjpeg"
)

// jpegConfig is the header of a JPEG, also of a kind that image/jpeg does not know.
func jpegConfig(ctx context.Context, data []byte) (image.Config, error) {
	c, err := using(jpeg.DecodeConfig)(ctx, data)
	if err == nil && c.Height > 0 || ctx.Err() != nil {
		return c, err
	}
	switch j := bounded.ReadJPEG(data); {
	case err == nil: // legal: a marker behind the pixels has it
		return c, fmt.Errorf("%w: its height stands behind the pixels (DNL)", libjpeg.ErrUnsupported)
	case j.Width > 0 && j.Height > 0:
		return image.Config{ColorModel: color.YCbCrModel, Width: j.Width, Height: j.Height}, nil
	}
	return c, err
}

// jpegMemory returns the memory that decoding takes. It is an error if the file has too
// many scans.
func jpegMemory(data []byte) (int64, error) {
	j := bounded.ReadJPEG(data)
	if j.OnlyLibjpeg {
		return sizeOf(j).Memory(), j.Check()
	}
	return j.Memory(), j.Check()
}

func sizeOf(j *bounded.JPEG) libjpeg.Size {
	return libjpeg.Size{Pixels: j.Width * j.Height, Samples: j.Samples(), Visits: j.Visits}
}

// odd is the turn of a JPEG that image/jpeg refuses, as others take less memory.
var odd = make(turn, 1)

// jpegDecode decodes a JPEG by image/jpeg, or, where this refuses it, by libjpeg, which takes three
// times as long, uses what is there of a damaged file, and knows all legal forms of eight bits.
func jpegDecode(ctx context.Context, data []byte) (image.Image, error) {
	img, err := using(jpeg.Decode)(ctx, data)
	if err == nil || ctx.Err() != nil {
		return img, err
	}
	size := sizeOf(bounded.ReadJPEG(data))
	if size.Pixels == 0 || admissibleMemory(size.Memory(), len(data)) != nil {
		return nil, err
	}
	if size.Memory() > collected {
		runtime.GC() // of the first attempt
	}
	done, ended := odd.take(ctx)
	if ended != nil {
		return nil, ended
	}
	defer done()
	img, lost, damaged, other := libjpeg.Decode(ctx, data, size)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(other, libjpeg.ErrUnsupported):
		return nil, other
	case other != nil && strings.Contains(err.Error(), "unsupported"):
		return nil, other
	case other != nil:
		return nil, err
	case damaged && lost > 0:
		warn(ctx, fmt.Errorf("the JPEG is damaged or cut short: %d of its %d rows are missing or wrong; the others are used",
			lost, img.Bounds().Dy()))
	case damaged:
		warn(ctx, errors.New("the JPEG is damaged or its end is missing; what is there is used"))
	}
	return img, nil
}

type (
	nameKey struct{}
	warnKey struct{}
)

// named gives warnings under ctx the name of a file.
func named(ctx context.Context, name string) context.Context {
	if ctx.Value(warnKey{}) == nil {
		return ctx
	}
	return context.WithValue(ctx, nameKey{}, name)
}

// WithWarnings returns a context under which warn gets a warning, once for a name, of each image
// that is damaged and used all the same. Goroutines may call warn at the same time.
func WithWarnings(ctx context.Context, warn func(error)) context.Context {
	var warned sync.Map
	return context.WithValue(ctx, warnKey{}, func(name string, err error) {
		if _, again := warned.LoadOrStore(name, true); !again {
			warn(fmt.Errorf("%s: %w", name, err))
		}
	})
}

func warn(ctx context.Context, err error) {
	if tell, ok := ctx.Value(warnKey{}).(func(string, error)); ok {
		name, _ := ctx.Value(nameKey{}).(string)
		tell(name, err)
	}
}
