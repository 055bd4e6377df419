package streams

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Service is a service of an organization whose intervals are to be computed anew.
type Service struct {
	Organization, Name string
	// External is how many calls a day are made outside of sluice, by upstream's last answer.
	External int64
	// Streams are its enabled streams.
	Streams []Stream
}

// Stream is a stream of a Service.
type Stream struct {
	pipeline.Key

	// Every is the configured interval, Ceiling the longest that may be learned; zero means that
	// the interval is fixed.
	Every, Ceiling time.Duration
	// Loaded says that the stream has a watermark.
	Loaded bool

	seen *unplanned
}

// Plan is what was learned for a stream: the interval, and the figures that it rests on.
type Plan struct {
	pipeline.Key `json:"-"`

	EverySeconds float64 `json:"every_seconds"`
	// Reason is a reason of package cadence.
	Reason string `json:"reason"`
	// ChangesPerHour, SeenHours and CallsPerRun were measured.
	ChangesPerHour float64 `json:"changes_per_hour"`
	SeenHours      float64 `json:"seen_hours"`
	CallsPerRun    float64 `json:"calls_per_run"`
	// FloorSeconds and CeilingSeconds are the bounds of the interval.
	FloorSeconds   float64 `json:"floor_seconds"`
	CeilingSeconds float64 `json:"ceiling_seconds"`
	// CallsPerDay is the part of the service's day that the streams of this class share, nil if
	// nothing limits it; NeededPerDay is what they need at their ceilings.
	Class        pipeline.Class `json:"class"`
	CallsPerDay  *float64       `json:"calls_per_day"`
	NeededPerDay float64        `json:"needed_per_day"`
}

// The runs of the last week count, at most a hundred of a stream: older changes say little about
// today, and a hundred say enough. A service is planned anew when its plan is old, or at once when
// a stream that had been quiet found changes.
const sqlUnplanned = `
WITH wanted AS (
	SELECT organization_id, service FROM sluice.streams s
	WHERE enabled AND ceiling IS NOT NULL AND organization_id = ANY($1)
	GROUP BY organization_id, service
	HAVING bool_or(planned_at IS NULL OR planned_at < clock_timestamp() - $2::interval
		OR (planned->>'changes_per_hour')::float8 = 0 AND EXISTS (
			SELECT FROM sluice.runs r WHERE r.id = s.last_run_id AND r.ended_at > s.planned_at AND r.inserted + r.updated > 0))
	ORDER BY min(coalesce(planned_at, '-infinity')), organization_id, service LIMIT $3
)
SELECT s.organization_id, s.service, s.resource, extract(epoch FROM s.every)::float8 AS every_seconds,
	coalesce(extract(epoch FROM s.ceiling), 0)::float8 AS ceiling_seconds, clock_timestamp() AS at,
	s.watermark IS NOT NULL AS loaded, coalesce(sluice.external_calls(s.organization_id, s.service), 0)::bigint AS external,
	coalesce(r.classes, '{}') AS classes, coalesce(r.marks, '{}') AS marks, coalesce(r.starts, '{}') AS starts,
	coalesce(r.changes, '{}') AS changes, coalesce(r.calls, '{}') AS calls
FROM wanted JOIN sluice.streams s USING (organization_id, service) CROSS JOIN LATERAL (
	SELECT array_agg(class ORDER BY id) AS classes, array_agg(watermark_before ORDER BY id) AS marks, array_agg(started_at ORDER BY id) AS starts,
		array_agg(inserted + updated ORDER BY id) AS changes,
		array_agg(CASE WHEN outcome = 'failed' THEN 0 ELSE o.calls END ORDER BY id) AS calls
	FROM (
		SELECT id, class, watermark_before, started_at, ended_at, inserted, updated, outcome, calls FROM sluice.runs
		WHERE (organization_id, service, resource) = (s.organization_id, s.service, s.resource)
		ORDER BY id DESC LIMIT 100
	) AS o WHERE ended_at IS NOT NULL AND watermark_before IS NOT NULL AND started_at > clock_timestamp() - interval '7 days'
) AS r
WHERE s.enabled
ORDER BY s.organization_id, s.service, s.resource`

// unplanned is a row of sqlUnplanned.
type unplanned struct {
	Organization   string           `db:"organization_id"`
	Service        string           `db:"service"`
	Resource       string           `db:"resource"`
	EverySeconds   float64          `db:"every_seconds"`
	CeilingSeconds float64          `db:"ceiling_seconds"`
	At             time.Time        `db:"at"`
	Loaded         bool             `db:"loaded"`
	External       int64            `db:"external"`
	Classes        []pipeline.Class `db:"classes"`
	Watermarks     []time.Time      `db:"marks"`
	Starts         []time.Time      `db:"starts"`
	Changes        []int64          `db:"changes"`
	Calls          []int64          `db:"calls"`
}

