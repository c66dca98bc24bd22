#!/bin/sh
# Compiles tiff.wasm of libtiff 4.7.1, with zlib 1.3.1 and libjpeg-turbo 2.1.5.1, on Debian 12:
#
#	apt-get install clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32 zstd
#	git clone -b v4.7.1 https://gitlab.com/libtiff/libtiff
#	git clone -b v1.3.1 https://github.com/madler/zlib
#	git clone -b 2.1.5.1 https://github.com/libjpeg-turbo/libjpeg-turbo
#	faces/internal/tiff/wasm/build.sh libtiff zlib libjpeg-turbo faces/internal/tiff/wasm/tiff.wasm.zst
#
# The source is not changed. Files that only write, or know a system, are left out.
set -e
tiff=$1/libtiff zlib=$2 jpeg=$3 out=$4 here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's/@COPYRIGHT_YEAR@/2023/' "$jpeg/jversion.h.in" >"$work/jversion.h"
sed 's/@LIBTIFF_RELEASE_DATE@/20250911/; s/@LIBTIFF_MAJOR_VERSION@/4/; s/@LIBTIFF_MINOR_VERSION@/7/; s/@LIBTIFF_MICRO_VERSION@/1/; s/@LIBTIFF_VERSION@/4.7.1/' \
	"$tiff/tiffvers.h.cmake.in" >"$work/tiffvers.h"
cat >"$work/setjmp.h" <<'END'
#pragma once
typedef int jmp_buf[1];
#define setjmp(at) 0
void longjmp(jmp_buf at, int v);
END
flags="--target=wasm32-wasi -Os -mbulk-memory -w -DNDEBUG -DNO_GETENV -DNO_PUTENV -I$work -I$here -I$here/../../libjpeg/wasm -I$tiff -I$zlib -I$jpeg"
for name in tif_aux tif_close tif_codec tif_color tif_compress tif_dir tif_dirinfo tif_dirread tif_dirwrite tif_dumpmode tif_error tif_extension \
	tif_fax3 tif_fax3sm tif_flush tif_getimage tif_hash_set tif_jpeg tif_luv tif_lzw tif_next tif_ojpeg tif_open tif_packbits tif_pixarlog \
	tif_predict tif_print tif_read tif_strip tif_swab tif_thunder tif_tile tif_version tif_warning tif_write tif_zip; do
	clang-14 $flags -c "$tiff/$name.c" -o "$work/$name.o"
done
for name in adler32 crc32 inffast inflate inftrees zutil; do
	clang-14 $flags -c "$zlib/$name.c" -o "$work/$name.o"
done
for name in jaricom jcomapi jdapimin jdapistd jdarith jdatasrc jdcoefct jdcolor jddctmgr jdhuff jdinput jdmainct jdmarker jdmaster \
	jdmerge jdphuff jdpostct jdsample jerror jidctflt jidctfst jidctint jidctred jmemmgr jmemnobs jutils jsimd_none; do
	clang-14 $flags -c "$jpeg/$name.c" -o "$work/$name.o"
done
for name in tiff unused; do
	clang-14 $flags -c "$here/$name.c" -o "$work/own_$name.o"
done
clang-14 --target=wasm32-wasi -mexec-model=reactor -Os -Wl,--no-entry -Wl,--gc-sections -Wl,-z,stack-size=1048576 -Wl,--stack-first \
	-Wl,--export=malloc -Wl,--strip-all -o "$work/tiff.wasm" "$work"/*.o
zstd -19 -q -f "$work/tiff.wasm" -o "$out"
