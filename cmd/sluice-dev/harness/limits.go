package harness

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// sqlFullest is the largest number of slots of a minute that were held at a reservation, over all
// allowances. A slot is held for a minute after the call's end. A call whose end was reported after
// its lease, or never, counted as ended with the lease. Chat, tokens and notifications have limits
// of their own.
const sqlFullest = `
WITH held AS (
	SELECT id, organization_id, shared, reserved_at AS at, least(finished_at, lease_until) + $1::interval AS free
	FROM sluice.calls WHERE service NOT IN ('auth', 'chat', 'notifications'))
SELECT coalesce(max(held), 0) FROM (
	SELECT count(*) AS held FROM held AS c JOIN held AS o USING (organization_id, shared)
	WHERE o.at <= c.at AND o.free > c.at GROUP BY c.id) AS counted`

// Exceeded judges invariant 3 by the call log of a database and the counts of an organization
// upstream. It returns the largest number of slots of a minute that were held together, and says
// what was exceeded, "" if nothing was.
//
// The verdict is sound on a busy machine, too. The minute is judged by the call log, whose instants
// are those of the clock that decides, and not by when a handler of upstream began, which may be
// seconds after the arrival. A call arrives between its reservation and its end, and holds its slot
// for a minute after its end. So where no more slots are held than a minute allows, no more calls
// arrive in any minute, if each has a slot: the caller compares the number of calls that upstream
// saw with the call log. Calls at once are upstream's count. It ends a call before it sends the last byte of
// the answer, so that a client cannot begin the next one earlier, and a call that a killed process
// left behind when the connection ends, long before its lease does. Upstream's code 44 is no
// evidence, because it comes from the late count.
func Exceeded(ctx context.Context, conn *pgx.Conn, stats sandbox.Stats, perMinute, atOnce int, minute time.Duration) (int, string, error) {
	var fullest int
	if err := conn.QueryRow(ctx, sqlFullest, minute).Scan(&fullest); err != nil {
		return 0, "", fmt.Errorf("count the slots of a minute: %w", err)
	}
	refused := maps.Clone(stats.Refused)
	delete(refused, "44")
	if fullest <= perMinute && stats.WorstConcurrent <= atOnce && len(refused) == 0 {
		return fullest, "", nil
	}
	return fullest, fmt.Sprintf(
		"invariant 3: %d slots of a minute were held (%d allowed), upstream counted %d calls at once (%d allowed), and refused %v",
		fullest, perMinute, stats.WorstConcurrent, atOnce, refused), nil
}
