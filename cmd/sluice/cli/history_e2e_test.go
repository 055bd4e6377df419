//go:build e2e

package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
	"sluice/sandbox/oracle"
)

// past is what upstream had at an instant, by resource.
type past struct {
	at    time.Time
	truth map[string][]json.RawMessage
}

func (s *fixture) look() past {
	s.t.Helper()
	p := past{at: one[time.Time](s, `SELECT clock_timestamp()`), truth: make(map[string][]json.RawMessage)}
	for _, resource := range []string{"inventory.bills", "inventory.credit_notes", "accounting.vendor_payments"} {
		service, name, _ := strings.Cut(resource, ".")
		for raw := range s.world.Truth(service, name) {
			p.truth[resource] = append(p.truth[resource], slices.Clone(raw))
		}
	}
	return p
}

// relive compares the tables as of an instant with what upstream had then, field by field. It makes
// the tables with the functions that analysts call.
func (s *fixture) relive(p past) {
	s.t.Helper()
	for resource, truth := range p.truth {
		service, name, _ := strings.Cut(resource, ".")
		s.exec(`DROP SCHEMA IF EXISTS past CASCADE; CREATE SCHEMA past`)
		rows, err := s.conn.Query(s.t.Context(), `SELECT tablename FROM pg_tables WHERE schemaname = $1 AND (tablename = $2 OR tablename ~ ('^' || $2 || '_'))`, service, name)
		must(s.t, err)
		tables := sure(pgx.CollectRows(rows, pgx.RowTo[string]))(s.t)
		for _, table := range tables {
			s.exec(fmt.Sprintf(`CREATE TABLE past.%[2]s (LIKE %[1]s.%[2]s INCLUDING ALL)`, service, table))
			s.exec(fmt.Sprintf(`INSERT INTO past.%[2]s SELECT * FROM history.%[1]s_%[2]s_as_of($1)`, service, table), p.at)
		}
		result := sure(oracle.Compare(s.t.Context(), s.conn, "past", name, sandbox.DefaultOrganizationID, slices.Values(truth)))(s.t)
		if result.Different > 0 || result.Gone > 0 || result.Live == 0 || len(tables) < 2 {
			s.t.Errorf("%s as of %s: %d differences in %d records and %d tables, %d rows too many:\n%s",
				resource, p.at, result.Different, result.Live, len(tables), result.Gone, strings.Join(result.Differences, "\n"))
		}
	}
}

// consistent checks that no check about versions finds anything.
func (s *fixture) consistent() {
	s.t.Helper()
	for _, check := range []string{"history_open", "history_differs", "history_overlaps"} {
		for _, detail := range one[[]string](s, `SELECT coalesce(array_agg(record_id || ': ' || detail), '{}') FROM sluice.check_`+check) {
			s.t.Errorf("%s: %s", check, detail)
		}
	}
}

// withVersions are the streams of the resources whose versions these tests keep.
func withVersions() []string {
	return []string{"bills", "bills.details", "credit_notes", "credit_notes.details", "vendor_payments", "vendor_payments.details"}
}

// live copies everything, and then edits, deletes and copies in turns, one deleted bill in each. It
// gives every instant at which upstream and warehouse were equal.
func (s *fixture) live(turns int) []past {
	s.t.Helper()
	s.sync(codeFine)
	instants := []past{s.look()}
	s.age()
	for turn := range turns {
		for _, resource := range []string{"inventory.bills", "inventory.credit_notes", "accounting.vendor_payments"} {
			s.edit(int64(100+turn), resource, 5)
		}
		s.delete("inventory.bills", s.truth("inventory.bills")[turn*3])
		s.sync(codeFine, withVersions()...)
		for range 2 { // two scans prove that a record is gone
			s.sync(codeFine, "bills.sweep")
		}
		instants = append(instants, s.look())
		s.consistent()
		s.afterAMinute()
	}
	return instants
}