// Unplanned returns services of the organizations with learned intervals whose plan is older than
// after, or in which a quiet stream found changes: at most limit, oldest plan first. It is one
// statement for any number of organizations.
func (s *Schedule) Unplanned(ctx context.Context, organizations []string, after time.Duration, limit int) ([]Service, error) {
	found, err := postgres.Read[unplanned](ctx, s.pool, "what streams showed", sqlUnplanned, organizations, after, limit)
	if err != nil {
		return nil, err
	}
	var services []Service
	for i := range found {
		row := &found[i]
		if n := len(services); n == 0 || services[n-1].Organization != row.Organization || services[n-1].Name != row.Service {
			services = append(services, Service{Organization: row.Organization, Name: row.Service, External: row.External})
		}
		last := &services[len(services)-1]
		last.Streams = append(last.Streams, row.stream())
	}
	return services, nil
}

func (u *unplanned) stream() Stream {
	return Stream{
		Key:   pipeline.Key{Organization: u.Organization, Service: u.Service, Resource: u.Resource},
		Every: seconds(u.EverySeconds), Ceiling: seconds(u.CeilingSeconds), Loaded: u.Loaded, seen: u,
	}
}

// PastRun is one of a stream's runs: its class, the watermark that it continued from, when it
// began, the records that it found new or changed, and its calls, 0 if it failed.
type PastRun struct {
	Class            pipeline.Class
	Watermark, Start time.Time
	Changes, Calls   int64
}

// Runs returns the stream's last runs, oldest first.
func (s *Stream) Runs() []PastRun {
	runs := make([]PastRun, len(s.seen.Classes))
	for i := range runs {
		runs[i] = PastRun{s.seen.Classes[i], s.seen.Watermarks[i], s.seen.Starts[i], s.seen.Changes[i], s.seen.Calls[i]}
	}
	return runs
}

// SeenAt is when the runs were read, by the database's clock.
func (s *Stream) SeenAt() time.Time { return s.seen.At }

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// Rows are locked in the order of their keys.
const sqlStorePlans = `
WITH planned AS (
	SELECT s.organization_id, s.service, s.resource, w.seconds * interval '1 second' AS every, w.plan, r.ended_at
	FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::jsonb[]) AS w (organization_id, service, resource, seconds, plan)
	JOIN sluice.streams s USING (organization_id, service, resource) LEFT JOIN sluice.runs r ON r.id = s.last_run_id
	WHERE s.ceiling IS NOT NULL
	ORDER BY s.organization_id, s.service, s.resource FOR UPDATE OF s
)
UPDATE sluice.streams s SET
	planned_every = p.every, planned_at = clock_timestamp(), planned = p.plan
FROM planned p
WHERE (p.organization_id, p.service, p.resource) = (s.organization_id, s.service, s.resource)
RETURNING s.organization_id, s.service, s.resource, s.run_id IS NULL AND s.state IN ('idle', 'failed'), p.every, p.ended_at, s.planned_at`

// StorePlans stores what was learned. It skips streams whose interval is fixed by now.
func (s *Schedule) StorePlans(ctx context.Context, plans []Plan) error {
	keys := make([]pipeline.Key, len(plans))
	every := make([]float64, len(plans))
	texts := make([]string, len(plans))
	for i := range plans {
		text, err := json.Marshal(plans[i])
		if err != nil {
			return fmt.Errorf("keeping the interval of %s: %w", plans[i].Key, err)
		}
		keys[i], every[i], texts[i] = plans[i].Key, plans[i].EverySeconds, string(text)
	}
	organizations, services, resources := columns(keys)
	const op = "keeping intervals"
	return postgres.InTx(ctx, s.pool, op, func(tx pgx.Tx) error {
		var found []pipeline.Key
		var turns []pipeline.Occasion
		var key pipeline.Key
		var ended *time.Time
		turn := pipeline.Occasion{Event: pipeline.Learned}
		into := []any{&key.Organization, &key.Service, &key.Resource, &turn.Idle, &turn.Every, &ended, &turn.Now}
		err := postgres.Each(ctx, tx, op, into, func() error {
			turn.Since = time.Time{}
			if ended != nil {
				turn.Since = *ended
			}
			found, turns = append(found, key), append(turns, turn)
			return nil
		}, sqlStorePlans, organizations, services, resources, every, texts)
		if err != nil {
			return err
		}
		return s.setDue(ctx, tx, found, func(i int) pipeline.Occasion { return turns[i] })
	})
}
