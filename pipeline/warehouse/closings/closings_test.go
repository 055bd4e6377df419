package closings_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/connectors"
	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/closings"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// books are bills of two organizations, business and "other", under the same identifiers. They are
// complete up to now.
type books struct {
	t    *testing.T
	pool *pgxpool.Pool
}

const business = "first"

func newBooks(t *testing.T) *books {
	t.Helper()
	t.Parallel()
	pool := warehousetest.Pool(t, warehousetest.Template(t, "declared", func(ctx context.Context, url string) error {
		if err := migrations.Migrate(ctx, url, migrations.Options{}); err != nil {
			return err
		}
		_, err := migrations.Declare(ctx, url, connectors.All())
		return err
	}))
	b := &books{t: t, pool: pool}
	for _, organization := range []string{business, "other"} {
		b.exec(`INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ($1, $1, 'Asia/Kolkata')`, organization)
		b.exec(`INSERT INTO inventory.organizations (organization_id, id, name, currency_code, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
			VALUES ($1, $1, $1, 'INR', '\x00', 1, 0, 1, now(), now())`, organization)
		b.exec(`INSERT INTO sluice.streams (organization_id, service, resource, every, watermark) VALUES ($1, 'inventory', 'bills', '1 hour', now())`, organization)
	}
	return b
}

func (b *books) exec(sql string, args ...any) {
	b.t.Helper()
	check.Must(b.t, check.Failure(b.pool.Exec(b.t.Context(), sql, args...)))
}

// tries asks to close a period of the business.
func (b *books) tries(period string, request closings.Request) (closings.Closing, error) {
	b.t.Helper()
	parsed := check.Sure(closings.Parse(period))(b.t)
	request.Organization, request.Period, request.Zone = business, parsed, "Asia/Kolkata"
	request.Services, request.Resources = []string{"inventory"}, []string{"bills"}
	return closings.Close(b.t.Context(), b.pool, &request)
}

