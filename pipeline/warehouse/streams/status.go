package streams

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Status is the state of one stream.
type Status struct {
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	Enabled      bool   `db:"enabled"         json:"enabled"`
	// EverySeconds is the interval between two scheduled runs.
	EverySeconds float64   `db:"every_seconds" json:"every_seconds"`
	NextDueAt    time.Time `db:"next_due_at"   json:"next_due_at"`
	// State is one of pipeline's states; Reason says why, Until when it goes on.
	State  string     `db:"state"      json:"state"`
	Reason string     `db:"reason"     json:"reason,omitempty"`
	Until  *time.Time `db:"wait_until" json:"until,omitempty"`
	// Watermark is the instant up to which the stream is complete; nil if it never was.
	Watermark *time.Time `db:"watermark" json:"watermark"`
	// WatermarkAhead says that the watermark is later than a run left it. Then nothing is read from
	// it: pipeline.Position.WatermarkAhead.
	WatermarkAhead bool `db:"watermark_ahead" json:"watermark_ahead,omitempty"`
	Failures       int  `db:"failures"        json:"failures"`
	// Run is the open run, LastRun the last one that ended, with its Note.
	Run        *int64     `db:"run_id"       json:"run,omitempty"`
	LastRun    *int64     `db:"last_run_id"  json:"last_run,omitempty"`
	LastDoneAt *time.Time `db:"last_done_at" json:"last_done_at"`
	Note       string     `db:"note"         json:"note,omitempty"`
	// Proof is that of the last run that had one.
	Proof string `db:"proof" json:"proof,omitempty"`
	// Requested counts requests for a run; Done is the last of them that a run has served.
	Requested int64 `db:"requested_gen" json:"requested"`
	Done      int64 `db:"served_gen"    json:"done"`
	// Quarantined counts open entries.
	Quarantined int64 `db:"quarantined" json:"quarantined"`
	// Unrequested counts those of Quarantined for which the list was not yet read whole; Withheld
	// counts those that held back a watermark.
	Unrequested int64 `db:"unasked"  json:"unrequested,omitempty"`
	Withheld    int64 `db:"withheld" json:"withheld,omitempty"`
	// QuarantinedShare is the share of the last ended run's records that went to quarantine, 0 to
	// 1.
	QuarantinedShare float64 `db:"quarantined_share" json:"quarantined_share"`
	// NeedsReview counts rows that may be gone upstream, too many at once to be accepted: the
	// operator decides.
	NeedsReview int64 `db:"needs_review" json:"needs_review,omitempty"`
	// Details counts what waits for single records; nil for streams that do not read those.
	Details *DetailBacklog `db:"details" json:"details,omitempty"`
	// Parents is the progress of a stream with a list under each parent; nil for other streams, and
	// until a parent is known.
	Parents *ParentRound `db:"parents" json:"parents,omitempty"`
	// Counted is upstream's last count of the list; nil if there was none.
	Counted *Count `db:"counted" json:"counted,omitempty"`
	// Notified says how far notifications replace scheduled runs; nil if nothing tells of the
	// stream.
	Notified *Notified `db:"notified" json:"notified,omitempty"`
}

// Notified is how far notifications replace the scheduled runs of a list.
type Notified struct {
	// EverySeconds is the interval while they are trusted; 0 if they replace no runs.
	EverySeconds float64 `json:"every_seconds"`
	Trusted      bool    `json:"trusted"`
	// AnnouncedRuns is how many scheduled runs in a row found nothing that nothing had told of,
	// NeededRuns how many it takes. Unannounced is what the last such run found.
	AnnouncedRuns int64 `json:"announced_runs"`
	NeededRuns    int64 `json:"needed_runs"`
	Unannounced   int64 `json:"unannounced"`
	// ProvenUntil is until when their way counts as proven; nil if it is not proven.
	ProvenUntil *time.Time `json:"proven_until"`
	// LastAt is when something was told last, nil if nothing ever was; Waiting counts the hints
	// that were not read yet.
	LastAt  *time.Time `json:"last_at"`
	Waiting int64      `json:"waiting"`
	// Gap is why nothing can be told at present; "" if something can.
	Gap string `json:"gap,omitempty"`
}

// Count is upstream's last count of a list, beside the number of its records here.
type Count struct {
	At       time.Time `json:"at"`
	Upstream int64     `json:"upstream"`
	// Ours is the number at the end of the run that asked; nil where it is uncertain, as while a
	// record is created.
	Ours *int64 `json:"ours"`
	// Sums are those of columns, by wire name, that came with the count and are comparable.
	Sums map[string]Sum `json:"sums,omitempty"`
	// AgreedAt is when all of it last agreed; nil if it never did.
	AgreedAt *time.Time `json:"agreed_at"`
}

