package metadata

import (
	"encoding/binary"
	"encoding/xml"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Keyword is the last part of one of a photograph, such as Ann of People|Ann.
type Keyword struct {
	Name   string
	Person bool // it stands below a keyword for people
}

// Properties with keywords, by namespace.
var keywordProperties = map[string][]string{
	"http://purl.org/dc/elements/1.1/":             {"subject"},
	"http://ns.adobe.com/lightroom/1.0/":           {"hierarchicalSubject"},
	"http://www.digikam.org/ns/1.0/":               {"TagsList"},
	"http://ns.microsoft.com/photo/1.0/":           {"LastKeywordXMP", "LastKeywordIPTC"},
	"http://ns.microsoft.com/photo/1.0":            {"LastKeywordXMP", "LastKeywordIPTC"},
	"http://ns.iview-multimedia.com/mediapro/1.0/": {"CatalogSets", "People"},
	"http://ns.microsoft.com/expressionmedia/1.0/": {"CatalogSets", "People"},
	"http://ns.acdsee.com/iptc/1.0/":               {"keywords", "categories"},
}

// Words for people, in lower case, below which programs put their names.
var wordsForPeople = []string{
	"people", "person", "persons", "faces", "personen", "leute", "menschen", "gesichter", "personnes",
	"visages", "personas", "caras", "persone",
	"volti", "pessoas", "rostos", "mensen", "gezichten", "personer", "ansikten", "ihmiset", "osoby",
	"ludzie", "lidé", "люди", "人物", "人々", "사람",
}

// readKeywords adds the keywords in a description.
func (p *People) readKeywords(d *element) {
	for _, c := range d.children {
		if !slices.Contains(keywordProperties[c.name.Space], c.name.Local) {
			continue
		}
		all := texts(c)
		if c.name.Local == "categories" {
			all = categories(string(c.text))
		}
		for _, text := range all {
			if c.name.Local == "People" {
				text = "People|" + text
			}
			p.keywords = append(p.keywords, text)
		}
	}
	p.keywords = p.keywords[:min(len(p.keywords), maxPeople)]
}

// categories are the keywords of ACDSee, which are elements in the text of a property:
// <Categories><Category Assigned="0">People<Category Assigned="1">Ann</Category></Category></Categories>.
func categories(text string) (all []string) {
	d := xml.NewDecoder(strings.NewReader(text))
	var open []string
	for len(all) < maxPeople {
		token, err := d.Token()
		if err != nil {
			return all
		}
		switch t := token.(type) {
		case xml.StartElement:
			if open = append(open, ""); len(open) > maxDepth {
				return all
			}
		case xml.CharData:
			if len(open) > 0 && open[len(open)-1] == "" {
				open[len(open)-1] = strings.TrimSpace(string(t))
				all = append(all, strings.Join(open[1:], "|"))
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	return all
}

// Keywords are those of texts such as People|Ann, people/Ann, Person: Ann or Ann, each name once. One
// that only leads to others, such as People|Family beside People|Family|Ann, is left out.
func Keywords(texts []string) (all []Keyword) {
	parts := make([]string, len(texts))
	for i, t := range texts {
		fields := strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune(`|/\:`, r) })
		for k := range fields {
			fields[k] = strings.TrimSpace(fields[k])
		}
		parts[i] = strings.Join(fields, "\x00") // which sorts before all others
	}
	slices.Sort(parts)
	for i, path := range parts {
		if path == "" || i+1 < len(parts) && (parts[i+1] == path || strings.HasPrefix(parts[i+1], path+"\x00")) {
			continue
		}
		fields := strings.Split(path, "\x00")
		k := Keyword{Name: fields[len(fields)-1], Person: len(fields) > 1 && slices.Contains(wordsForPeople, strings.ToLower(fields[0]))}
		at := slices.IndexFunc(all, func(o Keyword) bool { return o.Name == k.Name })
		if at < 0 {
			all = append(all, k)
		} else {
			all[at].Person = all[at].Person || k.Person
		}
	}
	return all
}

// keywordsOf adds the keywords in resources of Photoshop, of which one is IPTC's older form: the fields
// 2:25 of records that begin with the byte 28.
func (f *File) keywordsOf(resources []byte) {
	const iptc, record, keywords = 0x0404, 2, 25
	for len(resources) >= 12 && string(resources[:4]) == "8BIM" {
		kind := binary.BigEndian.Uint16(resources[4:])
		name := (int(resources[6]) + 2) &^ 1 // with its length, filled up to an even number
		if len(resources) < 6+name+4 {
			return
		}
		resources = resources[6+name:]
		n := min(int(binary.BigEndian.Uint32(resources)), len(resources)-4)
		body := resources[4 : 4+n]
		for kind == iptc && len(body) >= 5 && body[0] == 28 && len(f.Keywords) < maxPeople {
			size := int(binary.BigEndian.Uint16(body[3:]))
			if size > len(body)-5 {
				break
			}
			if body[1] == record && body[2] == keywords {
				f.Keywords = append(f.Keywords, inUTF8(body[5:5+size]))
			}
			body = body[5+size:]
		}
		resources = resources[min(4+n+n%2, len(resources)):]
	}
}

// inUTF8 is text that is in UTF-8, or else in Latin 1.
func inUTF8(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	runes := make([]rune, len(text))
	for i, b := range text {
		runes[i] = rune(b)
	}
	return string(runes)
}
