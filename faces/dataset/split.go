package dataset

import (
	"encoding"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
)

// A Split divides the images of each person into training and test images. The
// zero Split uses all for training.
type Split struct {
	rule splitRule
	k    int // training images per person
}

type splitRule uint8

const (
	splitAll     splitRule = iota // all images train
	splitFirst                    // the first k images of a person train
	splitRandom                   // k random images of a person train
	splitAuthors                  // the first 5 and k−5 random images: the authors' Extended Yale B
	splitHalf                     // half of a person's images, at random
)

// DefaultSplit trains on half of each person's images.
var DefaultSplit = Split{rule: splitHalf}

// authorsKeep is the number of first images of a person that always are training images
// in the script of the authors for Extended Yale B.
const authorsKeep = 5

// maxPerPerson bounds the k of a Split.
const maxPerPerson = 1_000_000

var splitNames = map[splitRule]string{
	splitAll: "all", splitFirst: "first", splitRandom: "random", splitAuthors: "authors", splitHalf: "half",
}

// SplitForms lists the forms that ParseSplit reads, for help and completion.
var SplitForms = []string{"half", "first:K", "random:K", "authors:K", "all"}

var (
	_ encoding.TextMarshaler   = Split{}
	_ encoding.TextUnmarshaler = (*Split)(nil)
)

// ParseSplit reads "all", "half", "first:K", "random:K" or "authors:K", where K
// is the number of training images per person.
func ParseSplit(s string) (Split, error) {
	name, number, counted := strings.Cut(s, ":")
	for rule, n := range splitNames {
		if n != name {
			continue
		}
		if counted != rule.counted() {
			break
		}
		if !counted {
			return Split{rule: rule}, nil
		}
		k, err := strconv.Atoi(number)
		minSamples := 1
		if rule == splitAuthors {
			minSamples = authorsKeep
		}
		if err != nil || k < minSamples || k > maxPerPerson {
			return Split{}, fmt.Errorf("split %q: %q is not a number of images, %d … %d", s, number, minSamples, maxPerPerson)
		}
		return Split{rule, k}, nil
	}
	return Split{}, advice.Add(fmt.Errorf("unknown split %q", s),
		"write one of %s, for example first:6", strings.Join(SplitForms, ", "))
}

func (r splitRule) counted() bool {
	return r == splitFirst || r == splitRandom || r == splitAuthors
}

// String gives the form that ParseSplit reads.
func (s Split) String() string {
	if s.rule.counted() {
		return fmt.Sprintf("%s:%d", splitNames[s.rule], s.k)
	}
	return splitNames[s.rule]
}

// MarshalText returns the text of String.
func (s Split) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets s to the result of ParseSplit.
func (s *Split) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSplit(string(text))
	return err
}

// Random reports whether the split depends on the seed. (authors:5 does not.)
func (s Split) Random() bool {
	switch s.rule {
	case splitRandom, splitHalf:
		return true
	case splitAuthors:
		return s.k > authorsKeep
	}
	return false
}

// Apply divides the columns of set into training and test columns, each ascending. The
// result depends only on the seed and the number of images of each person. It is an error
// if a person has no training or no test image; only the split all has no test images.
func (s Split) Apply(set *Images, seed uint64) (train, test []int, err error) {
	return s.divide(set, seed, true)
}

// Train returns the training columns of Apply for the same set and seed, even if people
// have no test image.
func (s Split) Train(set *Images, seed uint64) ([]int, error) {
	train, _, err := s.divide(set, seed, false)
	return train, err
}

// splitStream keeps the random numbers of splits apart from those that others
// draw from the same seed: the fractional part of √2.
const splitStream = 0x6a09e667f3bcc908

func (s Split) divide(set *Images, seed uint64, judged bool) (train, test []int, err error) {
	rng := rand.New(rand.NewPCG(seed, splitStream))
	for c, person := range set.Classes {
		lo, n := set.Groups[c], set.Groups[c+1]-set.Groups[c]
		if err := s.check(set.words, person, n, judged); err != nil {
			return nil, nil, err
		}
		chosen := s.choose(n, rng)
		for j := range n {
			if chosen[j] {
				train = append(train, lo+j)
			} else {
				test = append(test, lo+j)
			}
		}
	}
	return train, test, nil
}

// check is an error if a person has too few images.
func (s Split) check(words func(string) string, person string, n int, judged bool) error {
	learn := s.k
	if s.rule == splitAll || s.rule == splitHalf {
		learn = 1
	}
	need, parts := learn, ""
	if judged && s.rule != splitAll {
		need, parts = learn+1, fmt.Sprintf(" (%d to learn and 1 to test)", learn)
	}
	if n >= need {
		return nil
	}
	err := fmt.Errorf("%q has %s; %s needs at least %d%s", person, legible.Count(n, words("image")), s, need, parts)
	if n < 2 {
		return advice.Add(err, words("add images of %s, or leave the person out"), person)
	}
	return advice.Add(err, "choose a split that needs fewer, for example half")
}

// choose marks the training images among the n images of a person.
func (s Split) choose(n int, rng *rand.Rand) []bool {
	chosen := make([]bool, n)
	mark := func(from, k int) {
		for _, j := range rng.Perm(n - from)[:k] {
			chosen[from+j] = true
		}
	}
	switch s.rule {
	case splitAll:
		return slices.Repeat([]bool{true}, n)
	case splitFirst:
		copy(chosen, slices.Repeat([]bool{true}, s.k))
	case splitRandom:
		mark(0, s.k)
	case splitAuthors:
		copy(chosen, slices.Repeat([]bool{true}, authorsKeep))
		mark(authorsKeep, s.k-authorsKeep)
	case splitHalf:
		mark(0, (n+1)/2)
	default:
		panic(errors.New("dataset: split of no known rule"))
	}
	return chosen
}
