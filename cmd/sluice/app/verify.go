package app

import (
	"context"
	"fmt"
	"strings"

	"sluice/cmd/sluice/verify"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/audit"
)

// VerifyOptions say what a verification looks at.
type VerifyOptions struct {
	// Names and Organization are those of a command line.
	Names        []string
	Organization string
	// Calls are what may be called; Sample is how many rows of each resource are held against their raw records, zero for all.
	Calls, Sample int
}

// Auditor looks for what must not be.
func (a *App) Auditor() *audit.Auditor { return audit.New(a.DB.Pool()) }

// Verify holds the warehouse against itself and, as far as the calls go, against upstream.
func (a *App) Verify(ctx context.Context, o VerifyOptions) (verify.Result, error) {
	selected, err := a.Select(o.Names, o.Organization)
	if err != nil {
		return verify.Result{}, err
	}
	key, err := a.organizationKey(o.Organization)
	if err != nil {
		return verify.Result{}, err
	}
	options := verify.Options{
		Scope: audit.Scope{Organization: key}, Calls: o.Calls, Sample: o.Sample, Auditor: a.Auditor(), Zone: a.Zone,
		Rules: pipeline.DefaultRules(), Words: strings.TrimSpace(o.Organization + " " + strings.Join(o.Names, " ")),
	}
	for _, stream := range selected {
		if stream.Work != pipeline.WorkList {
			continue
		}
		options.Streams = append(options.Streams, stream)
		if len(o.Names) > 0 {
			options.Scope.Resources = append(options.Scope.Resources, resourceName(stream),
				stream.Resource.SchemaName(stream.Service)+"."+stream.Resource.Name)
		}
	}
	if len(options.Streams) == 0 {
		return verify.Result{}, fmt.Errorf("%w: single records are verified with their list: write the name without .details", ErrUsage)
	}
	if o.Calls > 0 {
		client, err := a.Client()
		if err != nil {
			return verify.Result{}, err
		}
		options.Source = client
	}
	result, err := verify.Run(ctx, options)
	if err != nil {
		return result, fmt.Errorf("verify: %w", err)
	}
	return result, nil
}
