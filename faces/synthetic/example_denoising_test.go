package synthetic_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
)

// Remove noise by a learned dictionary. A noisy picture is cut into patches; a dictionary is learned from the noisy
// patches themselves; each patch is replaced by as few atoms as come within the
// noise of it; and the overlapping patches are averaged. The noise has no sparse
// code, so it stays behind.
func Example_denoising() {
	clean := drawFace(80)
	noisy := addNoise(clean, 20, 1)
	found := denoise(noisy, 20)

	folder, err := os.MkdirTemp("", "denoising")
	check(err)
	defer os.RemoveAll(folder) // look at them before
	check(savePNG(filepath.Join(folder, "noisy.png"), noisy))
	check(savePNG(filepath.Join(folder, "denoised.png"), found))

	fmt.Printf("noisy:                    %.0f dB\n", psnr(noisy, clean))
	fmt.Printf("the best Gaussian filter: %.0f dB\n", psnr(bestFilter(noisy, clean), clean))
	fmt.Printf("learned dictionary:        %.0f dB\n", psnr(found, clean))
	// Output:
	// noisy:                    22 dB
	// the best Gaussian filter: 28 dB
	// learned dictionary:        31 dB
}

// denoise removes noise of standard deviation σ from a picture.
func denoise(noisy *mat.Dense, σ float64) *mat.Dense {
	ctx := context.Background()
	patches := dictionary.DefaultPatches // all of 8×8 pixels
	x, err := patches.Cut(noisy)
	check(err)
	means := dictionary.TakeMeans(x)

	// Learn: a patch has atoms enough when what is left is as long as its noise.
	start, err := dictionary.FromSamples(x, 256, 1)
	check(err)
	learner := dictionary.DefaultKSVD
	learner.Error = 1.15 * σ * math.Sqrt(8*8)
	d, _, err := learner.Learn(ctx, x, start, classify.Run{})
	check(err)

	// Code: X ≈ DS.
	coder, err := coding.OMP{Sparsity: learner.Sparsity, Error: learner.Error}.Over(coding.Basis{D: d})
	check(err)
	_, k := d.Dims()
	_, n := x.Dims()
	s := mat.NewDense(k, n, nil)
	check(coder.Code(ctx, s, x))

	x.Mul(d, s)
	dictionary.AddMeans(x, means)
	height, width := noisy.Dims()
	picture, err := patches.Assemble(x, height, width)
	check(err)
	return picture
}

// drawFace draws a face with glasses that smiles, a row of pixels a row, grey values
// 0 … 255.
func drawFace(side int) *mat.Dense {
	s := synthetic.Default
	s.People, s.PerPerson, s.Seed = 1, 1, 28
	s.Input = dataset.Size{Height: side, Width: side}
	s.Noise, s.Occlusion = 0, 0
	set, err := s.Draw(context.Background())
	check(err)
	columns := mat.NewDense(side, side, set.X.RawMatrix().Data) // samples are stored column after column
	return mat.DenseCopyOf(columns.T())
}

// addNoise adds Gaussian noise of standard deviation σ.
func addNoise(picture *mat.Dense, σ float64, seed uint64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 0))
	noisy := mat.DenseCopyOf(picture)
	noisy.Apply(func(_, _ int, v float64) float64 { return v + σ*r.NormFloat64() }, noisy)
	return noisy
}

// psnr is 10·log₁₀(255²/mean squared error).
func psnr(picture, clean *mat.Dense) float64 {
	var rest mat.Dense
	rest.Sub(picture, clean)
	height, width := clean.Dims()
	return 10 * math.Log10(255*255*float64(height*width)/math.Pow(mat.Norm(&rest, 2), 2))
}

// bestFilter smooths by the Gaussian whose width suits the clean picture best,
// which a real denoiser cannot know.
func bestFilter(noisy, clean *mat.Dense) (best *mat.Dense) {
	height, width := noisy.Dims()
	for width10 := 4; width10 <= 20; width10++ {
		var f mat.Dense
		f.Product(smoother(height, float64(width10)/10), noisy, smoother(width, float64(width10)/10).T())
		if best == nil || psnr(&f, clean) > psnr(best, clean) {
			best = &f
		}
	}
	return best
}

// smoother is the n×n matrix that smooths a column by a Gaussian.
func smoother(n int, width float64) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		var sum float64
		for j := range n {
			at := float64(i-j) / width
			a.Set(i, j, math.Exp(-at*at/2))
			sum += a.At(i, j)
		}
		for j := range n {
			a.Set(i, j, a.At(i, j)/sum)
		}
	}
	return a
}

func savePNG(path string, picture *mat.Dense) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return png.Encode(f, grey(picture))
}

func grey(picture *mat.Dense) *image.Gray {
	height, width := picture.Dims()
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range height {
		for j, v := range picture.RawRowView(i) {
			img.SetGray(j, i, color.Gray{Y: uint8(math.Round(min(255, max(0, v))))})
		}
	}
	return img
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
