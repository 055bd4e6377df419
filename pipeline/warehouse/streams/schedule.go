// Package streams says which streams there are, how often each is due and which is due now. Package
// warehouse decides what may be written to a stream's tables, and by which worker.
//
// Start reading at Schedule.TakeDue.
package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema/record"
)

// ErrNoStream says that no such stream is registered, or that the configuration has it disabled.
var ErrNoStream = errors.New("no such stream")

// Schedule reads and writes the due times in the table of streams. It is safe for concurrent use.
type Schedule struct {
	pool *pgxpool.Pool
	rule pipeline.DueRule
}

// New makes a schedule over the connections of a warehouse. The rule says when streams are due; it
// may be nil in programs that only read: then due times do not change.
func New(pool *pgxpool.Pool, rule pipeline.DueRule) *Schedule {
	if rule == nil {
		rule = func(pipeline.Occasion) pipeline.Due { return pipeline.Due{} }
	}
	return &Schedule{pool: pool, rule: rule}
}

// Setting is what the configuration says about a stream.
type Setting struct {
	pipeline.Key

	// Every is the interval between two scheduled runs.
	Every time.Duration
	// Hinted is the interval while notifications are trusted; zero means that they do not replace
	// scheduled runs.
	Hinted time.Duration
	// Enabled says whether the configuration enables the stream.
	Enabled bool
	// After is the time from the first registration of the stream until it is due; zero makes it
	// due at once.
	After time.Duration
}

const (
	// Rows are written in the order of their keys, so that two processes that start at once wait
	// for each other instead of deadlocking. The insertion locks a row that exists already, which
	// xmax shows.
	sqlRegister = `
INSERT INTO sluice.streams AS s (organization_id, service, resource, every, enabled, hash_rule, hinted_every)
SELECT organization_id, service, resource, seconds * interval '1 second', enabled, $6, nullif(hinted, 0) * interval '1 second'
FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::boolean[], $7::float8[])
	AS w (organization_id, service, resource, seconds, enabled, hinted)
ORDER BY organization_id, service, resource
ON CONFLICT (organization_id, service, resource) DO UPDATE SET
	every = excluded.every, enabled = excluded.enabled, hinted_every = excluded.hinted_every
WHERE s.every <> excluded.every OR s.enabled <> excluded.enabled OR s.hinted_every IS DISTINCT FROM excluded.hinted_every
RETURNING s.organization_id, s.service, s.resource, s.xmax = 0, s.every`

	sqlDisable = `
UPDATE sluice.streams s SET enabled = false
WHERE s.enabled AND s.organization_id = ANY($1::text[]) AND s.resource NOT LIKE '%.backfill' AND NOT EXISTS (
	SELECT FROM unnest($1::text[], $2::text[], $3::text[]) AS w (organization_id, service, resource)
	WHERE (w.organization_id, w.service, w.resource) = (s.organization_id, s.service, s.resource))`

	sqlRequest = `
WITH wanted AS (
	SELECT s.organization_id, s.service, s.resource FROM sluice.streams s
	JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[])) AS w (organization_id, service, resource)
		USING (organization_id, service, resource)
	WHERE s.enabled ORDER BY s.organization_id, s.service, s.resource FOR UPDATE OF s
)
UPDATE sluice.streams s SET
	requested_gen = requested_gen + 1,
	state = CASE WHEN state = 'denied' THEN 'idle' WHEN state = 'waiting' OR wait_until > clock_timestamp() THEN 'queued' ELSE state END,
	reason = CASE WHEN state IN ('denied', 'waiting') OR wait_until > clock_timestamp() THEN '' ELSE reason END,
	wait_until = NULL
FROM wanted w
WHERE (w.organization_id, w.service, w.resource) = (s.organization_id, s.service, s.resource)
RETURNING s.organization_id, s.service, s.resource`

	// A run is requested, so that one follows even if a run is under way that began before. A
	// denied stream waits as it did: what upstream refuses, no hint opens.
	sqlRequestTold = `
WITH free AS (
	SELECT s.organization_id, s.service, s.resource FROM sluice.streams s
	JOIN unnest($1::text[], $2::text[], $3::text[]) AS w (organization_id, service, resource) USING (organization_id, service, resource)
	WHERE s.enabled ORDER BY s.organization_id, s.service, s.resource FOR UPDATE OF s SKIP LOCKED
)
UPDATE sluice.streams s SET requested_gen = requested_gen + CASE s.state WHEN 'denied' THEN 0 ELSE 1 END,
	state = CASE WHEN state IN ('idle', 'failed') THEN 'queued' ELSE state END
FROM free f
WHERE (f.organization_id, f.service, f.resource) = (s.organization_id, s.service, s.resource)
RETURNING s.organization_id, s.service, s.resource, s.state = 'denied', s.every`

	// A stream that is being written to is skipped: it is still due at the next tick. The clock is
	// read once: it is volatile, so a comparison row by row could not use the index
	// (docs/scale.md).
	sqlTakeDue = `
WITH due AS (
	SELECT organization_id, service, resource FROM sluice.streams s
	WHERE enabled AND next_due_at <= (SELECT clock_timestamp())
	ORDER BY priority DESC, next_due_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
UPDATE sluice.streams s SET state = CASE WHEN state IN ('idle', 'failed') THEN 'queued' ELSE state END
FROM due d
WHERE (d.organization_id, d.service, d.resource) = (s.organization_id, s.service, s.resource)
RETURNING s.organization_id, s.service, s.resource, false, ` + interval
)

