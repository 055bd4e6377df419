package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/closings"
	"sluice/sandbox"
)

// modelBill is a bill as a test knows it: the model of the tests of closed periods.
type modelBill struct {
	day              string
	net, rate        int64
	currency, status string
	deleted          bool
	account          string
}

// modelBills are bills by identifier.
type modelBills map[string]modelBill

const closedMonth = "2025-10"

func (d modelBill) in() bool { return strings.HasPrefix(d.day, closedMonth) }
func (d modelBill) counts() bool {
	return d.in() && !d.deleted && d.status != "draft" && d.status != "void"
}

// plantBill makes the rows of the warehouse equal to the model, with one line for each bill.
func (s *fixture) plantBill(organization, id string, d modelBill) {
	s.t.Helper()
	s.exec(`INSERT INTO inventory.bills (organization_id, bill_id, vendor_id, vendor_name, status, date, currency_code, exchange_rate, sub_total, tax_total, total, balance,
			_deleted_at, _detail_state, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		VALUES ($1, $2, 'v', 'Vendor', $3, $4::date, $5, $6, $7, 0, $7, $7, CASE WHEN $8 THEN now() END, 'current', '\x00', 1, 0, 1, clock_timestamp(), clock_timestamp())
		ON CONFLICT (organization_id, bill_id) DO UPDATE SET status = excluded.status, date = excluded.date, exchange_rate = excluded.exchange_rate,
			currency_code = excluded.currency_code, sub_total = excluded.sub_total, total = excluded.total, _deleted_at = excluded._deleted_at, _changed_at = excluded._changed_at`,
		organization, id, d.status, d.day, d.currency, d.rate, d.net, d.deleted)
	s.exec(`INSERT INTO inventory.bills_line_items (organization_id, _parent_id, _position, account_id, item_total) VALUES ($1, $2, 0, $3, $4)
		ON CONFLICT (organization_id, _parent_id, _position) DO UPDATE SET account_id = excluded.account_id, item_total = excluded.item_total`, organization, id, d.account, d.net)
}

// randomBill is dated in one of three months, the second of them closed.
func randomBill(r *rand.Rand) modelBill {
	d := modelBill{
		day: fmt.Sprintf("2025-%02d-%02d", 9+r.IntN(3), 1+r.IntN(28)), net: 1 + r.Int64N(900), rate: 1, currency: "INR",
		status: []string{"open", "paid", "draft", "void", "overdue"}[r.IntN(5)], account: "a" + fmt.Sprint(r.IntN(3)), deleted: r.IntN(8) == 0,
	}
	if r.IntN(3) == 0 {
		d.currency, d.rate = "USD", 80
	}
	return d
}

// lateChange is a row of analytics.after_close in a form that the model can say, too.
type lateChange struct{ Kind, Effect, Base string }

// lateChanges says what changed the closed month, without looking at how the view finds it.
func lateChanges(before, after modelBills) map[string]lateChange {
	found := map[string]lateChange{}
	for id, now := range after {
		was, existed := before[id]
		wasIn := existed && was.in()
		kind := ""
		switch {
		case wasIn && now.in() && was.deleted && now.deleted:
		case wasIn && now.in() && !was.deleted && now.deleted:
			kind = "deleted"
		case wasIn && now.in() && was.deleted && !now.deleted:
			kind = "restored"
		case wasIn && now.in():
			same := was.day == now.day && was.net == now.net && was.rate == now.rate && was.currency == now.currency && was.account == now.account && was.counts() == now.counts()
			if !same {
				kind = "changed"
			}
		case wasIn && (!was.deleted || !now.deleted):
			kind = "moved_out"
		case !wasIn && now.in() && !now.deleted && existed:
			kind = "moved_in"
		case !wasIn && now.in() && !now.deleted:
			kind = "arrived"
		}
		if kind == "" {
			continue
		}
		var sum, base int64
		if now.counts() {
			sum, base = now.net, now.net*now.rate
		}
		if wasIn && was.counts() {
			sum, base = sum-was.net, base-was.net*was.rate
		}
		f := lateChange{kind, fmt.Sprint(sum), fmt.Sprint(base)}
		if wasIn && was.currency != now.currency {
			f.Effect = "other currency"
		}
		found[id] = f
	}
	return found
}

