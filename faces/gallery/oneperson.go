package gallery

import (
	"errors"
	"fmt"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/frontend"
)

// OneIsEnough returns nil if a gallery of a single person can recognise that person. The
// method m has to learn each person without the others, and in has to make vectors of a
// network whose impostor distribution is known. Otherwise the error says why not, with advice.
func OneIsEnough(in frontend.Pipeline, m classify.Method) error {
	_, separable := m.(classify.Separable)
	switch {
	case !in.SeesImages():
		return advice.Add(errors.New("a sample is compared with those of other classes"), "add samples of other classes")
	case in.Embedding.IsZero():
		return advice.Add(fmt.Errorf("by such features a face is compared with other people"),
			"add images of other people; or give photographs in which faces are found: with the vectors of a network (%v) one person is enough",
			advice.Input.To("embedding"))
	case !in.Projection.IsZero():
		return advice.Add(fmt.Errorf("the projection %v learns what tells people apart", in.Projection),
			"add images of other people, or leave out %v", advice.Projection)
	case m != nil && !separable:
		return advice.Add(fmt.Errorf("the method %s learns what tells people apart", m.Name()),
			"add images of other people, or leave out %v: for the default one person is enough", advice.Method)
	case in.Law() == nil:
		return advice.Add(fmt.Errorf("network %s was not measured with these settings, so how similar strangers are is not known",
			in.Embedding.Name),
			"add images of other people, or measure the network: %v", advice.MeasureNetwork)
	}
	return nil
}

// checkPeople is an error if there is a single person and in and m need several.
func checkPeople(people []string, in frontend.Pipeline, m classify.Method) error {
	if len(people) != 1 {
		return nil
	}
	if err := OneIsEnough(in, m); err != nil {
		one := "person"
		if !in.SeesImages() {
			one = "class"
		}
		return fmt.Errorf("one %s only, %q: %w", one, people[0], err)
	}
	return nil
}
