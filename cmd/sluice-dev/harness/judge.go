package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/sandbox"
	"sluice/sandbox/oracle"
)

// keys are the key columns of the resources that get tombstones here.
var keys = map[string]string{
	"inventory.bills": "bill_id", "inventory.credit_notes": "creditnote_id", "accounting.vendor_payments": "payment_id",
}

// Deletable returns the resources whose records may be deleted upstream: those that get tombstones.
func Deletable() []string { return []string{"bills", "credit_notes", "vendor_payments"} }

// Sweeps returns the streams that find what was deleted.
func Sweeps() []string {
	return []string{"inventory.bills.sweep", "accounting.vendor_payments.sweep", "credit_notes"}
}

// Age moves the rows back by an hour: a scan says nothing about rows first seen in its first
// second.
func Age(ctx context.Context, warehouse *pgxpool.Pool) error {
	for table := range keys {
		if _, err := warehouse.Exec(ctx, "UPDATE "+table+" SET _first_seen_at = _first_seen_at - interval '1 hour'"); err != nil {
			return fmt.Errorf("let time pass for %s: %w", table, err)
		}
	}
	return nil
}

// Broken holds broken promises.
type Broken struct{ Violations []string }

// Brokenf notes one.
func (b *Broken) Brokenf(format string, args ...any) {
	b.Violations = append(b.Violations, fmt.Sprintf(format, args...))
}

// Verdict holds the judge's findings.
type Verdict struct {
	Broken

	// Records counts the records upstream, Tombstones the rows of deleted records.
	Records, Tombstones int
	// Calls counts those that upstream saw, Minute the slots of a minute that were held together, and
	// AtOnce is upstream's highest count.
	Calls, Minute, AtOnce int
}

// Judge compares a warehouse with upstream, when both are quiet.
func (b *Bed) Judge(ctx context.Context, warehouse *pgxpool.Pool) (Verdict, error) {
	var v Verdict
	conn, err := warehouse.Acquire(ctx)
	if err != nil {
		return v, fmt.Errorf("connect to Postgres: %w", err)
	}
	defer conn.Release()
	for service, names := range Resources() {
		for _, name := range names {
			if err := b.equal(ctx, conn.Conn(), service, name, &v); err != nil {
				return v, err
			}
		}
	}
	if err := b.atRest(ctx, conn.Conn(), &v); err != nil {
		return v, err
	}
	return v, b.limits(ctx, conn.Conn(), &v)
}

// sight is a row of the warehouse, with a tombstone or without.
type sight struct {
	ID   string
	Dead bool
}

// equal compares one resource, record by record, and its tombstones.
func (b *Bed) equal(ctx context.Context, conn *pgx.Conn, service, name string, v *Verdict) error {
	result, err := oracle.Compare(ctx, conn, service, name, sandbox.DefaultOrganizationID, b.World.Truth(service, name))
	if err != nil {
		return err
	}
	v.Records += result.Live
	if result.Live == 0 {
		v.Brokenf("%s.%s: upstream has no record: nothing was compared", service, name)
	}
	if result.Different > 0 {
		v.Brokenf("invariant 8: %s.%s: %d differences in %d records: %s", service, name, result.Different, result.Live,
			strings.Join(result.Differences[:min(3, len(result.Differences))], "; "))
	}
	if result.Undeclared > 0 || len(result.Unmapped) > 0 {
		v.Brokenf("%s.%s: %d rows with keys that no column takes, %v", service, name, result.Undeclared, result.Unmapped)
	}
	key, proven := keys[service+"."+name]
	if !proven {
		if result.Gone > 0 {
			v.Brokenf("invariant 8: %s.%s: %d rows without a record", service, name, result.Gone)
		}
		return nil
	}
	truth, err := identifiers(b.World.Truth(service, name), key)
	if err != nil {
		return err
	}
	rows, _ := conn.Query(ctx, "SELECT "+key+", _deleted_at IS NOT NULL FROM "+service+"."+name) // collecting returns its error
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[sight])
	if err != nil {
		return fmt.Errorf("read %s.%s: %w", service, name, err)
	}
	for _, row := range found {
		if row.Dead {
			v.Tombstones++
		}
		if _, exists := slices.BinarySearch(truth, row.ID); exists == row.Dead {
			v.Brokenf("invariant 7: %s.%s %s: tombstone %t, exists upstream %t", service, name, row.ID, row.Dead, exists)
		}
	}
	return nil
}