// afterClose is what analytics.after_close has of the bills of an organization.
func (s *fixture) afterClose(organization, period string) map[string]lateChange {
	s.t.Helper()
	rows, err := s.conn.Query(s.t.Context(), `SELECT record_id, kind, CASE WHEN effect IS NULL THEN 'other currency' ELSE coalesce(effect ->> 'sub_total', '0') END,
		coalesce(effect_base ->> 'sub_total', '0') FROM analytics.after_close WHERE organization_id = $1 AND period = $2 AND table_name = 'inventory.bills'`, organization, period)
	must(s.t, err)
	found := map[string]lateChange{}
	var id string
	var f lateChange
	_, err = pgx.ForEachRow(rows, []any{&id, &f.Kind, &f.Effect, &f.Base}, func() error {
		f.Effect, f.Base = shortest(f.Effect), shortest(f.Base)
		found[id] = f
		return nil
	})
	must(s.t, err)
	return found
}

// shortest writes a number without zeros at its end; another text stays.
func shortest(text string) string {
	if number, ok := new(big.Rat).SetString(text); ok {
		return number.RatString()
	}
	return text
}

// closable is a warehouse with two organizations under the same identifiers of bills, complete up
// to now.
func closable(t *testing.T) *fixture {
	t.Helper()
	s := newFixture(t, sandbox.Options{Seed: 91, Records: 3}).narrow()
	s.document(&map[string]any{}, "migrate")
	for _, organization := range []string{businessKey, "other"} {
		s.exec(`INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ($1, $1, 'Asia/Kolkata') ON CONFLICT DO NOTHING`, organization)
		s.exec(`INSERT INTO inventory.organizations (organization_id, id, name, currency_code, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
			VALUES ($1, $1, $1, 'INR', '\x00', 1, 0, 1, now(), now())`, organization)
		s.exec(`INSERT INTO sluice.streams (organization_id, service, resource, every, watermark) VALUES ($1, 'inventory', 'bills', '1 hour', now())
			ON CONFLICT (organization_id, service, resource) DO UPDATE SET watermark = now()`, organization)
	}
	s.document(&map[string]any{}, "status") // from now on the streams are known
	s.exec(`UPDATE sluice.streams SET watermark = now()`)
	return s
}

