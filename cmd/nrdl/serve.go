package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/album"
	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/server"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/mqtt"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

func (a *app) serveCmd() *cobra.Command {
	s := &serving{app: a}
	c := &cobra.Command{
		Use:  "serve [FOLDER]",
		Args: cli.Arguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := fromEnvironment(c.Flags()); err != nil {
				return err
			}
			if (len(args) == 1) == (s.database != "") {
				return s.needsData()
			}
			if s.limits.Tags && s.limits.Photos == "" {
				return advice.Add(cli.Misuse("--write-names is for the photographs of --photos"), "say where they are: --photos DIR")
			}
			if err := checkPlace(s.database, args); err != nil {
				return err
			}
			if len(args) == 1 {
				s.data, s.database = args[0], filepath.Join(args[0], "nrdl.db")
				if err := server.CheckFolder(s.data, true); err != nil {
					return cli.AsMisuse(err)
				}
			}
			return s.check(c.Context())
		},
	}
	limitFlags(c, &s.limits)
	c.Flags().StringVar(&s.listen, "listen", "127.0.0.1:8080",
		"answer requests at `ADDRESS`, HOST:PORT or unix:PATH; port 0 is any that is free")
	c.Flags().StringVar(&s.database, "database", "", "keep everything in the PostgreSQL database at `URL`")
	c.Flags().StringVar(&s.input, "input", "embedding",
		"make vectors by this network in new collections, embedding or embedding:`FILE`.onnx; others change to it by a refit")
	detectorVar(c, &s.detector)
	c.Flags().BoolVar(&s.private, "private-hooks", false, "send messages also to hooks on this machine and in private networks")
	c.Flags().StringVar(&s.certificate, "tls-cert", "", "speak TLS with the certificates in `FILE` (PEM), which is read again when it changes")
	c.Flags().StringVar(&s.key, "tls-key", "", "the key of --tls-cert is in `FILE` (PEM)")
	cli.Var(c, &s.limits.Origins, "allow-origin", "", "ORIGIN",
		"let pages of `ORIGIN`, such as https://door.example, send requests; several with commas", func(text string) ([]string, error) {
			all := strings.Split(text, ",")
			for _, origin := range all {
				if err := api.CheckOrigin(origin); err != nil {
					return nil, err
				}
			}
			return append(s.limits.Origins, all...), nil // each use of the flag adds some
		}, func([]string) string { return "" })
	c.Flags().StringVar(&s.limits.CompreFace, "compreface", "",
		"answer the calls of CompreFace, for the collection with this `NAME`, which is made if it is not there")
	c.Flags().StringVar(&s.log, "log", "text", "write the log in this `FORMAT`: text or json")
	c.Flags().StringVar(&s.level, "log-level", "info", "write what is at least of this `LEVEL`: debug, info, warn or error")
	c.Flags().StringVar(&s.limits.Backups, "backups", "",
		"write backups that are asked for into the folder `DIR`, where the metrics look for the latest (default DATA/backups)")
	s.login.register(c)
	brokerVar(c, &s.broker)
	photosVar(c, &s.limits)
	c.Flags().StringVar(&s.model, "import", "", "make a collection of the people in this `MODEL`, unless there is one")
	cli.Complete(c, "backups", cli.Folders)
	return c
}

// check runs s unless a flag is wrong.
func (s *serving) check(ctx context.Context) (err error) {
	if s.limits.Login, err = s.login.provider(); err != nil {
		return err
	}
	if err := server.CheckAddress(s.listen, s.database, s.limits.Login != nil); err != nil {
		return cli.AsMisuse(err)
	}
	return s.run(ctx)
}

// needsData is the error of a serve without a place for its data, or with two.
func (s *serving) needsData() error {
	next := "for example: nrdl serve nrdl-data"
	if s.limits.Photos != "" {
		next = "to look through this folder on a page, and to name who is in it: nrdl open " + legible.ShellWord(s.limits.Photos)
	}
	return advice.Add(cli.Misuse("serve needs either FOLDER, for its data, or --database"), "%s", next)
}

