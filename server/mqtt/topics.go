package mqtt

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	paho "github.com/eclipse/paho.mqtt.golang"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// A Face is one in the message of a camera.
type Face struct {
	Decision    string   `json:"decision"`
	Person      string   `json:"person,omitempty"` // id, of a face that is known
	Name        string   `json:"name,omitempty"`   // of a face that is known
	Probability *float64 `json:"probability"`
}

// A Camera is the last message of a source of photographs.
type Camera struct {
	Summary   string    `json:"summary"` // names, and how many are unknown
	Time      time.Time `json:"time"`
	Source    string    `json:"source"`
	Reference string    `json:"reference,omitempty"`
	People    []string  `json:"people"`
	Unknown   int       `json:"unknown"`
	Faces     []Face    `json:"faces"`
}

// A Person is the last message of a person.
type Person struct {
	Name      string    `json:"name"`
	LastSeen  time.Time `json:"last_seen"`
	Source    string    `json:"source,omitempty"`
	Reference string    `json:"reference,omitempty"`
}

// maxState is the longest state that Home Assistant takes.
const maxState = 255

// Seen tells the broker of a photograph. It returns at once: messages wait for Run.
func (p *Publisher) Seen(s people.Sighting) {
	camera := Camera{Time: s.Time.UTC(), Source: s.Photograph.Source, Reference: s.Photograph.Reference, People: []string{}, Faces: []Face{}}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range s.Photograph.Faces {
		o := Face{Decision: f.Decision, Probability: f.Probability}
		if f.Person != nil && f.Name != nil && f.Decision == "known" {
			o.Person, o.Name = *f.Person, *f.Name
			camera.People = append(camera.People, o.Name)
			p.putPerson(s.Collection, *f.Person, Person{o.Name, camera.Time, camera.Source, camera.Reference})
		} else {
			camera.Unknown++
		}
		camera.Faces = append(camera.Faces, o)
	}
	camera.Summary = summary(camera)
	if camera.Source != "" {
		p.putCamera(s.Collection, camera)
	}
	p.signal()
}

// summary says who was seen, in at most maxState characters.
func summary(c Camera) string {
	all := c.People
	if c.Unknown > 0 {
		all = append(all[:len(all):len(all)], fmt.Sprint(c.Unknown, " unknown"))
	}
	text := strings.Join(all, ", ")
	switch n := utf8.RuneCountInString(text); {
	case text == "":
		return "nobody"
	case n > maxState:
		return string([]rune(text)[:maxState-1]) + "…"
	}
	return text
}

// idOf is a word for a source in topics, in which letters beyond ASCII and spaces make trouble.
func idOf(source string) string {
	h := fnv.New64a()
	h.Write([]byte(source))
	clean := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, source)
	if clean == source {
		return source
	}
	return fmt.Sprintf("%s_%08x", clean, uint32(h.Sum64()))
}

func (p *Publisher) cameraTopic(collection, source string) string {
	return p.base + "/" + collection + "/camera/" + idOf(source)
}

func (p *Publisher) personTopic(collection, person string) string {
	return p.base + "/" + collection + "/person/" + person
}

// A device has the sensors of a collection in Home Assistant.
type device struct {
	Identifiers  []string `json:"identifiers"`
	Name         string   `json:"name"`
	Manufacturer string   `json:"manufacturer"`
}

// A sensor is the description of one for Home Assistant.
type sensor struct {
	Name         string `json:"name"`
	ID           string `json:"unique_id"`
	State        string `json:"state_topic"`
	Template     string `json:"value_template"`
	Attributes   string `json:"json_attributes_topic"`
	Availability string `json:"availability_topic"`
	Class        string `json:"device_class,omitempty"`
	Icon         string `json:"icon,omitempty"`
	Device       device `json:"device"`
}

// discovery is the topic in which Home Assistant looks for a sensor.
func discovery(id string) string { return "homeassistant/sensor/" + id + "/config" }

func personID(person string) string { return "nrdl_" + person + "_seen" }

// announce tells Home Assistant of a sensor, once a connection. p.mu is held.
func (p *Publisher) announce(collection string, s sensor) {
	topic := discovery(s.ID)
	if p.announced[topic] {
		return
	}
	s.Availability, s.Attributes = p.statusTopic(), s.State
	if p.names[collection] == "" {
		if c, err := p.store.Collection(context.Background(), collection); err == nil {
			p.names[collection] = c.Name
		}
	}
	s.Device = device{[]string{"nrdl_" + collection}, cmp.Or(p.names[collection], "nrdl"), "nrdl"}
	p.announced[topic] = true
	p.put(topic, people.AsJSON(s))
}

