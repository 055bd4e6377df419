//go:build e2e

package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// TestBreadth copies every resource that the documents describe, from lists with all fields and
// from lists of headers. Then it copies the changes, and then nothing.
func TestBreadth(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string]bool{"lists carry lines": false, "lists carry headers": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWideStage(t, sandbox.Options{Seed: 71, Records: 100, HeadersOnly: headers})
			s.inTurns()
			if gone := s.wideEqual(); gone != 0 {
				t.Errorf("%d rows without a record upstream", gone)
			}
			s.detailed(headers)

			s.pass(25 * time.Hour)
			changed := sure(s.world.Change(sandbox.Change{Seed: 5, Inserts: 2, Edits: 3}))(t)
			s.inTurns()
			s.wideEqual()
			s.detailed(headers)
			if len(changed) == 0 {
				t.Error("nothing changed upstream")
			}

			s.changesNothing()
			s.wideEqual()
		})
	}
}

// changesNothing syncs a day later, when nothing changed upstream: no row is written, and no single
// record is read.
func (s *fixture) changesNothing() {
	s.t.Helper()
	s.pass(25 * time.Hour)
	before := s.written()
	for stream, r := range s.inTurns() {
		if r.Inserted+r.Updated+r.Quarantined > 0 || r.Outcome != "done" {
			s.t.Errorf("%s: the sync of nothing says %+v", stream, r)
		}
		if strings.HasSuffix(stream, ".details") && r.Calls > 0 {
			s.t.Errorf("%s: %d calls for single records whose list rows did not change", stream, r.Calls)
		}
	}
	if after := s.written(); after != before {
		s.t.Errorf("rows written (inserted, updated, deleted) were %v and are %v after a sync of nothing", before, after)
	}
}

// detailed makes sure that no row waits for its lines, and that lines were fetched one by one only
// where lists show headers.
func (s *fixture) detailed(headers bool) {
	s.t.Helper()
	for _, table := range []string{"inventory.bills", "inventory.credit_notes", "inventory.items", "inventory.composite_items", "accounting.vendor_payments"} {
		want := "none_needed"
		if headers {
			want = "current"
		}
		if n := one[int](s, `SELECT count(*) FROM `+table+` WHERE _detail_state <> $1`, want); n > 0 {
			s.t.Errorf("%s: %d rows are not %s", table, n, want)
		}
	}
	// Only live services send headers of accounts and expenses: docs/upstream.md U313 and U315.
	for _, table := range []string{"accounting.chart_of_accounts", "accounting.expenses"} {
		if n := one[int](s, `SELECT count(*) FROM `+table+` WHERE _detail_state <> 'none_needed'`); n > 0 {
			s.t.Errorf("%s: %d rows needed their single record", table, n)
		}
	}
	// docs/upstream.md U182: the list of adjustments has no accounts, only the single record.
	if n := one[int](s, `SELECT count(*) FROM accounting.base_currency_adjustments WHERE _detail_state <> 'current'`); n > 0 {
		s.t.Errorf("%d adjustments have no accounts", n)
	}
	loaded := one[int](s, `SELECT count(*) FROM analytics.bill_lines_loaded WHERE share_of_bills = 1`)
	if months := one[int](s, `SELECT count(*) FROM analytics.bill_lines_loaded`); months == 0 || loaded != months {
		s.t.Errorf("lines are loaded of all bills in %d months of %d", loaded, months)
	}
}

// written are the server's counts of writes to the tables of the services.
func (s *fixture) written() [3]int64 {
	s.t.Helper()
	s.quiet()
	conn, err := pgx.Connect(s.t.Context(), s.environment["SLUICE_DATABASE_URL"]) // only a new session sees the latest figures
	must(s.t, err)
	var n [3]int64
	must(s.t, conn.QueryRow(s.t.Context(), `SELECT coalesce(sum(n_tup_ins), 0), coalesce(sum(n_tup_upd), 0), coalesce(sum(n_tup_del), 0)
		FROM pg_stat_user_tables WHERE schemaname IN ('accounting', 'inventory', 'chat')`).Scan(&n[0], &n[1], &n[2]))
	must(s.t, conn.Close(s.t.Context()))
	return n
}
