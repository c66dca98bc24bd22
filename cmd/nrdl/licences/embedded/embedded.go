// Package embedded lists the data of others that are inside the program.
//
// Experimental: this package may change in any version.
package embedded

// Systems are those for which a release has a program.
var Systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// A Part is something in the program that was made elsewhere.
type Part struct {
	What      string
	Files     []string // in the module, as globs
	Source    string
	Licences  []string // files in the module
	Note      string
	Libraries []Library // that it was compiled from
}

// A Library is one in C or C++, as a list of what is inside the program (CycloneDX) names it.
type Library struct {
	Name, Version string
	PURL          string // package URL, by which databases of weaknesses know it
	Licence       string // an SPDX expression
}

// What several parts are compiled from.
var (
	wasiLibc = Library{
		"wasi-libc", "0.0~git20220510.9886d3d-2", "pkg:deb/debian/wasi-libc@0.0~git20220510.9886d3d-2?distro=bookworm",
		"(Apache-2.0 WITH LLVM-exception) AND MIT",
	}
	libjpegTurbo = Library{"libjpeg-turbo", "2.1.5.1", "pkg:github/libjpeg-turbo/libjpeg-turbo@2.1.5.1", "IJG AND BSD-3-Clause AND Zlib"}
)

// Translated are libraries in C that a module has, translated to Go.
var Translated = []Library{{"sqlite", "3.54.1", "pkg:generic/sqlite@3.54.1", "blessing"}}