// RegisterStreams brings the streams table in line with the configuration. New streams are due at
// once unless their setting says otherwise. Other streams of the organizations in settings are
// disabled, except for backfills; they keep their position. Streams of other organizations stay as
// they are: another process may serve them.
func (s *Schedule) RegisterStreams(ctx context.Context, settings []Setting) error {
	keys := make([]pipeline.Key, len(settings))
	seconds := make([]float64, len(settings))
	hinted := make([]float64, len(settings))
	enabled := make([]bool, len(settings))
	after := make(map[pipeline.Key]time.Duration, len(settings))
	for i, setting := range settings {
		if setting.Every <= 0 {
			return fmt.Errorf("registering %s: every is %s, it has to be positive", setting.Key, setting.Every)
		}
		keys[i], seconds[i], enabled[i] = setting.Key, setting.Every.Seconds(), setting.Enabled
		hinted[i], after[setting.Key] = setting.Hinted.Seconds(), setting.After
	}
	organizations, services, resources := columns(keys)
	return postgres.InTx(ctx, s.pool, "registering streams", func(tx pgx.Tx) error {
		written, err := collect(tx.Query(ctx, sqlRegister, organizations, services, resources, seconds, enabled, record.HashRule, hinted))
		if err != nil {
			return postgres.Fail("registering streams", err)
		}
		err = s.setDue(ctx, tx, written.keys, func(i int) pipeline.Occasion {
			if written.fresh[i] {
				return pipeline.Occasion{Event: pipeline.Registered, Every: written.every[i], First: after[written.keys[i]]}
			}
			return pipeline.Occasion{Event: pipeline.Reconfigured, Every: written.every[i]}
		})
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, sqlDisable, organizations, services, resources)
		return postgres.Fail("disabling streams", err)
	})
}

