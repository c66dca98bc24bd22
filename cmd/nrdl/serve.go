package main

import (
	"context"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/service"
	"nrdl.example/nrdl/service/store"
)

func (a *app) serveCmd() *cobra.Command {
	s := &serving{app: a}
	c := &cobra.Command{
		Use:  "serve [DATA]",
		Args: cli.Arguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if (len(args) == 1) == (s.database != "") {
				return advice.Add(cli.Misuse("serve needs either DATA, the folder for the database, or --database"), "for example: nrdl serve DATA")
			}
			if len(args) == 1 {
				s.data, s.database = args[0], filepath.Join(args[0], "nrdl.db")
			}
			if err := service.CheckAddress(s.listen, s.database); err != nil {
				return cli.AsMisuse(err)
			}
			return s.run(c.Context())
		},
	}
	c.Flags().StringVar(&s.listen, "listen", "127.0.0.1:8080", "answer requests at `ADDRESS`; port 0 is any that is free")
	c.Flags().StringVar(&s.database, "database", "", "keep everything in the PostgreSQL database at `URL`")
	c.Flags().StringVar(&s.input, "input", "embedding", "make vectors by this network in new collections, embedding or embedding:`FILE`.onnx; others change to it by a refit")
	detectorVar(c, &s.detector)
	c.Flags().BoolVar(&s.private, "private-hooks", false, "send messages also to hooks on this machine and in private networks")
	return c
}

// serving is one run of serve.
type serving struct {
	*app
	data, database, listen, input string
	private                       bool
	detector                      *face.Search
}

func (s *serving) run(ctx context.Context) error {
	o := service.Options{Log: slog.New(slog.NewTextHandler(s.Err, nil)), Version: buildinfo.Read().Version, Private: s.private, Search: s.detector}
	var err error
	if o.Input, err = service.ParseInput(s.input); err != nil {
		return err
	}
	if s.data != "" {
		o.Backups = filepath.Join(s.data, "backups")
	}
	db, err := store.Open(ctx, s.database)
	if err != nil {
		return err
	}
	defer db.Close()
	v := service.New(db, o)
	l, err := v.Listen(ctx, s.listen)
	if err != nil {
		return err
	}
	s.Tell("listening on http://%s", l.Addr())
	s.endless = true
	if err := v.Serve(ctx, l); err != nil {
		return err
	}
	return context.Cause(ctx)
}