// checkPlace returns an error unless url, the value of --database, is the address of PostgreSQL or "", and
// the first argument, if there is one, is no address.
func checkPlace(url string, args []string) error {
	if len(args) > 0 && strings.Contains(args[0], "://") {
		return advice.Add(cli.Misuse("%s is an address, and FOLDER is a folder", legible.Address(args[0])),
			"PostgreSQL is named by --database URL")
	}
	if url == "" || strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return nil
	}
	return advice.Add(cli.Misuse("--database %s is no address of PostgreSQL", legible.Address(url)),
		"for example --database postgres://nrdl@db.example/nrdl; a folder for the data is given without --database")
}

// brokerVar registers the flag of the broker of MQTT.
func brokerVar(c *cobra.Command, b **mqtt.Broker) {
	cli.Var(c, b, "mqtt", "", "URL",
		"tell the MQTT broker at `URL` whom each camera saw (better by NRDL_MQTT: others may see arguments); Home Assistant finds them there",
		mqtt.ParseBroker, (*mqtt.Broker).String)
}

// photosVar registers the flags of the folder with the originals.
func photosVar(c *cobra.Command, o *server.Options) {
	c.Flags().StringVar(&o.Photos, "photos", "",
		"show the photographs of a person whose originals are in the folder `DIR`, which is only read")
	c.Flags().BoolVar(&o.Tags, "write-names", false, "let the page write names into the photographs of --photos, or "+
		"beside them, as identify --tags does")
	cli.Complete(c, "photos", cli.Folders)
}

// loadCertificate returns that of the flags, or nil without one.
func (s *serving) loadCertificate(log *slog.Logger) (*server.Certificate, error) {
	switch {
	case (s.certificate == "") != (s.key == ""):
		return nil, cli.Misuse("--tls-cert and --tls-key belong together")
	case s.certificate == "":
		return nil, nil
	}
	return server.LoadCertificate(s.certificate, s.key, log)
}

// warnOfNoKey warns if nobody is answered: a service that had a key needs one.
func (s *serving) warnOfNoKey(ctx context.Context, db *store.Store, log *slog.Logger) error {
	keyless, err := db.IsKeyless(ctx)
	if err != nil || keyless || s.limits.Login != nil {
		return err
	}
	keys, err := db.Keys(ctx)
	if err == nil && !slices.ContainsFunc(keys, store.Key.IsOfProgram) {
		where := cmp.Or(s.data, "--database URL")
		s.warnIn(log, "no key is left, and nobody is answered without one", "nrdl key create "+where+" makes one")
	}
	return err
}

// warnIn warns in the format of the log.
func (s *serving) warnIn(log *slog.Logger, warning, hint string) {
	if s.log == "json" { // each line is for a program
		log.Warn(warning, "hint", hint)
		return
	}
	s.Warn("%s", warning)
	s.Hint("%s", hint)
}

// warnOfPlain warns if others can read on the way what is sent.
func (s *serving) warnOfPlain(log *slog.Logger, secure bool) {
	const warning, hint = "keys and faces are sent without TLS, and other machines reach this address",
		"give --tls-cert and --tls-key, or let a firewall admit only a proxy that speaks TLS"
	if !secure && server.IsPublic(s.listen) {
		s.warnIn(log, warning, hint)
	}
}

// serving is one run of serve.
type serving struct {
	*app
	data, database, listen, input string
	model                         string // to import
	broker                        *mqtt.Broker
	certificate, key, log, level  string
	limits                        server.Options
	login                         logging
	private                       bool
	detector                      *face.Search

	// tell, if it is not nil, is called with the service and its address, before it answers.
	tell func(ctx context.Context, v *server.Service, address string) error
}

