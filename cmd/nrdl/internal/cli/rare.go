package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl.example/nrdl/cmd/nrdl/internal/console"
)

// rare are flags that few people need: --help has their names alone.
var rare = strings.Fields(`allow-origin backup backups burst by-reference ca calibrate compreface creds crop database detect detector expression
	eyes folds force forget input key-file lease light log log-level max-decoding max-files max-import max-request max-
	requests metrics mirror names nats occlusion oidc-client-id oidc-client-secret-file oidc-groups oidc-groups-claim
	oidc-issuer people photometric pose preset private-hooks project rate request-time seed skip skip-trained tags tls-
	cert tls-key trace twice wait warm x y`)

// common are flags that are rare for other commands.
var common = map[string]string{"identify": "tags", "serve": "database", "data synth": "seed", "explain": "input"}

const full, details = "full", "details" // annotations of a command

// Detail gives c a text that --help does not have: nrdl help COMMAND --all and the manual do.
func Detail(c *cobra.Command, text string) {
	c.Annotations = map[string]string{details: strings.TrimSpace(text)}
}

// InFull makes the help of c, and of all commands below it, explain everything.
func InFull(c *cobra.Command) {
	if text := c.Annotations[details]; text != "" && c.Annotations[full] == "" {
		c.Long += "\n\n" + text
	}
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[full] = "yes"
	for _, sub := range c.Commands() {
		InFull(sub)
	}
}

// flagsOf explains the flags of c itself, and names those that are rare.
func flagsOf(c *cobra.Command) string {
	shown, rest := pflag.NewFlagSet("", pflag.ContinueOnError), []string{}
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || f.Name == "help":
		case c.Annotations[full] == "" && slices.Contains(rare, f.Name) && common[path] != f.Name:
			rest = append(rest, "--"+f.Name)
		default:
			shown.AddFlag(f)
		}
	})
	text := ""
	if shown.HasAvailableFlags() {
		text = "\n\nFlags:\n" + strings.TrimRight(shown.FlagUsagesWrapped(console.Columns), "\n")
	}
	if len(rest) > 0 || c.Annotations[details] != "" && c.Annotations[full] == "" {
		line := "\n\nnrdl help " + path + " --all explains more"
		for i, name := range rest {
			switch last := line[strings.LastIndex(line, "\n")+1:]; {
			case i == 0:
				line += ": " + name
			case len(last)+len(name)+1 > console.Columns:
				line += "\n  " + name
			default:
				line += " " + name
			}
		}
		text += line
	}
	return text
}
