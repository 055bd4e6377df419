package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/connectors"
	"sluice/sandbox"
	"sluice/schema"
	"sluice/schema/docs/coverage"
)

func (c *cli) coverageCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "coverage",
		Short: "Print what sluice does with every endpoint of the documents, in Markdown",
		Long: `Print every endpoint that the API documents show and what sluice does with it: copied
into which table, called for something else, asked on demand, or not called; and
whether the sandbox plays it. It fails if an endpoint has no answer, or if a declared
one is on no document and not marked assumed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.coverage(cmd.Context())
		},
	}
}

func (c *cli) coverage(ctx context.Context) error {
	answers, misfits, err := c.laidOut(ctx)
	if err != nil {
		return err
	}
	if len(misfits) > 0 {
		return fmt.Errorf("declarations and documents disagree:\n%s", strings.Join(misfits, "\n"))
	}
	return c.show(answers, view.Verbatim(coverage.Markdown(answers)))
}

// laidOut compares the documents' endpoints with the declarations and the sandbox.
func (c *cli) laidOut(ctx context.Context) ([]coverage.Answer, []string, error) {
	rows, err := coverage.Rows()
	if err != nil {
		return nil, nil, fmt.Errorf("read the documents' endpoints: %w", err)
	}
	services := connectors.All()
	played, err := c.player(services)
	if err != nil {
		return nil, nil, err
	}
	served := make([]bool, len(rows))
	for i := range rows {
		if served[i], err = played.Probe(ctx, &rows[i]); err != nil {
			return nil, nil, fmt.Errorf("ask the sandbox for %s: %w", &rows[i], err)
		}
	}
	answers, misfits := coverage.Lay(rows, services, served)
	return answers, misfits, nil
}

// The names of the network and the module in the sandbox of the coverage.
const (
	playedNetwork = "partners"
	playedModule  = "cm_assets"
)

// player is a sandbox to send requests to.
func (c *cli) player(services []schema.Service) (*coverage.Player, error) {
	world, err := sandbox.New(sandbox.Options{
		Records: 1, Now: c.env.Now, Limits: sandbox.Limits{Off: true},
		Networks: []string{playedNetwork}, CustomModules: []string{playedModule},
	})
	if err != nil {
		return nil, errors.Join(errors.New("make a sandbox to probe"), err)
	}
	player := &coverage.Player{
		Handler: world, Roots: make(map[string]string, len(services)), Scheme: defaultVendor + "-oauthtoken",
		Client: url.Values{
			"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}, "refresh_token": {sandbox.RefreshToken},
		},
		Organization: sandbox.DefaultOrganizationID,
		Names: map[string]string{
			"<network>": playedNetwork, "<module_name>": playedModule, "<module_api_name>": playedModule, "{version}": "v8",
		},
	}
	for s := range services {
		player.Roots[services[s].Name] = services[s].Root
		if header := services[s].Organization.Header; header != "" {
			player.Headers = append(player.Headers, strings.ReplaceAll(header, "{vendor}", strings.ToLower(defaultVendor)))
		}
	}
	return player, nil
}
