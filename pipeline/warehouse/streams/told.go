package streams

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// trusted says that notifications replace scheduled runs of stream s: three runs in a row found
// nothing that no notification had told of, and the way of the notifications is proven at present.
// One miss sets the count back, and a way that is not proven again and again lapses by itself.
const trusted = `(s.hinted_every IS NOT NULL AND s.announced_runs >= ` + neededRuns + ` AND coalesce(s.told_until > clock_timestamp(), false))`

// neededRuns is how many scheduled runs in a row have to find nothing untold.
const neededRuns = `3`

// interval is the time between two scheduled runs of stream s. Sweeps come four times more rarely, but
// once a month, while upstream's counts say that they find nothing.
const interval = `CASE WHEN ` + trusted + ` THEN greatest(s.hinted_every, s.every)
	WHEN s.resource LIKE '%.sweep' AND EXISTS (SELECT FROM sluice.streams c
		WHERE (c.organization_id, c.service, c.resource) = (s.organization_id, s.service, left(s.resource, -length('.sweep')))
			AND c.agreed_at >= c.counted_at AND c.counted_at > clock_timestamp() - s.every)
	THEN greatest(s.every, least(4 * s.every, interval '30 days')) ELSE s.every END`

const (
	sqlProve = `
WITH proven AS (
	SELECT s.organization_id, s.service, s.resource FROM sluice.streams s
	JOIN unnest($1::text[], $2::text[], $3::text[]) AS w (organization_id, service, resource) USING (organization_id, service, resource)
	WHERE s.hinted_every IS NOT NULL ORDER BY s.organization_id, s.service, s.resource FOR UPDATE OF s
)
UPDATE sluice.streams s SET told_until = CASE WHEN $4::interval > interval '0' THEN clock_timestamp() + $4::interval END
FROM proven p
WHERE (p.organization_id, p.service, p.resource) = (s.organization_id, s.service, s.resource)`

	// Runs over hints read only what was told. A first sync reads what there was before.
	sqlAnnounced = `
SELECT s.organization_id, s.service, s.resource, coalesce(sum(n.changes), 0)::bigint AS changes,
	coalesce(sum(n.unannounced), 0)::bigint AS unannounced
FROM sluice.streams s CROSS JOIN unnest(ARRAY[s.resource, s.resource || '.hinted']) AS w (resource) CROSS JOIN LATERAL (
	SELECT sum(r.inserted + r.updated) AS changes, sum(r.unannounced) AS unannounced FROM (
		SELECT l.inserted, l.updated, l.unannounced, l.started_at, l.watermark_before FROM sluice.runs l
		WHERE (l.organization_id, l.service, l.resource) = (s.organization_id, s.service, w.resource)
		ORDER BY l.id DESC LIMIT $1
	) AS r WHERE r.started_at > clock_timestamp() - interval '1 day' AND (w.resource <> s.resource OR r.watermark_before IS NOT NULL)
) AS n
WHERE s.hinted_every IS NOT NULL GROUP BY s.organization_id, s.service, s.resource ORDER BY s.organization_id, s.service, s.resource`

	// A stream that is being written to is left to the next turn.
	sqlLapsed = `
SELECT s.organization_id, s.service, s.resource, s.every, s.last_done_at, clock_timestamp()
FROM sluice.streams s
WHERE s.enabled AND s.hinted_every IS NOT NULL AND s.run_id IS NULL AND s.state <> 'denied' AND NOT ` + trusted + `
	AND s.next_due_at > greatest(s.last_done_at + s.every, clock_timestamp())
ORDER BY s.organization_id, s.service, s.resource FOR UPDATE OF s SKIP LOCKED`
)

// Prove notes that the way of the notifications about streams is proven for some time; zero means
// that it is not proven any more.
func (s *Schedule) Prove(ctx context.Context, keys []pipeline.Key, lasts time.Duration) error {
	if len(keys) == 0 {
		return nil
	}
	organizations, services, resources := columns(keys)
	_, err := s.pool.Exec(ctx, sqlProve, organizations, services, resources, lasts)
	return postgres.Fail("noting that notifications arrive", err)
}

// Distrust gives streams their usual interval back whose notifications are no longer trusted. It
// returns them.
func (s *Schedule) Distrust(ctx context.Context) ([]pipeline.Key, error) {
	var keys []pipeline.Key
	const op = "looking for notifications that lapsed"
	err := postgres.InTx(ctx, s.pool, op, func(tx pgx.Tx) error {
		var key pipeline.Key
		var turn pipeline.Occasion
		var turns []pipeline.Occasion
		into := []any{&key.Organization, &key.Service, &key.Resource, &turn.Every, &turn.Since, &turn.Now}
		err := postgres.Each(ctx, tx, op, into, func() error {
			turn.Event = pipeline.Lapsed
			keys, turns = append(keys, key), append(turns, turn)
			return nil
		}, sqlLapsed)
		if err != nil {
			return err
		}
		return s.setDue(ctx, tx, keys, func(i int) pipeline.Occasion { return turns[i] })
	})
	return keys, err
}

// Announced is how many changes of a list were announced in the last day.
type Announced struct {
	Organization string `db:"organization_id"`
	Service      string `db:"service"`
	Resource     string `db:"resource"`
	// Changes counts changed rows. Unannounced counts those of which no notification told; the
	// youngest do not count, because callbacks may come late.
	Changes     int64 `db:"changes"`
	Unannounced int64 `db:"unannounced"`
}

// runsOfADay bounds the runs that Announced looks at, of each stream.
const runsOfADay = 1500

// Announced returns how many changes were announced, of the lists that notifications may replace
// runs of.
func (s *Schedule) Announced(ctx context.Context) ([]Announced, error) {
	return postgres.Read[Announced](ctx, s.pool, "what notifications told of", sqlAnnounced, runsOfADay)
}