// Parts are all of them.
var Parts = []Part{
	{
		What:  "libde265 1.1.1, compiled to WebAssembly",
		Files: []string{"faces/heic/wasm/hevc.wasm.zst"},
		Source: "https://github.com/strukturag/libde265, tag v1.1.1, by faces/heic/wasm/build.sh with faces/heic/wasm/hevc.cc; " +
			"wasi-libc and libc++ 14 of Debian 12, and headers for vectors of https://github.com/emscripten-core/emscripten",
		Licences: []string{"faces/heic/wasm/LICENSE.libde265", "faces/heic/wasm/LICENSE.emscripten", "faces/heic/wasm/LICENSE.wasi-libc"},
		Note: "The library is under the GNU Lesser General Public License 3. To use a changed one,\n" +
			"           compile it by faces/heic/wasm/build.sh and build nrdl again. Whoever has received this\n" +
			"           program can ask its maintainers for the complete corresponding source of the library\n" +
			"           for three years, at the cost of sending it.",
		Libraries: []Library{
			{"libde265", "1.1.1", "pkg:github/strukturag/libde265@v1.1.1", "LGPL-3.0-or-later"},
			{"libc++", "1:14.0.6-12", "pkg:deb/debian/libc%2B%2B-14-dev-wasm32@1:14.0.6-12?distro=bookworm", "Apache-2.0 WITH LLVM-exception"},
			wasiLibc,
		},
	},
	{
		What:  "libjpeg-turbo 2.1.5.1, compiled to WebAssembly",
		Files: []string{"faces/internal/libjpeg/wasm/jpeg.wasm.zst"},
		Source: "https://github.com/libjpeg-turbo/libjpeg-turbo, tag 2.1.5.1, by faces/internal/libjpeg/wasm/build.sh " +
			"with wasi-libc of Debian 12",
		Licences: []string{"faces/internal/libjpeg/wasm/LICENSE.libjpeg-turbo", "faces/internal/libjpeg/wasm/LICENSE.wasi-libc"},
		Note:     "This software is based in part on the work of the Independent JPEG Group.",
		Libraries: []Library{
			libjpegTurbo,
			wasiLibc,
		},
	},
	{
		What:  "libtiff 4.7.1 with zlib 1.3.1 and libjpeg-turbo 2.1.5.1, compiled to WebAssembly",
		Files: []string{"faces/internal/tiff/wasm/tiff.wasm.zst"},
		Source: "https://gitlab.com/libtiff/libtiff, tag v4.7.1, https://github.com/madler/zlib, tag v1.3.1, and " +
			"https://github.com/libjpeg-turbo/libjpeg-turbo, tag 2.1.5.1, by faces/internal/tiff/wasm/build.sh with wasi-libc of Debian 12",
		Licences: []string{
			"faces/internal/tiff/wasm/LICENSE.libtiff", "faces/internal/tiff/wasm/LICENSE.zlib",
			"faces/internal/libjpeg/wasm/LICENSE.libjpeg-turbo", "faces/internal/libjpeg/wasm/LICENSE.wasi-libc",
		},
		Note: "This software is based in part on the work of the Independent JPEG Group.",
		Libraries: []Library{
			{"libtiff", "4.7.1", "pkg:generic/libtiff@4.7.1?vcs_url=git%2Bhttps://gitlab.com/libtiff/libtiff%40v4.7.1", "libtiff"},
			{"zlib", "1.3.1", "pkg:github/madler/zlib@v1.3.1", "Zlib"},
			libjpegTurbo,
			wasiLibc,
		},
	},
	{
		What:  "libavif 1.4.2 and dav1d 1.5.3, compiled to WebAssembly",
		Files: []string{"faces/heic/wasm/avif.wasm.zst"},
		Source: "https://github.com/AOMediaCodec/libavif, tag v1.4.2, with the part of libyuv in it, and " +
			"https://github.com/videolan/dav1d, tag 1.5.3, by faces/heic/wasm/build-avif.sh with faces/heic/wasm/avif.c and wasi-libc of Debian 12",
		Licences: []string{"faces/heic/wasm/LICENSE.libavif", "faces/heic/wasm/LICENSE.dav1d", "faces/heic/wasm/LICENSE.wasi-libc"},
		Libraries: []Library{
			{"libavif", "1.4.2", "pkg:github/AOMediaCodec/libavif@v1.4.2", "BSD-2-Clause AND BSD-3-Clause"},
			{"dav1d", "1.5.3", "pkg:github/videolan/dav1d@1.5.3", "BSD-2-Clause"},
			wasiLibc,
		},
	},
	{
		What:  "network for embeddings of faces, the default",
		Files: []string{"faces/frontend/embedding/weights/faceplugin.onnx.zst"},
		Source: "npm package faceplugin-face-recognition-js 0.0.1, model/fr_feature.onnx; its input is normalised and " +
			"its last layer is reduced to 192 numbers",
		Licences: []string{"faces/frontend/embedding/weights/LICENSE.faceplugin"},
		Note:     "The publisher, Faceplugin, does not say on which photographs it was trained.",
	},
	{
		What:  "centring of the default network's vectors, and its impostor distribution",
		Files: []string{"faces/frontend/embedding/weights/faceplugin.centring", "openset/impostors/faceplugin-centred-mirror.json"},
		Source: "go -C tools run ./people: means over many faces of research photographs of 4,724 ordinary people, 489 " +
			"famous people in their childhood and 50 people who look alike; and shares of pairs of them and of 1,799 famous people",
		Licences: []string{"LICENSE"},
		Note:     "Each mean is of 15 photographs of 4 people or more. No photograph, and no vector of a single face, is in the program.",
	},
	{
		What:     "network for embeddings of faces, embedding:dlib",
		Files:    []string{"faces/frontend/embedding/weights/dlib.onnx.zst"},
		Source:   "dlib's face recognition network, by the npm package @vladmandic/face-api 1.7.15",
		Licences: []string{"faces/frontend/embedding/weights/LICENSE"},
		Note:     "dlib's author released the weights into the public domain; the package is under the MIT licence.",
	},
	{
		What:     "networks that detect faces and landmarks",
		Files:    []string{"faces/face/networks/*.onnx*"},
		Source:   "npm package @vladmandic/face-api 1.7.15",
		Licences: []string{"faces/face/networks/LICENSE"},
	},
	{
		What:     "cascades that detect faces and pupils",
		Files:    []string{"faces/face/cascades/facefinder", "faces/face/cascades/puploc.zst"},
		Source:   "github.com/esimov/pigo v1.4.6, cascade/, unchanged",
		Licences: []string{"faces/face/cascades/LICENSE"},
	},
	{
		What: "parts of the fonts Noto Sans and GNU Unifont",
		Files: []string{
			"faces/lettering/fonts/latin*.zst", "faces/lettering/fonts/math*.zst", "faces/lettering/fonts/hebrew*.zst",
			"faces/lettering/fonts/arabic*.zst", "faces/lettering/fonts/devanagari*.zst", "faces/lettering/fonts/thai*.zst",
			"faces/lettering/fonts/rest*.zst", "faces/lettering/fonts/emoji*.zst",
		},
		Source:   "Debian's packages fonts-noto-core and fonts-unifont; faces/lettering/fonts/README.md has versions, copyright and changes",
		Licences: []string{"faces/lettering/fonts/OFL.txt", "faces/lettering/fonts/README.md"},
	},
	{
		What:     "parts of the font Droid Sans Fallback",
		Files:    []string{"faces/lettering/fonts/hangul*.zst", "faces/lettering/fonts/han.ttf.zst"},
		Source:   "Debian's package fonts-droid-fallback; faces/lettering/fonts/README.md has version, copyright and changes",
		Licences: []string{"faces/lettering/fonts/Apache-2.0.txt"},
	},
	{
		What:     "data sets for comparisons: handwritten digits (CC BY 4.0), and Fashion-MNIST (MIT)",
		Files:    []string{"faces/dataset/bundled/*.npz"},
		Source:   "E. Alpaydin and C. Kaynak, UCI Machine Learning Repository; H. Xiao, K. Rasul and R. Vollgraf",
		Licences: []string{"faces/dataset/bundled/README.md"},
	},
}
