package bench

import (
	"context"
	"fmt"

	"sluice/cmd/sluice/cli/view"
	"sluice/sandbox/oracle"
)

// mostLooks bounds the looks for deletions that should be seen.
const mostLooks = 4

// readOne makes one row of a list wait for its single record. The lists of live services carry
// headers, so that single records have been read long before anything is deleted; here the lists
// are complete, and one single record stands for all.
const readOne = `UPDATE %[1]s SET _detail_state = 'stale', _detail_at = NULL WHERE %[2]s = (SELECT min(%[2]s) FROM %[1]s)`

// deletions measures looks for deletions: when there are none, and when neighbours are deleted.
func (c *counter) deletions(ctx context.Context, lists ...list) error {
	c.world.Advance(behind) // rows that are younger than the scan by upstream's clock prove nothing
	for _, l := range lists {
		if err := c.line(ctx, lineLook+l.name, l.looks()[0], 1, nothingGone); err != nil {
			return err
		}
		if l.details {
			if err := c.warehouse.execute(ctx, fmt.Sprintf(readOne, l.stream(), l.id)); err != nil {
				return err
			}
			if _, err := c.sync(ctx, l.stream()+".details"); err != nil {
				return err
			}
		}
		neighbours := make([]int, c.plan.gone)
		for n := range neighbours {
			neighbours[n] = len(c.world.Listed(l.service, l.resource))/2 + n
		}
		if err := c.gone(ctx, l, lineNeighbours+l.name, neighbours); err != nil {
			return err
		}
	}
	return nil
}

// sqlTombstoned reports whether deleted records have tombstones, and no further look is due soon.
// One is due soon after a look that missed something.
const sqlTombstoned = `SELECT (SELECT count(*) FROM sluice.tombstones
	WHERE service = $1 AND resource = $2 AND record_id = ANY ($3) AND state = 'deleted') = cardinality($3::text[])
	AND next_due_at > now() + interval '2 hours'
	FROM sluice.streams WHERE service = $1 AND resource = $2 || '.sweep'`

// gone deletes the records of some ranks in a list, and measures the calls until they have their
// tombstones and the schedule asks for no further look because of them.
func (c *counter) gone(ctx context.Context, l list, name string, ranks []int) error {
	listed := c.world.Listed(l.service, l.resource)
	ids := make([]string, len(ranks))
	for n, rank := range ranks {
		ids[n] = listed[rank]
	}
	if err := c.world.remove(ctx, l, ids); err != nil {
		return err
	}
	calls := 0
	for range mostLooks {
		for _, stream := range l.looks() {
			spent, err := c.sync(ctx, stream)
			if err != nil {
				return err
			}
			calls += spent
		}
		var over bool
		if err := c.read(ctx, sqlTombstoned, []any{l.service, l.resource, ids}, &over); err != nil {
			return err
		}
		if over {
			reason := fmt.Sprintf("%s gone: pages that show the gaps, or identifiers, %d a call", view.Count(len(ids)), l.atOnce)
			return c.note(name, calls, oracle.CallsForGone(ranks, l.atOnce), reason)
		}
	}
	return fmt.Errorf("%d deleted %s have no tombstones after %d looks", len(ids), l.name, mostLooks)
}

// looks returns the streams that find deletions of a list, in turn; the first one looks when there
// are none, too.
func (l list) looks() []string {
	if l.details {
		return []string{l.stream() + ".look", l.stream() + ".details"}
	}
	return []string{l.stream() + ".look", l.stream() + ".sweep"} // nothing but a second sweep confirms what is missed
}
