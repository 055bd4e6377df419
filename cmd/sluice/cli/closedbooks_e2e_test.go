//go:build e2e

package cli

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
	"sluice/sandbox/oracle"
	books "sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
)

// TestClosedBooks copies companies whose books close, with the documents' records and with those of
// live services, and compares views with the companies' own figures.
func TestClosedBooks(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"documents": {Seed: 3, Base: "EUR"}, "live services": {Seed: 4, Base: "INR", AsLive: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options.World, options.Records = sandbox.WorldBooks, 100
			s := newWideStage(t, options)
			// Persons cost a call for each of a hundred contacts, and are in no figure.
			s.configured("  accounting.contact_persons: {enabled: false}\n  billing.contact_persons: {enabled: false}\n")
			text := sure(os.ReadFile(s.config))(t)
			must(t, os.WriteFile(s.config, []byte(strings.Replace(string(text), "  invoicing.contact_persons: {enabled: true}\n", "", 1)), 0o600))
			s.inTurns()
			if !options.AsLive {
				s.equal()
			}
			must(t, s.world.Books(sandbox.DefaultOrganizationID, "", func(b figures.Books) {
				for _, c := range comparisons(b) {
					s.agrees(c)
				}
			}))
		})
	}
}

// comparison is a figure by key, and the SQL that has to give the same.
type comparison struct {
	name, sql string
	want      map[string]books.Amount
}

func (s *fixture) agrees(c comparison) {
	s.t.Helper()
	rows := sure(s.conn.Query(s.t.Context(), c.sql, pgx.QueryExecModeSimpleProtocol))(s.t)
	got, want := map[string]string{}, map[string]string{}
	var key, value string
	_, err := pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		got[key] = exactly(s.t, value)
		return nil
	})
	if err != nil {
		s.t.Errorf("%s: %v", c.name, err)
		return
	}
	for key, amount := range c.want {
		want[key] = exactly(s.t, amount.String())
	}
	diff := cmp.Diff(want, got)
	errorIf(s.t, diff != "" || len(want) == 0, "%s: %d figures (-oracle +view):\n%.3000s", c.name, len(want), diff)
}

func exactly(t *testing.T, text string) string {
	t.Helper()
	number, ok := new(big.Rat).SetString(text)
	fatalIf(t, !ok, "%q is no number", text)
	return number.FloatString(8) // decimals.
}

func comparisons(b figures.Books) []comparison {
	ends := b.MonthEnds()
	list := []comparison{
		{"ageing", `SELECT vendor_id || ' ' || currency_code, open_base::text FROM analytics.ap_ageing`, ageing(b, b.Ledger.Today, false)},
		{"late", `SELECT vendor_id || ' ' || currency_code, (open_base - not_due_base - no_due_date_base)::text FROM analytics.ap_ageing`, ageing(b, b.Ledger.Today, true)},
	}
	for _, day := range []books.Day{ends[5], ends[14]} {
		list = append(list, comparison{
			"ageing on " + day.String(),
			fmt.Sprintf(`SELECT vendor_id || ' ' || currency_code, open_base::text FROM analytics.ap_ageing_on('%s') WHERE open_base IS NOT NULL`, day), ageing(b, day, false),
		})
	}
	control := b.Control()
	return append(list, comparison{
		"control", `SELECT 'subledger', subledger_open::text FROM analytics.ap_control UNION ALL SELECT 'ledger', ledger_balance::text FROM analytics.ap_control
			UNION ALL SELECT 'difference', round(difference, 2)::text FROM analytics.ap_control`,
		map[string]books.Amount{"subledger": control.Subledger, "ledger": control.Ledger, "difference": 0},
	}, spendOf(b), applicationsOf(b), gainsOf(b), paymentsOf(b), taxesOf(b), stockOf(b), notesOf(b), activityOf(b), exposureOf(b))
}

func ageing(b figures.Books, day books.Day, late bool) map[string]books.Amount {
	sums := map[string]books.Amount{}
	for _, a := range b.Ageing(day) {
		switch sum := a.Base; {
		case late:
			sums[a.Vendor+" "+a.Currency] = sum - a.NotDue - a.NoDueDate
		case a.WithoutRate < a.Bills:
			sums[a.Vendor+" "+a.Currency] = sum
		}
	}
	return sums
}

func spendOf(b figures.Books) comparison {
	c := comparison{name: "spend", want: map[string]books.Amount{}, sql: `
		SELECT vendor_id || ' ' || date_trunc('month', date)::date, sum(net_base)::text FROM analytics.spend_lines
		WHERE source = 'bill' AND net_base IS NOT NULL GROUP BY 1`}
	for _, s := range b.Spend(figures.ByVendor) {
		if s.Source == figures.SourceBill && s.Net != 0 {
			c.want[s.Vendor+" "+s.Month.String()] += s.Net
		}
	}
	return c
}

func applicationsOf(b figures.Books) comparison {
	c := comparison{name: "applications", want: map[string]books.Amount{}, sql: `
		SELECT bill_payment_id || ' ' || payment_id || ' ' || bill_id || ' ' || days_to_pay || ' ' || coalesce(days_late::text, '-'), amount::text
		FROM analytics.applications WHERE is_posted`}
	for _, a := range b.Applications() {
		late := "-"
		if a.Late != nil {
			late = fmt.Sprint(*a.Late)
		}
		c.want[fmt.Sprintf("%s %s %s %d %s", a.ID, a.Payment, a.Bill, a.DaysToPay, late)] = a.Amount
	}
	return c
}