// close closes a period of the business, or says what would be closed.
func (b *books) close(period string, dryRun bool) closings.Closing {
	b.t.Helper()
	return check.Sure(b.tries(period, closings.Request{DryRun: dryRun}))(b.t)
}

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
func (b *books) plantBill(organization, id string, d modelBill) {
	b.t.Helper()
	b.exec(`INSERT INTO inventory.bills (organization_id, bill_id, vendor_id, vendor_name, status, date, currency_code, exchange_rate, sub_total, tax_total, total, balance,
			_deleted_at, _detail_state, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		VALUES ($1, $2, 'v', 'Vendor', $3, $4::date, $5, $6, $7, 0, $7, $7, CASE WHEN $8 THEN now() END, 'current', '\x00', 1, 0, 1, clock_timestamp(), clock_timestamp())
		ON CONFLICT (organization_id, bill_id) DO UPDATE SET status = excluded.status, date = excluded.date, exchange_rate = excluded.exchange_rate,
			currency_code = excluded.currency_code, sub_total = excluded.sub_total, total = excluded.total, _deleted_at = excluded._deleted_at, _changed_at = excluded._changed_at`,
		organization, id, d.status, d.day, d.currency, d.rate, d.net, d.deleted)
	b.exec(`INSERT INTO inventory.bills_line_items (organization_id, _parent_id, _position, account_id, item_total) VALUES ($1, $2, 0, $3, $4)
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

// lateChanges says what changed the closed month, without looking at how the view finds it.
func lateChanges(before, after modelBills) map[string]warehousetest.LateChange {
	found := map[string]warehousetest.LateChange{}
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
		f := warehousetest.LateChange{Kind: kind, Effect: fmt.Sprint(sum), Base: fmt.Sprint(base)}
		if wasIn && was.currency != now.currency {
			f.Effect = "other currency"
		}
		found[id] = f
	}
	return found
}

// TestClosedPeriodListsEveryChange and nothing else: random bills in three months are closed, and
// then edited, deleted, restored, moved, added. A plain model says what changed the closed month.
func TestClosedPeriodListsEveryChange(t *testing.T) {
	b := newBooks(t)
	r := rand.New(rand.NewPCG(5, 9))
	before := modelBills{}
	for i := range 60 {
		id := fmt.Sprint("b", i)
		before[id] = randomBill(r)
		b.plantBill(business, id, before[id])
		b.plantBill("other", id, randomBill(r))
	}
	dry, made := b.close(closedMonth, true), b.close("2025-10-01..2025-10-31", false)
	sums := map[string]int64{}
	for _, d := range before {
		if d.counts() {
			sums[d.currency] += d.net
		}
	}
	for _, sum := range made.Sums {
		var figures map[string]json.Number
		check.Must(t, json.Unmarshal(sum.Figures, &figures))
		if got, _ := new(big.Rat).SetString(figures["total"].String()); got.Cmp(new(big.Rat).SetInt64(sums[sum.Currency])) != 0 {
			t.Errorf("%s: the sum is %s, want %d", sum.Currency, figures["total"], sums[sum.Currency])
		}
	}
	check.ErrorIf(t, len(made.Sums) != 2 || made.Period != closedMonth || dry.Digest != made.Digest || len(made.Lacks) != 0,
		"closed: %+v\nas the dry run said: %+v", made, dry)
	listed := warehousetest.AfterClose(b.t, b.pool, business, closedMonth)
	check.ErrorIf(t, len(listed) != 0, "changes before anything changed: %v", listed)
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
		b.plantBill(business, id, d)
		b.plantBill("other", fmt.Sprint("b", r.IntN(75)), randomBill(r))
		// What moves with later documents, and what is said about the row, changes no period.
		b.exec(`UPDATE inventory.bills SET balance = $2::int, payment_made = $2::int, due_by_days = $2::int, vendor_name = $2::int::text, last_modified_time = now(), _content_hash = '\x01'
			WHERE organization_id = $1 AND random() < 0.1`, business, i)
	}
	want := lateChanges(before, after)
	diff := cmp.Diff(want, warehousetest.AfterClose(b.t, b.pool, business, closedMonth))
	check.ErrorIf(t, diff != "", "changes of the closed month (-model +view):\n%s", diff)
	kinds := map[string]bool{}
	for _, f := range want {
		kinds[f.Kind] = true
	}
	check.ErrorIf(t, len(kinds) != 6, "the storm made only %v", slices.Sorted(maps.Keys(kinds)))
	other := warehousetest.AfterClose(b.t, b.pool, "other", closedMonth)
	check.ErrorIf(t, len(other) != 0, "an organization without closed periods has changes: %v", other)
	b.notices(want)
	for id, d := range before {
		b.plantBill(business, id, d)
	}
	b.exec(`DELETE FROM inventory.bills WHERE organization_id = $1 AND bill_id <> ALL ($2)`, business, slices.Collect(maps.Keys(before)))
	listed = warehousetest.AfterClose(b.t, b.pool, business, closedMonth)
	check.ErrorIf(t, len(listed) != 0, "changes after all were undone: %v", listed)
	b.notices(nil)
	month := check.Sure(closings.Parse(closedMonth))(t)
	check.Must(t, closings.Reopen(t.Context(), b.pool, business, month))
	again := b.close(closedMonth, false)
	check.ErrorIf(t, again.Digest != made.Digest, "equal records have the digests %s and %s", made.Digest, again.Digest)
}

// notices looks for changes as serve does, and compares what is told with what changed: once.
func (b *books) notices(want map[string]warehousetest.LateChange) {
	b.t.Helper()
	b.exec(`UPDATE sluice.closings SET looked_at = looked_at - interval '11 minutes'`)
	told := map[string]string{}
	collect := func(_ context.Context, _ pgx.Tx, changes []closings.Change) error {
		for i := range changes {
			told[changes[i].Record] = changes[i].Kind
		}
		return nil
	}
	check.Must(b.t, check.Failure(closings.Notice(b.t.Context(), b.pool, collect)))
	for id, f := range want {
		check.ErrorIf(b.t, told[id] != f.Kind, "told of %s: %q, want %q", id, told[id], f.Kind)
	}
	check.ErrorIf(b.t, len(told) != len(want), "%d changes were told, want %d", len(told), len(want))
	b.exec(`UPDATE sluice.closings SET looked_at = looked_at - interval '11 minutes'`)
	repeated, err := closings.Notice(b.t.Context(), b.pool, nil)
	check.ErrorIf(b.t, err != nil || len(repeated) != 0, "told again: %v, error %v", repeated, err)
	counts := check.Sure(closings.Counts(b.t.Context(), b.pool))(b.t)
	check.ErrorIf(b.t, len(counts) != 1 || counts[0].Records != int64(len(want)), "counted %+v, want %d", counts, len(want))
}

// TestAPeriodIsNotClosed that is not over, not complete or closed already. One that is not complete
// can be closed anyway, and what arrives later of it is no change.
func TestAPeriodIsNotClosed(t *testing.T) {
	b := newBooks(t)
	b.plantBill(business, "1", modelBill{day: "2025-10-03", net: 5, rate: 1, currency: "INR", status: "open", account: "a"})
	refuses := func(period, says string, request closings.Request) {
		t.Helper()
		_, err := b.tries(period, request)
		check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), says), "closing %s: error %v, want %q", period, err, says)
	}
	refuses(strconv.Itoa(time.Now().Year()+1), "not over", closings.Request{})
	month := check.Sure(closings.Parse(closedMonth))(t)
	err := closings.Reopen(t.Context(), b.pool, business, month)
	check.ErrorIf(t, !errors.Is(err, closings.ErrNotClosed), "opening a period that is not closed: error %v", err)
	b.exec(`UPDATE sluice.streams SET watermark = '2025-10-31 18:29:59+00'`) // a second before midnight in Kolkata
	refuses(closedMonth, "inventory.bills is complete up to 2025-10-31 23:59 only", closings.Request{})
	b.exec(`UPDATE sluice.streams SET watermark = '2025-10-31 18:30:00+00'`)
	b.exec(`UPDATE inventory.bills SET _detail_state = 'pending'`)
	refuses(closedMonth, "1 records of the period whose single record is still to be read", closings.Request{})
	b.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, state) VALUES ($1, 'inventory', 'bills', '\x01', '', 'x', 'open')`, business)
	refuses(closedMonth, "1 records in quarantine", closings.Request{})
	list, err := closings.List(t.Context(), b.pool, business)
	check.ErrorIf(t, err != nil || len(list) != 0, "closings of what was refused: %+v, error %v", list, err)
	if made, err := b.tries(closedMonth, closings.Request{Anyway: true}); err != nil || len(made.Lacks) != 2 {
		t.Errorf("what was missing: %q, error %v", made.Lacks, err)
	}
	refuses(closedMonth, "closed already", closings.Request{Anyway: true})
	b.exec(`UPDATE inventory.bills SET _detail_state = 'current'`) // the single record brings the lines
	listed := warehousetest.AfterClose(b.t, b.pool, business, closedMonth)
	check.ErrorIf(t, len(listed) != 0, "lines that arrived are changes: %v", listed)
}