// Sum is the sum of a column by upstream, and that of the rows, as decimal numbers.
type Sum struct {
	Upstream string `json:"upstream"`
	Ours     string `json:"ours"`
}

// Unequal are the columns, in order, whose sums differ.
func (c *Count) Unequal() []string {
	upstream, ours := make(pipeline.Sums), make(pipeline.Sums)
	for column, sum := range c.Sums {
		upstream[column], ours[column] = sum.Upstream, sum.Ours
	}
	return upstream.Less(ours).Columns(false)
}

// Missing is how many records upstream counts that are not here; negative if more are here. It is 0
// where that is uncertain.
func (c *Count) Missing() int64 {
	if c == nil || c.Ours == nil {
		return 0
	}
	return c.Upstream - *c.Ours
}

// DetailBacklog counts rows by why they wait for their single record.
type DetailBacklog struct {
	// Pending came as headers. Stale changed since their single record was read. Failed could not
	// be read.
	Pending int64 `json:"pending"`
	Stale   int64 `json:"stale"`
	Failed  int64 `json:"failed"`
}

// ParentRound is the progress of a stream over its parents.
type ParentRound struct {
	// Parents counts the parents whose lists have to be read. Read counts those whose list was read
	// at least once; Failed counts those whose list could not be read the last time.
	Parents int64 `json:"known"`
	Read    int64 `json:"read"`
	Failed  int64 `json:"failed"`
	// Oldest is when the least recently read list was read: all lists are at least as new. Nil
	// until all were read.
	Oldest *time.Time `json:"oldest"`
}

// The open entries and the hints are counted in one pass over all streams together. The key of a
// single stream reaches into these subqueries, so that only its own rows are read. Only the last
// run that ended has the share; a stream keeps its number. What waits for single records is b,
// which those that follow join.
const sqlStatus = `
SELECT s.organization_id, s.service, s.resource, s.enabled, extract(epoch FROM ` + interval + `)::float8 AS every_seconds,
	s.next_due_at, s.state, s.reason, s.wait_until,
	s.watermark, coalesce(s.watermark > coalesce(s.scanned_until, clock_timestamp() + interval '1 day'), false) AS watermark_ahead,
	s.failures, s.run_id, s.last_run_id, s.last_done_at, s.note,
	coalesce((SELECT p.proof FROM sluice.runs p
		WHERE (p.organization_id, p.service, p.resource) = (s.organization_id, s.service, s.resource) AND p.proof <> ''
		ORDER BY p.id DESC LIMIT 1), '') AS proof, s.requested_gen, s.served_gen,
	coalesce(q.quarantined, 0) AS quarantined, coalesce(q.unasked, 0) AS unasked, coalesce(q.withheld, 0) AS withheld,
	coalesce(r.quarantined::float8 / nullif(r.received, 0), 0) AS quarantined_share,
	(SELECT count(*) FROM sluice.tombstones k WHERE k.state = 'needs_review'
		AND (k.organization_id, k.service, k.resource) = (s.organization_id, s.service, s.resource)) AS needs_review,
	CASE WHEN b.pending IS NOT NULL THEN json_build_object('pending', b.pending, 'stale', b.stale, 'failed', b.failed) END AS details,
	(SELECT json_build_object('known', count(*), 'read', count(read_at), 'failed', count(*) FILTER (WHERE failures > 0),
			'oldest', CASE WHEN count(*) = count(read_at) THEN min(read_at) END)
		FROM sluice.parents p WHERE p.active
			AND (p.organization_id, p.service, p.resource) = (s.organization_id, s.service, s.resource)
		HAVING count(*) > 0) AS parents,
	CASE WHEN s.counted_at IS NOT NULL THEN
		json_build_object('at', s.counted_at, 'upstream', s.counted, 'ours', s.counted_ours, 'sums', s.sums, 'agreed_at', s.agreed_at) END AS counted,
	CASE WHEN h.last_at IS NOT NULL OR s.hinted_every IS NOT NULL THEN json_build_object(
		'every_seconds', coalesce(extract(epoch FROM s.hinted_every), 0), 'trusted', ` + trusted + `, 'announced_runs', s.announced_runs,
		'needed_runs', ` + neededRuns + `, 'proven_until', s.told_until, 'last_at', h.last_at, 'waiting', coalesce(h.waiting, 0),
		'unannounced', coalesce(r.unannounced, 0),
		'gap', coalesce((SELECT g.reason FROM sluice.channel_gaps g
			WHERE g.organization_id = s.organization_id AND g.channel = '' AND g.closed_at IS NULL), ''))
	END AS notified
FROM sluice.streams s
LEFT JOIN sluice.runs r ON r.id = s.last_run_id
LEFT JOIN (
	SELECT organization_id, service, resource, sum(quarantined)::bigint AS quarantined, sum(withheld)::bigint AS withheld,
		sum(unasked) FILTER (WHERE NOT EXISTS (SELECT FROM sluice.runs d WHERE d.id = o.run_id AND d.class = 'details'))::bigint AS unasked
	FROM (
		SELECT organization_id, service, resource, run_id, count(*) AS quarantined, count(*) FILTER (WHERE weighed = 'withheld') AS withheld,
			count(*) FILTER (WHERE asked_at IS NULL) AS unasked
		FROM sluice.quarantine WHERE state = 'open'
		GROUP BY organization_id, service, resource, run_id
	) AS o GROUP BY organization_id, service, resource
) AS q ON (q.organization_id, q.service, q.resource) = (s.organization_id, s.service, s.resource)
LEFT JOIN (
	SELECT organization_id, service, resource, max(last_at) AS last_at, count(*) FILTER (WHERE read_at IS NULL) AS waiting
	FROM sluice.hints GROUP BY organization_id, service, resource
) AS h ON (h.organization_id, h.service, h.resource) = (s.organization_id, s.service, s.resource)
`

