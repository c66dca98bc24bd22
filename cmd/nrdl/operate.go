package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/server"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/store"
)

func (a *app) healthcheckCmd() *cobra.Command {
	return &cobra.Command{
		Use:  "healthcheck URL",
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return server.CheckReady(c.Context(), args[0])
		},
	}
}

func (a *app) backupCmd() *cobra.Command {
	var keep int
	c := &cobra.Command{
		Use:  "backup DATA FILE",
		Args: cli.Arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if keep < 0 {
				return cli.Misuse("--keep: %d is below 0", keep)
			}
			info, err := os.Stat(args[1])
			if isFolder := err == nil && info.IsDir(); keep > 0 && !isFolder {
				return advice.Add(cli.Misuse("--keep needs a folder, and %s is none", args[1]), "make the folder first")
			}
			if err != nil && filepath.Ext(args[1]) == "" { // a file of this name would be in the way of the next backup
				return advice.Add(cli.Misuse("there is no folder %s, and it has no ending, as a file has", args[1]),
					"make the folder first, or give a file, such as %s.db", args[1])
			}
			at, size, backupErr := jobs.BackupFile(c.Context(), filepath.Join(args[0], "nrdl.db"), args[1], keep)
			if backupErr != nil && err == nil && !info.IsDir() {
				return advice.Add(backupErr, "name another file, or a folder, which keeps them all")
			} else if backupErr != nil {
				return backupErr
			}
			_, err = fmt.Fprintf(a.Results, "%s\t%d bytes\n", at, size)
			return err
		},
	}
	c.Flags().IntVar(&keep, "keep", 0, "if FILE is a folder, keep only the latest `N` backups there; 0: all")
	return c
}

func (a *app) keyCmd() *cobra.Command {
	c := &cobra.Command{Use: "key"}
	var database string
	c.PersistentFlags().StringVar(&database, "database", "", "the PostgreSQL database at `URL`, instead of DATA")
	with := func(do onStore) func(*cobra.Command, []string) error {
		return func(c *cobra.Command, args []string) error { return withStore(c, database, args, do) }
	}
	list := &cobra.Command{
		Use: "list [DATA]", Args: cli.Arguments(0, 1),
		RunE: with(func(ctx context.Context, db *store.Store, _ []string) error {
			keys, err := db.Keys(ctx)
			for _, k := range keys {
				until := "never"
				if !k.Expires.IsZero() {
					until = k.Expires.Format("2006-01-02")
				}
				of, name := cmp.Or(strings.Join(k.Collections, ","), "all collections"), k.Name
				if k.Email != "" {
					name += " <" + k.Email + ">"
				}
				if !k.IsOfProgram() {
					name += " (logged in)"
				}
				if _, err := fmt.Fprintf(a.Results, "%s\t%q\t%s\t%s\t%s\t%s\n", k.ID, name, strings.Join(k.Scopes, ","),
					k.Created.Format("2006-01-02"), until, of); err != nil {
					return err
				}
			}
			return err
		}),
	}
	c.AddCommand(a.keyCreateCmd(with), list, a.keyRevokeCmd(with))
	return c
}

func (a *app) keyRevokeCmd(with func(onStore) func(*cobra.Command, []string) error) *cobra.Command {
	var open bool
	c := &cobra.Command{
		Use: "revoke [DATA] ID", Args: cli.Arguments(1, 2),
		RunE: with(func(ctx context.Context, db *store.Store, args []string) error {
			if len(args) != 1 {
				return advice.Add(cli.Misuse("name the id of one key"), "nrdl key list DATA shows them")
			}
			err := db.DeleteKey(ctx, "operator", args[0], open)
			switch {
			case errors.Is(err, store.ErrNotFound):
				return advice.Add(err, "nrdl key list DATA shows the ids")
			case errors.Is(err, store.LastKey) && open:
				return advice.Add(err, "or revoke the other keys before: --open is for the very last one")
			case errors.Is(err, store.LastKey):
				return advice.Add(err,
					"nrdl key create DATA makes one; with --open the last key goes, and every program of this machine may then do everything without one")
			case err == nil && open:
				return a.warnIfKeyless(ctx, db)
			}
			return err
		}),
	}
	c.Flags().BoolVar(&open, "open", false, "revoke the last key, too: requests from this machine then need none")
	return c
}

