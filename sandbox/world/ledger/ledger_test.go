package ledger_test

import (
	"testing"
	"time"

	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/words"
)

func founded(t *testing.T, seed, records int, base string) *ledger.Ledger {
	t.Helper()
	zone, err := time.LoadLocation([]string{"Asia/Kolkata", "Pacific/Kiritimati", "Pacific/Honolulu"}[seed%3])
	if err != nil {
		t.Fatal(err)
	}
	return ledger.New(ledger.Settings{
		Seed: draw.Seed(seed), Records: records, Base: base, Zone: zone, Now: time.Date(2026, time.Month(1+seed%12), 1+seed, 3, 0, 0, 0, zone),
	})
}

// each calls f with businesses of many seeds, currencies and sizes.
func each(t *testing.T, f func(*testing.T, *ledger.Ledger)) {
	t.Helper()
	for seed := range 20 {
		for _, base := range ledger.Bases() {
			for _, records := range []int{0, 700, 3000} {
				l := founded(t, seed, records, base)
				f(t, l)
				if t.Failed() {
					t.Fatalf("seed %d, base %s, %d records, today %s", seed, base, records, l.Today)
				}
			}
		}
	}
}

// TestBooksClose: every document has two sides, and no bank account is overdrawn.
func TestBooksClose(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *ledger.Ledger) {
		t.Helper()
		type document struct {
			kind  ids.Kind
			index int
			entry ledger.Entry // of documents without a kind
		}
		sums := map[document]ledger.Amount{}
		banks := map[int]ledger.Amount{}
		for p := range l.Postings(nil) {
			d := document{kind: p.Kind, index: p.Index}
			if p.Kind == ids.Kinds {
				d.entry = p.Entry
			}
			sums[d] += p.Base
			if p.Account == ledger.Bank || p.Account == ledger.SecondBank || p.Account == ledger.SecondDeposit {
				banks[p.Account] += p.Base
			}
			errorIf(t, p.Day < l.Start || p.Day >= l.Today, "%+v is not within the two years", p)
		}
		for d, sum := range sums {
			errorIf(t, sum != 0, "%+v: debits less credits are %s", d, sum)
		}
		for account, sum := range banks {
			errorIf(t, sum <= 0, "account %d holds %s", account, sum)
		}
		for n := range l.Bills {
			checkBill(t, l, n)
		}
	})
}

// checkBill: a bill is its lines, and what settles it is at most the bill.
func checkBill(t *testing.T, l *ledger.Ledger, n int) {
	t.Helper()
	b := &l.Bills[n]
	var net, tax, paid int64
	for _, line := range b.Lines {
		net += line.Net
		tax += line.Tax
		errorIf(t, line.Net != line.Quantity*line.Rate/100 || line.Net <= 0, "bill %d: line %+v", n, line)
	}
	for _, payment := range b.Shares {
		for _, share := range l.Payments[payment].Shares {
			if share.Bill == n {
				paid += share.Cents
			}
		}
		errorIf(t, l.Payments[payment].Vendor != b.Vendor || l.Payments[payment].Date <= b.Date,
			"bill %d of vendor %d on %s is paid by %+v", n, b.Vendor, b.Date, l.Payments[payment])
	}
	errorIf(t, net != b.Net || tax != b.Tax || paid+b.Credited() > b.Gross() || b.Deleted && paid > 0 || b.Status != ledger.Posted && paid > 0,
		"bill %d: net %d, tax %d, paid %d of %+v", n, net, tax, paid, b)
	errorIf(t, b.Lines == nil || len(b.Lines) > 6 || b.Modified < b.Entered, "bill %d: %+v", n, b)
}

