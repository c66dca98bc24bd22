package embedding

import (
	"cmp"
	"context"
	_ "embed" // the networks
	"fmt"
	"slices"
	"strings"
	"sync"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
	"nrdl.example/nrdl/internal/kit/packed"
)

//go:generate go -C ../../../tools run ./weights -check

var (
	//go:embed weights/faceplugin.onnx.zst
	facepluginFile []byte
	//go:embed weights/dlib.onnx.zst
	dlibFile []byte
)

// A builtIn is a network inside the program, with what is known of it without reading it.
type builtIn struct {
	name   string
	digest string // SHA-256 of its file, as in tools/weights/main.go
	length int    // of its vectors
	input  preset
	open   func() (*network.Network, error)

	centring func() *Centring // for vectors with the settings of input and the mirror image; nil for none
}

// builtIns are the networks inside the program, the default first. Their
// files normalise the input themselves.
var builtIns = []*builtIn{
	{
		"faceplugin", "5631449437dfd2b8ceae2bdbbc89edd5366cdbaebad54fb62ede686768c809e9", 192,
		preset{input: square(112), eyes: dataset.ArcFaceEyes, landmarks: dataset.ToArcFace, scale: 1, channels: bgr},
		opener(facepluginFile),
		sync.OnceValue(func() *Centring { return mustRead(facepluginCentring) }),
	},
	{
		"dlib", "550322d5e8f124a9f59e54f732ecea898449de815a835e4150aae48cf0386566", 128,
		preset{input: square(150), eyes: dlibEyes, landmarks: dataset.ToMean, scale: 1},
		opener(dlibFile),
		nil,
	},
}

func opener(file []byte) func() (*network.Network, error) {
	return sync.OnceValues(func() (*network.Network, error) { return network.Open(context.Background(), packed.Bytes(file)) })
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
	if err == nil {
		err = b.centred(&s, g.Centring)
	}
	if err != nil {
		return nil, err
	}
	return e.with(s)
}

// centred sets the centring of s. Without a word about it, vectors are centred if s are the settings
// with which the centring was made.
func (b *builtIn) centred(s *settings, word *string) error {
	as := *s
	as.mirror = true
	usual := s.mirror && b.centring != nil && as == (settings{
		eyes: b.input.eyes, landmarks: b.input.landmarks,
		channels: cmp.Or(b.input.channels, rgb), mean: b.input.mean, scale: b.input.scale, mirror: true,
	})
	switch {
	case word == nil || *word == centringOn:
		if usual {
			s.centring = b.centring()
		} else if word != nil {
			return advice.Add(fmt.Errorf("centring=%s with settings for which it was not measured", *word),
				"leave out the other words about the network")
		}
	case *word == centringOff:
	case usual && len(*word) >= minDigits && strings.HasPrefix(b.centring().Digest(), *word):
		s.centring = b.centring()
	default:
		return advice.Add(fmt.Errorf("the network %s has no centring %.80q for these settings", b.name, *word),
			"leave the word out, or say centring=off")
	}
	return nil
}

// Words about a centring, and how many digits of its digest name it.
const (
	centringOn, centringOff = "on", "off"
	minDigits               = 8
)

func mustRead(file []byte) *Centring {
	c, err := ReadCentring(file)
	if err != nil {
		panic(err)
	}
	return c
}
