package blas

// Activate applies act to each value of src. dst may be src.
func Activate(dst, src Image, act Activation) {
	dst.shaped(src.H, src.W, src.C, "dst")
	for y := range src.H {
		d := dst.Row(y)
		for i, x := range src.Row(y) {
			d[i] = act.apply(x, i%src.C)
		}
	}
}

// Affine computes act(scale·src + shift), one scale and shift a channel. dst
// may be src.
func Affine(dst, src Image, scale, shift []float32, act Activation) {
	dst.shaped(src.H, src.W, src.C, "dst")
	check(len(scale) != src.C || len(shift) != src.C, "wrong number of scales or shifts")
	for y := range src.H {
		d := dst.Row(y)
		for i, x := range src.Row(y) {
			c := i % src.C
			d[i] = act.apply(scale[c]*x+shift[c], c)
		}
	}
}

// Add computes act(a + b). dst may be a or b.
func Add(dst, a, b Image, act Activation) {
	dst.shaped(a.H, a.W, a.C, "dst")
	b.shaped(a.H, a.W, a.C, "b")
	for y := range a.H {
		d, r := dst.Row(y), b.Row(y)
		for i, x := range a.Row(y) {
			d[i] = act.apply(x+r[i], i%a.C)
		}
	}
}