// TestShares: the business is as late, and plants what it promises.
func TestShares(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *ledger.Ledger) {
		t.Helper()
		var open, late, deleted, restored, draft, void, unknown, undue, reverse, months int
		for n := range l.Bills {
			b := &l.Bills[n]
			switch {
			case b.Deleted:
				deleted++
				continue
			case b.Status == ledger.Draft:
				draft++
				continue
			case b.Status == ledger.Void:
				void++
				continue
			}
			restored, unknown, undue, reverse = restored+one(b.Restored), unknown+one(b.Rate == 0), undue+one(b.Due == 0), reverse+one(b.Reverse)
			var paid int64
			for _, payment := range b.Shares {
				for _, share := range l.Payments[payment].Shares {
					paid += share.Cents * int64(one(share.Bill == n))
				}
			}
			if paid+b.Credited() < b.Gross() {
				open++
				late += one(b.Due != 0 && b.Due < l.Today)
				months += one(b.Due != 0 && b.Due < l.Today-60)
			}
		}
		if share := 100 * late / open; open > 60 && (share < 7 || share > 9) || late < 4 || months == 0 {
			t.Errorf("%d of %d open bills are late, %d of them for months", late, open, months)
		}
		if deleted != 4 || restored != 1 || unknown != 2 || draft == 0 || void == 0 || undue == 0 || reverse == 0 {
			t.Errorf("%d deleted, %d restored, %d without a rate, %d drafts, %d void, %d without a due date, %d in reverse charge",
				deleted, restored, unknown, draft, void, undue, reverse)
		}
		shares(t, l)
	})
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// shares: payments, items and notes of all sorts.
func shares(t *testing.T, l *ledger.Ledger) {
	t.Helper()
	var several, refunds, rests, advances, below, levels, services int
	for n := range l.Payments {
		p := &l.Payments[n]
		several, refunds, rests = several+one(len(p.Shares) > 1), refunds+one(p.Refunded() > 0), rests+one(p.Unapplied > 0 && len(p.Shares) > 0)
		advances += one(len(p.Shares) == 0)
	}
	for n := range l.Items {
		i := &l.Items[n]
		below, levels, services = below+one(i.Reorder >= 0 && i.Total() < int64(i.Reorder)*words.Cents), levels+one(i.Reorder >= 0), services+one(i.Service)
		errorIf(t, i.Service == (len(i.OnHand) > 0), "item %d: a service %t, in stock %v", n, i.Service, i.OnHand)
	}
	errorIf(t, 100*below < 3*levels || 100*below > 7*levels || services == 0,
		"%d of %d items are below their level, %d services", below, levels, services)
	if several == 0 || len(l.Payments) > 200 && rests == 0 || advances < 3 || len(l.Payments) > 700 && refunds == 0 {
		t.Errorf("of %d payments %d are for several bills, %d were refunded, %d have a rest, %d are advances", len(l.Payments), several, refunds, rests, advances)
	}
	statuses := map[ledger.Status]int{}
	for n := range l.Notes {
		statuses[l.Notes[n].Status]++
	}
	errorIf(t, len(statuses) != 3 || len(l.Adjustments) != 8 || len(l.Bundles) < 6,
		"notes %v, %d adjustments, %d bundles", statuses, len(l.Adjustments), len(l.Bundles))
	vendors := map[string]int{}
	taxes := map[string]int{}
	for _, v := range l.Vendors {
		vendors[v.Name]++
		taxes[v.Tax]++
	}
	errorIf(t, len(l.Vendors) != 80 || len(vendors) != 80 || len(taxes) != 78,
		"%d vendors, %d names, %d tax numbers", len(l.Vendors), len(vendors), len(taxes))
}

// TestSameDaySameBusiness: the hour does not matter, the day does.
func TestSameDaySameBusiness(t *testing.T) {
	t.Parallel()
	at := func(day, hour int) *ledger.Ledger {
		return ledger.New(ledger.Settings{Seed: 3, Records: 500, Base: "EUR", Zone: time.UTC, Now: time.Date(2026, 5, day, hour, 0, 0, 0, time.UTC)})
	}
	morning, evening, next := at(4, 0), at(4, 23), at(5, 0)
	errorIf(t, len(morning.Payments) != len(evening.Payments) || morning.Bills[100].Entered != evening.Bills[100].Entered,
		"the business depends on the hour")
	errorIf(t, next.Today != morning.Today+1 || next.Bills[100].Date == morning.Bills[100].Date, "the business does not move with the day")
}

// The amounts are by hand: 83.25 times 12.34, and roundings.
func TestAmounts(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]ledger.Amount{
		"1027.305": ledger.Convert(1234, 83_250_000), "-0.01": ledger.FromCents(-1), "0.00": 0, "12.50": ledger.FromCents(1250),
		"0.00000001": 1, "-1027.305": ledger.Convert(-1234, 83_250_000),
	} {
		errorIf(t, got.String() != want, "%s, want %s", got, want)
	}
	for want, exact := range map[int64]ledger.Amount{102_731: 102_730_500_000, -102_731: -102_730_500_000, 102_730: 102_730_499_999} {
		got := exact.Cents()
		errorIf(t, got != want, "%s is %d cents, want %d", exact, got, want)
	}
}

// TestQuarters: the fiscal year begins in April.
func TestQuarters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"2026-01-01": "2026-01-01", "2026-03-31": "2026-01-01", "2026-04-01": "2026-04-01", "2026-12-31": "2026-10-01"} {
		day, err := ledger.ReadDay(text)
		errorIf(t, err != nil || day.Quarter().String() != want || day.String() != text,
			"%s: quarter %s, day %s, %v; want %s", text, day.Quarter(), day, err, want)
	}
	_, err := ledger.ReadDay("2026-02-30")
	errorIf(t, err == nil, "the 30th of February is a day")
}

// TestRatesMove: rates swing by some percent, and cross rates agree.
func TestRatesMove(t *testing.T) {
	t.Parallel()
	in, eu := founded(t, 0, 0, "INR"), founded(t, 0, 0, "EUR")
	for day := in.Start; day < in.Today; day++ {
		dollar, euro, cross := in.RateOn(1, day), in.RateOn(2, day), eu.RateOn(2, day)
		if next := in.RateOn(1, day+1); next == dollar || dollar < 78_000_000 || dollar > 88_500_000 {
			t.Fatalf("%s: a dollar is %d, then %d", day, dollar, next)
		}
		if got := int64(cross) * int64(euro) / 1_000_000; got-int64(dollar) > 100 || int64(dollar)-got > 100 {
			t.Fatalf("%s: a dollar is %d rupees, by way of euros %d", day, dollar, got)
		}
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
