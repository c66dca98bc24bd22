package heic

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/kit/metadata"
)

func box(kind string, content ...[]byte) []byte {
	all := bytes.Join(content, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(all)+8)), kind...), all...)
}

func fields(v ...int) []byte {
	var b []byte
	for _, n := range v {
		b = binary.BigEndian.AppendUint16(b, uint16(n))
	}
	return b
}

func longs(v ...int) []byte {
	var b []byte
	for _, n := range v {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// A built item is written into a file by build.
type built struct {
	kind       string
	data       []byte
	properties [][]byte
	parts      []int // of which it is made, counted from 1
	auxiliary  int   // of which item it is the transparency
	thumbnail  int   // of which item
	extents    int   // as often its data count
}

func ispe(w, h int) []byte { return box("ispe", longs(0, w, h)) }

// build writes a file whose photograph is the first item.
func build(items []built) []byte {
	iinf, ipco, ipma := fields(0, 0, len(items)), []byte(nil), longs(0, len(items))
	iloc, iref, idat := append([]byte{1, 0, 0, 0, 0x44, 0}, fields(len(items))...), longs(0), []byte(nil)
	n := 0
	for k, i := range items {
		id := k + 1
		iinf = append(iinf, box("infe", []byte{2, 0, 0, 0}, fields(id, 0), []byte(i.kind), []byte{0})...)
		ipma = append(append(ipma, fields(id)...), byte(len(i.properties)))
		for _, p := range i.properties {
			ipco, n = append(ipco, p...), n+1
			ipma = append(ipma, byte(n))
		}
		iloc = append(append(iloc, fields(id, 1, 0)...), fields(max(1, i.extents))...)
		for range max(1, i.extents) {
			iloc = append(iloc, longs(len(idat), len(i.data))...)
		}
		idat = append(idat, i.data...)
		for kind, to := range map[string][]int{"dimg": i.parts, "auxl": {i.auxiliary}, "thmb": {i.thumbnail}} {
			if len(to) > 0 && to[0] > 0 {
				iref = append(iref, box(kind, fields(id, len(to)), fields(to...))...)
			}
		}
	}
	return append(box("ftyp", []byte("mif1\x00\x00\x00\x00mif1heic")), box("meta", longs(0),
		box("hdlr", longs(0, 0), []byte("pict"), make([]byte, 13)), box("pitm", longs(0), fields(1)), box("iinf", iinf), box("iref", iref),
		box("iprp", box("ipco", ipco), box("ipma", ipma)), box("iloc", iloc), box("idat", idat))...)
}

// real is an item of a file: of 192×144 pixels.
func real(t testing.TB) built {
	f, err := read(file(t, "pattern.heic"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.content(f.primary)
	if err != nil {
		t.Fatal(err)
	}
	return built{kind: "hvc1", data: data, properties: [][]byte{ispe(192, 144), box("hvcC", f.primary.property("hvcC"))}}
}

func grid(rows, columns, w, h int, parts ...int) built {
	return built{
		kind: "grid", data: append([]byte{0, 0, byte(rows - 1), byte(columns - 1)}, fields(w, h)...),
		properties: [][]byte{ispe(w, h)}, parts: parts,
	}
}

func overlay(w, h int, parts ...int) built {
	data := append([]byte{0, 0}, fields(0, 0, 0, 0xffff, w, h)...)
	return built{kind: "iovl", data: append(data, make([]byte, 4*len(parts))...), properties: [][]byte{ispe(w, h)}, parts: parts}
}

func same(part, times int) []int {
	all := make([]int, times)
	for i := range all {
		all[i] = part
	}
	return all
}

// Images that are made of others in ways that cameras use are put together.
func TestDerived(t *testing.T) {
	tile := real(t)
	single, err := Decode(t.Context(), build([]built{tile}))
	if err != nil {
		t.Fatal(err)
	}
	identity := built{kind: "iden", properties: [][]byte{ispe(144, 192), box("irot", []byte{1})}, parts: []int{2}}
	mask := real(t)
	mask.properties, mask.auxiliary = append(mask.properties, box("auxC", longs(0), []byte("urn:mpeg:hevc:2015:auxid:1\x00"))), 1
	for name, c := range map[string]struct {
		items []built
		size  image.Point
		at    func(x, y int) (int, int) // of the single image
	}{
		"grid": {
			[]built{grid(2, 3, 500, 201, 2, 2, 2, 2, 2, 2), tile},
			image.Pt(500, 201),
			func(x, y int) (int, int) { return x % 192, y % 144 },
		},
		"grid of one":  {[]built{grid(1, 1, 191, 143, 2), tile}, image.Pt(191, 143), func(x, y int) (int, int) { return x, y }},
		"identity":     {[]built{identity, tile}, image.Pt(144, 192), func(x, y int) (int, int) { return 191 - y, x }},
		"overlay":      {[]built{overlay(192, 144, 2, 2), tile}, image.Pt(192, 144), func(x, y int) (int, int) { return x, y }},
		"transparency": {[]built{tile, mask}, image.Pt(192, 144), nil},
		"thumbnail":    {[]built{tile, {kind: "hvc1", thumbnail: 1}}, image.Pt(192, 144), func(x, y int) (int, int) { return x, y }},
	} {
		img, err := Decode(t.Context(), build(c.items))
		if err != nil || img.Bounds() != (image.Rectangle{Max: c.size}) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for y := 0; y < c.size.Y && c.at != nil; y += 7 {
			for x := 0; x < c.size.X; x += 5 {
				sx, sy := c.at(x, y)
				r, g, b, _ := img.At(x, y).RGBA()
				sr, sg, sb, _ := single.At(sx, sy).RGBA()
				if r>>8 != sr>>8 || g>>8 != sg>>8 || b>>8 != sb>>8 {
					t.Fatalf("%s: (%d, %d) differs", name, x, y)
				}
			}
		}
		if _, ok := img.(*image.NYCbCrA); ok != (name == "transparency") {
			t.Errorf("%s: %T", name, img)
		}
	}
}

// Structures whose work exceeds their image many times are refused before it is done: the
// decoder turns less than for a photograph of the size.
func TestHostileStructures(t *testing.T) {
	tile := real(t)
	chain := []built{}
	for k := range 100 {
		chain = append(chain, built{kind: "iden", properties: [][]byte{ispe(192, 144)}, parts: []int{k + 2}})
	}
	var tower []built // k layers a level
	for k := range maxDepth - 1 {
		tower = append(tower, overlay(192, 144, same(k+2, 50)...))
	}
	turns := built{kind: "iden", properties: [][]byte{ispe(192, 144)}, parts: []int{2}}
	for range 2 {
		turns.properties = append(turns.properties, box("irot", []byte{1}))
	}
	large := real(t)
	large.properties[0] = ispe(8000, 8000)
	for name, c := range map[string]struct {
		items []built
		want  string
	}{
		"overlays over overlays": {append(tower, tile), "more pixels to decode"},
		"one wide overlay":       {[]built{overlay(192, 144, same(2, 10_000)...), tile}, "more pixels to decode"},
		"one tile in overlays": {
			[]built{overlay(3000, 3000, 2), overlay(3000, 3000, 3), overlay(3000, 3000, 4), tile},
			"more pixels to decode",
		},
		"overlay in a grid":      {[]built{grid(1, 1, 3000, 3000, 2), overlay(3000, 3000, 3), tile}, "more pixels to decode"},
		"grid of grids":          {[]built{grid(1, 8, 800, 100, same(2, 8)...), grid(8, 8, 100, 100, same(3, 64)...), tile}, ""},
		"identity chain":         {append(chain, tile), "deep"},
		"turned again and again": {[]built{turns, tile}, "more than one property irot"},
		"itself":                 {[]built{{kind: "iden", properties: [][]byte{ispe(192, 144)}, parts: []int{1}}}, "deep"},
		"each other":             {[]built{overlay(192, 144, 2, 2), overlay(192, 144, 1, 1)}, ""},
		"thumbnails": {
			[]built{{kind: "hvc1", thumbnail: 2, properties: [][]byte{ispe(192, 144)}}, {kind: "hvc1", thumbnail: 1}},
			"cannot be decoded",
		},
		"own transparency": {[]built{{kind: "iden", auxiliary: 1, properties: append([][]byte{ispe(1, 1)},
			box("auxC", longs(0), []byte("urn:mpeg:hevc:2015:auxid:1\x00"))), parts: []int{1}}}, "deep"},
		"huge tile in a small": {[]built{grid(1, 1, 100, 100, 2), large}, "more pixels to decode"},
		"huge grid":            {[]built{grid(1, 1, 60000, 60000, 2), tile}, "too many pixels"},
		"data again and again": {[]built{{kind: "hvc1", data: tile.data, extents: 60, properties: tile.properties}}, "do not fit"},
		"missing":              {[]built{grid(2, 2, 300, 200, 2, 3, 4, 5), tile}, "do not fit"},
	} {
		data := build(c.items)
		if _, err := Decode(t.Context(), data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if len(data) > 100_000 {
			t.Errorf("%s: %d bytes", name, len(data))
		}
	}
}

// random builds a file of items that refer to each other in any way.
func random(rng *rand.Rand, tile built) []byte {
	n := 1 + rng.IntN(12)
	items := make([]built, n)
	for k := range items {
		refer := func(limit int) (all []int) {
			for range rng.IntN(limit) {
				all = append(all, min(n, k+2+rng.IntN(3))-rng.IntN(2)*rng.IntN(3))
			}
			return all
		}
		w, h := 1+rng.IntN(400), 1+rng.IntN(400)
		if rng.IntN(20) == 0 {
			w, h = 1<<rng.IntN(17), 1<<rng.IntN(17)
		}
		switch rng.IntN(5) {
		case 0:
			rows, columns := 1+rng.IntN(4), 1+rng.IntN(4)
			items[k] = grid(rows, columns, w, h, refer(2*rows*columns)...)
		case 1:
			items[k] = overlay(w, h, refer(40)...)
		case 2:
			items[k] = built{kind: "iden", properties: [][]byte{ispe(w, h)}, parts: refer(3)}
		default:
			items[k] = tile
			items[k].extents = rng.IntN(3)
			if rng.IntN(3) == 0 {
				items[k].properties = append([][]byte{ispe(w, h)}, tile.properties[1:]...)
			}
		}
		if rng.IntN(4) == 0 {
			items[k].properties = append(items[k].properties, box([]string{"irot", "imir"}[rng.IntN(2)], []byte{byte(rng.IntN(4))}))
		}
		if rng.IntN(6) == 0 {
			items[k].properties = append(items[k].properties,
				box("clap", longs(1+rng.IntN(200), 1, 1+rng.IntN(200), 1, rng.IntN(40)-20, 2, rng.IntN(40)-20, 2)))
		}
		items[k].auxiliary, items[k].thumbnail = rng.IntN(n+1)*rng.IntN(2), rng.IntN(n+1)*rng.IntN(2)
		if items[k].auxiliary > 0 {
			items[k].properties = append(items[k].properties, box("auxC", longs(0), []byte("urn:mpeg:hevc:2015:auxid:1\x00")))
		}
	}
	return build(items)
}

// Whatever items refer to, decoding ends with an image or an error, within its pixels.
func FuzzStructures(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed)
	}
	tile := real(f)
	f.Fuzz(func(t *testing.T, seed uint64) {
		data := random(rand.New(rand.NewPCG(seed, 1)), tile)
		structure, err := read(data)
		if err != nil || structure.width > 1<<12 || structure.height > 1<<12 {
			return
		}
		img, err := Decode(t.Context(), data)
		if err == nil && img.Bounds().Empty() {
			t.Error("no image and no error")
		}
		if err == nil && int64(img.Bounds().Dx()*img.Bounds().Dy()) > Memory(data) {
			t.Error(fmt.Errorf("%v in %d bytes", img.Bounds(), Memory(data)))
		}
		if _, err := metadata.Read(bytes.NewReader(data), int64(len(data))); err != nil {
			t.Log(err)
		}
	})
}