func identifiers(truth iter.Seq[json.RawMessage], key string) ([]string, error) {
	var ids []string
	for raw := range truth {
		var record map[string]any
		if err := json.Unmarshal(raw, &record); err != nil {
			return nil, fmt.Errorf("read a record of upstream: %w", err)
		}
		ids = append(ids, fmt.Sprint(record[key]))
	}
	slices.Sort(ids)
	return ids, nil
}

// questions returns queries that must return nothing once all streams have done their work; each
// row is a text for people. An unused job of a stream without a request is permitted: two processes
// may queue a stream at the same moment. If one is so late that the other's job is done, its own
// job has nothing to do.
func questions() map[string]string {
	const job = `SELECT concat_ws(' ', kind, args ->> 'resource', state, 'attempt', attempt, 'at', scheduled_at, 'by', attempted_by::text)
		FROM river.river_job WHERE NOT (state = 'available' AND attempt = 0 AND EXISTS (
			SELECT FROM sluice.streams s WHERE s.state = 'idle' AND s.run_id IS NULL AND s.requested_gen <= s.served_gen AND s.service = args ->> 'service'
				AND s.resource = args ->> 'resource' AND s.organization_id = args ->> 'organization')) AND state `
	return map[string]string{
		"streams are not idle": `SELECT concat_ws(' ', service, resource, state, 'run', run_id, reason) FROM sluice.streams
			WHERE enabled AND (state <> 'idle' OR run_id IS NOT NULL OR scan IS NOT NULL)`,
		"streams were asked for in vain": `SELECT concat_ws(' ', service, resource, requested_gen, served_gen) FROM sluice.streams
			WHERE enabled AND requested_gen > served_gen`,
		"runs are open":             `SELECT concat_ws(' ', id, service, resource, started_at) FROM sluice.runs WHERE ended_at IS NULL`,
		"jobs are not finished":     job + `NOT IN ('completed', 'cancelled', 'discarded')`,
		"jobs were given up":        job + `IN ('cancelled', 'discarded')`,
		"records are in quarantine": `SELECT concat_ws(' ', service, resource, code, detail) FROM sluice.quarantine`,
		"transactions are prepared": `SELECT gid FROM pg_prepared_xacts`,
	}
}

func (b *Bed) atRest(ctx context.Context, conn *pgx.Conn, v *Verdict) error {
	for what, sql := range questions() {
		rows, _ := conn.Query(ctx, sql) // collecting returns its error
		answers, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("ask which %s: %w", what, err)
		}
		if n := len(answers); n != 0 {
			v.Brokenf("invariant 6: %d %s: %s", n, what, strings.Join(answers[:min(3, n)], "; "))
		}
	}
	return nil
}

func (b *Bed) limits(ctx context.Context, conn *pgx.Conn, v *Verdict) error {
	stats := b.World.Stats()
	fullest, exceeded, err := Exceeded(ctx, conn, stats, PerMinute, AtOnce, cmp.Or(b.options.Minute, time.Minute))
	if err != nil {
		return err
	}
	v.Calls, v.Minute, v.AtOnce = stats.Calls, fullest, stats.WorstConcurrent
	if exceeded != "" {
		v.Brokenf("%s", exceeded)
	}
	var logged int
	if err := conn.QueryRow(ctx, `SELECT count(*) FROM sluice.calls WHERE service <> 'auth'`).Scan(&logged); err != nil {
		return fmt.Errorf("count calls: %w", err)
	}
	if v.Calls > logged {
		v.Brokenf("invariant 3: upstream counted %d calls, the call log has %d", v.Calls, logged)
	}
	return nil
}

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
