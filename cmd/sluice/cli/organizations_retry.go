package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
)

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
	shown := retriedView{Key: o.Key, Authorized: err == nil, Streams: woken}
	if err != nil {
		shown.Error = err.Error()
		return errors.Join(err, c.show(shown))
	}
	return c.show(shown, view.Line("The authorization server gives organization %s a token. "+
		"Denied or waiting streams that go on: %s (at once: sluice sync --org %s)",
		o.Name, view.Count(woken), o.Key))
}
