package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// in is a condition for one of ids, whose parameters follow the first n, and args with ids.
func in(column string, args []any, ids []string) (string, []any) {
	marks := make([]string, len(ids))
	for i, id := range ids {
		args = append(args, id)
		marks[i] = "$" + strconv.Itoa(len(args))
	}
	return column + " IN (" + strings.Join(marks, ", ") + ")", args
}

// SamplesOf returns the vectors of one space of the faces of people, by id; "" is nobody.
// There are at most limit, the first ones.
func (s *Store) SamplesOf(ctx context.Context, collection, space string, people []string, limit int) ([]Sample, error) {
	return s.samplesIn(ctx, collection, space, "f.person", people, limit)
}

// Sample returns the vector of one space of a face.
func (s *Store) Sample(ctx context.Context, collection, space, face string) (Sample, error) {
	all, err := s.samplesIn(ctx, collection, space, "f.id", []string{face}, 1)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("vector %w", ErrNotFound)
	}
	if err != nil {
		return Sample{}, err
	}
	return all[0], nil
}

func (s *Store) samplesIn(ctx context.Context, collection, space, column string, ids []string, limit int) ([]Sample, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	condition, args := in(column, []any{collection, space, limit}, ids)
	return list(ctx, s.read, scanSample, columnsOfSamples+"AND "+condition+" ORDER BY f.id LIMIT $3", args...)
}

// Pictured returns the faces of people that have a crop, by id.
func (s *Store) Pictured(ctx context.Context, collection string, people []string) ([]Face, error) {
	if len(people) == 0 {
		return nil, nil
	}
	condition, args := in("person", []any{collection}, people)
	return list(ctx, s.read, scanFace, faceColumns+"WHERE collection = $1 AND length(crop) > 0 AND "+condition+" ORDER BY id", args...)
}
