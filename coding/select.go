package coding

// nth returns the element that is n-th in increasing order, and moves the n
// elements that are not larger before it.
func nth(v []float64, n int) float64 {
	lo, hi := 0, len(v)
	for {
		pivot := median(v[lo], v[lo+(hi-lo)/2], v[hi-1])
		less := lo + partition(v[lo:hi], func(x float64) bool { return x < pivot })
		if n < less {
			hi = less
			continue
		}
		lo = less + partition(v[less:hi], func(x float64) bool { return x == pivot })
		if n < lo {
			return pivot
		}
	}
}

// partition moves the elements that are first to the front and returns their
// number.
func partition(v []float64, first func(float64) bool) (n int) {
	for i, x := range v {
		v[i], v[n] = v[n], x
		if first(x) {
			n++
		}
	}
	return n
}

func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
