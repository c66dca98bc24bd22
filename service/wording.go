package service

import (
	"slices"

	"nrdl.example/nrdl/advice"
)

// inAPI is the advice.Wording of the API: operations in place of options and functions.
type inAPI struct{}

// offered are the operations for options that advice names; the others are not for clients.
var offered = map[advice.Option]string{
	advice.Strangers: "POST /v1/collections/{collection}/strangers",
}

// doing are the operations that do what advice names.
var doing = map[advice.Verb]string{
	advice.Calibrate: "PATCH /v1/collections/{collection}",
	advice.Train:     "POST /v1/collections/{collection}/jobs",
}

func (inAPI) Setting(s advice.Setting) string { return offered[s.Option] }

func (inAPI) Action(a advice.Action) string {
	text := doing[a.Verb]
	for _, s := range a.Settings {
		text += " and " + offered[s.Option]
	}
	return text
}

// hint returns the advice on err for a client; "" if there is none, or if it names what the
// API does not offer.
func hint(err error) string {
	a := advice.Of(err)
	if slices.ContainsFunc(a.Settings(), func(s advice.Setting) bool { return offered[s.Option] == "" }) ||
		slices.ContainsFunc(a, func(p advice.Part) bool { return p.Action.Verb != "" && doing[p.Action.Verb] == "" }) {
		return ""
	}
	return a.Word(inAPI{})
}
