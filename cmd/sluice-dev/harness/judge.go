package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/sandbox"
	"sluice/sandbox/oracle"
)

// keys returns the key columns of the resources that get tombstones here.
func keys() map[string]string {
	return map[string]string{"inventory.bills": "bill_id", "inventory.credit_notes": "creditnote_id", "accounting.vendor_payments": "payment_id"}
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
	for table := range keys() {
		if _, err := warehouse.Exec(ctx, "UPDATE "+table+" SET _first_seen_at = _first_seen_at - interval '1 hour'"); err != nil {
			return fmt.Errorf("let time pass for %s: %w", table, err)
		}
	}
	return nil
}

// Verdict holds the judge's findings.
type Verdict struct {
	// Violations are broken invariants; empty if there are none.
	Violations []string `json:"-"`
	// Records counts the records upstream, Tombstones the rows of deleted records.
	Records    int `json:"records"`
	Tombstones int `json:"tombstones"`
	// Calls and Logged are the counts of upstream and of the call log, Minute the slots of a minute
	// that were held together, and AtOnce upstream's highest count.
	Calls  int `json:"calls"`
	Logged int `json:"logged"`
	Minute int `json:"most_in_a_minute"`
	AtOnce int `json:"most_at_once"`
}

func (v *Verdict) brokenf(format string, args ...any) {
	v.Violations = append(v.Violations, fmt.Sprintf(format, args...))
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
	if err := b.limits(ctx, conn.Conn(), &v); err != nil {
		return v, err
	}
	if err := conn.QueryRow(ctx, `SELECT count(*) FROM sluice.calls WHERE service <> 'auth'`).Scan(&v.Logged); err != nil {
		return v, fmt.Errorf("count calls: %w", err)
	}
	if v.Calls > v.Logged {
		v.brokenf("invariant 3: upstream counted %d calls, the call log has %d", v.Calls, v.Logged)
	}
	return v, nil
}

// equal compares one resource, record by record, and its tombstones.
func (b *Bed) equal(ctx context.Context, conn *pgx.Conn, service, name string, v *Verdict) error {
	result, err := oracle.Compare(ctx, conn, service, name, sandbox.DefaultOrganizationID, b.World.Truth(service, name))
	if err != nil {
		return err
	}
	v.Records += result.Live
	if result.Live == 0 {
		v.brokenf("%s.%s: upstream has no record: nothing was compared", service, name)
	}
	if result.Different > 0 {
		v.brokenf("invariant 8: %s.%s: %d differences in %d records: %s", service, name, result.Different, result.Live,
			strings.Join(result.Differences[:min(3, len(result.Differences))], "; "))
	}
	if result.Undeclared > 0 || len(result.Unmapped) > 0 {
		v.brokenf("%s.%s: %d rows with keys that no column takes, %v", service, name, result.Undeclared, result.Unmapped)
	}
	key, proven := keys()[service+"."+name]
	if !proven {
		if result.Gone > 0 {
			v.brokenf("invariant 8: %s.%s: %d rows without a record", service, name, result.Gone)
		}
		return nil
	}
	truth, err := identifiers(b.World.Truth(service, name), key)
	if err != nil {
		return err
	}
	for _, side := range []struct {
		where string
		dead  bool
	}{{"IS NULL", false}, {"IS NOT NULL", true}} {
		rows, err := conn.Query(ctx, "SELECT "+key+" FROM "+service+"."+name+" WHERE _deleted_at "+side.where)
		if err != nil {
			return fmt.Errorf("read %s.%s: %w", service, name, err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("read %s.%s: %w", service, name, err)
		}
		if side.dead {
			v.Tombstones += len(found)
		}
		for _, id := range found {
			if _, exists := slices.BinarySearch(truth, id); exists == side.dead {
				v.brokenf("invariant 7: %s.%s %s: tombstone %t, exists upstream %t", service, name, id, side.dead, exists)
			}
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
		"streams are not idle": `SELECT concat_ws(' ', service, resource, state, 'run', run_id) FROM sluice.streams
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
		rows, err := conn.Query(ctx, sql)
		if err != nil {
			return fmt.Errorf("ask which %s: %w", what, err)
		}
		answers, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("ask which %s: %w", what, err)
		}
		if n := len(answers); n != 0 {
			v.brokenf("invariant 6: %d %s: %s", n, what, strings.Join(answers[:min(3, n)], "; "))
		}
	}
	return nil
}

func (b *Bed) limits(ctx context.Context, conn *pgx.Conn, v *Verdict) error {
	stats := b.World.Stats()
	fullest, exceeded, err := Exceeded(ctx, conn, stats, PerMinute, AtOnce, cmp.Or(b.options.Minute, time.Minute))
	v.Calls, v.Minute, v.AtOnce = stats.Calls, fullest, stats.WorstConcurrent
	if exceeded != "" {
		v.brokenf("%s", exceeded)
	}
	return err
}
