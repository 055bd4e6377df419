package declared

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"sluice/cmd/sluice-dev/coverage"
	"sluice/connectors"
	"sluice/sandbox"
	"sluice/sandbox/witness"
	"sluice/schema"
	"sluice/schema/docs/endpoints"
)

// Coverage prints every endpoint that the API documents show and what sluice does with it: copied
// into which table, called for something else, asked on demand, or not called; and whether the
// sandbox plays it. Below, it prints how many values of a live answer of each list have a column.
// It fails if an endpoint has no answer, or if a declared one is on no document and not marked
// assumed.
func Coverage(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sluice-dev coverage", flag.ContinueOnError)
	if err := noArguments(flags, args, stderr); err != nil {
		return err
	}
	answers, misfits, err := laidOut(ctx)
	if err != nil {
		return err
	}
	if len(misfits) > 0 {
		return fmt.Errorf("declarations and documents disagree:\n%s", strings.Join(misfits, "\n"))
	}
	values, err := liveValues()
	if err != nil {
		return err
	}
	return write(stdout, coverage.Markdown(answers, values))
}

// liveSample is a record of a list as live services send it.
type liveSample struct {
	service  string
	resource *schema.Resource
	record   json.RawMessage
}

// liveSamples reads the sandbox's sample of each declared list.
func liveSamples() ([]liveSample, error) {
	var all []liveSample
	services := connectors.All()
	for s := range services {
		for r := range services[s].Resources {
			resource := &services[s].Resources[r]
			sample, err := witness.Load(services[s].Name, resource.Name)
			if err != nil {
				return nil, fmt.Errorf("read a sample of live answers: %w", err)
			}
			whole, err := sample.Whole()
			if err != nil {
				return nil, fmt.Errorf("read a sample of live answers: %w", err)
			}
			all = append(all, liveSample{services[s].Name, resource, whole})
		}
	}
	return all, nil
}

// liveValues counts the values of the samples by where they go.
func liveValues() ([]coverage.Values, error) {
	samples, err := liveSamples()
	if err != nil {
		return nil, err
	}
	all := make([]coverage.Values, 0, len(samples))
	for _, sample := range samples {
		values, err := coverage.CountValues(sample.service, sample.resource, sample.record)
		if err != nil {
			return nil, fmt.Errorf("count the values of live answers: %w", err)
		}
		all = append(all, values)
	}
	return all, nil
}

// laidOut compares the documents' endpoints with the declarations and the sandbox.
func laidOut(ctx context.Context) ([]coverage.Answer, []string, error) {
	rows, err := endpoints.Rows()
	if err != nil {
		return nil, nil, fmt.Errorf("read the documents' endpoints: %w", err)
	}
	services := connectors.All()
	played, err := player(services)
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

// vendor is how the documents write the vendor's name.
const vendor = "Svc"

// player is a sandbox to send requests to.
func player(services []schema.Service) (*coverage.Player, error) {
	world, err := sandbox.New(sandbox.Options{
		Records: 1, Now: time.Now, Limits: sandbox.Limits{Off: true},
		Networks: []string{playedNetwork}, CustomModules: []string{playedModule},
	})
	if err != nil {
		return nil, errors.Join(errors.New("make a sandbox to probe"), err)
	}
	asked := &coverage.Player{
		Handler: world, Roots: make(map[string]string, len(services)), Scheme: vendor + "-oauthtoken",
		Client: url.Values{
			"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}, "refresh_token": {sandbox.RefreshToken},
		},
		Organization: sandbox.DefaultOrganizationID,
		Names: map[string]string{
			"<network>": playedNetwork, "<module_name>": playedModule, "<module_api_name>": playedModule, "{version}": "v8",
		},
	}
	for s := range services {
		asked.Roots[services[s].Name] = services[s].Root
		if header := services[s].Organization.Header; header != "" {
			asked.Headers = append(asked.Headers, strings.ReplaceAll(header, "{vendor}", strings.ToLower(vendor)))
		}
	}
	return asked, nil
}
