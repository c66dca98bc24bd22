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
