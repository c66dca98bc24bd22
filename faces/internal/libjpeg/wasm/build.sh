#!/bin/sh
# Compiles jpeg.wasm of libjpeg-turbo 2.1.5.1 on Debian 12:
#
#	apt-get install clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32 zstd
#	git clone -b 2.1.5.1 https://github.com/libjpeg-turbo/libjpeg-turbo
#	faces/internal/libjpeg/wasm/build.sh libjpeg-turbo faces/internal/libjpeg/wasm/jpeg.wasm.zst
set -e
source=$1 out=$2 here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's/@COPYRIGHT_YEAR@/2023/' "$source/jversion.h.in" >"$work/jversion.h"
flags="--target=wasm32-wasi -O3 -msimd128 -mbulk-memory -w -DNDEBUG -DNO_GETENV -DNO_PUTENV -I$here -I$work -I$source"
for name in jaricom jcomapi jdapimin jdapistd jdarith jdatasrc jdcoefct jdcolor jddctmgr jdhuff jdinput jdmainct jdmarker jdmaster \
	jdmerge jdphuff jdpostct jdsample jerror jidctflt jidctfst jidctint jidctred jmemmgr jmemnobs jutils jsimd_none; do
	clang-14 $flags -c "$source/$name.c" -o "$work/$name.o"
done
clang-14 $flags -c "$here/jpeg.c" -o "$work/jpeg.o"
clang-14 --target=wasm32-wasi -mexec-model=reactor -O3 -Wl,--no-entry -Wl,-z,stack-size=1048576 -Wl,--stack-first -Wl,--export=malloc \
	-Wl,--strip-all -o "$work/jpeg.wasm" "$work"/*.o
zstd -19 -q -f "$work/jpeg.wasm" -o "$out"
