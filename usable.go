package nrdl

import (
	"errors"
	"fmt"
	"os"

	"nrdl/openset"
)

// A UselessError says why the threshold of a Recogniser makes it useless: nearly no
// enrolled face gets its name. A program should not write such a model in place of a good
// one unless somebody asks for it.
type UselessError struct {
	Rates   openset.Rates // at the threshold; Held is 0 if no face could be held out
	Members bool          // the strangers that were given are probably people of the model
}

func (e *UselessError) Error() string {
	if e.Members {
		return "most of the given strangers are probably people of the model, so that the threshold is far too high"
	}
	return fmt.Sprintf("under this threshold nearly no known face gets its name: %.2f %% of %d held-out faces", 100*e.Rates.Right, e.Rates.Held)
}

// almostNobody is the share of held-out faces named rightly below which a model is useless.
const almostNobody = 0.1

// Usable returns a *UselessError if nearly no enrolled face gets its name under the
// threshold of r, or if most of the strangers that it was calibrated with are probably
// people of the model; else nil, also where that is not known. Train, Enrol, Remove,
// Rename and Calibrate return such a Recogniser all the same: who replaces a model asks.
func (r *Recogniser) Usable() error {
	if r.m == nil || r.m.Calibration == nil {
		return nil
	}
	c := r.m.Calibration
	rates := c.Rates()
	if members := c.GivenAreMembers(); members || rates.Held > 0 && rates.Right < almostNobody {
		return &UselessError{rates, members}
	}
	return nil
}

// Replaces returns nil if r may take the place of old: if r is Usable, or old was not for
// the same reason.
func (r *Recogniser) Replaces(old *Recogniser) error {
	err := r.Usable()
	var is, was *UselessError
	if errors.As(err, &is) && errors.As(old.Usable(), &was) && is.Members == was.Members {
		return nil
	}
	return err
}

// ReplacesFile is Replaces for the model file at path; nil if there is none.
func (r *Recogniser) ReplacesFile(path string) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // a pipe would wait
		return nil
	}
	old, err := Open(path)
	if err != nil {
		return nil //nolint:nilerr // it is no model that could be better
	}
	return r.Replaces(old)
}