func (s *serving) run(ctx context.Context) error {
	o := s.limits
	o.Version, o.Private, o.Search = buildinfo.Read().Version, s.private, s.detector
	o.Album = func(put func(context.Context, string, func(io.Writer) error) error) jobs.Album {
		return album.NewBundle(put)
	}
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
	certificate, err := s.loadCertificate(o.Log)
	if err != nil {
		return err
	}
	if o.Input, err = people.ParseInput(s.input); err != nil {
		return err
	}
	if o.Backups, err = s.backups(); err != nil {
		return err
	}
	model, err := s.openModel() // before there is a database
	if err != nil {
		return err
	}
	fresh := store.IsNew(s.database)
	db, err := store.Open(ctx, s.database)
	if err != nil {
		return err
	}
	defer db.Close()
	defer s.publish(ctx, db, &o)()
	v := server.New(db, o)
	if err = s.warnOfNoKey(ctx, db, o.Log); err == nil {
		err = s.importModel(ctx, v, model)
	}
	if err != nil {
		return err
	}
	s.warnOfNoRoom(ctx, db, o.Log)
	l, err := v.Listen(ctx, s.listen)
	if err != nil {
		return err
	}
	l, scheme := secured(l, certificate)
	if s.tell != nil {
		if err := s.tell(ctx, v, scheme+l.Addr().String()); err != nil {
			return err
		}
	} else {
		s.tellListening(o.Log, scheme, l.Addr().String(), fresh)
	}
	s.warnOfPlain(o.Log, certificate != nil)
	return s.until(ctx, func() error { return v.Serve(ctx, l) })
}

// secured returns a listener that speaks TLS if there is a certificate, and how its address begins.
func secured(l net.Listener, c *server.Certificate) (net.Listener, string) {
	scheme := "http://"
	if c != nil {
		l, scheme = c.Listener(l), "https://"
	}
	if l.Addr().Network() == "unix" {
		scheme = "unix:"
	}
	return l, scheme
}

// publish tells the broker of --mqtt of photographs until the caller calls end.
func (s *serving) publish(ctx context.Context, db *store.Store, o *server.Options) (end func()) {
	if s.broker == nil {
		return func() {}
	}
	p := mqtt.New(db, s.broker, o.Log)
	o.Seen = p.Seen
	ctx, stop := context.WithCancel(ctx)
	var sending sync.WaitGroup
	sending.Go(func() { p.Run(ctx) })
	return func() { stop(); sending.Wait() }
}

// backups is the folder for them.
func (s *serving) backups() (string, error) {
	switch {
	case s.data != "":
		return cmp.Or(s.limits.Backups, filepath.Join(s.data, "backups")), nil
	case s.limits.Backups != "":
		return "", advice.Add(cli.Misuse("--backups is for the database in a folder"), "pg_dump makes backups of PostgreSQL")
	}
	return "", nil
}

// tellListening says where the service is, with a database that is fresh or was there.
func (s *serving) tellListening(log *slog.Logger, scheme, address string, fresh bool) {
	if s.log == "json" { // each line is for a program
		log.Info("listening", "address", scheme+address)
		return
	}
	s.Tell("listening on %s%s", scheme, address)
	if scheme == "unix:" {
		return
	}
	s.Tell("open this address in a browser; Ctrl-C ends the service")
	if fresh && s.model == "" {
		s.Tell("%s has a new database, without people", s.data)
	}
}

// warnOfNoRoom warns if nothing can be written to the database.
func (s *serving) warnOfNoRoom(ctx context.Context, db *store.Store, log *slog.Logger) {
	if err := db.CheckRoom(ctx); store.IsFull(err) {
		s.warnIn(log, "the disk of the database is full: people are recognised, and nothing can be changed",
			"make room: changes are then possible again, without a restart")
	} else if err != nil {
		s.warnIn(log, "nothing can be written beside the database: "+err.Error(), "give the folder to whoever runs this program")
	}
}

// until serves until ctx ends, which is how the command ends.
func (s *serving) until(ctx context.Context, serve func() error) error {
	s.endless = true
	s.drains.Store(true)
	if err := serve(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

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
		s.Tell("%s is not imported: it was imported before, or there is a collection %q", s.model, name)
		s.Hint("who was deleted stays deleted; a model with other people needs a file of another name, which its collection gets")
	default:
		s.Tell("imported %s: %s and %s are the collection %q", s.model, legible.People(subjects), legible.Count(n, "face"), name)
		s.Tell("not taken: the method, which the service has its own of, and pictures, which a model does not keep; " +
			"photographs that are added later have some")
	}
	return nil
}