// putCamera lets the message of a camera wait. p.mu is held.
func (p *Publisher) putCamera(collection string, c Camera) {
	topic := p.cameraTopic(collection, c.Source)
	p.announce(collection, sensor{
		Name: c.Source, ID: "nrdl_" + collection + "_" + idOf(c.Source), State: topic,
		Template: "{{ value_json.summary }}", Icon: "mdi:cctv",
	})
	p.cameras[topic] = c
	p.put(topic, people.AsJSON(c))
}

// idsIn are the ids of the people that a camera has seen last.
func idsIn(c Camera) (all []string) {
	for _, f := range c.Faces {
		if f.Person != "" {
			all = append(all, f.Person)
		}
	}
	return all
}

// putPerson lets the message of a person wait. p.mu is held.
func (p *Publisher) putPerson(collection, id string, o Person) {
	topic := p.personTopic(collection, id)
	if p.people[topic].Name != o.Name {
		delete(p.announced, discovery(personID(id)))
	}
	p.announce(collection, sensor{
		Name: o.Name + " last seen", ID: personID(id), State: topic,
		Template: "{{ value_json.last_seen }}", Class: "timestamp",
	})
	p.people[topic] = o
	p.put(topic, people.AsJSON(o))
}

// kept notes in all, by topic, what the broker keeps.
func kept[T any](p *Publisher, all map[string]T) paho.MessageHandler {
	return func(_ paho.Client, m paho.Message) {
		var o T
		p.mu.Lock()
		defer p.mu.Unlock()
		if _, ok := all[m.Topic()]; !ok && json.Unmarshal(m.Payload(), &o) == nil && len(all) < maxPending {
			all[m.Topic()] = o
			p.topics++
			p.signal()
		}
	}
}

// version is another number whenever a collection has changed, or more is known of what the broker keeps.
func (p *Publisher) version(ctx context.Context) (sum int64, err error) {
	all, err := p.store.Collections(ctx, "", math.MaxInt32)
	p.mu.Lock()
	defer p.mu.Unlock()
	names := map[string]string{}
	for _, c := range all {
		sum += c.Seq + 1
		if names[c.ID] = c.Name; p.names[c.ID] != "" && p.names[c.ID] != c.Name {
			clear(p.announced) // the device has the name of the collection
		}
	}
	p.names = names
	return sum + p.topics, err
}

// follow removes people from the broker who are no longer in the store, or are not to be recognised any
// more, and renames others.
func (p *Publisher) follow(ctx context.Context) error {
	p.mu.Lock()
	kept, cameras := maps.Clone(p.people), maps.Clone(p.cameras)
	p.mu.Unlock()
	current := map[string]string{} // name of a person by topic, "" for nobody
	nameOf := func(topic string) (string, error) {
		name, ok := current[topic]
		if ok {
			return name, nil
		}
		words := strings.Split(strings.TrimPrefix(topic, p.base+"/"), "/") // COLLECTION/person/ID
		o, err := p.store.Person(ctx, words[0], words[len(words)-1])
		if errors.Is(err, store.ErrNotFound) || err == nil && o.Kind != store.Known {
			o.Name, err = "", nil
		}
		if err == nil {
			current[topic] = o.Name
		}
		return o.Name, err
	}
	for topic, before := range kept {
		name, err := nameOf(topic)
		if err != nil {
			return err
		}
		if name != before.Name {
			p.change(topic, name)
		}
	}
	for topic, camera := range cameras {
		collection, source, _ := strings.Cut(strings.TrimPrefix(topic, p.base+"/"), "/camera/")
		if _, err := p.store.Collection(ctx, collection); errors.Is(err, store.ErrNotFound) {
			sensor := discovery("nrdl_" + collection + "_" + source)
			p.mu.Lock()
			delete(p.cameras, topic)
			delete(p.announced, sensor)
			p.put(topic, nil)
			p.put(sensor, nil)
			p.mu.Unlock()
			continue
		} else if err != nil {
			return err
		}
		for _, id := range idsIn(camera) {
			person := p.personTopic(collection, id)
			name, err := nameOf(person)
			if err != nil {
				return err
			}
			if before, ok := kept[person]; name == "" || ok && before.Name != name {
				p.mu.Lock()
				nobody := Camera{Summary: "nobody", Time: camera.Time, Source: camera.Source, People: []string{}, Faces: []Face{}}
				p.cameras[topic] = nobody
				p.put(topic, people.AsJSON(nobody))
				p.mu.Unlock()
			}
		}
	}
	return nil
}

// change gives a person another name in the topics of the broker, or removes these without a name.
func (p *Publisher) change(topic, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	collection, id, _ := strings.Cut(strings.TrimPrefix(topic, p.base+"/"), "/person/")
	delete(p.announced, discovery(personID(id)))
	if name == "" {
		delete(p.people, topic)
		p.put(topic, nil)
		p.put(discovery(personID(id)), nil)
		return
	}
	o := p.people[topic]
	o.Name = name
	p.putPerson(collection, id, o)
}
