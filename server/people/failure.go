package people

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"nrdl.example/nrdl/advice"
)

// A Failure is an error that the answer to the request, or the job, says.
type Failure struct {
	Status int    // of HTTP
	Code   string // what is wrong, for programs; "": that of the status
	Text   string
	Header http.Header // of the answer; nil: none of its own
}

func (f *Failure) Error() string { return f.Text }

// GetStatus returns the status of the answer.
func (f *Failure) GetStatus() int { return f.Status }

// Failed returns a Failure without a code of its own.
func Failed(status int, format string, values ...any) *Failure {
	return &Failure{Status: status, Text: fmt.Sprintf(format, values...)}
}

// Invalid is the answer to a request that cannot be meant so.
func Invalid(format string, values ...any) *Failure {
	return Failed(http.StatusUnprocessableEntity, format, values...)
}

// Clash is the answer to a change that the present state does not allow.
func Clash(format string, values ...any) *Failure {
	return Failed(http.StatusConflict, format, values...)
}

// Unusable is the answer to unusable data of the caller, with the advice of err.
func Unusable(err error) *Failure {
	text := err.Error()
	if h := hint(err); h != "" {
		text += "; " + h
	}
	return &Failure{Status: http.StatusUnprocessableEntity, Code: "unusable", Text: text}
}

// AsAnswered returns the error with a status in err, which is that of an answer; nil for none.
func AsAnswered(err error) interface {
	error
	GetStatus() int
} {
	var s interface {
		error
		GetStatus() int
	}
	errors.As(err, &s)
	return s
}

// isInvalid reports whether err is about what was sent.
func isInvalid(err error) bool {
	s := AsAnswered(err)
	return s != nil && s.GetStatus() == http.StatusUnprocessableEntity
}

// inAPI is the advice.Wording of the API: operations instead of options and functions.
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
