// The interface of tiff.wasm to libtiff; build.sh says how it is compiled.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tiffiop.h"

// The host counts the work of the program by calls of this function.
__attribute__((import_module("wasi_snapshot_preview1"), import_name("proc_exit"))) void proc_exit(int code);

// What tiff returns in out, one after the other.
enum { STATUS, PIXELS, MESSAGE, FIELDS };
enum { WHOLE, UNSUPPORTED, DAMAGED };

static char message[1024];

// libtiff takes these from the system.
void *_TIFFmalloc(tmsize_t n) { return n ? malloc(n) : 0; }
void *_TIFFcalloc(tmsize_t n, tmsize_t size) { return n && size ? calloc(n, size) : 0; }
void _TIFFfree(void *p) { free(p); }
void *_TIFFrealloc(void *p, tmsize_t n) { return realloc(p, n); }
void _TIFFmemset(void *p, int v, tmsize_t n) { memset(p, v, n); }
void _TIFFmemcpy(void *d, const void *s, tmsize_t n) { memcpy(d, s, n); }
int _TIFFmemcmp(const void *a, const void *b, tmsize_t n) { return memcmp(a, b, n); }
static void keep(const char *module, const char *format, va_list all) {
	if (!message[0]) // the first one is the cause
		vsnprintf(message, sizeof message, format, all);
}
TIFFErrorHandler _TIFFwarningHandler = 0, _TIFFerrorHandler = keep;

// A file is read; there is nothing to return to from an error within the decoder of JPEG.
void longjmp(jmp_buf at, int v) { proc_exit(1); }

// A file in memory.
typedef struct {
	uint8_t *data;
	toff_t size, at;
	uint32_t width, height;
} input;
static tmsize_t readAt(thandle_t h, void *to, tmsize_t n) {
	input *in = h;
	if (n < 0 || in->at >= in->size)
		return 0;
	if ((toff_t)n > in->size - in->at)
		n = in->size - in->at;
	memcpy(to, in->data + in->at, n);
	in->at += n;
	return n;
}
static tmsize_t writeNothing(thandle_t h, void *from, tmsize_t n) { return -1; }
static toff_t seek(thandle_t h, toff_t to, int how) {
	input *in = h;
	return in->at = to + (how == SEEK_CUR ? in->at : how == SEEK_END ? in->size : 0);
}
static int closeNothing(thandle_t h) { return 0; }
static toff_t size(thandle_t h) { return ((input *)h)->size; }
static int map(thandle_t h, void **data, toff_t *n) {
	input *in = h;
	*data = in->data;
	*n = in->size;
	return 1;
}
static void unmap(thandle_t h, void *data, toff_t n) {}

// A form is how the samples of an image are stored.
typedef struct {
	uint16_t bits, samples, photometric, planes, format;
	int colours, alpha; // samples of colour; EXTRASAMPLE_UNSPECIFIED where no sample is alpha
} form;

static form formOf(TIFF *t) {
	form f;
	uint16_t count, *kinds;
	TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &f.bits);
	TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &f.samples);
	TIFFGetFieldDefaulted(t, TIFFTAG_PLANARCONFIG, &f.planes);
	TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &f.format);
	TIFFGetFieldDefaulted(t, TIFFTAG_EXTRASAMPLES, &count, &kinds);
	if (!TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &f.photometric))
		f.photometric = f.samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
	f.colours = f.photometric == PHOTOMETRIC_RGB ? 3 : f.photometric == PHOTOMETRIC_SEPARATED ? 4 : 1;
	f.alpha = count > 0 && f.samples > f.colours ? kinds[0] : EXTRASAMPLE_UNSPECIFIED;
	return f;
}

// isPlain reports whether plain reads the form.
static int isPlain(form *f) {
	return f->format == SAMPLEFORMAT_UINT && f->bits >= 1 && f->bits <= 32 && f->samples >= f->colours &&
	       (f->photometric <= PHOTOMETRIC_RGB || f->photometric == PHOTOMETRIC_SEPARATED);
}

// sample is the sample i of a row, as 0 ... 255.
static unsigned sample(const uint8_t *row, size_t i, unsigned bits) {
	if (bits % 8 == 0) {
		row += (i + 1) * (bits / 8) - 1; // the highest byte
		return bits == 8 ? *row : ((row[0] << 8 | row[-1]) + 128) / 257;
	}
	uint64_t v = 0, most = ((uint64_t)1 << bits) - 1;
	for (size_t at = i * bits; at < (i + 1) * bits; at++)
		v = v << 1 | (row[at / 8] >> (7 - at % 8) & 1);
	return (255 * v + most / 2) / most;
}

