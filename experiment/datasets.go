package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/dataset/bundled"
)

// Only removes all data sets from p but those with these names; case does not matter. It is an
// error if p has none of a name.
func (p *Plan) Only(names []string) error {
	var all []string
	for i := range p.data {
		all = append(all, p.data[i].name)
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s string) bool { return strings.EqualFold(s, name) }) {
			return advice.Unknown("data set of plan "+p.Name, name, all)
		}
	}
	p.data = slices.DeleteFunc(p.data, func(d plannedData) bool {
		return !slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(s, d.name) })
	})
	return nil
}

// WithoutMissing removes the data sets that d does not find from p, and returns a sentence
// about each for the user. If d finds none, p stays as it is, and Run returns the error unless
// all records are there.
func (p *Plan) WithoutMissing(d *Databases) (missing []string) {
	missed := func(data plannedData) bool {
		if data.synthetic != nil || bundled.Is(data.path) {
			return false
		}
		_, err := os.Stat(d.Find(data.path))
		return errors.Is(err, fs.ErrNotExist)
	}
	for _, data := range p.data {
		if missed(data) {
			missing = append(missing, fmt.Sprintf("data set %s is not there (%s): its runs are left out", data.name, data.path))
		}
	}
	if len(missing) == len(p.data) {
		return nil
	}
	p.data = slices.DeleteFunc(p.data, missed)
	return missing
}
