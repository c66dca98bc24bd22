package service

import (
	"encoding/json"
	"time"

	"nrdl.example/nrdl/service/store"
)

// A JobRequest asks for a job.
type JobRequest struct {
	Kind   string   `json:"kind" enum:"refit,regroup,erase,export"`
	People []string `json:"people,omitempty" maxItems:"500" doc:"erase: ids of the people"`
}

// A Job is long work.
type Job struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind" enum:"import,refit,regroup,erase,export"`
	State    string          `json:"state" enum:"waiting,running,done,failed,cancelled"`
	Progress Progress        `json:"progress"`
	Attempts int             `json:"attempts" doc:"Since there was progress; after three a job has failed"`
	Result   json.RawMessage `json:"result,omitempty" doc:"ImportResult, RefitResult, RegroupResult, EraseResult or ExportResult"`
	Error    string          `json:"error,omitempty" doc:"Of the last attempt"`
	Created  time.Time       `json:"created"`
	Finished *time.Time      `json:"finished,omitempty"`
	Version  int64           `json:"version" doc:"Grows with every change of the job"`
}

// A Progress is how much of a job is done.
type Progress struct {
	Done  int `json:"done"`
	Total int `json:"total" doc:"0: not known yet"`
}

// An ImportResult tells what an import has added so far.
type ImportResult struct {
	Photos     int           `json:"photos"`
	Faces      int           `json:"faces"`
	People     int           `json:"people" doc:"Who are new"`
	Duplicates int           `json:"duplicates" doc:"Photographs or faces that were there"`
	Skipped    int           `json:"skipped" doc:"Files that are no images"`
	Refused    []RefusedFile `json:"refused" doc:"The first 500"`
}

// A RefusedFile is a file without a usable face.
type RefusedFile struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// A RefitResult compares what recognises now with what was trained, on the same held-out
// faces.
type RefitResult struct {
	Verdict   string   `json:"verdict" enum:"first,same,better,worse"`
	Decision  string   `json:"decision" enum:"swapped,needed,accepted,discarded"`
	Embedded  int      `json:"embedded" doc:"Faces that got a vector of the present network"`
	Live      *HeldOut `json:"live"`
	Candidate *HeldOut `json:"candidate"`
}

// HeldOut are counts of faces that were recognised by a model that has not seen them.
type HeldOut struct {
	Faces     int     `json:"faces"`
	Right     int     `json:"right" doc:"Named, and rightly"`
	Wrong     int     `json:"wrong" doc:"Named as somebody else"`
	Strangers int     `json:"strangers" doc:"Faces of people who were left out"`
	Named     int     `json:"named" doc:"Of these, how many got a name"`
	Threshold float64 `json:"threshold"`
}

// A RegroupResult tells how the faces of nobody were grouped.
type RegroupResult struct {
	Faces  int `json:"faces"`
	Groups int `json:"groups"`
}

// An EraseResult has the receipts of the people who were erased.
type EraseResult struct {
	Receipts []store.Receipt `json:"receipts" doc:"Each as DELETE people/{p} returns it"`
}

// An ExportResult describes the file of an export.
type ExportResult struct {
	People int   `json:"people"`
	Faces  int   `json:"faces"`
	Bytes  int64 `json:"bytes"`
}

// A HookRequest asks for messages about a collection.
type HookRequest struct {
	URL    string   `json:"url" maxLength:"2000" doc:"http or https; not of a private network unless the service allows it"`
	Events []string `json:"events" minItems:"1" enum:"faces.added,person.changed,person.erased,job.finished,photo.known,photo.unknown"`
	Names  bool     `json:"names,omitempty" doc:"Messages have the names of people, and not only their ids"`
}

// A Hook is an address that gets messages about a collection.
type Hook struct {
	ID      string    `json:"id"`
	URL     string    `json:"url"`
	Events  []string  `json:"events"`
	Names   bool      `json:"names"`
	Created time.Time `json:"created"`
	Secret  string    `json:"secret,omitempty" doc:"Key of the signature; shown once"`
}

// A Delivery is a message that was sent to a hook, or will be.
type Delivery struct {
	ID       string     `json:"id"`
	Event    string     `json:"event"`
	State    string     `json:"state" enum:"waiting,running,done,failed,cancelled"`
	Attempts int        `json:"attempts"`
	Error    string     `json:"error,omitempty" doc:"Of the last attempt"`
	Created  time.Time  `json:"created"`
	Finished *time.Time `json:"finished,omitempty"`
}