// colour makes of the samples of a pixel what package image calls RGBA.
static uint32_t colour(form *f, const uint8_t *v) {
	unsigned r = v[0], g = v[1], b = v[2], a = f->alpha == EXTRASAMPLE_UNSPECIFIED ? 255 : v[3];
	switch (f->photometric) {
	case PHOTOMETRIC_SEPARATED:
		r = ((255 - r) * (255 - v[3]) + 127) / 255;
		g = ((255 - g) * (255 - v[3]) + 127) / 255;
		b = ((255 - b) * (255 - v[3]) + 127) / 255;
		a = 255;
		break;
	case PHOTOMETRIC_MINISWHITE:
		r = g = b = 255 - r;
		break;
	case PHOTOMETRIC_MINISBLACK:
		g = b = r;
	}
	if (f->alpha == EXTRASAMPLE_UNASSALPHA) {
		r = (r * a + 127) / 255;
		g = (g * a + 127) / 255;
		b = (b * a + 127) / 255;
	}
	return a << 24 | b << 16 | g << 8 | r;
}

// plain decodes what the interface of libtiff for RGBA does not: any number of bits, planes of grey
// images, and their alpha.
static int plain(TIFF *t, form *f, uint32_t *raster, uint32_t width, uint32_t height) {
	uint32_t w = width, h = height;
	int tiled = TIFFIsTiled(t), planes = f->planes == PLANARCONFIG_SEPARATE ? f->samples : 1;
	if (tiled) {
		TIFFGetField(t, TIFFTAG_TILEWIDTH, &w);
		TIFFGetField(t, TIFFTAG_TILELENGTH, &h);
	} else {
		TIFFGetFieldDefaulted(t, TIFFTAG_ROWSPERSTRIP, &h);
		h = h < height ? h : height;
	}
	tmsize_t size = tiled ? TIFFTileSize(t) : TIFFStripSize(t), stride = tiled ? TIFFTileRowSize(t) : TIFFScanlineSize(t);
	uint8_t *block = size > 0 && h > 0 && w > 0 ? malloc(size) : 0, *all = (uint8_t *)raster;
	if (!block)
		return 0;
	int used = f->colours + (f->colours < 4 && f->alpha != EXTRASAMPLE_UNSPECIFIED);
	for (uint32_t top = 0; top < height; top += h)
		for (uint32_t left = 0; left < width; left += w)
			for (int plane = 0; plane < planes && plane < used; plane++) {
				uint32_t rows = height - top < h ? height - top : h, columns = width - left < w ? width - left : w;
				tmsize_t n = tiled ? TIFFReadEncodedTile(t, TIFFComputeTile(t, left, top, 0, plane), block, size)
				                   : TIFFReadEncodedStrip(t, TIFFComputeStrip(t, top, plane), block, size);
				if (n < (tmsize_t)(rows * stride))
					return 0;
				for (uint32_t y = 0; y < rows; y++)
					for (uint32_t x = 0; x < columns; x++)
						for (int s = planes > 1 ? plane : 0; s < (planes > 1 ? plane + 1 : used); s++)
							all[4 * ((size_t)(top + y) * width + left + x) + (s < f->colours ? s : 3)] =
							    sample(block + y * stride, planes > 1 ? x : (size_t)x * f->samples + s, f->bits);
			}
	for (size_t i = 0; i < (size_t)width * height; i++)
		raster[i] = colour(f, all + 4 * i);
	return 1;
}

// tiff decodes the image of width×height whose directory is at an offset in size bytes, as it is
// stored, and fills out.
__attribute__((export_name("tiff"))) void tiff(uint8_t *data, uint32_t size_, uint64_t directory, uint32_t width, uint32_t height, int32_t *out) {
	input in = {data, size_};
	TIFFRGBAImage img;
	out[MESSAGE] = (int32_t)(intptr_t)message;
	out[STATUS] = DAMAGED;
	TIFF *t = TIFFClientOpen("", "rh", &in, readAt, writeNothing, seek, closeNothing, size, map, unmap);
	if (!t || !TIFFSetSubDirectory(t, directory))
		return;
	message[0] = 0; // what it did not like, and went on
	size_t n = (size_t)width * height;
	uint32_t *raster = malloc(4 * n);
	form f = formOf(t);
	if (!raster || !TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &in.width) || in.width != width || !TIFFGetField(t, TIFFTAG_IMAGELENGTH, &in.height) || in.height != height)
		return;
	int grey = f.colours == 1 && f.samples > 1 && f.photometric < PHOTOMETRIC_RGB;
	int known = t->tif_decodestatus && f.photometric != PHOTOMETRIC_CIELAB && !grey && TIFFRGBAImageBegin(&img, t, 1, message);
	if (!known && (!isPlain(&f) || !t->tif_decodestatus)) {
		out[STATUS] = UNSUPPORTED;
		if (!t->tif_decodestatus)
			strcpy(message, "requested compression");
		return;
	}
	if (known) {
		img.orientation = img.req_orientation = ORIENTATION_TOPLEFT; // the host turns it
		if (!TIFFRGBAImageGet(&img, raster, width, height))
			return;
		for (size_t i = 0; f.alpha == EXTRASAMPLE_UNSPECIFIED && i < n; i++)
			raster[i] |= 0xff000000;
	} else {
		message[0] = 0;
		if (!plain(t, &f, raster, width, height))
			return;
	}
	out[STATUS] = WHOLE;
	out[PIXELS] = (int32_t)(intptr_t)raster;
}
