// The interface of jpeg.wasm to libjpeg-turbo; build.sh says how it is compiled.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define JPEG_INTERNALS
#include "jpeglib.h"
#include "jerror.h"

// The host counts the work of the program by calls of this function.
__attribute__((import_module("wasi_snapshot_preview1"), import_name("proc_exit"))) void proc_exit(int code);

// What jpeg returns in out, one after the other.
enum { STATUS, WIDTH, HEIGHT, CHANNELS, COLOURS, PIXELS, LOST_ROWS, ADOBE, MESSAGE, FIELDS };

static int32_t *result;
static char message[JMSG_LENGTH_MAX];
static int ended; // the data are at their end, before that of the image

static void fail(j_common_ptr cinfo) {
	cinfo->err->format_message(cinfo, message);
	result[STATUS] = cinfo->err->msg_code;
	proc_exit(1); // does not return
}
static void silent(j_common_ptr cinfo) {}
static void warn(j_common_ptr cinfo, int level) {
	if (level < 0)
		cinfo->err->num_warnings++;
}

static boolean refill(j_decompress_ptr cinfo) {
	static const JOCTET end[2] = {0xff, JPEG_EOI};
	ended = 1;
	cinfo->src->next_input_byte = end;
	cinfo->src->bytes_in_buffer = 2;
	return TRUE;
}
static void skip(j_decompress_ptr cinfo, long n) {
	if (n <= 0)
		return;
	if ((size_t)n > cinfo->src->bytes_in_buffer) {
		refill(cinfo);
		return;
	}
	cinfo->src->next_input_byte += n;
	cinfo->src->bytes_in_buffer -= n;
}
static void nothing(j_decompress_ptr cinfo) {}

// Colours are never reduced to a palette.
void jinit_1pass_quantizer(j_decompress_ptr cinfo) {}
void jinit_2pass_quantizer(j_decompress_ptr cinfo) {}

// jpeg decodes size bytes, and fills out. If it fails it ends the program. A row is lost where
// its data were not there or damaged.
__attribute__((export_name("jpeg"))) void jpeg(const uint8_t *data, uint32_t size, int32_t *out) {
	struct jpeg_decompress_struct cinfo;
	struct jpeg_error_mgr err;
	struct jpeg_source_mgr src;
	result = out;
	out[MESSAGE] = (int32_t)(intptr_t)message;
	cinfo.err = jpeg_std_error(&err);
	err.error_exit = fail;
	err.output_message = silent;
	err.emit_message = warn;
	jpeg_create_decompress(&cinfo);
	src.next_input_byte = data;
	src.bytes_in_buffer = size;
	src.init_source = nothing;
	src.fill_input_buffer = refill;
	src.skip_input_data = skip;
	src.resync_to_restart = jpeg_resync_to_restart;
	src.term_source = nothing;
	cinfo.src = &src;
	jpeg_read_header(&cinfo, TRUE);
	cinfo.dct_method = JDCT_ISLOW;
	switch (cinfo.jpeg_color_space) {
	case JCS_GRAYSCALE:
		cinfo.out_color_space = JCS_GRAYSCALE;
		break;
	case JCS_YCbCr:
		cinfo.out_color_space = JCS_YCbCr;
		break;
	case JCS_RGB:
		cinfo.out_color_space = JCS_RGB;
		break;
	case JCS_CMYK:
	case JCS_YCCK:
		cinfo.out_color_space = JCS_CMYK;
		break;
	default:
		ERREXIT(&cinfo, JERR_CONVERSION_NOTIMPL);
	}
	int progressive = jpeg_has_multiple_scans(&cinfo);
	long before = err.num_warnings;
	int whole = cinfo.image_height;
	if (progressive) {
		// The first scan has the average of each block; later ones may be lost.
		cinfo.buffered_image = TRUE;
		jpeg_start_decompress(&cinfo);
		int rows = 0;
		for (int state = 0; state != JPEG_REACHED_EOI && !ended;) {
			state = jpeg_consume_input(&cinfo);
			if (state == JPEG_ROW_COMPLETED || state == JPEG_SCAN_COMPLETED)
				rows += cinfo.input_scan_number <= 1 && err.num_warnings == before && !cinfo.entropy->insufficient_data;
			if (cinfo.input_scan_number <= 1)
				before = err.num_warnings;
		}
		int all = (cinfo.image_height + 8 * cinfo.max_v_samp_factor - 1) / (8 * cinfo.max_v_samp_factor);
		whole = cinfo.input_scan_number > 1 || rows >= all ? cinfo.image_height : rows * 8 * cinfo.max_v_samp_factor;
		while (!jpeg_input_complete(&cinfo))
			jpeg_consume_input(&cinfo);
		jpeg_start_output(&cinfo, cinfo.input_scan_number);
	} else {
		jpeg_start_decompress(&cinfo);
	}
	out[WIDTH] = cinfo.output_width;
	out[HEIGHT] = cinfo.output_height;
	out[CHANNELS] = cinfo.output_components;
	out[COLOURS] = cinfo.out_color_space;
	out[ADOBE] = cinfo.saw_Adobe_marker;
	size_t stride = (size_t)cinfo.output_width * cinfo.output_components;
	uint8_t *pixels = malloc(stride * cinfo.output_height);
	if (!pixels)
		ERREXIT1(&cinfo, JERR_OUT_OF_MEMORY, 0);
	out[PIXELS] = (int32_t)(intptr_t)pixels;
	int lost = 0;
	while (cinfo.output_scanline < cinfo.output_height) {
		long warned = err.num_warnings;
		JSAMPROW row = pixels + stride * cinfo.output_scanline;
		jpeg_read_scanlines(&cinfo, &row, 1);
		if (!progressive && (err.num_warnings > warned || cinfo.entropy->insufficient_data))
			lost++;
	}
	out[LOST_ROWS] = progressive ? (int)cinfo.image_height - whole : lost;
	out[STATUS] = ended || err.num_warnings ? -1 : 0;
}
