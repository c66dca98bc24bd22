package dataset

import (
	"context"
	"fmt"
	"image"

	"nrdl.example/nrdl/faces/internal/tiff"
)

// tiffDecode decodes the first page of a TIFF file, and warns if there are others.
func tiffDecode(ctx context.Context, data []byte) (image.Image, error) {
	img, pages, err := tiff.Decode(ctx, data)
	if err == nil && pages > 1 {
		warn(ctx, fmt.Errorf("the TIFF has %d pages; only the first is read", pages))
	}
	return img, err
}
