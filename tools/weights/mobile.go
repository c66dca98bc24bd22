package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
	"google.golang.org/protobuf/encoding/protowire"

	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
)

// Names of the tensors of the last layer of fr_feature.onnx, a convolution of 1×1 pixel:
// its weights and biases, and the shape to which its output is brought.
const (
	lastWeights, lastBias, lastShape = "666", "667", "703"

	published = 512 // numbers of a vector
	kept      = 192
)

// mobile is fr_feature.onnx with vectors of 192 numbers instead of 512: those in the
// orthonormal basis of the 192 largest singular vectors of the last layer's weights. The
// others have a share of 5e-5 of the sum of the squared singular values, so cosines
// stay as they are.
func mobile(data []byte) ([]byte, error) {
	tensors := map[string][]float32{}
	var graph []byte
	if err := fields(data, func(number protowire.Number, _, value []byte) {
		if number == 7 {
			graph = value
		}
	}); err != nil {
		return nil, err
	}
	if err := fields(graph, func(number protowire.Number, _, value []byte) {
		if number == 5 {
			name, raw := tensorOf(value)
			tensors[name] = raw
		}
	}); err != nil {
		return nil, err
	}
	w, bias := tensors[lastWeights], tensors[lastBias]
	if len(w) != published*published || len(bias) != published {
		return nil, fmt.Errorf("the last layer has %d weights and %d biases", len(w), len(bias))
	}
	weights, biases, err := inBasis(w, bias)
	if err != nil {
		return nil, err
	}
	changed := map[string]onnxfile.Tensor{
		lastWeights: onnxfile.FloatTensor(lastWeights, weights, kept, published, 1, 1),
		lastBias:    onnxfile.FloatTensor(lastBias, biases, kept),
		lastShape:   onnxfile.IntTensor(lastShape, 1, kept),
	}
	return changedFile(data, graph, changed)
}

// changedFile is the file data with other tensors in its graph, and with its own input, output
// and metadata. The rest stays, byte for byte.
func changedFile(data, graph []byte, changed map[string]onnxfile.Tensor) ([]byte, error) {
	g := &network{}
	x := g.normalised("face", 1./128, 127, 127, 127)
	g.node("Identity", "input", []string{x})
	g.Input("face", onnxfile.Float32, 1, 3, 112, 112)
	g.Output("output", onnxfile.Float32, 1, kept)
	out := g.Parts()
	err := fields(graph, func(number protowire.Number, field, value []byte) {
		name, _ := tensorOf(value)
		switch t, ok := changed[name]; {
		case number == 5 && ok:
			out = protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), t)
		case number == 11 && name == "", number == 12: // the input and the output
		default:
			out = append(out, field...)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, p := range [][2]string{
		{"name", "faceplugin"},
		{"channels", "rgb"},
		{"mean", "0"},
		{"scale", "1"},
		{"mirror", "true"},
		{"eyes", "0.3146@0.4607"},
		{"landmarks", "arcface"},
		{"source", mobilePackage},
	} {
		g.Meta(p[0], p[1])
	}
	var file []byte
	err = fields(data, func(number protowire.Number, field, _ []byte) {
		if number == 7 {
			field = protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), out)
		}
		file = append(file, field...)
	})
	if err != nil {
		return nil, err
	}
	file = append(file, g.Metadata()...)
	return file, checkFolding(data, file)
}

// inBasis returns the weights and the biases whose outputs are the coordinates of the
// outputs of w, published×published, row by row, and bias in the basis of kept singular
// vectors.
func inBasis(w, bias []float32) (weights, biases []float32, err error) {
	// The digest of the file is by these functions, whatever else is linked in.
	usual := blas64.Implementation()
	defer blas64.Use(usual)
	blas64.Use(gonum.Implementation{})
	full, b := mat.NewDense(published, published, nil), mat.NewVecDense(published, nil)
	for i := range published {
		b.SetVec(i, float64(bias[i]))
		for j := range published {
			full.Set(i, j, float64(w[i*published+j]))
		}
	}
	var svd mat.SVD
	if !svd.Factorize(full, mat.SVDThin) {
		return nil, nil, fmt.Errorf("the singular vectors of the last layer were not found")
	}
	var u, small mat.Dense
	svd.UTo(&u)
	basis := u.Slice(0, published, 0, kept).T()
	small.Mul(basis, full)
	var shift mat.VecDense
	shift.MulVec(basis, b)
	for i := range kept {
		biases = append(biases, float32(shift.AtVec(i)))
		for j := range published {
			weights = append(weights, float32(small.At(i, j)))
		}
	}
	return weights, biases, nil
}

// fields calls do with each field of a protocol buffer message: its number, the bytes of
// all of it, and those of its value where it is of that type.
func fields(data []byte, do func(number protowire.Number, field, value []byte)) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		m := protowire.ConsumeFieldValue(number, kind, data[n:])
		if m < 0 {
			return protowire.ParseError(m)
		}
		var value []byte
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(data[n:])
		}
		do(number, data[:n+m], value)
		data = data[n+m:]
	}
	return nil
}

// tensorOf returns the name and the floats of a TensorProto.
func tensorOf(data []byte) (name string, floats []float32) {
	err := fields(data, func(number protowire.Number, _, value []byte) {
		switch number {
		case 8:
			name = string(value)
		case 9:
			for ; len(value) >= 4; value = value[4:] {
				floats = append(floats, math.Float32frombits(binary.LittleEndian.Uint32(value)))
			}
		}
	})
	if err != nil {
		return "", nil
	}
	return name, floats
}
