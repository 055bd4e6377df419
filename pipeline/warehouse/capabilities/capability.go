// Package capabilities stores what each list can do, how that is known, and how late writes become
// visible in it (docs/decisions/0008-keyset-paging).
//
// It never decides how a list is read (package scan does, by the capabilities in a claim) and never
// measures anything: verdicts come from declarations, from the check command and from runs. A
// weaker source never replaces a stronger one.
//
// Start reading at Store.Declare, then Known and QueueObserved.
package capabilities

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema"
)

const (
	// Measured and observed verdicts stay, whatever a new version declares. An unchanged
	// declaration is not written.
	sqlDeclare = `
INSERT INTO sluice.capabilities AS c (organization_id, service, resource, capability, verdict, value, source, evidence)
SELECT organization_id, service, resource, capability, verdict, value, source, evidence
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
	AS w (organization_id, service, resource, capability, verdict, value, source, evidence)
ORDER BY organization_id, service, resource, capability
ON CONFLICT (organization_id, service, resource, capability) DO UPDATE SET
	verdict = excluded.verdict, value = excluded.value, source = excluded.source, evidence = excluded.evidence,
	seen_at = clock_timestamp()
WHERE c.source IN ('documented', 'assumed')
	AND (c.verdict, c.value, c.source, c.evidence) IS DISTINCT FROM
		(excluded.verdict, excluded.value, excluded.source, excluded.evidence)`

	sqlStore = `
INSERT INTO sluice.capabilities (organization_id, service, resource, capability, verdict, value, source, evidence)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (organization_id, service, resource, capability) DO UPDATE SET
	verdict = excluded.verdict, value = excluded.value, source = excluded.source, evidence = excluded.evidence,
	seen_at = clock_timestamp()`

	sqlKnown = `
SELECT capability, verdict, value, source, evidence, seen_at,
	greatest(extract(epoch FROM clock_timestamp() - seen_at), 0)::float8
FROM sluice.capabilities WHERE (organization_id, service, resource) = ($1, $2, $3)`

	sqlLate = `
SELECT coalesce((SELECT sluice.faded(peak, peak_at) FROM sluice.lateness
	WHERE (organization_id, service, resource) = ($1, $2, $3)), interval '0')`

	// A new peak replaces the old one only if it is at least what is left of it, so reading a peak
	// never raises it.
	sqlSeeLate = `
INSERT INTO sluice.lateness AS l (organization_id, service, resource, records, beyond, peak)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (organization_id, service, resource) DO UPDATE SET
	records = l.records + excluded.records, beyond = l.beyond + excluded.beyond, seen_at = clock_timestamp(),
	peak = CASE WHEN excluded.peak >= sluice.faded(l.peak, l.peak_at) THEN excluded.peak ELSE l.peak END,
	peak_at = CASE WHEN excluded.peak >= sluice.faded(l.peak, l.peak_at) THEN clock_timestamp() ELSE l.peak_at END`
)

// Store is the table of capabilities. It is safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// New makes a store over the connections of a warehouse.
func New(pool *pgxpool.Pool) *Store { return &Store{pool: pool} }

// Declare stores what the declarations of these lists say. Measured and observed verdicts stay.
func (s *Store) Declare(ctx context.Context, streams []pipeline.Stream) error {
	var columns [8][]string
	for _, stream := range streams {
		key := stream.ListKey()
		for _, v := range Declared(stream.Resource) {
			row := [...]string{
				key.Organization, key.Service, key.Resource, string(v.Capability), string(v.Answer), v.Value, string(v.Source), v.Evidence,
			}
			for i := range row {
				columns[i] = append(columns[i], row[i])
			}
		}
	}
	_, err := s.pool.Exec(ctx, sqlDeclare, columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], columns[6], columns[7])
	return postgres.Fail("noting what lists can do", err)
}

// StoreVerdicts stores what was measured of a list. A verdict of unknown changes nothing.
func (s *Store) StoreVerdicts(ctx context.Context, stream pipeline.Stream, verdicts []pipeline.Verdict) error {
	batch := new(pgx.Batch)
	queue(batch, stream, verdicts)
	if batch.Len() == 0 {
		return nil
	}
	return postgres.Fail("keeping what "+stream.ListKey().String()+" can do", s.pool.SendBatch(ctx, batch).Close())
}

// Capabilities gives what is known of a list.
func (s *Store) Capabilities(ctx context.Context, stream pipeline.Stream) (pipeline.Capabilities, error) {
	key := stream.ListKey()
	rows, err := s.pool.Query(ctx, sqlKnown, key.Organization, key.Service, key.Resource)
	if err != nil {
		return nil, postgres.Fail("reading what "+key.String()+" can do", err)
	}
	known, err := collect(rows)
	return known, postgres.Fail("reading what "+key.String()+" can do", err)
}

// Known reads the capabilities of a claim's list, and how late writes become visible in it, in the
// transaction of the claim.
func Known(ctx context.Context, tx pgx.Tx, claim *pipeline.Claim) error {
	key := claim.Stream.ListKey()
	batch := new(pgx.Batch)
	batch.Queue(sqlKnown, key.Organization, key.Service, key.Resource).Query(func(rows pgx.Rows) error {
		var err error
		claim.Capabilities, err = collect(rows)
		return err
	})
	batch.Queue(sqlLate, key.Organization, key.Service, key.Resource).QueryRow(func(row pgx.Row) error {
		return row.Scan(&claim.Late)
	})
	return postgres.Fail("reading what "+key.String()+" can do", tx.SendBatch(ctx, batch).Close())
}