// warnIfKeyless says what it means that a service needs no key.
func (a *app) warnIfKeyless(ctx context.Context, db *store.Store) error {
	keyless, err := db.IsKeyless(ctx)
	if keyless {
		a.Warn("no key is left: every program of this machine may do everything, and so may whoever comes by a proxy that " +
			"does not say that it is one")
	}
	return err
}

// An onStore does something with the database of a service and the other arguments.
type onStore func(ctx context.Context, db *store.Store, args []string) error

// withStore calls do with the database at the URL database, or, if that is "", in the
// folder that the first argument names.
func withStore(c *cobra.Command, database string, args []string, do onStore) error {
	if err := checkPlace(database, args); err != nil {
		return err
	}
	at := database
	if at == "" {
		if len(args) == 0 {
			return advice.Add(cli.Misuse("%s needs either DATA, the folder of the database, or --database", c.CommandPath()),
				"usage: %s", c.UseLine())
		}
		at, args = filepath.Join(args[0], "nrdl.db"), args[1:]
	}
	if database == "" && c.Name() != "create" {
		if _, err := os.Stat(at); err != nil {
			return fmt.Errorf("no database of a service: %w", err)
		}
	} else if database == "" {
		if err := server.CheckFolder(filepath.Dir(at), false); err != nil {
			return cli.AsMisuse(err)
		}
	}
	db, err := store.OpenServed(c.Context(), at)
	if err != nil {
		return err
	}
	defer db.Close()
	return do(c.Context(), db, args)
}

func (a *app) keyCreateCmd(with func(onStore) func(*cobra.Command, []string) error) *cobra.Command {
	var k store.Key
	var day string
	var expires *time.Time
	create := &cobra.Command{
		Use: "create [DATA]", Args: cli.Arguments(0, 1),
		PreRunE: func(*cobra.Command, []string) error {
			if err := api.CheckScopes(k.Scopes); err != nil {
				return cli.Misuse("--scope, given once for each: %v", err)
			}
			for _, c := range k.Collections {
				if uuid.Validate(c) != nil {
					return cli.Misuse("--collection: %.40q is no id of a collection, such as 0198f0c2-7a3e-7e52-9b1a-2f1c6b1f8e55", c)
				}
			}
			if day != "" {
				at, err := time.Parse(time.DateOnly, day)
				if err != nil {
					return cli.Misuse("--expires: %.40q is no day such as 2027-01-31", day)
				}
				expires = &at
			}
			return nil
		},
		RunE: with(func(ctx context.Context, db *store.Store, args []string) error {
			secret, err := api.CreateKey(ctx, db, k, expires)
			if err != nil {
				return err
			}
			if _, err = fmt.Fprintln(a.Results, secret); err != nil {
				return err
			}
			a.Tell("it is not shown again; programs send it as \"Authorization: Bearer KEY\", and the page asks for it")
			return nil
		}),
	}
	create.Flags().StringVar(&k.Name, "name", "operator", "the key's `NAME`, for lists and the audit log")
	create.Flags().StringArrayVar(&k.Scopes, "scope", []string{"admin"},
		"what it may do, given once for each: `SCOPE` is "+strings.Join(api.Scopes, ", "))
	create.Flags().StringArrayVar(&k.Collections, "collection", nil,
		"it is for the collection with this `ID` only, given once for each (default all)")
	create.Flags().StringVar(&day, "expires", "", "it ends when that `DAY` begins (2027-01-31, UTC; default never)")
	return create
}
