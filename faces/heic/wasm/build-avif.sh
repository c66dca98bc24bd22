#!/bin/sh
# Compiles avif.wasm of libavif v1.4.2 and dav1d 1.5.3 on Debian 12:
#
#	apt-get install clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32 zstd
#	git clone -b v1.4.2 https://github.com/AOMediaCodec/libavif
#	git clone -b 1.5.3 https://github.com/videolan/dav1d
#	faces/heic/wasm/build-avif.sh libavif dav1d faces/heic/wasm/avif.wasm.zst
#
# The source is not changed. The program has one thread: locks do nothing, and no thread starts.
set -e
avif=$1 dav1d=$2 out=$3 here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/pthread.h" <<'END'
#pragma once
#include <errno.h>
#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_STACK_MIN 0
typedef int pthread_mutex_t, pthread_mutexattr_t, pthread_cond_t, pthread_condattr_t, pthread_attr_t, pthread_t, pthread_once_t;
#define pthread_mutex_init(m, a) ((void)(m), 0)
#define pthread_mutex_destroy(m) ((void)(m), 0)
#define pthread_mutex_lock(m) ((void)(m), 0)
#define pthread_mutex_unlock(m) ((void)(m), 0)
#define pthread_cond_init(c, a) ((void)(c), 0)
#define pthread_cond_destroy(c) ((void)(c), 0)
#define pthread_cond_signal(c) ((void)(c), 0)
#define pthread_cond_broadcast(c) ((void)(c), 0)
#define pthread_cond_wait(c, m) (__builtin_trap(), 0)
#define pthread_attr_init(a) ((void)(a), 0)
#define pthread_attr_destroy(a) ((void)(a), 0)
#define pthread_attr_setstacksize(a, n) ((void)(a), 0)
#define pthread_create(t, a, f, x) ((void)(t), (void)(f), EAGAIN)
#define pthread_join(t, r) (__builtin_trap(), 0)
static inline int pthread_once(pthread_once_t *once, void (*f)(void)) {
	if (!*once) *once = 1, f();
	return 0;
}
END
cat >"$work/config.h" <<'END'
#pragma once
#define ARCH_AARCH64 0
#define ARCH_ARM 0
#define ARCH_X86 0
#define ARCH_X86_32 0
#define ARCH_X86_64 0
#define ARCH_PPC64LE 0
#define ARCH_RISCV 0
#define ARCH_RV32 0
#define ARCH_RV64 0
#define ARCH_LOONGARCH 0
#define ARCH_LOONGARCH32 0
#define ARCH_LOONGARCH64 0
#define CONFIG_8BPC 1
#define CONFIG_16BPC 1
#define CONFIG_LOG 0
#define CONFIG_MACOS_KPERF 0
#define ENDIANNESS_BIG 0
#define HAVE_ASM 0
#define HAVE_ALIGNED_ALLOC 0
#define HAVE_POSIX_MEMALIGN 1
#define HAVE_MEMALIGN 0
#define HAVE_CLOCK_GETTIME 1
#define HAVE_C11_GENERIC 1
#define HAVE_DLSYM 0
#define HAVE_ELF_AUX_INFO 0
#define HAVE_GETAUXVAL 0
#define HAVE_IO_H 0
#define HAVE_PTHREAD_GETAFFINITY_NP 0
#define HAVE_PTHREAD_SETAFFINITY_NP 0
#define HAVE_PTHREAD_SETNAME_NP 0
#define HAVE_PTHREAD_SET_NAME_NP 0
#define HAVE_PTHREAD_NP_H 0
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define TRIM_DSP_FUNCTIONS 0
END
echo '#define DAV1D_VERSION "1.5.3"' >"$work/vcs_version.h"
flags="--target=wasm32-wasi -O3 -msimd128 -ftls-model=local-exec -mbulk-memory -mnontrapping-fptoint -std=gnu11 -w -DNDEBUG -D_GNU_SOURCE -I$work"
for name in cdf cpu ctx data decode dequant_tables getbits intra_edge itx_1d lf_mask lib log mem msac obu pal picture qm ref refmvs scan \
	tables thread_task warpmv wedge; do
	clang-14 $flags -I"$dav1d" -I"$dav1d/include" -I"$dav1d/include/compat/gcc" -c "$dav1d/src/$name.c" -o "$work/dav1d_$name.o"
done
for name in cdef_apply cdef fg_apply filmgrain ipred_prepare ipred itx lf_apply loopfilter looprestoration lr_apply mc recon; do
	for bits in 8 16; do
		clang-14 $flags -DBITDEPTH=$bits -I"$dav1d" -I"$dav1d/include" -c "$dav1d/src/${name}_tmpl.c" -o "$work/dav1d_$name$bits.o"
	done
done
for name in alpha avif colr colrconvert diag exif gainmap io mem obu properties rawdata read reformat reformat_libsharpyuv reformat_libyuv \
	sampletransform scale stream utils write codec_dav1d; do
	clang-14 $flags -DAVIF_CODEC_DAV1D -I"$avif/include" -I"$avif/third_party/libyuv/include" -I"$dav1d/include" -c "$avif/src/$name.c" -o "$work/avif_$name.o"
done
for name in "$avif"/third_party/libyuv/source/*.c; do
	clang-14 $flags -I"$avif/third_party/libyuv/include" -c "$name" -o "$work/yuv_$(basename "$name" .c).o"
done
clang-14 $flags -I"$avif/include" -c "$here/avif.c" -o "$work/own.o"
clang-14 --target=wasm32-wasi -mexec-model=reactor -O3 -Wl,--no-entry -Wl,--gc-sections -Wl,-z,stack-size=1048576 -Wl,--stack-first \
	-Wl,--export=malloc -Wl,--export=free -Wl,--strip-all -o "$work/avif.wasm" "$work"/*.o
zstd -19 -q -f "$work/avif.wasm" -o "$out"
