// What the program avif.wasm does beside libavif: it decodes the first image of a file.
#include <stdlib.h>

#include "avif/avif.h"

// decode decodes the still image of the file data of n bytes, and returns 1, or 0 where it cannot. It writes
// the image's width, height and bits a sample, and, if pixels is not 0, its pixels there: 4 samples each,
// multiplied by alpha, of 1 byte or, of more than 8 bits, of 2.
__attribute__((export_name("decode"))) int decode(const uint8_t *data, int n, uint32_t *width, uint32_t *height, uint32_t *depth, uint8_t *pixels) {
	avifDecoder *decoder = avifDecoderCreate();
	if (!decoder) _Exit(1); // by which the sandbox ends the program, too
	decoder->ignoreExif = decoder->ignoreXMP = AVIF_TRUE;
	decoder->strictFlags = AVIF_STRICT_DISABLED;
	decoder->imageContentToDecode = AVIF_IMAGE_CONTENT_COLOR_AND_ALPHA;
	avifRGBImage rgb = {0};
	int ok = avifDecoderSetIOMemory(decoder, data, n) == AVIF_RESULT_OK && avifDecoderParse(decoder) == AVIF_RESULT_OK;
	if (ok) {
		*width = decoder->image->width, *height = decoder->image->height, *depth = decoder->image->depth;
	}
	if (ok && pixels) {
		ok = avifDecoderNextImage(decoder) == AVIF_RESULT_OK && decoder->image->width == *width && decoder->image->height == *height;
		if (ok) {
			avifRGBImageSetDefaults(&rgb, decoder->image);
			rgb.alphaPremultiplied = AVIF_TRUE;
			rgb.depth = *depth > 8 ? 16 : 8;
			rgb.pixels = pixels;
			rgb.rowBytes = rgb.width * 4 * (*depth > 8 ? 2 : 1);
			ok = avifImageYUVToRGB(decoder->image, &rgb) == AVIF_RESULT_OK;
		}
	}
	avifDecoderDestroy(decoder);
	return ok;
}