// Request asks for a run of each stream, now: a run that began before does not count. A denied
// stream is tried again. A waiting stream tries again, too: the day may have turned, the plan may
// be larger, or the operator may have opened the gate. It returns ErrNoStream, and changes nothing,
// if one of them is not registered or is disabled.
func (s *Schedule) Request(ctx context.Context, keys []pipeline.Key) error {
	organizations, services, resources := columns(keys)
	return postgres.InTx(ctx, s.pool, "requesting runs", func(tx pgx.Tx) error {
		found, err := postgres.Collect(ctx, tx, "requesting runs", pgx.RowToStructByPos[pipeline.Key], sqlRequest, organizations, services, resources)
		if err != nil {
			return err
		}
		known := make(map[pipeline.Key]bool, len(found))
		for _, key := range found {
			known[key] = true
		}
		for _, key := range keys {
			if !known[key] {
				return fmt.Errorf("%w: %s: it is not registered, or the configuration has it disabled", ErrNoStream, key)
			}
		}
		return s.setDue(ctx, tx, found, func(int) pipeline.Occasion { return pipeline.Occasion{Event: pipeline.Requested} })
	})
}

// RequestTold requests runs of streams of which change notifications told, in the caller's
// transaction, which also inserts the jobs of those that may run. Asked are the streams that it
// could lock; the others are being written to. A denied stream is asked and may not run.
//
//nolint:nonamedreturns // the names say which is which
func (s *Schedule) RequestTold(ctx context.Context, tx pgx.Tx, keys []pipeline.Key) (asked, mayRun []pipeline.Key, err error) {
	if len(keys) == 0 {
		return nil, nil, nil
	}
	organizations, services, resources := columns(keys)
	told, err := collect(tx.Query(ctx, sqlRequestTold, organizations, services, resources))
	if err != nil {
		return nil, nil, postgres.Fail("requesting what was told of", err)
	}
	var every []time.Duration
	for i, key := range told.keys {
		if denied := told.fresh[i]; !denied {
			mayRun, every = append(mayRun, key), append(every, told.every[i])
		}
	}
	return told.keys, mayRun, s.setDue(ctx, tx, mayRun, func(i int) pipeline.Occasion {
		return pipeline.Occasion{Event: pipeline.Taken, Every: every[i]}
	})
}

// TakeDue takes at most limit streams that are due, most urgent first. It moves their due time on
// by their interval. It works in the caller's transaction, which also inserts the jobs: a stream is
// taken if and only if it has its job. A denied stream is due a day after it was denied, or by its
// interval after a process was restarted: the cause may have been removed upstream or in the
// configuration. It notes the instant as that of the last tick.
func (s *Schedule) TakeDue(ctx context.Context, tx pgx.Tx, limit int) ([]pipeline.Key, error) {
	if err := ticked(ctx, tx); err != nil {
		return nil, err
	}
	taken, err := collect(tx.Query(ctx, sqlTakeDue, limit))
	if err != nil || len(taken.keys) == 0 {
		return nil, postgres.Fail("taking due streams", err)
	}
	return taken.keys, s.setDue(ctx, tx, taken.keys, func(i int) pipeline.Occasion {
		return pipeline.Occasion{Event: pipeline.Taken, Every: taken.every[i]}
	})
}

// written are the streams that a statement wrote, with what the rule needs of each: whether it is
// new, and its interval.
type written struct {
	keys  []pipeline.Key
	fresh []bool
	every []time.Duration
}

func collect(rows pgx.Rows, err error) (written, error) {
	var all written
	if err != nil {
		return all, err
	}
	var key pipeline.Key
	var fresh bool
	var every time.Duration
	_, err = pgx.ForEachRow(rows, []any{&key.Organization, &key.Service, &key.Resource, &fresh, &every}, func() error {
		all.keys, all.fresh, all.every = append(all.keys, key), append(all.fresh, fresh), append(all.every, every)
		return nil
	})
	return all, err
}

// columns splits keys into organizations, services and resources.
func columns(keys []pipeline.Key) ([]string, []string, []string) {
	organizations := make([]string, len(keys))
	services := make([]string, len(keys))
	resources := make([]string, len(keys))
	for i, key := range keys {
		organizations[i], services[i], resources[i] = key.Organization, key.Service, key.Resource
	}
	return organizations, services, resources
}