// TestClosedPeriodListsEveryChange and nothing else: random bills in three months are closed, and
// then edited, deleted, restored, moved, added. A plain model says what changed the closed month.
func TestClosedPeriodListsEveryChange(t *testing.T) {
	t.Parallel()
	s := closable(t)
	r := rand.New(rand.NewPCG(5, 9))
	before := modelBills{}
	for i := range 60 {
		id := fmt.Sprint("b", i)
		before[id] = randomBill(r)
		s.plantBill(businessKey, id, before[id])
		s.plantBill("other", id, randomBill(r))
	}
	var dry, made closingView
	s.document(&dry, "close", businessKey, closedMonth, "--dry-run")
	s.document(&made, "close", businessKey, "2025-10-01..2025-10-31")
	sums := map[string]int64{}
	for _, d := range before {
		if d.counts() {
			sums[d.currency] += d.net
		}
	}
	for _, sum := range made.Sums {
		var figures map[string]json.Number
		must(t, json.Unmarshal(sum.Figures, &figures))
		if got, _ := new(big.Rat).SetString(figures["total"].String()); got.Cmp(new(big.Rat).SetInt64(sums[sum.Currency])) != 0 {
			t.Errorf("%s: the sum is %s, want %d", sum.Currency, figures["total"], sums[sum.Currency])
		}
	}
	if len(made.Sums) != 2 || made.Period != closedMonth || dry.Digest != made.Digest || len(made.Lacks) != 0 {
		t.Errorf("closed: %+v\nas the dry run said: %+v", made, dry)
	}
	if listed := s.afterClose(businessKey, closedMonth); len(listed) != 0 {
		t.Errorf("changes before anything changed: %v", listed)
	}
	after := maps.Clone(before)
	for i := range 160 {
		id := fmt.Sprint("b", r.IntN(75)) // some are new
		d, existed := after[id]
		switch drawn := randomBill(r); {
		case !existed:
			d = drawn
		case i%8 == 0:
			d.net = drawn.net
		case i%8 == 1:
			d.deleted = !d.deleted
		case i%8 == 2:
			d.day = drawn.day
		case i%8 == 3:
			d.status = drawn.status
		case i%8 == 4:
			d.account = drawn.account
		case i%8 == 5:
			d.currency, d.rate = drawn.currency, drawn.rate
		case i%8 == 6: // undone
			if was, ok := before[id]; ok {
				d = was
			}
		}
		after[id] = d
		s.plantBill(businessKey, id, d)
		s.plantBill("other", fmt.Sprint("b", r.IntN(75)), randomBill(r))
		// What moves with later documents, and what is said about the row, changes no period.
		s.exec(`UPDATE inventory.bills SET balance = $2::int, payment_made = $2::int, due_by_days = $2::int, vendor_name = $2::int::text, last_modified_time = now(), _content_hash = '\x01'
			WHERE organization_id = $1 AND random() < 0.1`, businessKey, i)
	}
	want := lateChanges(before, after)
	if diff := cmp.Diff(want, s.afterClose(businessKey, closedMonth)); diff != "" {
		t.Errorf("changes of the closed month (-model +view):\n%s", diff)
	}
	kinds := map[string]bool{}
	for _, f := range want {
		kinds[f.Kind] = true
	}
	if len(kinds) != 6 {
		t.Errorf("the storm made only %v", slices.Sorted(maps.Keys(kinds)))
	}
	if other := s.afterClose("other", closedMonth); len(other) != 0 {
		t.Errorf("an organization without closed periods has changes: %v", other)
	}
	s.notices(want)
	for id, d := range before {
		s.plantBill(businessKey, id, d)
	}
	s.exec(`DELETE FROM inventory.bills b WHERE organization_id = $1 AND bill_id <> ALL ($2)`, businessKey, slices.Collect(maps.Keys(before)))
	if listed := s.afterClose(businessKey, closedMonth); len(listed) != 0 {
		t.Errorf("changes after all were undone: %v", listed)
	}
	s.notices(nil)
	s.document(&map[string]any{}, "close", businessKey, closedMonth, "--reopen")
	var again closingView
	if s.document(&again, "close", businessKey, closedMonth); again.Digest != made.Digest {
		t.Errorf("equal records have the digests %s and %s", made.Digest, again.Digest)
	}
}

// notices looks for changes as serve does, and compares what is told with what changed: once.
func (s *fixture) notices(want map[string]lateChange) {
	s.t.Helper()
	s.exec(`UPDATE sluice.closings SET looked_at = looked_at - interval '11 minutes'`)
	app := s.opened()
	told := map[string]string{}
	collect := func(_ context.Context, _ pgx.Tx, changes []closings.Change) error {
		for i := range changes {
			told[changes[i].Record] = changes[i].Kind
		}
		return nil
	}
	_, err := closings.Notice(s.t.Context(), app.DB.Pool(), collect)
	must(s.t, err)
	for id, f := range want {
		if told[id] != f.Kind {
			s.t.Errorf("told of %s: %q, want %q", id, told[id], f.Kind)
		}
	}
	if len(told) != len(want) {
		s.t.Errorf("%d changes were told, want %d", len(told), len(want))
	}
	s.exec(`UPDATE sluice.closings SET looked_at = looked_at - interval '11 minutes'`)
	if repeated, err := closings.Notice(s.t.Context(), app.DB.Pool(), nil); err != nil || len(repeated) != 0 {
		s.t.Errorf("told again: %v, error %v", repeated, err)
	}
	counts, err := closings.Counts(s.t.Context(), app.DB.Pool())
	must(s.t, err)
	if len(counts) != 1 || counts[0].Records != int64(len(want)) {
		s.t.Errorf("counted %+v, want %d", counts, len(want))
	}
	var shown statusView
	if s.document(&shown, "status"); len(shown.Closings) != 1 || shown.Closings[0].Records != int64(len(want)) {
		s.t.Errorf("status shows %+v, want %d", shown.Closings, len(want))
	}
	if len(want) > 1 {
		s.desk().says("/", fmt.Sprintf("the closed period %s changed, by %d records", closedMonth, len(want)))
	}
	line := fmt.Sprintf(`sluice_closed_period_changes{organization="%s",period="%s"} %d`, businessKey, closedMonth, len(want))
	if text := metricsOf(s.t, app); !strings.Contains(text, line) {
		s.t.Errorf("/metrics lacks %s", line)
	}
}

