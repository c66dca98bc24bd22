package group

// A Listing is the part of Photographs that other programs read.
type Listing struct {
	Groups  []ListedGroup `json:"groups"`
	Without []string      `json:"without_face"` // files
}

// A ListedGroup is a group in a Listing.
type ListedGroup struct {
	Name  string       `json:"name"` // its folder; empty for a single face
	Loose bool         `json:"may_be_several,omitempty"`
	Faces []ListedFace `json:"faces"`
}

// A ListedFace is a face in a Listing.
type ListedFace struct {
	File string `json:"file"`
	Box  [4]int `json:"box"` // left, top, right, bottom, pixels of the upright photograph
}

// Listing lists the groups of p.
func (p *Photographs) Listing() Listing {
	l := Listing{Groups: []ListedGroup{}, Without: []string{}}
	for i, members := range p.Groups {
		one := ListedGroup{Name: p.Folder(i), Loose: members.Loose && len(members.Faces) > 1}
		for _, f := range members.Faces {
			b := p.Faces[f].Box
			one.Faces = append(one.Faces, ListedFace{p.Paths[p.Faces[f].Photograph], [4]int{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y}})
		}
		l.Groups = append(l.Groups, one)
	}
	for i, err := range p.Errors {
		if err != nil {
			l.Without = append(l.Without, p.Paths[i])
		}
	}
	return l
}
