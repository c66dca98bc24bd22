// Package purego takes the place of github.com/ebitengine/purego, by the replace
// line in go.mod. That package makes a program depend on the C library of the
// system, only so that github.com/gen2brain/heic may use a libheif that is
// installed. With this one no such library is found, so heic uses the WebAssembly
// that it brings along: the program stays one static file, and images do not
// depend on what is installed. The build tag nodynamic of heic has the same
// effect, but everybody who builds the program would have to give it.
package purego

import (
	"errors"
	"reflect"
)

// Modes of Dlopen.
const (
	RTLD_NOW    = 2
	RTLD_GLOBAL = 0x100
)

// Dlopen always fails.
func Dlopen(string, int) (uintptr, error) {
	return 0, errors.New("no shared library is used")
}

// RegisterLibFunc sets *fptr to a function that returns zero values. It is called
// on Windows only, where heic finds a library without Dlopen.
func RegisterLibFunc(fptr any, _ uintptr, _ string) {
	f := reflect.ValueOf(fptr).Elem()
	f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value {
		zeros := make([]reflect.Value, f.Type().NumOut())
		for i := range zeros {
			zeros[i] = reflect.Zero(f.Type().Out(i))
		}
		return zeros
	}))
}
