package gallery

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadFacts(t *testing.T) {
	f, err := readFacts(strings.NewReader("\ufeffName, born ,not\nAnn,2015-03-28,Bo; Cy\nBo,2015,\n\"Dee, E\",1999-12,Ann\n"))
	if err != nil || len(f.Birthdays) != 3 || !f.Birthdays["Bo"].Equal(time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)) ||
		!slices.Equal(f.Different, [][2]string{{"Ann", "Bo"}, {"Ann", "Cy"}, {"Dee, E", "Ann"}}) {
		t.Errorf("%+v, %v", f, err)
	}
	if missing := f.Missing([]string{"Ann", "Bo"}); !slices.Equal(missing, []string{"Cy", "Dee, E"}) {
		t.Errorf("%q are missing", missing)
	}
	f, err = readFacts(strings.NewReader("name;born;not\r\nAnn;2015-03-28;\"Bo;Cy\"\r\n")) // as spreadsheets write it where 1,5 is a number
	if err != nil || len(f.Birthdays) != 1 || !slices.Equal(f.Different, [][2]string{{"Ann", "Bo"}, {"Ann", "Cy"}}) {
		t.Errorf("%+v, %v", f, err)
	}
	for _, text := range []string{
		"", "name,not\nAnn,Ann\n", "born\n2015\n", "name,born\nAnn,28.3.2015\n",
		"name,born\nAnn\n", "name\n\"Ann\n",
	} {
		if _, err := readFacts(strings.NewReader(text)); err == nil {
			t.Errorf("%q is a file of people", text)
		}
	}
}

// A photograph shows nobody who was not born two days later, unless its date is none.
func TestPossible(t *testing.T) {
	born := time.Date(2015, 3, 28, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]bool{
		"2015-03-25T23:59:59": false, "2015-03-26T00:00:00": true, "2015-03-28T12:00:00": true,
		"2030-01-01T00:00:00": true, "1999-05-05T00:00:00": false,
		"1970-01-01T00:10:00": true, "1980-01-01T00:00:00": true, "2000-01-01T23:00:00": true,
		"2000-01-02T00:00:00": false, "2001-01-01T00:00:00": false,
	} {
		taken, err := time.Parse("2006-01-02T15:04:05", text)
		if err != nil {
			t.Fatal(err)
		}
		if Possible(taken, born) != want {
			t.Errorf("%s: possible is %t", text, !want)
		}
	}
	if !Possible(time.Time{}, born) {
		t.Error("without a date somebody is forbidden")
	}
}
