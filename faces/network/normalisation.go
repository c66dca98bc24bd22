package network

import "slices"

// A Normalisation is what the first nodes of a network do to the values v of an image before
// anything else: Scale·(v − Mean), on average over the channels.
type Normalisation struct{ Mean, Scale float64 }

// Normalisation returns what the first nodes of n do to its first input if they add to it,
// multiply it or normalise it by constants; the zero Normalisation if they do not.
func (n *Network) Normalisation() Normalisation { return n.normalisation }

// normalisation follows the first input through the nodes that change its type and its layout only.
func (g *graph) normalisation() Normalisation {
	const limit = 16 // nodes
	v, scale, shift := g.inputs[0], 1.0, 0.0
	for range limit {
		var users []*call
		for _, c := range g.calls {
			if slices.Contains(c.inputs, v) {
				users = append(users, c)
			}
		}
		if len(users) != 1 { // none, or an image that goes several ways
			break
		}
		a, b, ok := users[0].line(v)
		if !ok {
			break
		}
		v, scale, shift = users[0].outputs[0], a*scale, a*shift+b
	}
	if scale == 1 && shift == 0 || scale == 0 {
		return Normalisation{}
	}
	return Normalisation{Mean: -shift / scale, Scale: scale}
}

// line returns a and b if c makes ax + b of its input x, on average over the channels.
func (c *call) line(x *value) (a, b float64, ok bool) {
	switch c.op {
	case "Identity", "Cast", "Transpose":
		return 1, 0, true
	case "BatchNormalization":
		if l, ok := c.layer.(affine); ok {
			return mean32(l.scale), mean32(l.shift), true
		}
		return 0, 0, false
	case "Add", "Sub", "Mul", "Div":
	default:
		return 0, 0, false
	}
	other := 1
	if len(c.inputs) != 2 || c.inputs[0] != x {
		other = 0
	}
	if len(c.inputs) != 2 || !c.inputs[other].constant || c.inputs[other].len() == 0 {
		return 0, 0, false
	}
	k := 0.0
	for i := range c.inputs[other].len() {
		k += c.inputs[other].at(i) / float64(c.inputs[other].len())
	}
	switch {
	case c.op == "Add":
		return 1, k, true
	case c.op == "Sub" && other == 1:
		return 1, -k, true
	case c.op == "Sub":
		return -1, k, true
	case c.op == "Mul":
		return k, 0, true
	case other == 1 && k != 0:
		return 1 / k, 0, true
	}
	return 0, 0, false
}

func mean32(list []float32) (mean float64) {
	for _, v := range list {
		mean += float64(v) / float64(len(list))
	}
	return mean
}
