package methodtest_test

import (
	"testing"

	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// A test of the method's package runs the contract: TestContract is such a test.
func Example() {
	test := func(t *testing.T) {
		methodtest.Run(t, method.DefaultLLC, methodtest.Options{
			Small:  map[string]string{"coder.neighbours": "6"}, // of 20 samples
			Single: map[string]string{"coder.neighbours": "2"}, // of 4
		})
	}
	_ = test // func TestContract(t *testing.T) { … }
}