func gainsOf(b figures.Books) comparison {
	c := comparison{name: "realized result", want: map[string]books.Amount{}, sql: `
		SELECT bill_payment_id, gain_or_loss_base::text FROM analytics.applications WHERE is_posted AND gain_or_loss_base IS NOT NULL`}
	for _, a := range b.Applications() {
		if a.Gain != nil {
			c.want[a.ID] = *a.Gain
		}
	}
	return c
}

func paymentsOf(b figures.Books) comparison {
	c := comparison{name: "payments", want: map[string]books.Amount{}, sql: `
		SELECT payment_id || ' ' || u.what, u.sum::text FROM analytics.payments
		CROSS JOIN LATERAL (VALUES ('amount', amount), ('applied', applied), ('unapplied', unapplied), ('refunded', refunded), ('base', amount_base)) AS u (what, sum)`}
	for _, p := range b.Payments() {
		c.want[p.ID+" amount"], c.want[p.ID+" applied"], c.want[p.ID+" unapplied"] = p.Amount, p.Applied, p.Unapplied
		c.want[p.ID+" refunded"], c.want[p.ID+" base"] = p.Refunded, p.Base
	}
	return c
}

func taxesOf(b figures.Books) comparison {
	c := comparison{name: "input tax", want: map[string]books.Amount{}, sql: `
		SELECT fiscal_quarter_start || ' ' || tax_id, sum(tax_base)::text FROM analytics.bill_taxes
		WHERE NOT is_reverse_charge GROUP BY 1 HAVING sum(tax_base) > 0`}
	for _, tax := range b.InputTax() {
		if tax.Source == figures.SourceBill && tax.Charged != 0 {
			c.want[tax.Quarter.String()+" "+tax.ID] = tax.Charged
		}
	}
	return c
}

func stockOf(b figures.Books) comparison {
	c := comparison{name: "stock", want: map[string]books.Amount{}, sql: `
		SELECT item_id || ' ' || location_id, value_at_purchase_rate::text FROM analytics.stock
		UNION ALL SELECT item_id || ' below', on_hand::text FROM analytics.items WHERE below_reorder AND kind = 'item'`}
	for _, s := range b.Stock() {
		c.want[s.Item+" "+s.Location] = s.Value
	}
	for _, item := range b.Below() {
		c.want[item.Item+" below"] = books.FromCents(int64(item.Pieces) * 100)
	}
	return c
}

func notesOf(b figures.Books) comparison {
	c := comparison{name: "credit notes", want: map[string]books.Amount{}, sql: `
		SELECT creditnote_id || ' ' || currency_code, open::text FROM analytics.credit_notes WHERE is_posted AND open > 0`}
	for _, n := range b.OpenNotes() {
		c.want[n.ID+" "+n.Currency] = n.Open
	}
	return c
}

func activityOf(b figures.Books) comparison {
	c := comparison{name: "activity", want: map[string]books.Amount{}, sql: `
		SELECT vendor_id || ' ' || month || ' ' || u.what, u.sum::text FROM analytics.ap_activity
		CROSS JOIN LATERAL (VALUES ('opening', opening), ('billed', billed), ('paid', paid), ('credited', credited), ('closing', closing)) AS u (what, sum)
		WHERE u.sum <> 0`}
	for _, a := range b.Activity() {
		for what, sum := range map[string]books.Amount{"opening": a.Opening, "billed": a.Billed, "paid": a.Paid, "credited": a.Credited, "closing": a.Closing} {
			if sum != 0 {
				c.want[a.Vendor+" "+a.Month.String()+" "+what] = sum
			}
		}
	}
	return c
}

func exposureOf(b figures.Books) comparison {
	c := comparison{name: "exposure", want: map[string]books.Amount{}, sql: `
		SELECT currency_code || ' ' || u.what, u.sum::text FROM analytics.organizations AS o
		CROSS JOIN LATERAL analytics.fx_exposure(o.today) AS e
		CROSS JOIN LATERAL (VALUES ('payables', e.payables), ('document', document_base), ('revalued', revalued_base), ('bank', bank)) AS u (what, sum)
		WHERE u.sum <> 0`}
	for _, e := range b.Exposure(b.Ledger.Today) {
		for what, sum := range map[string]books.Amount{"payables": e.Payables, "document": e.Document, "revalued": e.Revalued, "bank": e.Bank} {
			if sum != 0 {
				c.want[e.Currency+" "+what] = sum
			}
		}
	}
	return c
}

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
	const functions = `SELECT coalesce(string_agg(proname, ' ' ORDER BY proname), '') FROM pg_proc WHERE pronamespace = 'history'::regnamespace AND proname ~ '^[a-z]+_(bills|credit_notes|vendor_payments)_as_of$'`
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
	s.run("status").prints(s.t, codeFine, "KNOWN SINCE", "inventory.credit_notes")
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
		want := s.upstreamHas(service, name)
		errorIf(t, live != want || open != want, "%s: upstream has %d records, %d rows and %d open versions", resource, want, live, open)
	}
}
