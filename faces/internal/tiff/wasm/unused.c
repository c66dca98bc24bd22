// What libtiff calls only to write: nothing of it is in the program.
#include <stdio.h>
#include "jpeglib.h"
#include "zlib.h"

__attribute__((import_module("wasi_snapshot_preview1"), import_name("proc_exit"))) void proc_exit(int code);

void jpeg_CreateCompress(j_compress_ptr c, int version, size_t size) { proc_exit(1); }
void jpeg_finish_compress(j_compress_ptr c) { proc_exit(1); }
void jpeg_set_colorspace(j_compress_ptr c, J_COLOR_SPACE space) { proc_exit(1); }
void jpeg_set_defaults(j_compress_ptr c) { proc_exit(1); }
void jpeg_set_quality(j_compress_ptr c, int quality, boolean baseline) { proc_exit(1); }
void jpeg_start_compress(j_compress_ptr c, boolean tables) { proc_exit(1); }
void jpeg_suppress_tables(j_compress_ptr c, boolean suppress) { proc_exit(1); }
JDIMENSION jpeg_write_raw_data(j_compress_ptr c, JSAMPIMAGE data, JDIMENSION n) { return 0; }
JDIMENSION jpeg_write_scanlines(j_compress_ptr c, JSAMPARRAY rows, JDIMENSION n) { return 0; }
void jpeg_write_tables(j_compress_ptr c) { proc_exit(1); }
int deflate(z_streamp s, int flush) { return Z_STREAM_ERROR; }
int deflateEnd(z_streamp s) { return Z_OK; }
int deflateInit_(z_streamp s, int level, const char *version, int size) { return Z_STREAM_ERROR; }
int deflateParams(z_streamp s, int level, int strategy) { return Z_STREAM_ERROR; }
int deflateReset(z_streamp s) { return Z_STREAM_ERROR; }

// Colours are never reduced to a palette.
void jinit_1pass_quantizer(j_decompress_ptr c) {}
void jinit_2pass_quantizer(j_decompress_ptr c) {}
