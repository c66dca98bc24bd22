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

// Only leaves the data sets with these names in p; case does not matter. It is an error if p
// has none of a name.
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

// WithoutMissing leaves out the data sets that d does not find, and returns what to tell of each.
// If it finds none, p stays as it is: Run says what is missing, unless all its records are there.
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