// TestCloseRefuses a period that is not complete, not over, closed already, or none.
func TestCloseRefuses(t *testing.T) {
	t.Parallel()
	s := closable(t)
	s.plantBill(businessKey, "1", modelBill{day: "2025-10-03", net: 5, rate: 1, currency: "INR", status: "open", account: "a"})
	refuses := func(code int, says string, args ...string) {
		t.Helper()
		if o := s.run(append([]string{"close"}, args...)...); o.code != code || !strings.Contains(o.stderr, says) {
			t.Errorf("close %v: exit code %d, want %d and %q\n%s%s", args, o.code, code, says, o.stdout, o.stderr)
		}
	}
	refuses(codeUsage, "name the organization and the period", businessKey)
	refuses(codeUsage, "no other flag", "--list", "--reopen")
	for _, period := range []string{"2025-13", "2025-Q5", "October", "2025-10-31..2025-10-01", "2025-02-30..2025-03-01", "0000-01", "2025-10; DROP"} {
		refuses(codeUsage, "2026-10, 2026-Q3", businessKey, period)
	}
	refuses(codeUsage, "nowhere", "nowhere", closedMonth)
	refuses(codeFailed, "not over", businessKey, fmt.Sprint(time.Now().Year()+1))
	refuses(codeFailed, "not closed", businessKey, closedMonth, "--reopen")
	s.exec(`UPDATE sluice.streams SET watermark = '2025-10-31 18:29:59+00'`) // a second before midnight in Kolkata
	refuses(codeFailed, "inventory.bills is complete up to 2025-10-31 23:59 only", businessKey, closedMonth)
	s.exec(`UPDATE sluice.streams SET watermark = '2025-10-31 18:30:00+00'`)
	s.exec(`UPDATE inventory.bills SET _detail_state = 'pending'`)
	refuses(codeFailed, "1 records of the period whose single record is still to be read", businessKey, closedMonth)
	s.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, state) VALUES ($1, 'inventory', 'bills', '\x01', '', 'x', 'open')`, businessKey)
	refuses(codeFailed, "1 records in quarantine", businessKey, closedMonth)
	if n := one[int](s, `SELECT count(*) FROM sluice.closings`); n != 0 {
		t.Errorf("%d closings of what was refused", n)
	}
	var made closingView
	if s.document(&made, "close", businessKey, closedMonth, "--anyway"); len(made.Lacks) != 2 {
		t.Errorf("what was missing: %q", made.Lacks)
	}
	refuses(codeFailed, "closed already", businessKey, closedMonth, "--anyway")
	// The single record brings the lines, and no change.
	s.exec(`UPDATE inventory.bills SET _detail_state = 'current'`)
	if listed := s.afterClose(businessKey, closedMonth); len(listed) != 0 {
		t.Errorf("lines that arrived are changes: %v", listed)
	}
}

// TestClosedPeriodOfADeclaredList: a list that the configuration declares is in closed periods by
// its block dated, like one of the program.
func TestClosedPeriodOfADeclaredList(t *testing.T) {
	t.Parallel()
	s := closable(t)
	s.append(declaredDated)
	s.accept()
	s.document(&map[string]any{}, "status") // from now on the stream is known
	s.exec(`UPDATE sluice.streams SET watermark = now()`)
	const ours = `_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at`
	s.exec(`INSERT INTO custom.sales (organization_id, sale_id, day, net, currency, price, state, shop, note, `+ours+`)
		SELECT $1, id, day::date, net, currency, price, state, 'north', 'note', '\x00', 1, 0, 1, now(), now() FROM (VALUES
			('1', '2025-10-01', 100, 'INR', 1, 'sent'), ('2', '2025-10-31', 7, 'USD', 80, 'sent'), ('3', '2025-10-05', 1000, 'INR', 1, 'won''t do'),
			('4', '2025-11-01', 50, 'INR', 1, 'sent'), ('5', '2025-10-09', 30, 'INR', 1, NULL)) AS v (id, day, net, currency, price, state)`, businessKey)
	s.exec(`INSERT INTO custom.sales_parts (organization_id, _parent_id, _position, item_id, size) VALUES ($1, '1', 0, 'a', 1), ($1, '2', 0, 'b', 2)`, businessKey)
	var made closingView
	s.document(&made, "close", businessKey, closedMonth)
	var sums []string
	for _, sum := range made.Sums {
		if sum.Table == "custom.sales" {
			var figures map[string]json.Number
			must(t, json.Unmarshal(sum.Figures, &figures))
			sums = append(sums, fmt.Sprint(sum.Currency, " ", sum.Counted, " ", figures))
		}
	}
	if want := []string{"INR 2 map[net:130]", "USD 1 map[net:7]"}; !slices.Equal(sums, want) {
		t.Errorf("closed with %q, want %q", sums, want)
	}
	s.exec(`UPDATE custom.sales SET note = 'another', _changed_at = clock_timestamp()`)             // belongs to no period
	s.exec(`UPDATE custom.sales SET net = 60, _changed_at = clock_timestamp() WHERE sale_id = '1'`) // 40 less
	s.exec(`UPDATE custom.sales SET shop = 'south', _changed_at = clock_timestamp() WHERE sale_id = '2'`)
	s.exec(`UPDATE custom.sales SET state = 'sent', _changed_at = clock_timestamp() WHERE sale_id = '3'`) // 1000 more
	s.exec(`UPDATE custom.sales SET day = '2025-10-30', _changed_at = clock_timestamp() WHERE sale_id = '4'`)
	s.exec(`UPDATE custom.sales_parts SET size = 3 WHERE _parent_id = '2'`) // not said to belong to it
	s.exec(`INSERT INTO custom.sales_parts (organization_id, _parent_id, _position, item_id) VALUES ($1, '5', 0, 'c')`, businessKey)
	s.exec(`UPDATE custom.sales SET _changed_at = clock_timestamp() WHERE sale_id = '5'`)
	got := one[[]string](s, `SELECT array_agg(concat_ws(' ', record_id, kind,
			coalesce(effect ->> 'net', '0'), coalesce(effect_base ->> 'net', '0'), after ->> 'shop''s') ORDER BY record_id)
		FROM analytics.after_close WHERE table_name = 'custom.sales'`)
	if want := []string{"1 changed -40 -40", "2 changed 0 0 south", "3 changed 1000 1000", "4 moved_in 50 50 north", "5 changed 0 0"}; !slices.Equal(got, want) {
		t.Errorf("changes %q, want %q", got, want)
	}
}

// declaredDated is a list with all words about its period. Some hold what SQL would take for its
// own.
const declaredDated = `
custom:
  - service: inventory
    name: sales
    doc: A sale over the counter.
    path: /sales
    key: sales
    id: sale_id
    scope: settings
    columns:
      - {wire: day, kind: date}
      - {wire: net, kind: decimal}
      - {wire: currency, kind: id}
      - {wire: price, kind: decimal}
      - {wire: state, kind: text}
      - {wire: "shop's", name: shop, kind: text, class: plain}
      - {wire: note, kind: text}
    children:
      - name: parts
        columns:
          - {wire: item_id, kind: id}
          - {wire: size, kind: decimal}
    dated:
      on: day
      figures: [net]
      currency: currency
      rate: price
      state: state
      out: [draft, "won't do"]
      with: ["shop's"]
      lines: parts
      line_columns: [item_id]
`
