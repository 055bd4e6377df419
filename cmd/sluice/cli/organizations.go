package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse"
)

// organizationView is one configured organization and what upstream says about it.
type organizationView struct {
	Name string `json:"name"`
	ID   string `json:"id"`
	// Key is the key of its rows in the warehouse.
	Key        string   `json:"key"`
	DataCenter string   `json:"data_center"`
	Services   []string `json:"services"`
	// TimeZone is the time zone in use.
	TimeZone string `json:"time_zone"`
	// Pinned is the business that upstream named for it; nil before the first check.
	Pinned *warehouse.Organization `json:"pinned"`
}

func (c *cli) organizationsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "organizations",
		Short: "Show the organizations, and which business upstream says each is",
		Long: `Show the configured organizations. The name that upstream gives an organization is
pinned when it is first met: if another one comes under the same id, nothing of it is
copied, for the rows of two businesses must not be mixed, until an operator has corrected
the configuration or accepted the new name.`,
		Args: cobra.NoArgs,
		RunE: c.offlineWork(c.organizations),
	}
	cmd.AddCommand(c.acceptOrganizationCommand(), c.retryOrganizationCommand())
	return cmd
}

func (c *cli) acceptOrganizationCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "accept NAME",
		Short: "Pin an organization to the name that upstream gives it now",
		Long: `Pin an organization to the name that upstream gives it now: say that it is the same
business as before, renamed. NAME is its name, key or id in the configuration. It asks
upstream with one call. Streams that were denied are tried again when asked for.`,
		Example: "  sluice organizations accept acme\n  sluice sync --org acme",
		Args:    cobra.ExactArgs(1),
		RunE:    c.upstreamWork(c.acceptOrganization),
	}
}

func (c *cli) organizations(ctx context.Context, a *engine.App, _ []string) error {
	views, err := organizationsOf(ctx, a)
	if err != nil {
		return err
	}
	const head = headOrganization + "  ID  KEY  UPSTREAM CALLS IT  ACTIVE  TIME ZONE  DATA CENTER  SERVICES"
	return c.show(views, view.Table(views, head, func(v *organizationView) view.Row {
		pinned, active := "not met yet", ""
		if v.Pinned != nil {
			pinned, active = v.Pinned.Name, view.YesNo(v.Pinned.Active)
		}
		return view.Row{v.Name, v.ID, v.Key, pinned, active, v.TimeZone, v.DataCenter, strings.Join(v.Services, ", ")}
	}))
}

func organizationsOf(ctx context.Context, a *engine.App) ([]organizationView, error) {
	known, err := a.DB.Organizations(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what is known of the organizations: %w", err)
	}
	views := make([]organizationView, 0, len(a.Config.Organizations))
	for i := range a.Config.Organizations {
		views = append(views, viewOf(a, &a.Config.Organizations[i], known))
	}
	return views, nil
}

func viewOf(a *engine.App, o *config.Organization, known []warehouse.Organization) organizationView {
	shown := organizationView{
		Name: o.Name, ID: o.ID, Key: o.Key, DataCenter: o.DataCenter, TimeZone: a.Zone(o.Key).String(),
		Services: slices.Sorted(maps.Keys(o.Services)),
	}
	for i := range known {
		if known[i].Organization == o.Key {
			shown.Pinned = &known[i]
		}
	}
	return shown
}

// acceptedView is the accepted business.
type acceptedView struct {
	Key      string    `json:"key"`
	Name     string    `json:"name"`
	TimeZone string    `json:"time_zone"`
	At       time.Time `json:"at"`
}

func (c *cli) acceptOrganization(ctx context.Context, a *engine.App, args []string) error {
	o, err := a.ChooseOrganization(args[0])
	if err != nil {
		return err
	}
	client, err := a.Client()
	if err != nil {
		return err
	}
	seen, err := a.Identities(client).Accept(ctx, o)
	if err != nil {
		return err
	}
	return c.show(acceptedView{Key: o.Key, Name: seen.Name, TimeZone: seen.TimeZone, At: c.env.Now()},
		view.Line("Organization %s is %q now, time zone %s. Its streams go on when they are asked for: sluice sync --org %s",
			o.Name, seen.Name, cmp.Or(seen.TimeZone, "not said"), o.Key))
}

func (c *cli) retryOrganizationCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "retry NAME",
		Short: "Ask the authorization server again for an organization that was refused",
		Long: `Ask the authorization server for an access token, whatever it refused before, and
let the organization's streams go on if it gives one. NAME is the organization's name,
key or id in the configuration.

A credential that was refused is denied: it is asked about once a day. This command
forgets the refusal and asks now, after the consent, the client or the authorization
server were set right. Between two requests lies a minute, so it may take that long.
The exit code is 1 if the credential is refused, 3 if the server gives no answer.`,
		Example: "  sluice organizations retry acme\n  sluice sync --org acme",
		Args:    cobra.ExactArgs(1),
		RunE:    c.upstreamWork(c.retryOrganization),
	}
}

// retriedView is the result of asking again.
type retriedView struct {
	Key        string `json:"key"`
	Authorized bool   `json:"authorized"`
	// Streams is how many streams go on.
	Streams int    `json:"streams"`
	Error   string `json:"error,omitempty"`
}

func (c *cli) retryOrganization(ctx context.Context, a *engine.App, args []string) error {
	o, err := a.ChooseOrganization(args[0])
	if err != nil {
		return err
	}
	woken, err := a.Reauthorize(ctx, o, func(failure *pipeline.Error) {
		// A lost progress line does no harm: the result says the same.
		_, _ = fmt.Fprintf(c.env.Stderr, "%s; asking again at %s\n", failure.Detail, failure.Until.In(a.Zone(o.Key)).Format("15:04:05 MST"))
	})
	if err != nil && pipeline.KindOf(err) == pipeline.Unavailable {
		err = &exitError{code: codeEnvironment, err: err}
	}
	shown := retriedView{Key: o.Key, Authorized: err == nil, Streams: woken, Error: said(err)}
	if err != nil {
		return errors.Join(err, c.show(shown))
	}
	return c.show(shown, view.Line("The authorization server gives organization %s a token. "+
		"Denied or waiting streams that go on: %s (at once: sluice sync --org %s)",
		o.Name, view.Count(woken), o.Key))
}
