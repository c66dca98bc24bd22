package embedding

import (
	"context"
	_ "embed" // the networks
	"slices"
	"sync"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/packed"
	"nrdl.example/nrdl/network"
)

//go:generate go -C ../../studies run ./weights -check

var (
	//go:embed weights/faceplugin.onnx.zst
	facepluginFile []byte
	//go:embed weights/dlib.onnx.zst
	dlibFile []byte
)

// A builtIn is a network inside the program, with what is known of it without reading it.
type builtIn struct {
	name   string
	digest string // SHA-256 of its file, as in studies/weights/main.go
	length int    // of its vectors
	input  preset
	open   func() (*network.Network, error)
}

// builtIns are the networks inside the program, the default first. Their
// files normalise the input themselves.
var builtIns = []*builtIn{
	{
		"faceplugin", "5631449437dfd2b8ceae2bdbbc89edd5366cdbaebad54fb62ede686768c809e9", 192,
		preset{input: square(112), eyes: dataset.ArcFaceEyes, landmarks: dataset.ToArcFace, scale: 1, channels: bgr},
		opener(facepluginFile),
	},
	{
		"dlib", "550322d5e8f124a9f59e54f732ecea898449de815a835e4150aae48cf0386566", 128,
		preset{input: square(150), eyes: dlibEyes, landmarks: dataset.ToMean, scale: 1},
		opener(dlibFile),
	},
}

func opener(file []byte) func() (*network.Network, error) {
	return sync.OnceValues(func() (*network.Network, error) { return network.Open(context.Background(), packed.Bytes(file)) })
}

// BuiltIn returns the names of the networks inside the program, the default first.
func BuiltIn() (names []string) {
	for _, b := range builtIns {
		names = append(names, b.name)
	}
	return names
}

// find returns the network inside the program for which is is true; nil if there is none.
func find(is func(*builtIn) bool) *builtIn {
	if i := slices.IndexFunc(builtIns, is); i >= 0 {
		return builtIns[i]
	}
	return nil
}

func named(name string) *builtIn { return find(func(b *builtIn) bool { return b.name == name }) }
func withSum(digest string) *builtIn {
	return find(func(b *builtIn) bool { return b.digest == digest })
}

// embedder returns the network with these settings.
func (b *builtIn) embedder(g Given) (*Embedder, error) {
	if g.Preset == b.name {
		g.Preset = ""
	}
	e := &Embedder{input: b.input.input, builtIn: b}
	e.frame.Embedding = dataset.Embedding{Name: b.name, Digest: b.digest, Length: b.length}
	s, err := b.input.settled(nil, g)
	if err != nil {
		return nil, err
	}
	return e.with(s)
}
