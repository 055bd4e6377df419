package streams

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

const (
	sqlZone = `
SELECT s.zone, coalesce(o.time_zone, ''), coalesce(o.time_zone_before, '')
FROM sluice.streams s LEFT JOIN sluice.organizations o USING (organization_id)
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3)`

	// The list's row is locked first, as everywhere. A stream that has not read in any zone yet
	// changes nothing.
	sqlOtherZone = `
UPDATE sluice.streams l SET zone_gen = l.zone_gen + 1 FROM sluice.streams s
WHERE (l.organization_id, l.service, l.resource) = ($1, $2, $5) AND (s.organization_id, s.service, s.resource) = ($1, $2, $3)
	AND s.zone NOT IN ('', $4)`

	sqlNoteZone = `UPDATE sluice.streams SET zone = $4 WHERE (organization_id, service, resource) = ($1, $2, $3)`

	sqlRezone = `SELECT organization_id, service, resource FROM sluice.streams WHERE zone_gen <> rezoned_gen ORDER BY 1, 2, 3`

	sqlZoneGen = `SELECT zone_gen FROM sluice.streams WHERE (organization_id, service, resource) = ($1, $2, $3)`

	sqlRezoned = `UPDATE sluice.streams SET rezoned_gen = $4 WHERE (organization_id, service, resource) = ($1, $2, $3) AND rezoned_gen <> $4`
)

// Zones are names of time zones, "" for none.
type Zones struct {
	// Read is the zone in which the last chunk of a stream read times without an offset.
	Read string
	// Upstream is the zone that upstream named last for the organization; Before is the different
	// one that it named before.
	Upstream, Before string
}

// ZonesOf returns the time zones of a stream.
func (s *Schedule) ZonesOf(ctx context.Context, stream pipeline.Stream) (Zones, error) {
	var known Zones
	key := stream.Key()
	err := s.pool.QueryRow(ctx, sqlZone, key.Organization, key.Service, key.Resource).Scan(&known.Read, &known.Upstream, &known.Before)
	return known, postgres.Fail("reading the time zone of "+key.String(), err)
}

// NoteZone stores the time zone in which the chunk that the caller has claimed reads times. Anew
// says that times read in another zone were wrong: the rows of the resource have to be rebuilt, and
// Rezone returns their list from then on. Each stream that writes to the table calls it for itself.
// So a chunk that still works in the old zone is followed by one more rebuild.
func (s *Schedule) NoteZone(ctx context.Context, stream pipeline.Stream, zone string, anew bool) error {
	key := stream.Key()
	op := "noting the time zone of " + key.String()
	return postgres.InTx(ctx, s.pool, op, func(tx pgx.Tx) error {
		if anew {
			if _, err := tx.Exec(ctx, sqlOtherZone, key.Organization, key.Service, key.Resource, zone, stream.Resource.Name); err != nil {
				return postgres.Fail(op, err)
			}
		}
		_, err := tx.Exec(ctx, sqlNoteZone, key.Organization, key.Service, key.Resource, zone)
		return postgres.Fail(op, err)
	})
}

// Rezone returns the lists whose rows were, or may have been, read in a time zone that the
// configuration has corrected since. A rebuild of the changed rows updates them, without a call.
func (s *Schedule) Rezone(ctx context.Context) ([]pipeline.Key, error) {
	return s.keys(ctx, "looking for rows of another time zone", sqlRezone)
}

// ZoneGeneration returns the number of changes of a list's time zone. A rebuild that begins now
// covers all of them.
func ZoneGeneration(ctx context.Context, tx pgx.Tx, key pipeline.Key) (int, error) {
	var generation int
	err := tx.QueryRow(ctx, sqlZoneGen, key.Organization, key.Service, key.Resource).Scan(&generation)
	return generation, postgres.Fail("reading the time zone of "+key.String(), err)
}
