package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/server"
)

// openModel returns the model that is imported, nil for none.
func (s *serving) openModel() (*faces.Recogniser, error) {
	if s.model == "" {
		return nil, nil
	}
	model, err := faces.Open(s.model)
	if err == nil {
		if err = server.CheckModel(model.Model()); err != nil {
			err = fmt.Errorf("import %s: %w", s.model, err)
		}
	}
	return model, err
}

// importModel makes a collection of a model, unless that is nil.
func (s *serving) importModel(ctx context.Context, v *server.Service, model *faces.Recogniser) error {
	if model == nil {
		return nil
	}
	name := strings.TrimSuffix(filepath.Base(s.model), filepath.Ext(s.model))
	subjects, n, err := v.ImportModel(ctx, name, model.Model())
	switch {
	case err != nil:
		return fmt.Errorf("import %s: %w", s.model, err)
	case subjects == 0:
		s.Tell("there is a collection %q: %s is not imported", name, s.model)
		s.Hint("to add its people all the same, give the file another name: a collection has the name of its file")
	default:
		s.Tell("imported %s: %s and %s are the collection %q", s.model, legible.People(subjects), legible.Count(n, "face"), name)
		s.Tell("not taken: the method, which the service has its own of, and pictures, which a model does not keep; photographs that are added later have some")
	}
	return nil
}
