package advice_test

import (
	"errors"
	"fmt"

	"nrdl.example/nrdl/advice"
)

func Example() {
	err := advice.Add(errors.New("no face found"), "let the face fill more of the photograph")
	err = fmt.Errorf("ann/1.jpg: %w", err)
	fmt.Println(err)
	fmt.Println(advice.Text(err))
	// Output:
	// ann/1.jpg: no face found
	// let the face fill more of the photograph
}

// A program reads what to set, and words it for its users.
func ExampleAdvice_Word() {
	err := advice.Add(errors.New("trained on crops of faces"), "train it again: %v", advice.Train.With(advice.Detect.To("always")))
	fmt.Println(advice.Of(err)) // for a programmer
	for _, s := range advice.Of(err).Settings() {
		if s.Option == advice.Detect {
			fmt.Println("detect =", s.Value)
		}
	}
	fmt.Println(advice.Of(err).Word(buttons{}))
	// Output:
	// train it again: faces.Train with face.Options.Detect: always
	// detect = always
	// train it again: press Train (detect: always)
}

// buttons is the wording of a program with a window.
type buttons struct{}

func (buttons) Setting(s advice.Setting) string {
	return map[advice.Option]string{advice.Detect: "detect"}[s.Option] + ": " + s.Value
}

func (b buttons) Action(a advice.Action) string {
	text := map[advice.Verb]string{advice.Train: "press Train"}[a.Verb]
	for _, s := range a.Settings {
		text += " (" + b.Setting(s) + ")"
	}
	return text
}
