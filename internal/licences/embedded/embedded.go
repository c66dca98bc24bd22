// Package embedded lists the data of others that are inside the program.
package embedded

// Systems are those for which a release has a program.
var Systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// A Part is something in the program that was made elsewhere.
type Part struct {
	What     string
	Files    []string // in the module, as globs
	From     string
	Licences []string // files in the module
	Note     string
}

// Parts are all of them.
var Parts = []Part{
	{
		What:     "libde265 1.1.1, compiled to WebAssembly",
		Files:    []string{"heic/wasm/hevc.wasm.zst"},
		From:     "https://github.com/strukturag/libde265, tag v1.1.1, by heic/wasm/build.sh with heic/wasm/hevc.cc; wasi-libc and libc++ 14 of Debian 12, and headers for vectors of https://github.com/emscripten-core/emscripten",
		Licences: []string{"heic/wasm/LICENSE.libde265", "heic/wasm/LICENSE.emscripten", "heic/wasm/LICENSE.wasi-libc"},
		Note: "The library is under the GNU Lesser General Public License 3. To use a changed one,\n" +
			"           compile it by heic/wasm/build.sh and build nrdl again. Whoever has received this\n" +
			"           program can ask its maintainers for the complete corresponding source of the library\n" +
			"           for three years, at the cost of sending it.",
	},
	{
		What:     "libjpeg-turbo 2.1.5.1, compiled to WebAssembly",
		Files:    []string{"internal/libjpeg/wasm/jpeg.wasm.zst"},
		From:     "https://github.com/libjpeg-turbo/libjpeg-turbo, tag 2.1.5.1, by internal/libjpeg/wasm/build.sh with wasi-libc of Debian 12",
		Licences: []string{"internal/libjpeg/wasm/LICENSE.libjpeg-turbo", "internal/libjpeg/wasm/LICENSE.wasi-libc"},
		Note:     "This software is based in part on the work of the Independent JPEG Group.",
	},
	{
		What:     "libtiff 4.7.1 with zlib 1.3.1 and libjpeg-turbo 2.1.5.1, compiled to WebAssembly",
		Files:    []string{"internal/tiff/wasm/tiff.wasm.zst"},
		From:     "https://gitlab.com/libtiff/libtiff, tag v4.7.1, https://github.com/madler/zlib, tag v1.3.1, and https://github.com/libjpeg-turbo/libjpeg-turbo, tag 2.1.5.1, by internal/tiff/wasm/build.sh with wasi-libc of Debian 12",
		Licences: []string{"internal/tiff/wasm/LICENSE.libtiff", "internal/tiff/wasm/LICENSE.zlib", "internal/libjpeg/wasm/LICENSE.libjpeg-turbo", "internal/libjpeg/wasm/LICENSE.wasi-libc"},
		Note:     "This software is based in part on the work of the Independent JPEG Group.",
	},
	{
		What:     "libavif 1.1.1 and libaom 3.10.0, compiled to WebAssembly",
		Files:    []string{"heic/wasm/avif.wasm.zst"},
		From:     "github.com/gen2brain/avif v0.4.4, lib/decode.wasm.gz, packed by Zstandard in place of gzip",
		Licences: []string{"heic/wasm/LICENSE.libavif", "heic/wasm/LICENSE.aom", "heic/wasm/LICENSE.gen2brain"},
	},
	{
		What:     "network for embeddings of faces, the default",
		Files:    []string{"frontend/embedding/weights/faceplugin.onnx.zst"},
		From:     "npm package faceplugin-face-recognition-js 0.0.1, model/fr_feature.onnx; its input is normalised and its last layer is reduced to 192 numbers",
		Licences: []string{"frontend/embedding/weights/LICENSE.faceplugin"},
		Note:     "The publisher, Faceplugin, does not say on which photographs it was trained.",
	},
	{
		What:     "centring of the default network's vectors, and its impostor distribution",
		Files:    []string{"frontend/embedding/weights/faceplugin.centring", "openset/impostors/faceplugin-centred-mirror.json"},
		From:     "go -C studies run ./people: means over many faces of research photographs of 4,724 ordinary people, 489 famous people in their childhood and 50 people who look alike; and shares of pairs of them and of 1,799 famous people",
		Licences: []string{"LICENSE"},
		Note:     "Each mean is of 15 photographs of 4 people or more. No photograph, and no vector of a single face, is in the program.",
	},
	{
		What:     "network for embeddings of faces, embedding:dlib",
		Files:    []string{"frontend/embedding/weights/dlib.onnx.zst"},
		From:     "dlib's face recognition network, by the npm package @vladmandic/face-api 1.7.15",
		Licences: []string{"frontend/embedding/weights/LICENSE"},
		Note:     "dlib's author released the weights into the public domain; the package is under the MIT licence.",
	},
	{
		What:     "network that detects faces, YuNet",
		Files:    []string{"face/networks/yunet.onnx.zst"},
		From:     "github.com/ShiqiYu/libfacedetection.train, onnx/yunet_n_dynamic.onnx at revision 0047ac24, unchanged, packed by Zstandard",
		Licences: []string{"face/networks/LICENSE.yunet"},
		Note:     "It was trained on the data set WIDER FACE.",
	},
	{
		What:     "network of the landmarks of a face",
		Files:    []string{"face/networks/landmarks.onnx.zst"},
		From:     "npm package @vladmandic/face-api 1.7.15",
		Licences: []string{"face/networks/LICENSE"},
	},
	{
		What:     "parts of the fonts Noto Sans and GNU Unifont",
		Files:    []string{"lettering/fonts/latin*.zst", "lettering/fonts/math*.zst", "lettering/fonts/hebrew*.zst", "lettering/fonts/arabic*.zst", "lettering/fonts/devanagari*.zst", "lettering/fonts/thai*.zst", "lettering/fonts/rest*.zst", "lettering/fonts/emoji*.zst"},
		From:     "Debian's packages fonts-noto-core and fonts-unifont; lettering/fonts/README.md has versions, copyright and changes",
		Licences: []string{"lettering/fonts/OFL.txt", "lettering/fonts/README.md"},
	},
	{
		What:     "parts of the font Droid Sans Fallback",
		Files:    []string{"lettering/fonts/hangul*.zst", "lettering/fonts/han.ttf.zst"},
		From:     "Debian's package fonts-droid-fallback; lettering/fonts/README.md has version, copyright and changes",
		Licences: []string{"lettering/fonts/Apache-2.0.txt"},
	},
	{
		What:     "data sets for comparisons: handwritten digits (CC BY 4.0), and Fashion-MNIST (MIT)",
		Files:    []string{"dataset/bundled/*.npz"},
		From:     "E. Alpaydin and C. Kaynak, UCI Machine Learning Repository; H. Xiao, K. Rasul and R. Vollgraf",
		Licences: []string{"dataset/bundled/README.md"},
	},
}
