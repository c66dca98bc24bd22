package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/dataset"
)

// otherThanRecords is an error if the file at path, with this beginning, is known to be
// something other than records.
func otherThanRecords(path string, begins []byte) error {
	what := ""
	line, _, _ := bytes.Cut(begins, []byte("\n"))
	var object map[string]json.RawMessage
	_ = json.Unmarshal(line, &object) // a long line is cut: then it is no trace either
	switch {
	case dataset.IsMatrix(path):
		what = "a data set"
	case dataset.IsImage(path):
		what = "an image"
	case object["iter"] != nil && object["residual"] != nil && object["method"] == nil:
		what = "the trace of a training"
	case object["file"] != nil && object["faces"] != nil:
		what = "the results of naming faces"
	default:
		return nil
	}
	return advice.Add(fmt.Errorf("read records %s: this is %s, not records", path, what), "%v writes the records of runs", advice.RunPlan)
}
