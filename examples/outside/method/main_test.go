package main

import (
	"testing"

	"nrdl.example/nrdl/method/methodtest"
)

func TestContract(t *testing.T) {
	methodtest.Run(t, Default, methodtest.Options{})
}
