// The interface of hevc.wasm to libde265 1.1.1; build.sh says how it is compiled.
#include <stdint.h>
#include "de265.h"

extern "C" {
// The host counts the work of the program by calls of this function.
__attribute__((import_module("wasi_snapshot_preview1"), import_name("proc_exit"))) void proc_exit(int code);
__attribute__((export_name("quit"))) void quit(int code) { proc_exit(code); }

static de265_decoder_context *decoder;

// hevc decodes the first picture of size bytes of NAL units, each after its length in four
// bytes. It returns 0 and fills out, or an error: the kind of chroma, the coefficients of the
// matrix of colours, and for each plane its address, stride, width, height and bits. The
// planes are valid until the next call.
__attribute__((export_name("hevc"))) int hevc(const uint8_t *data, uint32_t size, int32_t *out) {
	if (decoder)
		de265_free_decoder(decoder);
	if (!(decoder = de265_new_decoder()))
		return -1;
	while (size >= 4) {
		uint32_t n = (uint32_t)data[0] << 24 | data[1] << 16 | data[2] << 8 | data[3];
		data += 4, size -= 4;
		n = n < size ? n : size;
		de265_error e = n > 2 ? de265_push_NAL(decoder, data, n, 0, nullptr) : DE265_OK;
		if (e != DE265_OK)
			return e;
		data += n, size -= n;
	}
	de265_flush_data(decoder);
	for (int more = 1; more;) {
		de265_error e = de265_decode(decoder, &more);
		const de265_image *m = de265_get_next_picture(decoder);
		if (m) {
			*out++ = de265_get_chroma_format(m);
			*out++ = de265_get_image_matrix_coefficients(m);
			int planes = de265_get_chroma_format(m) == de265_chroma_mono ? 1 : 3;
			for (int i = 0; i < planes; i++) {
				int stride;
				*out++ = (int32_t)(intptr_t)de265_get_image_plane(m, i, &stride);
				*out++ = stride;
				*out++ = de265_get_image_width(m, i);
				*out++ = de265_get_image_height(m, i);
				*out++ = de265_get_bits_per_pixel(m, i);
			}
			return 0;
		}
		if (e != DE265_OK && e != DE265_ERROR_WAITING_FOR_INPUT_DATA)
			return e;
	}
	return -2;
}
}