const (
	sqlStreams = sqlStatus + `
LEFT JOIN sluice.detail_backlogs() AS b ON (b.organization_id, b.service, b.resource) = (s.organization_id, s.service, s.resource)
WHERE ($1 = '' OR s.organization_id = $1) ORDER BY s.organization_id, s.service, s.resource`
	sqlStream = sqlStatus + `
LEFT JOIN LATERAL sluice.detail_backlog(s.organization_id, s.service, s.resource) AS b ON s.resource LIKE '%.details'
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3)`
)

// Streams returns the streams of an organization, or of all if it is empty.
func (s *Schedule) Streams(ctx context.Context, organization string) ([]Status, error) {
	return postgres.Read[Status](ctx, s.pool, "streams", sqlStreams, organization)
}

// Stream returns one stream, or postgres.ErrNotFound if it is not registered.
func (s *Schedule) Stream(ctx context.Context, key pipeline.Key) (Status, error) {
	return postgres.ReadOne[Status](ctx, s.pool, "stream "+key.String(), sqlStream, key.Organization, key.Service, key.Resource)
}

// Standing is what of a stream changes while it is followed: a part of its Status, from its own row
// alone.
type Standing struct {
	Enabled       bool
	State, Reason string
	// Until is when the stream goes on; nil if it does not wait for an instant.
	Until *time.Time
	// Run is the open run, LastRun the last one that ended.
	Run, LastRun *int64
	// Requested counts requests for a run; Done is the last of them that a run has served.
	Requested, Done int64
}

const sqlStanding = `
SELECT s.organization_id, s.service, s.resource, s.enabled, s.state, s.reason, s.wait_until, s.run_id, s.last_run_id,
	s.requested_gen, s.served_gen
FROM sluice.streams s
JOIN unnest($1::text[], $2::text[], $3::text[]) AS w (organization_id, service, resource) USING (organization_id, service, resource)`

// Standing returns how streams stand. It is cheap enough to be asked several times a second.
func (s *Schedule) Standing(ctx context.Context, keys []pipeline.Key) (map[pipeline.Key]Standing, error) {
	found := make(map[pipeline.Key]Standing, len(keys))
	var key pipeline.Key
	var row Standing
	into := []any{
		&key.Organization, &key.Service, &key.Resource, &row.Enabled, &row.State, &row.Reason, &row.Until, &row.Run, &row.LastRun,
		&row.Requested, &row.Done,
	}
	organizations, services, resources := columns(keys)
	err := postgres.Each(ctx, s.pool, "looking at the streams", into, func() error {
		found[key] = row
		return nil
	}, sqlStanding, organizations, services, resources)
	return found, err
}

// Denied is what upstream denies an organization.
type Denied struct {
	Organization string `db:"organization_id"`
	// Streams counts the enabled streams that are denied; Reason is that of the first of them.
	Streams int    `db:"streams"`
	Reason  string `db:"reason"`
}

const sqlDenied = `
SELECT organization_id, count(*) AS streams, coalesce((array_agg(reason ORDER BY service, resource) FILTER (WHERE reason <> ''))[1], '') AS reason
FROM sluice.streams WHERE enabled AND state = 'denied' GROUP BY organization_id`

// Denied returns the organizations of which upstream denies streams. It reads the streams alone,
// and none of what Streams counts.
func (s *Schedule) Denied(ctx context.Context) ([]Denied, error) {
	return postgres.Read[Denied](ctx, s.pool, "the denied streams", sqlDenied)
}

