// Command weights writes the networks that packages embedding and face have inside:
// two face recognition networks, two detectors of faces, and one of landmarks. The
// network that is the default is fr_feature.onnx of the npm package
// faceplugin-face-recognition-js; the others have the weights of the npm package
// @vladmandic/face-api, which quantised them to 8 bits.
// With -check it only tells whether the files are those that it would write, and
// fetches nothing.
//
//	go -C tools run ./weights
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/internal/kit/packed"
)

// Where the weights are from. The integrity is that of the registry.
const (
	npmPackage = "@vladmandic/face-api@1.7.15"
	integrity  = "WDMmK3CfNLo8jylWqMoQgf4nIst3M0fzx1dnac96wv/dvMTN4DxC/Pq1DGtduDk1lktCamQ3MIDXFnvrdHTXDw=="

	mobilePackage   = "faceplugin-face-recognition-js@0.0.1"
	mobileIntegrity = "shriXjd4zJHEwhK1jHK+bWo8Vv6Vu9B/w6RRsd4AFtNM/jaI2vhuOamOSMl9qQmLd8WlQ7dgqN+3C2iOi5pXWw=="
)

// A file is a network to write.
type file struct {
	path    string // from the root of the module, packed if it ends with .zst
	network func(model map[string][]byte) ([]byte, error)
	digest  string // SHA-256
}

var files = []file{
	{"faces/frontend/embedding/weights/faceplugin.onnx.zst", func(model map[string][]byte) ([]byte, error) {
		return mobile(
			model["fr_feature.onnx"])
	}, "5631449437dfd2b8ceae2bdbbc89edd5366cdbaebad54fb62ede686768c809e9"},
	{
		"faces/frontend/embedding/weights/dlib.onnx.zst", quantised("face_recognition_model", weights.network),
		"550322d5e8f124a9f59e54f732ecea898449de815a835e4150aae48cf0386566",
	},
	{
		"faces/face/networks/ssd.onnx.zst", quantised("ssd_mobilenetv1_model", weights.ssd),
		"49b4208e731678ee8006a28518abc174602102934d45bbb1994fa42b807d558e",
	},
	{
		"faces/face/networks/tiny.onnx.zst", quantised("tiny_face_detector_model", weights.tiny),
		"2ec10443aecf6dce73a8e0d323804b6c91dea316cb2efcef3a1df76eb78fed92",
	},
	{
		"faces/face/networks/landmarks.onnx.zst", quantised("face_landmark_68_model", weights.landmarks),
		"a273ac33d259b37f573e10e2d7810378c37e3cb306adc83b25fe69f2fa421c87",
	},
}

// quantised is the network that write makes of the weights of this name.
func quantised(name string, write func(weights) []byte) func(map[string][]byte) ([]byte, error) {
	return func(model map[string][]byte) ([]byte, error) {
		w, err := parse(model[name+"-weights_manifest.json"], model[name+".bin"])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return write(w), nil
	}
}

func main() {
	log.SetFlags(0)
	check := flag.Bool("check", false, "only compare the files with their digests")
	root := flag.String("root", "..", "`FOLDER` of the module")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		log.Fatal(err)
	}
}

