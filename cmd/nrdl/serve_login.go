package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/server/login"
)

// A logging is the flags of how people log in.
type logging struct {
	login.Options
	secretFile string
}

// register registers them.
func (l *logging) register(c *cobra.Command) {
	cli.Var(c, &l.Issuer, "oidc-issuer", "", "ISSUER",
		"let people log in at the provider of OpenID Connect with this `ISSUER`, https://…", func(text string) (string, error) {
			return text, login.CheckIssuer(text)
		}, func(text string) string { return text })
	c.Flags().StringVar(&l.Client, "oidc-client-id", "", "the service has this `ID` there")
	c.Flags().StringVar(&l.secretFile, "oidc-client-secret-file", "", "its secret is in `FILE` (default none)")
	cli.Var(c, &l.Roles, "oidc-groups", "", "ROLES",
		"who may what: `ROLES` such as reader=staff,editor=photos,admin=it; the group * is everybody", login.ParseRoles, login.Roles.String)
	c.Flags().StringVar(&l.Claim, "oidc-groups-claim", "", "the groups of a person are in the claim `NAME` (default groups)")
}

// provider returns that of the flags; nil without one.
func (l *logging) provider() (*login.Provider, error) {
	if l.Issuer == "" {
		if l.Client != "" || l.secretFile != "" || len(l.Roles) > 0 || l.Claim != "" {
			return nil, cli.Misuse("--oidc-client-id, --oidc-client-secret-file, --oidc-groups and --oidc-groups-claim need --oidc-issuer")
		}
		return nil, nil
	}
	if l.Client == "" || len(l.Roles) == 0 {
		return nil, advice.Add(cli.Misuse("--oidc-issuer needs --oidc-client-id and --oidc-groups"),
			"for example: --oidc-client-id nrdl --oidc-groups reader=staff,admin=it")
	}
	if l.secretFile != "" {
		text, err := os.ReadFile(l.secretFile)
		if err != nil {
			return nil, fmt.Errorf("--oidc-client-secret-file: %w", err)
		}
		if l.Secret = strings.TrimSpace(string(text)); l.Secret == "" {
			return nil, fmt.Errorf("--oidc-client-secret-file: %s is empty", l.secretFile)
		}
	}
	return login.New(l.Options), nil
}
