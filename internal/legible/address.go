package legible

import "regexp"

var credentials = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://)?.*@`)

// Address is an address, well-formed or not, without the user and password in it.
func Address(text string) string { return credentials.ReplaceAllString(text, "${1}…@") }
