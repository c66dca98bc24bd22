package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
)

func (i *identification) writeHeader() {
	fields := []string{"file", "name", "score"}
	for n := 2; n <= i.top; n++ {
		fields = append(fields, "name"+strconv.Itoa(n), "score"+strconv.Itoa(n))
	}
	i.writeFields(fields)
}

// write writes the row of a file; without guesses the image is blank, and the
// fields of names and scores are empty.
func (i *identification) write(file string, guesses []guess) {
	if i.json {
		i.writeObject(file, guesses)
		return
	}
	fields := make([]string, 1+2*i.top)
	fields[0] = file
	for n, g := range guesses {
		fields[1+2*n], fields[2+2*n] = g.Name, fmt.Sprintf("%.4f", g.Score)
	}
	i.writeFields(fields)
}

// writeFields and writeObject leave errors to the flush of out.
func (i *identification) writeFields(fields []string) {
	w := csv.NewWriter(i.out)
	_ = w.Write(fields)
	w.Flush()
}

func (i *identification) writeObject(file string, guesses []guess) {
	row := struct {
		File  string   `json:"file"`
		Name  string   `json:"name"`
		Score *float64 `json:"score"` // null for a blank image
		Top   []guess  `json:"top"`
	}{File: file, Top: []guess{}}
	if len(guesses) > 0 {
		row.Name, row.Score, row.Top = guesses[0].Name, &guesses[0].Score, guesses
	}
	enc := json.NewEncoder(i.out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(row) // numbers are finite: the scores are checked
}