const (
	sqlAskedAgain = `SELECT requested_gen > served_gen FROM sluice.streams WHERE (organization_id, service, resource) = ($1, $2, $3)`

	sqlUnfinished = `
SELECT organization_id, service, resource, state = 'queued' AS queued FROM sluice.streams
WHERE enabled AND (requested_gen > served_gen OR run_id IS NOT NULL) AND state NOT IN ('denied', 'failed')`
)

// AskedAgain says whether a run of the stream was requested after its last one had started. A job
// that ends has to check this, since no other job is inserted before it has ended.
func AskedAgain(ctx context.Context, tx pgx.Tx, key pipeline.Key) (bool, error) {
	var again bool
	err := tx.QueryRow(ctx, sqlAskedAgain, key.Organization, key.Service, key.Resource).Scan(&again)
	return again, postgres.Fail("looking whether "+key.String()+" was asked for again", err)
}

// InNeed is a stream that needs a job: a run of it was requested, or is open. Queued says that it
// waits for nothing but its job.
type InNeed struct {
	pipeline.Key

	Queued bool
}

// Unfinished returns the streams that need a job, except for denied and failed ones: those wait for
// the schedule or the operator.
func Unfinished(ctx context.Context, tx pgx.Tx) ([]InNeed, error) {
	return postgres.Collect(ctx, tx, "looking for unfinished streams", func(row pgx.CollectableRow) (InNeed, error) {
		var s InNeed
		err := row.Scan(&s.Organization, &s.Service, &s.Resource, &s.Queued)
		return s, err
	}, sqlUnfinished)
}

// Figures are what the metrics show of a stream: a part of its Status that costs one pass over the
// control tables for all streams together.
type Figures struct {
	Organization string     `db:"organization_id"`
	Service      string     `db:"service"`
	Resource     string     `db:"resource"`
	Enabled      bool       `db:"enabled"`
	EverySeconds float64    `db:"every_seconds"`
	State        string     `db:"state"`
	Failures     int        `db:"failures"`
	LastDoneAt   *time.Time `db:"last_done_at"`
	// Watermark is nil where Status has none, or one that proves nothing.
	Watermark *time.Time `db:"watermark"`
	// Quarantined, Withheld and QuarantinedShare are those of Status.
	Quarantined      int64   `db:"quarantined"`
	Withheld         int64   `db:"withheld"`
	QuarantinedShare float64 `db:"quarantined_share"`
	// Waiting counts the hints that were not read yet; nil if nothing tells of the stream.
	Waiting *int64 `db:"waiting"`
	// Upstream is upstream's last count of the list, nil if there was none; Missing is how many of
	// them are not here, nil where that is uncertain. AgreedAt is when the count last agreed.
	Upstream *int64     `db:"upstream"`
	Missing  *int64     `db:"missing"`
	AgreedAt *time.Time `db:"agreed_at"`
}

// Only the last run that ended has the share; a stream keeps its number.
const sqlFigures = `
SELECT s.organization_id, s.service, s.resource, s.enabled, extract(epoch FROM ` + interval + `)::float8 AS every_seconds,
	s.state, s.failures, s.last_done_at, s.counted AS upstream, s.counted - s.counted_ours AS missing, s.agreed_at,
	CASE WHEN s.watermark <= coalesce(s.scanned_until, clock_timestamp() + interval '1 day') THEN s.watermark END AS watermark,
	coalesce(q.quarantined, 0) AS quarantined, coalesce(q.withheld, 0) AS withheld,
	coalesce(r.quarantined::float8 / nullif(r.received, 0), 0) AS quarantined_share,
	CASE WHEN h.waiting IS NOT NULL OR s.hinted_every IS NOT NULL OR EXISTS (
		SELECT FROM sluice.hints n WHERE (n.organization_id, n.service, n.resource) = (s.organization_id, s.service, s.resource)
	) THEN coalesce(h.waiting, 0) END AS waiting
FROM sluice.streams s
LEFT JOIN sluice.runs r ON r.id = s.last_run_id
LEFT JOIN (
	SELECT organization_id, service, resource, count(*) AS quarantined, count(*) FILTER (WHERE weighed = 'withheld') AS withheld
	FROM sluice.quarantine WHERE state = 'open' GROUP BY organization_id, service, resource
) AS q ON (q.organization_id, q.service, q.resource) = (s.organization_id, s.service, s.resource)
LEFT JOIN (
	SELECT organization_id, service, resource, count(*) AS waiting
	FROM sluice.hints WHERE read_at IS NULL GROUP BY organization_id, service, resource
) AS h ON (h.organization_id, h.service, h.resource) = (s.organization_id, s.service, s.resource)
ORDER BY s.organization_id, s.service, s.resource`

// Figures returns the figures of all streams.
func (s *Schedule) Figures(ctx context.Context) ([]Figures, error) {
	return postgres.ReadAll(ctx, s.pool, "the figures of the streams", pgx.RowToStructByName[Figures], sqlFigures)
}
