package store

import "context"

// Counts say how much there is in a database.
type Counts struct {
	Jobs     map[string]int // by state, without messages
	Messages int            // that wait or are being sent

	People                          int
	Labelled, Unlabelled, Strangers int   // faces of people, of nobody yet, and of strangers
	Bytes                           int64 // on disk
}

// Count counts what is there in all collections. It reads an index of all faces: 10⁶ take some
// tenths of a second.
func (s *Store) Count(ctx context.Context) (c Counts, err error) {
	c.Jobs = map[string]int{"waiting": 0, "running": 0, "done": 0, "failed": 0, "cancelled": 0}
	for state := range c.Jobs {
		if c.Jobs[state], err = one[int](ctx, "row", s.read, "SELECT count(*) FROM job WHERE kind <> '"+KindMessage+"' AND state = $1", state); err != nil {
			return c, err
		}
	}
	size := "SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)"
	if s.postgres {
		size = "SELECT pg_database_size(current_database())"
	}
	if c.Bytes, err = one[int64](ctx, "row", s.read, size); err != nil {
		return c, err
	}
	faces := 0
	for _, q := range []struct {
		n     *int
		query string
	}{
		{&c.Messages, "SELECT count(*) FROM job WHERE kind = '" + KindMessage + "' AND state IN ('waiting', 'running')"},
		{&c.People, "SELECT count(*) FROM person"},
		{&faces, "SELECT count(*) FROM face"},
		{&c.Unlabelled, "SELECT count(*) FROM face WHERE person = ''"},
		{&c.Strangers, "SELECT count(*) FROM face WHERE person = '" + Stranger + "'"},
	} {
		if *q.n, err = one[int](ctx, "row", s.read, q.query); err != nil {
			return c, err
		}
	}
	c.Labelled = faces - c.Unlabelled - c.Strangers
	return c, nil
}
