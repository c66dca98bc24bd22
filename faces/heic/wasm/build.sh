#!/bin/sh
# Compiles hevc.wasm of libde265 v1.1.1 on Debian 12, with its code for vectors of x86:
#
#	apt-get install clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32 libc++-14-dev-wasm32 libc++abi-14-dev-wasm32 zstd
#	git clone -b v1.1.1 https://github.com/strukturag/libde265
#	git clone https://github.com/emscripten-core/emscripten
#	faces/heic/wasm/build.sh libde265 emscripten faces/heic/wasm/hevc.wasm.zst
#
# The only change to the source is that contextmodel.cc loses a function for debugging, which
# needs streams. The program has one thread, so locks do nothing.
set -e
source=$1/libde265 compat=$2/system/include/compat out=$3 here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/shim" "$work/compat"
cp "$compat"/[xeps]mmintrin.h "$compat"/tmmintrin.h "$work/compat"
for header in thread mutex condition_variable; do echo '#pragma once' >"$work/shim/$header"; done
cat >"$work/shim/locks.h" <<'EOF'
#pragma once
#include <memory>
namespace std {
struct mutex { void lock() {} void unlock() {} };
template <class M> struct lock_guard { explicit lock_guard(M &) {} };
template <class M> struct unique_lock { explicit unique_lock(M &) {} void lock() {} void unlock() {} };
struct condition_variable {
	template <class L> void wait(L &) { __builtin_trap(); }
	template <class L, class P> void wait(L &, P p) { if (!p()) __builtin_trap(); }
	void notify_all() {}
	void notify_one() {}
};
struct thread {
	thread() {}
	template <class... A> explicit thread(A &&...) { __builtin_trap(); }
	void join() {}
	bool joinable() { return false; }
};
}
EOF
mkdir "$work/libde265"
cp -r "$source"/* "$work/libde265"
sed 's/@NUMERIC_VERSION@/0x01010100/; s/@PACKAGE_VERSION@/1.1.1/' "$source/de265-version.h.in" >"$work/libde265/de265-version.h"
sed -i '/^std::string context_model_table::debug_dump/,/^}/d; /include <iomanip>/d; /include <sstream>/d' "$work/libde265/contextmodel.cc"
flags="--target=wasm32-wasi -O3 -msimd128 -mbulk-memory -mnontrapping-fptoint -fno-exceptions -fno-rtti -std=c++17 -w -DNDEBUG
	-D__EMSCRIPTEN__ -D__SSE__ -D__SSE2__ -D__SSE3__ -D__SSSE3__ -D__SSE4_1__ -DHAVE_SSE4_1=1 -DHAVE_STDINT_H -DHAVE_POSIX_MEMALIGN
	-D_WASI_EMULATED_SIGNAL -I$work/shim -I$work/compat -I$work -I$work/libde265 -include $work/shim/locks.h"
for name in alloc_pool bitstream cabac contextmodel de265 deblock decctx dpb fallback-dct fallback-deblk fallback-intrapred \
	fallback-motion fallback image intrapred md5 motion nal-parser nal pps refpic sao scan sei slice sps threads transform util \
	vps vui x86/sse x86/sse-motion x86/sse-dct x86/sse-intrapred x86/sse-deblk; do
	clang++-14 $flags -c "$work/libde265/$name.cc" -o "$work/$(basename $name).o"
done
clang++-14 $flags -c "$here/hevc.cc" -o "$work/hevc.o"
clang++-14 --target=wasm32-wasi -mexec-model=reactor -O3 -Wl,--no-entry -Wl,-z,stack-size=1048576 -Wl,--stack-first -Wl,--export=malloc \
	-Wl,--export=free -Wl,--strip-all -o "$work/hevc.wasm" "$work"/*.o -lc++ -lc++abi -lwasi-emulated-signal
zstd -19 -q -f "$work/hevc.wasm" -o "$out"