// TestThePastIsWhatUpstreamHad edits, deletes and copies in turns, and then queries every instant
// at which upstream and warehouse were equal. It compares the tables as of then with the records
// that the test kept.
func TestThePastIsWhatUpstreamHad(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 120, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.configured(remembered + believing)
	s.runs(codeFine, "migrate")
	instants := s.live(4)
	written := one[int](s, `SELECT count(*) FROM history.versions`)
	s.sync(codeFine, withVersions()...)
	s.sync(codeFine, "bills.sweep", "vendor_payments.sweep")
	more := one[int](s, `SELECT count(*) FROM history.versions`)
	errorIf(t, more != written, "%d versions were written although nothing changed", more-written)
	for _, p := range instants {
		s.relive(p)
	}
	s.counts(4, "versions ended with a tombstone", `SELECT count(*) FROM history.versions WHERE ended = 'deleted'`)
	s.kept(instants[0].at)
	s.rewrite("inventory.bills: {history: true}", "inventory.bills: {history: false}")
	s.run("status")
	s.counts(2, "periods are open", `SELECT count(*) FROM history.periods WHERE ended_at IS NULL`)
	s.runs(codeFine, "migrate")
	const functions = `SELECT coalesce(string_agg(proname, ' ' ORDER BY proname), '') FROM pg_proc WHERE pronamespace = 'history'::regnamespace AND proname ~ '_(bills|credit_notes|vendor_payments)_as_of$'`
	same(t, "functions that are left", "accounting_vendor_payments_as_of inventory_credit_notes_as_of", one[string](s, functions))
	t.Logf("%d versions of %d instants", written, len(instants))
}

// kept checks what status says about the versions of three resources, which are kept since an instant
// or longer.
func (s *fixture) kept(since time.Time) {
	s.t.Helper()
	var status statusView
	o := s.run("--json", "status")
	must(s.t, json.Unmarshal([]byte(o.stdout), &status))
	fatalIf(s.t, len(status.Histories) != 3, "status knows of %d histories, want 3", len(status.Histories))
	for _, h := range status.Histories {
		want := one[int64](s, `SELECT count(*) FROM history.versions WHERE resource = $1`, h.Resource)
		errorIf(s.t, h.Count != want || h.Since == nil || h.Since.After(since),
			"status says %+v, want %d versions since before %s", h, want, since)
	}
	if text := s.run("status").stdout; !strings.Contains(text, "KNOWN SINCE") || !strings.Contains(text, "inventory.credit_notes") {
		s.t.Errorf("status does not show what is kept:\n%s", text)
	}
}

// TestKillsLeaveRowsAndVersionsTogether kills processes while they load, fetch details and take
// rows in. A row and its open version never differ (invariant 2), and in the end the past as of now
// is the truth.
func TestKillsLeaveRowsAndVersionsTogether(t *testing.T) {
	t.Parallel()
	const kills = 5
	s := newFixture(t, sandbox.Options{
		Seed: 98, Records: 1000, HeadersOnly: true, Limits: sandbox.Limits{Off: true}, PageLatency: 10 * time.Millisecond,
	}).narrow()
	s.environment[withMinute] = "10s" // the plan allows a hundred calls a minute, and there are some hundred single records
	chance := rand.New(rand.NewPCG(98, 98))
	s.killedSync(chance, "bills", "credit_notes", "vendor_payments")
	s.configured(remembered)
	for range kills {
		s.pass(4 * time.Minute)
		s.killedSync(chance, "bills", "credit_notes", "vendor_payments", "bills.details")
		s.consistent()
	}
	s.pass(4 * time.Minute)
	s.start("sync", "bills", "credit_notes", "vendor_payments").worksOff(codeFine)
	s.consistent()
	s.counts(3, "resources whose versions are kept", `SELECT count(*) FROM history.periods WHERE began_at IS NOT NULL AND ended_at IS NULL`)
	for _, resource := range []string{"inventory.bills", "accounting.vendor_payments"} {
		service, name, _ := strings.Cut(resource, ".")
		live, open := one[int](s, `SELECT count(*) FROM `+resource), one[int](s,
			`SELECT count(*) FROM history.versions WHERE valid_to = 'infinity' AND service = $1 AND resource = $2`, service, name)
		if want := s.upstreamHas(service, name); live != want || open != want {
			t.Errorf("%s: upstream has %d records, %d rows and %d open versions", resource, want, live, open)
		}
	}
}
