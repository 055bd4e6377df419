package cli

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/connectors"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/outside"
	"sluice/schema"
)

// Env is the environment of a process.
type Env struct {
	Stdout, Stderr io.Writer
	// Stdin is what a person or a program types; nil is an input that has ended.
	Stdin     io.Reader
	LookupEnv func(string) (string, bool)
	ReadFile  func(string) ([]byte, error)
	Now       func() time.Time
	// Retries are the waits between the attempts of a chunk that failed; nil means the usual ones.
	Retries []time.Duration
	// Minute is the length of the minute of the limits, for tests; zero means a minute.
	Minute time.Duration

	// scrub knows the secrets in force; Main makes it.
	scrub *outside.Scrubber
}

// cli is what all commands share.
type cli struct {
	env      Env
	config   string
	json     bool
	logLevel string
}

func (c *cli) printer() view.Printer { return view.Printer{Out: c.env.Stdout, JSON: c.json} }

// show prints a result: the document for programs, or the parts for people.
func (c *cli) show(document any, parts ...view.Part) error {
	return c.printer().Show(document, parts...)
}

// path is the configuration file in use.
func (c *cli) path() string {
	if c.config != "" {
		return c.config
	}
	if path, ok := c.env.LookupEnv("SLUICE_CONFIG"); ok && path != "" {
		return path
	}
	return "config.yaml"
}

// options are the engine's options for this command line.
func (c *cli) options() engine.Options {
	var terminal io.Writer
	if view.IsTerminal(c.env.Stderr) {
		terminal = view.Beneath(c.env.Stderr)
	}
	return engine.Options{
		Catalogue:  connectors.All(),
		ConfigPath: c.path(),
		LookupEnv:  c.env.LookupEnv,
		ReadFile:   c.env.ReadFile,
		Now:        c.env.Now,
		Retries:    c.env.Retries,
		Minute:     c.env.Minute,
		LogTo:      c.env.Stderr,
		Terminal:   terminal,
		LogLevel:   c.logLevel,
		Quiet:      true,
		Version:    version,
		Scrub:      c.env.scrub,
	}
}

// offline are the options of a command that makes no call upstream.
func (c *cli) offline() engine.Options {
	options := c.options()
	options.Purpose = config.ForOffline
	return options
}

// work is what a command does, with the arguments of its command line.
type work func(ctx context.Context, a *engine.App, args []string) error

// offlineWork runs work that makes no call upstream and needs no upstream secret.
func (c *cli) offlineWork(do work) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error { return do(ctx, a, args) })
	}
}

// upstreamWork runs work that calls upstream.
func (c *cli) upstreamWork(do work) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return c.withUpstream(cmd.Context(), true, func(ctx context.Context, a *engine.App) error { return do(ctx, a, args) })
	}
}

// withApp opens an app for work that makes no call upstream and needs no upstream secret.
func (c *cli) withApp(ctx context.Context, do func(context.Context, *engine.App) error) error {
	return withOptions(ctx, c.offline(), do)
}

// withUpstream opens an app; asks says whether the work calls upstream.
func (c *cli) withUpstream(ctx context.Context, asks bool, do func(context.Context, *engine.App) error) error {
	if asks {
		return withOptions(ctx, c.options(), do)
	}
	return c.withApp(ctx, do)
}

// withOptions opens an app, does the work, and closes the app.
func withOptions(ctx context.Context, options engine.Options, do func(context.Context, *engine.App) error) error {
	a, err := engine.Open(ctx, options)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, a), a.Close(ctx))
}

// catalogue gives the services, with what the configuration adds, and their scopes. Without a
// usable configuration it gives the built-in catalogue: operators look at it before they write one.
func (c *cli) catalogue() ([]schema.Service, scopeWriter, error) {
	services, vendor := connectors.All(), defaultVendor
	if a, err := engine.Load(c.offline()); err == nil {
		services, vendor = a.Catalogue, a.Config.Vendor.Name
	}
	scopes, err := newScopeWriter(vendor)
	return services, scopes, err
}

// defaultVendor is how the documents write the vendor's name.
const defaultVendor = "Svc"

// organizationFlag is --org. It means the same in every command: one organization, by its name, key
// or id.
type organizationFlag string

func (f *organizationFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(f), "org", "", "only this organization (name, key or id)")
}

// key is the key of the organization, "" if none is named.
func (f *organizationFlag) key(a *engine.App) (string, error) {
	return a.OrganizationKey(string(*f))
}

// splitName takes "service.resource" apart; a name without a service is a resource.
func splitName(name string) (string, string) {
	if before, after, found := strings.Cut(name, "."); found {
		return before, after
	}
	return "", name
}

// streamName names a stream, with its organization if several says that the table has several.
func streamName(several bool, organization, service, resource string) string {
	name := strings.TrimSuffix(service+"."+resource, ".")
	if several {
		name = organization + "/" + name
	}
	return name
}

// manyOrganizations says that the configuration has more than one organization, so that the names
// of streams need theirs.
func manyOrganizations(a *engine.App) bool { return len(a.Config.Organizations) > 1 }

// numbers parses the numbers of a command line. Its error names what the number is (what) and the
// command that lists such numbers (list).
func numbers(args []string, what, list string) ([]int64, error) {
	read := make([]int64, 0, len(args))
	for _, arg := range args {
		n, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || n < 1 {
			return nil, usage("%q is no %s: sluice %s shows them", arg, what, list)
		}
		read = append(read, n)
	}
	return read, nil
}

// numberedWork runs work on the numbers of a command line, of which it makes no call upstream; what
// and list are those of numbers.
func (c *cli) numberedWork(
	what, list string, do func(context.Context, *engine.App, []int64) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ids, err := numbers(args, what, list)
		if err != nil {
			return err
		}
		return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error { return do(ctx, a, ids) })
	}
}

// headOrganization is the header of the column of the organization.
const headOrganization = "ORGANIZATION"
