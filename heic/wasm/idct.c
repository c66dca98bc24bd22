// transform_idct_add<uint8_t> of libde265 1.0.15 (fallback-dct.cc) by vectors: the inverse
// cosine transform of n×n coefficients, n = 4, 8, 16 or 32, is added to the n×n pixels
// at pixels. The results are the same. It takes the place of that function in heif.wasm:
//
//	clang-14 --target=wasm32 -O3 -msimd128 -nostdlib -c idct.c
//	wasm-ld-14 --no-entry --export=idct --strip-all idct.o -o idct.wasm
#include <stdint.h>
#include <wasm_simd128.h>

// Where heif.wasm has the 32×32 matrix of the transform; that of n×n has its rows 0, 32/n, …
#define MATRIX ((const int8_t *)33456)

// Two rows that lie one upon the other, as pairs.
static v128_t pairs(v128_t upper, v128_t lower) {
	return wasm_i16x8_shuffle(upper, lower, 0, 8, 1, 9, 2, 10, 3, 11);
}

static v128_t row4(const int8_t *m) { return wasm_i16x8_extend_low_i8x16(wasm_v128_load32_zero(m)); }

__attribute__((visibility("default"))) void idct(uint8_t *pixels, int32_t stride, int32_t n, const int16_t *coefficients) {
	v128_t matrix[16][8]; // pairs of two rows, four columns at a time
	v128_t columns[16];
	int16_t half[32 * 32];
	int rows = n, width = n;
	for (; rows > 0; rows--) { // the last rows and columns are often zero
		int any = 0;
		for (int c = 0; c < n; c += 4)
			any |= wasm_v128_any_true(wasm_v128_load64_zero(coefficients + (rows - 1) * n + c));
		if (any)
			break;
	}
	if (rows == 0)
		return;
	for (; width > 4; width -= 4) {
		int any = 0;
		for (int j = 0; j < rows; j++)
			any |= wasm_v128_any_true(wasm_v128_load64_zero(coefficients + j * n + width - 4));
		if (any)
			break;
	}
	int down = (rows + 1) / 2, across = width / 2, step = 32 / n * 32;
	for (int j = 0; j < (down > across ? down : across); j++)
		for (int i = 0; i < n; i += 4)
			matrix[j][i / 4] = pairs(row4(MATRIX + 2 * j * step + i), row4(MATRIX + (2 * j + 1) * step + i));

	for (int c = 0; c < width; c += 4) {
		for (int j = 0; j < down; j++)
			columns[j] = pairs(wasm_v128_load64_zero(coefficients + 2 * j * n + c), wasm_v128_load64_zero(coefficients + (2 * j + 1) * n + c));
		for (int i = 0; i < n; i++) {
			const int32_t *weights = (const int32_t *)matrix + i;
			v128_t sum = wasm_i32x4_splat(64);
			for (int j = 0; j < down; j++)
				sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(columns[j], wasm_v128_load32_splat(weights + 32 * j)));
			sum = wasm_i32x4_shr(sum, 7);
			wasm_v128_store64_lane(half + i * n + c, wasm_i16x8_narrow_i32x4(sum, sum), 0);
		}
	}
	for (int y = 0; y < n; y++) {
		const int16_t *row = half + y * n;
		for (int i = 0; i < n; i += 4) {
			v128_t sum = wasm_i32x4_splat(2048);
			for (int j = 0; j < across; j++)
				sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(wasm_v128_load32_splat(row + 2 * j), matrix[j][i / 4]));
			sum = wasm_i32x4_shr(sum, 12);
			v128_t lit = wasm_i16x8_add(wasm_i16x8_narrow_i32x4(sum, sum), wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(pixels + i)));
			wasm_v128_store32_lane(pixels + i, wasm_u8x16_narrow_i16x8(lit, lit), 0);
		}
		pixels += stride;
	}
}
