package gallery

import (
	"fmt"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/frontend"
)

// OneIsEnough returns nil if a gallery of a single person can recognise that person. The
// method m has to learn each person without the others, and in has to make vectors of a
// network whose impostor distribution is known. Otherwise the error says why not, with advice.
func OneIsEnough(in frontend.Pipeline, m classify.Method) error {
	_, separable := m.(classify.Separable)
	switch {
	case in.Embedding.IsZero():
		return advice.Add(fmt.Errorf("by such features a face is compared with other people"),
			"add images of other people; or give photographs in which faces are found: with the vectors of a network (%v) one person is enough", advice.Input.To("embedding"))
	case !in.Projection.IsZero():
		return advice.Add(fmt.Errorf("the projection %v learns what tells people apart", in.Projection), "add images of other people, or leave out %v", advice.Projection)
	case m != nil && !separable:
		return advice.Add(fmt.Errorf("the method %s learns what tells people apart", m.Name()), "add images of other people, or leave out %v: for the default one person is enough", advice.Method)
	case in.Law() == nil:
		return advice.Add(fmt.Errorf("network %s was not measured with these settings, so how similar strangers are is not known", in.Embedding.Name),
			"add images of other people, or measure the network: %v", advice.MeasureNetwork)
	}
	return nil
}

// checkPeople is an error if there is a single person, for whom in and m are not enough.
func checkPeople(people []string, in frontend.Pipeline, m classify.Method) error {
	if len(people) != 1 {
		return nil
	}
	if err := OneIsEnough(in, m); err != nil {
		return fmt.Errorf("one person only, %q: %w", people[0], err)
	}
	return nil
}
