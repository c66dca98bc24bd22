package dataset

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
)

// date matches the beginning of the name of a folder for a year, month or day.
var date = regexp.MustCompile(`^(19|20)\d\d([-_. ]|(0[1-9]|1[0-2])|$)`)

// camera matches the names of folders that cameras, telephones and photo programs make.
var camera = regexp.MustCompile(
	`(?i)^(dcim|\d{3}[a-z_][a-z_\d]{4}|camera( roll)?|screenshots|whatsapp images|downloads?|imports?|photos from \d{4})$`)

// refuseAlbum is an error if most folders of root that hold images are those of an album, named by a date
// or a camera, and not of people. Folders that all have numbers may be people of a database.
func refuseAlbum(root string, images []string) error {
	folders, ofAlbum, ofCamera := map[string]bool{}, []string{}, false
	for _, f := range images {
		parts := strings.Split(f, "/")
		if len(parts) < 2 || folders[parts[0]] {
			continue
		}
		folders[parts[0]] = true
		isCamera := camera.MatchString(parts[0])
		if ofCamera = ofCamera || isCamera; isCamera || len(parts) == 2 && date.MatchString(parts[0]) {
			ofAlbum = append(ofAlbum, parts[0])
		}
	}
	years := len(ofAlbum) == len(folders) && len(folders) < 30 // of people there would be more, or other numbers
	if len(folders) < 2 || 2*len(ofAlbum) <= len(folders) || !ofCamera && !years {
		return nil
	}
	slices.SortFunc(ofAlbum, natural.Compare)
	return advice.Add(fmt.Errorf("%s: the folders %s look like those of an album, not like people", root, listed(ofAlbum, " and ")),
		"to make folders of photographs of the same person: %v; or give a folder with a folder for each person",
		advice.Group.With(advice.Data.To(root), advice.Output.To("people")))
}

// refuseDates is an error if the folders of root are years or days that hold the folders
// of people: 2023/Bob, 2023/Zoe, 2024/Bob, or those of an album. Images are slash-separated paths
// relative to root.
func refuseDates(root string, images []string) error {
	dates, people := map[string]bool{}, map[string][]string{} // dates by person
	for _, f := range images {
		parts := strings.Split(f, "/")
		if len(parts) < 3 {
			continue
		}
		if top, person := parts[0], parts[1]; date.MatchString(top) && !date.MatchString(person) && strings.ContainsFunc(person, isLetter) {
			dates[top] = true
			if !slices.Contains(people[person], top) {
				people[person] = append(people[person], top)
			}
		}
	}
	if len(dates) < 2 {
		return refuseAlbum(root, images)
	}
	var shared, all []string
	for person, in := range people {
		if all = append(all, person); len(in) > 1 {
			shared = append(shared, person)
		}
	}
	what, names := "folders", all
	if len(shared) > 0 {
		what, names = "folders with the same names", shared
	}
	slices.SortFunc(names, natural.Compare)
	tops := make([]string, 0, len(dates))
	for d := range dates {
		tops = append(tops, d)
	}
	slices.SortFunc(tops, natural.Compare)
	err := fmt.Errorf("%s: the folders %s hold %s (%s): these look like people, and %s like dates",
		root, listed(tops, " and "), what, listed(names, ", "), listed(tops, " and "))
	person := names[0]
	return advice.Add(err,
		"did you mean the people %s? Then %v takes the folders that the images are in; or put all photographs of a person "+
			"into one folder: %s, %s", listed(names, ", "),
		advice.Names.To(NameLast), filepath.Join(root, person, people[person][0]), filepath.Join(root, person, tops[len(tops)-1]))
}

// repeatedNames returns a warning if folders of root hold folders with the same names,
// which may be the people: Holiday/Bob, Work/Bob. It returns "" if there are none. This is
// no error, since folders of people may hold folders with equal names, such as indoor. Else it
// returns what ofPeople says.
func repeatedNames(root string, images []string) string {
	direct, tops := map[string]bool{}, map[string][]string{} // by the name of the lower folder
	for _, f := range images {
		switch parts := strings.Split(f, "/"); {
		case len(parts) < 3:
			direct[parts[0]] = true
		case !date.MatchString(parts[1]) && strings.ContainsFunc(parts[1], isLetter) && !slices.Contains(tops[parts[1]], parts[0]):
			tops[parts[1]] = append(tops[parts[1]], parts[0])
		}
	}
	var names, in []string
	for name, of := range tops {
		of = slices.DeleteFunc(slices.Clone(of), func(top string) bool { return direct[top] })
		if len(of) < 2 {
			continue
		}
		names = append(names, name)
		for _, top := range of {
			if !slices.Contains(in, top) {
				in = append(in, top)
			}
		}
	}
	if len(names) == 0 {
		return ofPeople(root, direct, tops)
	}
	slices.SortFunc(names, natural.Compare)
	slices.SortFunc(in, natural.Compare)
	return fmt.Sprintf(
		"%s: the folders %s are taken for people, and hold folders with the same names (%s); if these are the people, put "+
			"all photographs of a person into one folder, such as %s",
		root, listed(in, " and "), listed(names, ", "), filepath.Join(root, names[0], in[0]))
}

// ofPeople returns a warning if one folder of root holds several folders and no images, while
// another holds images: it may be the folder of the people. Tops are the folders by the name of a
// folder in them.
func ofPeople(root string, direct map[string]bool, tops map[string][]string) string {
	inside := map[string][]string{}
	for name, in := range tops {
		for _, top := range in {
			inside[top] = append(inside[top], name)
		}
	}
	for _, top := range slices.Sorted(maps.Keys(inside)) {
		if names := inside[top]; len(direct) > 0 && !direct[top] && len(names) > 1 {
			slices.SortFunc(names, natural.Compare)
			return fmt.Sprintf("%s: the folder %s is taken for one person, and its images lie in folders (%s); if these are the people, give %s",
				root, top, listed(names, ", "), filepath.Join(root, top))
		}
	}
	return ""
}

func isLetter(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r > '~' }

// listed joins at most three names; between stands before the last one.
func listed(names []string, between string) string {
	const limit = 3
	if n := len(names); n > limit {
		return strings.Join(names[:limit], ", ") + fmt.Sprintf(" and %d more", n-limit)
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + between + names[last]
}

// refuseLonely is an error if the only person of root, with these images, may be none: if the
// name is a date, if all images lie in folders that may be those of people, or if
// more images lie beside the folder than in it.
func refuseLonely(root, person string, images []string) error {
	var inside []string
	direct, loose := 0, 0
	for _, f := range images {
		switch parts := strings.Split(f, "/"); {
		case len(parts) == 1:
			loose++
		case len(parts) == 2 || date.MatchString(parts[1]) || !strings.ContainsFunc(parts[1], isLetter):
			direct++
		case !slices.Contains(inside, parts[1]):
			inside = append(inside, parts[1])
		}
	}
	path := filepath.Join(root, person)
	slices.SortFunc(inside, natural.Compare)
	switch {
	case date.MatchString(person):
		return advice.Add(fmt.Errorf("%s holds images in one folder, %s: it looks like a date, not like a person", root, person), layout)
	case direct == 0 && len(inside) > 0:
		return advice.Add(fmt.Errorf("%s holds one folder, %s, whose images lie in folders: %s", root, person, listed(inside, " and ")),
			"if these are the people, give %s; if %s is the person, put the images into %s itself", path, person, path)
	case loose > direct:
		return advice.Add(fmt.Errorf("%s holds one folder with %s, %s, and beside it %s", root,
			legible.Count(direct, "image"), person, legible.Count(loose, "image")), layout)
	}
	return nil
}
