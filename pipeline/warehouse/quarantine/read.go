package quarantine

import (
	"context"
	"fmt"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// Entry is one record in quarantine.
type Entry struct {
	ID           int64  `db:"id"              json:"id"`
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	// Record is the identifier upstream; empty if it could not be read.
	Record string `db:"record_id" json:"record"`
	// Code, Path and Detail say what does not fit; they never contain the value.
	Code   string `db:"code"   json:"code"`
	Path   string `db:"path"   json:"path,omitempty"`
	Detail string `db:"detail" json:"detail"`
	// Call is the last call that brought it, Run the last run that met it; zero if unknown.
	Call        int64      `db:"call_id"       json:"call,omitempty"`
	Run         int64      `db:"run_id"        json:"run,omitempty"`
	Seen        int64      `db:"seen"          json:"seen"`
	FirstSeenAt time.Time  `db:"first_seen_at" json:"first_seen_at"`
	LastSeenAt  time.Time  `db:"last_seen_at"  json:"last_seen_at"`
	State       string     `db:"state"         json:"state"`
	DecidedAt   *time.Time `db:"decided_at"    json:"decided_at,omitempty"`
	Note        string     `db:"note"          json:"note,omitempty"`
	// Bytes is the size of the record; Raw is the record as it came, in QuarantineShow only.
	Bytes int64  `db:"bytes" json:"bytes"`
	Raw   []byte `db:"raw"   json:"raw,omitempty"`
	// Details says that it is a single record, not a record of a list.
	Details bool `db:"details" json:"details,omitempty"`
}

// Filter selects entries; empty fields select all.
type Filter struct {
	Organization, Service, Resource string
	// State is open, retried or resolved.
	State string
	// Code is the reason.
	Code string
	// Field is the path without array positions; nil selects all, "" what has no path.
	Field *string
	// Before selects entries with smaller numbers, which are older ones.
	Before int64
	// Since selects entries that were last seen at this instant or later.
	Since time.Time
	// Limit bounds the list; zero means 100.
	Limit int
}

const (
	entryColumns = `
SELECT id, organization_id, service, resource, record_id, code, path, detail, coalesce(call_id, 0) AS call_id,
	coalesce(run_id, 0) AS run_id, seen, first_seen_at, last_seen_at, state, decided_at, note,
	octet_length(raw)::bigint AS bytes, EXISTS (SELECT FROM sluice.runs r WHERE r.id = run_id AND r.class = 'details') AS details`

	entryFilter = `
FROM sluice.quarantine
WHERE ($1 = '' OR organization_id = $1) AND ($2 = '' OR service = $2) AND ($3 = '' OR resource = $3)
	AND ($4 = '' OR state = $4) AND ($5 = '' OR code = $5) AND ($6::timestamptz IS NULL OR last_seen_at >= $6)
	AND ($7::bigint = 0 OR id < $7) AND ($8::text IS NULL OR ` + fieldOf + ` = $8)`

	// The entries are first chosen by number, for which an index suffices (quarantine_causes): of a
	// cause with many entries only those of the list are read whole.
	sqlQuarantine = `
WITH chosen AS MATERIALIZED (SELECT id` + entryFilter + ` ORDER BY id DESC LIMIT $9)` + entryColumns + `, NULL::bytea AS raw
FROM sluice.quarantine JOIN chosen USING (id) ORDER BY id DESC`

	sqlEntry = entryColumns + `, raw FROM sluice.quarantine WHERE id = $1`
)

// arguments are the parameters of entryFilter, in their order.
func (f Filter) arguments() []any {
	var since *time.Time
	if !f.Since.IsZero() {
		since = &f.Since
	}
	return []any{f.Organization, f.Service, f.Resource, f.State, f.Code, since, f.Before, f.Field}
}

// Quarantine returns entries, newest first, without their bytes.
func (q *Entries) Quarantine(ctx context.Context, f Filter) ([]Entry, error) {
	return postgres.Read[Entry](ctx, q.pool, "the quarantine", sqlQuarantine, append(f.arguments(), postgres.Limit(f.Limit))...)
}

// QuarantineShow returns one entry with its bytes, or postgres.ErrNotFound if there is no such
// entry.
func (q *Entries) QuarantineShow(ctx context.Context, id int64) (Entry, error) {
	return postgres.ReadOne[Entry](ctx, q.pool, fmt.Sprintf("quarantine entry %d", id), sqlEntry, id)
}

// KindMissing is the kind of a declared key that most records carried and no longer do.
const KindMissing = "gone"

// Drift is one key on the wire that the declaration does not know, one value that it does not list,
// or one declared key that is gone.
type Drift struct {
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	// Path is the key, array positions left out; Kind the JSON type.
	Path string `db:"path" json:"path"`
	Kind string `db:"kind" json:"kind"`
	// Seen counts the records with it, or those without it if it is a key that is gone.
	Seen        int64     `db:"seen"          json:"seen"`
	FirstSeenAt time.Time `db:"first_seen_at" json:"first_seen_at"`
	LastSeenAt  time.Time `db:"last_seen_at"  json:"last_seen_at"`
}

const sqlReadDrift = `
SELECT organization_id, service, resource, path, kind, seen, first_seen_at, last_seen_at FROM sluice.drift
WHERE $1 = '' OR organization_id = $1
UNION ALL
SELECT organization_id, service, resource, path, '` + KindMissing + `', lacking, lacking_since, lacking_at FROM sluice.missing_keys
WHERE $1 = '' OR organization_id = $1
ORDER BY organization_id, service, resource, path, kind`

// Drift returns the drift of an organization, or of all if it is empty.
func (q *Entries) Drift(ctx context.Context, organization string) ([]Drift, error) {
	return postgres.Read[Drift](ctx, q.pool, "drift", sqlReadDrift, organization)
}

const sqlOfRun = entryColumns + `, NULL::bytea AS raw FROM sluice.quarantine WHERE run_id = $1 ORDER BY id LIMIT $2`

// QuarantineOfRun returns the entries that a run met last, without their bytes, the oldest first.
func (q *Entries) QuarantineOfRun(ctx context.Context, run int64, limit int) ([]Entry, error) {
	return postgres.Read[Entry](ctx, q.pool, "the quarantine of a run", sqlOfRun, run, postgres.Limit(limit))
}

const sqlPrune = `SELECT sluice.prune_quarantine(nullif($1, interval '0'), nullif($2, interval '0'), nullif($3, interval '0'))`

// Ages say how long entries are kept, by their state, after they were decided and came last; zero
// means for ever.
type Ages struct{ Open, Retried, Resolved time.Duration }

// PruneQuarantine deletes entries that are older than entries of their state are kept, a bounded
// number at a time; the next call continues.
func (q *Entries) PruneQuarantine(ctx context.Context, ages Ages) error {
	if ages == (Ages{}) {
		return nil
	}
	return postgres.Prune(ctx, q.pool, "keeping the quarantine", sqlPrune, ages.Open, ages.Retried, ages.Resolved)
}

// Cause is why records of one list do not fit, with the open entries that it has.
type Cause struct {
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	Code         string `db:"code"            json:"code"`
	// Field is the path without array positions: all lines of an order have one cause.
	Field string `db:"field" json:"field,omitempty"`
	// Entries is the number of open entries, Example the number of the newest of them.
	Entries     int64     `db:"entries"       json:"entries"`
	Example     int64     `db:"example"       json:"example"`
	FirstSeenAt time.Time `db:"first_seen_at" json:"first_seen_at"`
	LastSeenAt  time.Time `db:"last_seen_at"  json:"last_seen_at"`
	// New says that its first entry is not older than a day.
	New bool `db:"new" json:"new,omitempty"`
}

// fieldOf is a path without its array positions.
const fieldOf = `regexp_replace(path, '\[[0-9]+\]', '[]', 'g')`

// The entries are first counted by path, which an index has (quarantine_causes): there are far
// fewer paths than entries, and only of paths the positions are taken away. OFFSET keeps Postgres
// from doing that for each entry.
const sqlCauses = `
SELECT organization_id, service, resource, code, ` + fieldOf + ` AS field, sum(entries)::bigint AS entries, max(example) AS example,
	min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at, min(first_seen_at) > clock_timestamp() - interval '1 day' AS new
FROM (
	SELECT organization_id, service, resource, code, path, count(*) AS entries, max(id) AS example,
		min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at
	FROM sluice.quarantine
	WHERE state = 'open' AND ($1 = '' OR organization_id = $1) AND ($2 = '' OR service = $2) AND ($3 = '' OR resource = $3)
		AND ($4 = '' OR code = $4) AND ($5::bigint = 0 OR id < $5)
	GROUP BY organization_id, service, resource, code, path
	OFFSET 0
) AS paths
WHERE $6::text IS NULL OR ` + fieldOf + ` = $6
GROUP BY organization_id, service, resource, code, field
ORDER BY new DESC, entries DESC, organization_id, service, resource, code, field
LIMIT $7`

// Causes returns the causes of the open entries: those that are new first, then the largest. Of the
// filter it heeds neither State nor Since.
func (q *Entries) Causes(ctx context.Context, f Filter) ([]Cause, error) {
	return postgres.Read[Cause](ctx, q.pool, "the causes in quarantine", sqlCauses,
		f.Organization, f.Service, f.Resource, f.Code, f.Before, f.Field, postgres.Limit(f.Limit))
}