func run(root string, check bool) error {
	model := map[string][]byte{}
	if !check {
		for _, p := range [][2]string{{npmPackage, integrity}, {mobilePackage, mobileIntegrity}} {
			if err := fetch(model, p[0], p[1]); err != nil {
				return err
			}
		}
	}
	for _, f := range files {
		path := filepath.Join(root, filepath.FromSlash(f.path))
		if !check {
			data, err := f.network(model)
			if err != nil {
				return err
			}
			if filepath.Ext(path) == ".zst" {
				if data, err = packed.Pack(data); err != nil {
					return err
				}
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				return err
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".zst" {
			data = packed.Bytes(data)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.digest {
			return fmt.Errorf("the SHA-256 of %s is %x, not %s", f.path, sum, f.digest)
		}
	}
	return nil
}

// fetch adds the files in the folder model of an npm package, whose integrity is known.
func fetch(files map[string][]byte, npmPackage, integrity string) error {
	folder, err := os.MkdirTemp("", "weights")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	npm := exec.Command("npm", "pack", "--silent", npmPackage)
	npm.Dir, npm.Stderr = folder, os.Stderr
	name, err := npm.Output()
	if err != nil {
		return fmt.Errorf("npm pack %s: %w", npmPackage, err)
	}
	data, err := os.ReadFile(filepath.Join(folder, strings.TrimSpace(string(name))))
	if err != nil {
		return err
	}
	if sum := sha512.Sum512(data); base64.StdEncoding.EncodeToString(sum[:]) != integrity {
		return fmt.Errorf("the npm package %s is not the one whose integrity is known", npmPackage)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if name, ok := strings.CutPrefix(header.Name, "package/model/"); ok {
			if files[name], err = io.ReadAll(archive); err != nil {
				return err
			}
		}
	}
}

// weights are the tensors of the package, by name.
type weights map[string]*tensor

// A tensor holds numbers of 8 bits, v·scale + least each, or floats.
type tensor struct {
	shape          []int
	weights        []byte
	scale, minimum float64
	floats         []float32
}

func parse(manifest, data []byte) (weights, error) {
	var groups []struct {
		Weights []struct {
			Name         string
			Shape        []int
			Quantization *struct{ Scale, Min float64 }
		}
	}
	if err := json.Unmarshal(manifest, &groups); err != nil {
		return nil, err
	}
	all := weights{}
	for _, g := range groups {
		for _, w := range g.Weights {
			n := 1
			for _, d := range w.Shape {
				n *= d
			}
			t := &tensor{shape: w.Shape, floats: make([]float32, n)}
			width := 4
			if w.Quantization != nil {
				width = 1
			}
			if n*width > len(data) {
				return nil, fmt.Errorf("%s: the file is too short", w.Name)
			}
			if q := w.Quantization; q != nil {
				t.weights, t.scale, t.minimum = data[:n], q.Scale, q.Min
				for i, v := range t.weights {
					t.floats[i] = float32(v)*float32(q.Scale) + float32(q.Min)
				}
			} else {
				for i := range t.floats {
					t.floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
				}
			}
			data = data[n*width:]
			all[w.Name] = t
		}
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("%d bytes after the last tensor", len(data))
	}
	return all, nil
}

// zero is the value of 8 bits that stands for 0.
func (t *tensor) zero() byte {
	zero := math.Round(-t.minimum / t.scale)
	if zero < 0 || zero > math.MaxUint8 || math.Abs(zero*t.scale+t.minimum) > 1e-6*t.scale {
		log.Fatalf("0 is none of the 256 values of a tensor of shape %v", t.shape)
	}
	return byte(zero)
}

// A network is being written.
type network struct {
	graph
	weights
}

// Sides and channels of dlib's network.
const (
	inputSide    = 150
	stemSide     = 35 // after the first layer
	stemChannels = 32
	vectorLength = 128
)

// network is dlib's dnn_face_recognition_resnet_model_v1 without the layers that
// only learning needs. Its input is RGB, 0 … 255.
func (w weights) network() []byte {
	n := &network{weights: w}
	x := n.node("Sub", "centred", []string{"face", n.floats("mean", []float32{122.782, 117.001, 104.298}, 1, 3, 1, 1)})
	x = n.node("Mul", "scaled", []string{x, n.floats("scale", []float32{1. / 255}, 1, 1, 1, 1)})
	x = n.relu(n.conv(x, "conv32_down", 2, 0))
	x = n.node("MaxPool", "stem", []string{x}, square("kernel_shape", 3), square("strides", 2))
	side, channels := stemSide, stemChannels
	for _, block := range strings.Fields("conv32_1 conv32_2 conv32_3 conv64_down conv64_1 conv64_2 conv64_3 " +
		"conv128_down conv128_1 conv128_2 conv256_down conv256_1 conv256_2 conv256_down_out") {
		x, side, channels = n.residual(x, block, side, channels)
	}
	x = n.node("ReduceMean", "pooled", []string{x}, many("axes", 2, 3), one("keepdims", 0))
	// As floats, since onnxruntime multiplies by a quantised matrix less exactly.
	n.node("MatMul", "embedding", []string{x, n.floats("fc", w["fc"].floats, w["fc"].shape...)})
	return n.model("dlib face recognition", value("face", 1, 3, inputSide, inputSide), []end{value("embedding", 1, vectorLength)}, [][2]string{
		{"name", "dlib"},
		{"eyes", "0.35@0.314"},
		{"channels", "rgb"},
		{"mean", "0"},
		{"scale", "1"},
		{"mirror", "true"},
		{"source", npmPackage},
	})
}

// residual adds a block of two convolutions and their shortcut.
func (n *network) residual(x, block string, side, channels int) (string, int, int) {
	down := strings.Contains(block, "down")
	stride, pad := 1, 1
	if down {
		stride, pad = 2, 0
	}
	y := n.relu(n.conv(x, block+"/conv1", stride, pad))
	y = n.conv(y, block+"/conv2", 1, 1)
	if down {
		x = n.node("AveragePool", block+"/pool", []string{x}, square("kernel_shape", 2), square("strides", 2))
		convolved, pooled := (side-3)/2+1, side/2
		y = n.padded(y, block+"/convolved", 0, pooled-convolved)
		out := n.weights[block+"/conv2/conv/filters"].shape[3]
		x = n.padded(x, block+"/shortcut", out-channels, 0)
		side, channels = pooled, out
	}
	return n.relu(n.node("Add", block+"/sum", []string{y, x})), side, channels
}

// padded adds channels, and rows and columns at the end, of zeros.
func (n *network) padded(x, name string, channels, pixels int) string {
	if channels == 0 && pixels == 0 {
		return x
	}
	return n.node("Pad", name, []string{x, n.integers(name+"/pads", 0, 0, 0, 0, 0, channels, pixels, pixels)})
}

func (n *network) relu(x string) string { return n.node("Relu", x+"/relu", []string{x}) }

// conv adds a convolution and the scale and shift of each channel after it, which
// are folded into it.
func (n *network) conv(x, name string, stride, pad int) string {
	filters, bias := n.weights[name+"/conv/filters"], n.weights[name+"/conv/bias"].floats
	factor, shift := n.weights[name+"/scale/weights"].floats, n.weights[name+"/scale/biases"].floats
	h, w, in, out := filters.shape[0], filters.shape[1], filters.shape[2], filters.shape[3]
	dims := []int{out, in, h, w}
	scales, biases := make([]float32, out), make([]float32, out)
	for o := range out {
		scales[o] = float32(filters.scale * float64(factor[o]))
		biases[o] = bias[o]*factor[o] + shift[o]
	}
	var weight string
	if q := turned(filters.weights, filters.shape); q != nil {
		weight = n.dequantised(name, q, filters, scales, dims...)
	} else {
		values := turned(filters.floats, filters.shape)
		for i := range values {
			values[i] *= factor[i/(in*h*w)]
		}
		weight = n.floats(name+"/weights", values, dims...)
	}
	return n.node("Conv", name, []string{x, weight, n.floats(name+"/bias", biases, out)},
		many("kernel_shape", h, w), square("strides", stride), allSides("pads", pad))
}

// turned brings filters, rows×columns×inputs×outputs, into the order of ONNX:
// outputs×inputs×rows×columns.
func turned[T any](filters []T, shape []int) []T {
	if filters == nil {
		return nil
	}
	window, in, out := shape[0]*shape[1], shape[2], shape[3]
	t := make([]T, 0, len(filters))
	for o := range out {
		for i := range in {
			for at := range window {
				t = append(t, filters[(at*in+i)*out+o])
			}
		}
	}
	return t
}

// dequantised adds filters of 8 bits with a scale for each output channel.
func (n *network) dequantised(name string, values []byte, t *tensor, scales []float32, dims ...int) string {
	zeros := bytes.Repeat([]byte{t.zero()}, len(scales))
	return n.node("DequantizeLinear", name+"/weights", []string{
		n.bytes(name+"/quantised", values, dims...),
		n.floats(name+"/scale", scales, len(scales)),
		n.bytes(name+"/zero", zeros, len(scales)),
	}, one("axis", 0))
}
