package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sluice/pipeline"
	"sluice/pipeline/lineage/verify"
	"sluice/pipeline/sync"
	"sluice/pipeline/warehouse/lineage"
	"sluice/pipeline/warehouse/verifications"
	"sluice/schema/ddl"
)

// VerifyOptions say what to verify.
type VerifyOptions struct {
	// Names and Organization are those of the command line.
	Names        []string
	Organization string
	// Calls is the largest number of calls; Sample is how many rows of each resource are compared
	// with their raw records, zero for all.
	Calls, Sample int
}

// Verify checks the warehouse against itself and, as far as the calls suffice, against upstream.
func (a *App) Verify(ctx context.Context, o VerifyOptions) (verify.Result, error) {
	selected, err := a.Select(o.Names, o.Organization)
	if err != nil {
		return verify.Result{}, err
	}
	key, err := a.OrganizationKey(o.Organization)
	if err != nil {
		return verify.Result{}, err
	}
	options := verify.Options{
		Scope: verifications.Scope{Organization: key}, Calls: o.Calls, Sample: o.Sample, Store: verifications.New(a.DB.Pool()),
		Rules: pipeline.DefaultRules(), Words: strings.TrimSpace(o.Organization + " " + strings.Join(o.Names, " ")),
	}
	lacks, err := a.Lacking(ctx)
	if err != nil {
		return verify.Result{}, err
	}
	for _, stream := range selected {
		if stream.Work != pipeline.WorkList {
			continue
		}
		if found := lackingOf(stream, lacks); len(found) > 0 {
			options.Lacking = append(options.Lacking, found...)
			continue // only lists with complete tables are verified
		}
		if err := a.mayHash(stream); err != nil {
			return verify.Result{}, err
		}
		options.Streams = append(options.Streams, stream)
		if len(o.Names) > 0 {
			options.Scope.Resources = append(options.Scope.Resources, resourceName(stream),
				stream.Resource.SchemaName(stream.Service)+"."+stream.Resource.Name)
		}
	}
	if len(options.Streams) == 0 && len(options.Lacking) == 0 {
		return verify.Result{}, fmt.Errorf("%w: single records are verified with their list: write the name without .details", ErrUsage)
	}
	if o.Calls > 0 {
		client, err := a.Client()
		if err != nil {
			return verify.Result{}, err
		}
		options.Source = sync.LeavingOut(client)
		options.Load = func(ctx context.Context, stream pipeline.Stream, batch pipeline.Batch) error {
			_, err := a.reload(ctx, stream, batch, "records of the quarantine that sluice verify read")
			if errors.Is(err, ErrBusy) || errors.Is(err, pipeline.ErrLostClaim) {
				return nil // the run under way or the next one reads them
			}
			return err
		}
	}
	result, err := verify.Run(ctx, options)
	if err != nil {
		return result, fmt.Errorf("verify: %w", err)
	}
	return result, nil
}

// lackingOf returns what is missing of a stream's tables, as findings.
func lackingOf(stream pipeline.Stream, lacks []ddl.Lack) []verifications.Finding {
	var findings []verifications.Finding
	for _, lack := range lacks {
		if lack.Service == stream.Service.Name && lack.Resource == stream.Resource.Name {
			findings = append(findings, verifications.Finding{
				Severity: verifications.Violation, Source: verifications.SourceCheck, Code: "tables", Organization: stream.Organization,
				Service: lack.Service, Resource: lack.Resource, Detail: lack.String() + ", and its rows were not looked at: sluice migrate",
			})
		}
	}
	return findings
}

// Explain returns the history of a record of an organization, and the list that brings it. Record
// is its key in the warehouse, name a name of its resource. Archives bounds how many archives of
// raw records are searched.
func (a *App) Explain(ctx context.Context, name, record, organization string, archives int) (lineage.History, pipeline.Stream, error) {
	stream, err := a.list(name, organization)
	if err != nil {
		return lineage.History{}, pipeline.Stream{}, err
	}
	history, err := lineage.New(a.DB.Pool()).Record(ctx, stream, record, archives)
	if err != nil {
		return history, stream, fmt.Errorf("explain: %w", err)
	}
	return history, stream, nil
}

// RawRecords returns the raw record of each version of a record, nil where it is not kept any more.
// What is left out of the stream's records is left out of older ones, too.
func (a *App) RawRecords(ctx context.Context, stream pipeline.Stream, versions []lineage.Version) ([][]byte, error) {
	records, err := lineage.New(a.DB.Pool()).Records(ctx, versions)
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	for i := range records {
		if records[i] != nil {
			records[i] = stream.LeaveOut.Record(records[i])
		}
	}
	return records, nil
}
