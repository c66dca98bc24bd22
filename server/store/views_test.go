package store

import (
	"errors"
	"slices"
	"testing"
)

// Samples and pictures are those of the people who are asked for, by id.
func TestViews(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		loose := c.add("", 1)
		ids := func(all []Sample) (faces []string) {
			for _, o := range all {
				if len(o.Vector) == 0 {
					t.Errorf("%s has no vector", o.Face)
				}
				faces = append(faces, o.Face)
			}
			return faces
		}
		for _, one := range []struct {
			people []string
			limit  int
			want   []string
		}{
			{[]string{c.b.ID}, 9, c.fb},
			{[]string{c.b.ID, c.a.ID, NewID()}, 9, slices.Concat(c.fa, c.fb)},
			{[]string{""}, 9, loose},
			{[]string{c.a.ID}, 1, c.fa[:1]},
			{nil, 9, nil},
		} {
			got, err := s.SamplesOf(t.Context(), c.id, "s", one.people, one.limit)
			if err != nil || !slices.Equal(ids(got), one.want) {
				t.Errorf("%q: %v, %v", one.people, got, err)
			}
		}
		if got, err := s.Sample(t.Context(), c.id, "s", c.fa[1]); err != nil || got.Person != c.a.ID {
			t.Errorf("%v, %v", got, err)
		}
		if _, err := s.Sample(t.Context(), c.id, "another", c.fa[1]); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		faces, err := s.FacesWithCrop(t.Context(), c.id, []string{c.a.ID, ""})
		if err != nil || len(faces) != 3 || faces[0].ID != c.fa[0] {
			t.Errorf("%v, %v", faces, err)
		}
		if _, err := s.AddFaces(t.Context(), "me", c.id, &Photo{SHA256: "abc"}, "",
			[]NewFace{{Face: Face{Source: Vector}, Space: "s", Vector: []float32{1}}}); err != nil {
			t.Fatal(err)
		}
		for hash, want := range map[string]bool{"abc": true, "abd": false} {
			if there, err := s.HasPhoto(t.Context(), c.id, hash); err != nil || there != want {
				t.Errorf("%s: %v, %v", hash, there, err)
			}
		}
	})
}