func collect(rows pgx.Rows) (pipeline.Capabilities, error) {
	known := make(pipeline.Capabilities)
	for rows.Next() {
		var v pipeline.Verdict
		var age float64
		if err := rows.Scan(&v.Capability, &v.Answer, &v.Value, &v.Source, &v.Evidence, &v.SeenAt, &age); err != nil {
			return nil, err
		}
		v.Age = time.Duration(age * float64(time.Second))
		known[v.Capability] = v
	}
	return known, rows.Err()
}

// QueueObserved stores the verdicts that follow from the answer of a batch.
func QueueObserved(batch *pgx.Batch, unit pipeline.Batch) {
	queue(batch, unit.Claim.Stream, unit.Observed)
}

// QueueLate counts records that became visible later than a clean run should have seen them.
func QueueLate(batch *pgx.Batch, stream pipeline.Stream, late pipeline.Lateness) {
	if late.Records+late.Beyond == 0 {
		return
	}
	key := stream.ListKey()
	batch.Queue(sqlSeeLate, key.Organization, key.Service, key.Resource, late.Records, late.Beyond, late.Most)
}

func queue(batch *pgx.Batch, stream pipeline.Stream, verdicts []pipeline.Verdict) {
	key := stream.ListKey()
	for _, v := range verdicts {
		if v.Answer == pipeline.AnswerUnknown {
			continue
		}
		batch.Queue(sqlStore, key.Organization, key.Service, key.Resource, v.Capability, v.Answer, postgres.Clean(v.Value, maxValue),
			v.Source, postgres.Clean(v.Evidence, postgres.MaxReason))
	}
}

// maxValue bounds the value of a verdict.
const maxValue = 200

const (
	shown    = "a document shows it on this list"
	relied   = "the declaration relies on it, no document shows it on this list"
	unstated = "no document and no declaration says so"
	// largestPage is the largest page that upstream is assumed to give. Source: docs/upstream.md
	// U80.
	largestPage = 200
)

// Declared returns the verdicts that a declaration gives, each documented or assumed. A list
// without pages gets no verdict about pages.
func Declared(resource *schema.Resource) []pipeline.Verdict {
	var verdicts []pipeline.Verdict
	add := func(c pipeline.Capability, declared, assumed bool, value string) {
		v := pipeline.Verdict{
			Capability: c, Answer: pipeline.AnswerUnknown, Value: value, Source: pipeline.SourceAssumed, Evidence: unstated,
		}
		switch {
		case declared && assumed:
			v.Answer, v.Evidence = pipeline.AnswerYes, relied
		case declared:
			v.Answer, v.Source, v.Evidence = pipeline.AnswerYes, pipeline.SourceDocumented, shown
		}
		verdicts = append(verdicts, v)
	}
	if resource.Modified() != "" && resource.Paging == schema.PagingNumber && !resource.Exported() {
		since, filters := resource.Cursor.(schema.Since)
		newest, sorts := resource.Cursor.(schema.NewestFirst)
		add(pipeline.CapabilityFilter, filters, since.Assumed, "")
		add(pipeline.CapabilityInclusive, filters, since.Assumed, "")
		add(pipeline.CapabilityDescending, sorts, newest.Assumed, "")
		add(pipeline.CapabilityAscending, false, true, "")
	}
	if _, single := resource.Cursor.(schema.Snapshot); !single && resource.Paging == schema.PagingNumber && !resource.Exported() {
		// The documents show page_context in answers, and no parameter that asks for a page.
		add(pipeline.CapabilityPage, true, true, "")
		add(pipeline.CapabilityPageSize, true, true, strconv.Itoa(largestPage))
	}
	if resource.Single != nil {
		add(pipeline.CapabilityDetail, true, resource.Single.Assumed, resource.Single.Path)
	}
	if resource.Details != nil && resource.Details.Batch != nil {
		add(pipeline.CapabilityBatchDetail, true, false, resource.Details.Batch.Path)
	}
	return verdicts
}

const sqlCapabilities = `
SELECT organization_id, service, resource, capability, verdict, value, source, evidence, seen_at,
	greatest(extract(epoch FROM clock_timestamp() - seen_at), 0)::float8 AS age
FROM sluice.capabilities WHERE cardinality($1::text[]) = 0 OR capability = ANY ($1)
ORDER BY organization_id, service, resource, capability`

// AllCapabilities gives what is known of all lists: everything, or only of some capabilities.
func (s *Store) AllCapabilities(ctx context.Context, only ...pipeline.Capability) (map[pipeline.Key]pipeline.Capabilities, error) {
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
	rows, err := postgres.Read[row](ctx, s.pool, "what lists can do", sqlCapabilities, append([]pipeline.Capability{}, only...))
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

// QueueSummed notes which sums of a list are those of its records, at the end of a whole reading that
// the count proved, and takes that into what is known. Off are upstream's sums less those of the rows,
// empty if they cannot be compared.
func QueueSummed(batch *pgx.Batch, stream pipeline.Stream, off pipeline.Sums, known pipeline.Capabilities) {
	if len(off) == 0 {
		return
	}
	v := pipeline.Verdict{
		Capability: pipeline.CapabilitySums, Answer: pipeline.AnswerYes, Source: pipeline.SourceObserved,
		Value: strings.Join(off.Columns(true), ","), Evidence: "at the end of a whole reading they were those of the rows",
	}
	if v.Value == "" {
		v.Answer, v.Evidence = pipeline.AnswerNo, "at the end of a whole reading they were not those of the rows"
	}
	if before := known[v.Capability]; before.Answer != v.Answer || before.Value != v.Value {
		queue(batch, stream, []pipeline.Verdict{v})
	}
	known[v.Capability] = v
}
