package capabilities

import (
	"context"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

const sqlCapabilities = `
SELECT organization_id, service, resource, capability, verdict, value, source, evidence, seen_at,
	greatest(extract(epoch FROM clock_timestamp() - seen_at), 0)::float8 AS age
FROM sluice.capabilities ORDER BY organization_id, service, resource, capability`

// AllCapabilities gives what is known of all lists.
func (s *Store) AllCapabilities(ctx context.Context) (map[pipeline.Key]pipeline.Capabilities, error) {
	type row struct {
		Organization string              `db:"organization_id"`
		Service      string              `db:"service"`
		Resource     string              `db:"resource"`
		Capability   pipeline.Capability `db:"capability"`
		Answer       pipeline.Answer     `db:"verdict"`
		Value        string              `db:"value"`
		Source       pipeline.Source     `db:"source"`
		Evidence     string              `db:"evidence"`
		SeenAt       time.Time           `db:"seen_at"`
		Age          float64             `db:"age"`
	}
	rows, err := postgres.Read[row](ctx, s.pool, "what lists can do", sqlCapabilities)
	if err != nil {
		return nil, err
	}
	all := make(map[pipeline.Key]pipeline.Capabilities)
	for _, r := range rows {
		key := pipeline.Key{Organization: r.Organization, Service: r.Service, Resource: r.Resource}
		if all[key] == nil {
			all[key] = make(pipeline.Capabilities)
		}
		all[key][r.Capability] = pipeline.Verdict{
			Capability: r.Capability, Answer: r.Answer, Value: r.Value, Source: r.Source, Evidence: r.Evidence, SeenAt: r.SeenAt,
			Age: time.Duration(r.Age * float64(time.Second)),
		}
	}
	return all, nil
}

// Lateness is how late records became visible in a list.
type Lateness struct {
	Organization string `db:"organization_id" json:"-"`
	Service      string `db:"service"         json:"-"`
	Resource     string `db:"resource"        json:"-"`
	// Records came late within the bound of the lag, Beyond later than that.
	Records int64 `db:"records" json:"records"`
	Beyond  int64 `db:"beyond"  json:"beyond"`
	// PeakSeconds is the largest lateness when it was seen; LeftSeconds is what is left of it now.
	// The lag is twice LeftSeconds.
	PeakSeconds float64   `db:"peak_seconds" json:"peak_seconds"`
	LeftSeconds float64   `db:"left_seconds" json:"left_seconds"`
	SeenAt      time.Time `db:"seen_at"      json:"seen_at"`
}

const sqlLateness = `
SELECT organization_id, service, resource, records, beyond, extract(epoch FROM peak)::float8 AS peak_seconds,
	extract(epoch FROM sluice.faded(peak, peak_at))::float8 AS left_seconds, seen_at
FROM sluice.lateness ORDER BY organization_id, service, resource`

// Lateness gives the lists in which records came late.
func (s *Store) Lateness(ctx context.Context) ([]Lateness, error) {
	return postgres.Read[Lateness](ctx, s.pool, "lateness", sqlLateness)
}
