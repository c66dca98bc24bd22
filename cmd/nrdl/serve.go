package main

import (
	"context"
	"os"
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
			if err := fromEnvironment(c.Flags()); err != nil {
				return err
			}
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
	c.Flags().StringVar(&s.listen, "listen", "127.0.0.1:8080", "answer requests at `ADDRESS`, HOST:PORT or unix:PATH; port 0 is any that is free")
	c.Flags().StringVar(&s.database, "database", "", "keep everything in the PostgreSQL database at `URL`")
	c.Flags().StringVar(&s.input, "input", "embedding", "make vectors by this network in new collections, embedding or embedding:`FILE`.onnx; others change to it by a refit")
	detectorVar(c, &s.detector)
	c.Flags().BoolVar(&s.private, "private-hooks", false, "send messages also to hooks on this machine and in private networks")
	c.Flags().StringVar(&s.certificate, "tls-cert", "", "speak TLS with the certificates in `FILE` (PEM), which is read again when it changes")
	c.Flags().StringVar(&s.key, "tls-key", "", "the key of --tls-cert is in `FILE` (PEM)")
	c.Flags().Var(originsFlag{&s.limits.Origins}, "allow-origin", "let pages of `ORIGIN`, such as https://door.example, send requests; several with commas")
	c.Flags().StringVar(&s.limits.CompreFace, "compreface", "", "answer the calls of CompreFace that Double Take sends, for the collection with this `NAME`")
	c.Flags().StringVar(&s.log, "log", "text", "write the log in this `FORMAT`: text or json")
	c.Flags().StringVar(&s.level, "log-level", "info", "write what is at least of this `LEVEL`: debug, info, warn or error")
	limitFlags(c.Flags(), &s.limits)
	c.Flags().StringVar(&s.limits.Photos, "photos", "", "show the photographs of a person whose originals are in the folder `DIR`, which is only read")
	cli.Complete(c, "photos", cli.Folders)
	return c
}

// serving is one run of serve.
type serving struct {
	*app
	data, database, listen, input string
	certificate, key, log, level  string
	limits                        service.Options
	private                       bool
	detector                      *face.Search
}

func (s *serving) run(ctx context.Context) error {
	o := s.limits
	o.Version, o.Private, o.Search = buildinfo.Read().Version, s.private, s.detector
	err := checkLimits(o)
	if err == nil && o.Photos != "" {
		_, err = os.ReadDir(o.Photos)
	}
	if err != nil {
		return err
	}
	if o.Log, err = newLog(s.Err, s.log, s.level); err != nil {
		return err
	}
	var certificate *service.Certificate
	if (s.certificate == "") != (s.key == "") {
		return cli.Misuse("--tls-cert and --tls-key belong together")
	}
	if s.certificate != "" {
		if certificate, err = service.LoadCertificate(s.certificate, s.key); err != nil {
			return err
		}
	}
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
	scheme := "http://"
	if certificate != nil {
		l, scheme = certificate.Listener(l), "https://"
	}
	if l.Addr().Network() == "unix" {
		scheme = "unix:"
	}
	s.Tell("listening on %s%s", scheme, l.Addr())
	if scheme != "unix:" {
		s.Tell("open this address in a browser; Ctrl-C ends the service")
	}
	s.endless = true
	if err := v.Serve(ctx, l); err != nil {
		return err
	}
	return context.Cause(ctx)
}
