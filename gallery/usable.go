package gallery

import (
	"fmt"

	"nrdl.example/nrdl/openset"
)

// A UselessError says why the threshold of a gallery makes it useless: nearly no enrolled face
// gets its name. A program should not write such a gallery in place of a good one unless
// somebody asks for it.
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

// Usable returns a *UselessError if nearly no enrolled face would get its name under the
// threshold of g, or if most of the strangers that it was calibrated with are probably people
// of the gallery. It returns nil if this is not known. A program should ask before it writes
// such a gallery.
func (g *Gallery) Usable() error {
	c := g.Calibration
	if c == nil {
		return nil
	}
	rates := c.Rates()
	if members := c.StrangersAreMembers(); members || rates.Held > 0 && rates.Right < g.Numbers().Useless {
		return &UselessError{rates, members}
	}
	return nil
}
