package metadata

// Unused counts what tags say and cannot be used, by kind: a noun, a vertical line, and more words.
type Unused map[string]int

// The kinds.
const (
	UnusedPlace    = "region|with a name and no rectangle in the photograph"
	UnusedName     = "region|of a face without a name"
	UnusedKind     = "region|with a name that is not of a face, such as that of a pet"
	UnusedUnsaid   = "region|of IPTC with a name that may not be that of one person"
	UnusedContact  = "face|of .picasa.ini without a rectangle or whose person it does not name"
	UnusedKeywords = "keyword|with the name of a person: it does not say which face is meant"
)

// Count counts one of a kind.
func (u *Unused) Count(kind string) {
	if *u == nil {
		*u = Unused{}
	}
	(*u)[kind]++
}

// Add adds what other counts.
func (u *Unused) Add(other Unused) {
	for kind, n := range other {
		if *u == nil {
			*u = Unused{}
		}
		(*u)[kind] += n
	}
}
