package figures_test

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"sluice/sandbox/world"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
)

// TestBooksCloseAsTheBusinessLives: documents are added, paid, used, edited, deleted and restored,
// and the figures stay those of the records.
func TestBooksCloseAsTheBusinessLives(t *testing.T) {
	t.Parallel()
	for seed := range int64(3) {
		w, books := founded(t, seed, 600, ledger.Bases()[seed])
		at := time.Date(2027, time.Month(1+seed), 19, 12, 0, 0, 0, time.UTC).Unix()
		before := map[world.Kind]int{}
		for _, kind := range []world.Kind{world.Bills, world.Payments, world.CreditNotes, world.Expenses, world.Items, world.Accounts, world.Adjustments} {
			before[kind] = w.Len(kind)
			for range 5 {
				if w.Growing(kind) {
					w.Insert(kind, at)
				}
			}
			for _, i := range w.Pick(kind, 20, seed, nil) {
				w.Amend(kind, i, at+1)
				w.Whisper(kind, i)
			}
		}
		paid, removed := 0, []int{}
		for n, b := range w.Pick(world.Bills, w.Len(world.Bills), seed, nil) {
			if n%3 == 0 {
				if _, done := w.Settle(b, n%2 == 0, at+86_400); done {
					paid++
				}
			} else if len(removed) < 4 && w.Free(world.Bills, b) {
				w.Remove(world.Bills, b)
				removed = append(removed, b)
			}
		}
		for _, n := range w.Pick(world.CreditNotes, 30, seed, nil) {
			w.Apply(n, at+2)
		}
		fatalIf(t, len(removed) < 2 || !w.Restore(world.Bills, removed[0], at+90_000), "removed %v", removed)
		errorIf(t, paid == 0 || w.Len(world.Bills) != before[world.Bills]+5 || w.Len(world.Items) == before[world.Items] ||
			w.Len(world.Accounts) != before[world.Accounts] || w.Len(world.Adjustments) != before[world.Adjustments],
			"paid %d; before %v", paid, before)
		if d := books.Deletions(); !slices.Contains(d.Restored, w.ID(world.Bills, removed[0])) || !slices.Contains(d.Deleted, w.ID(world.Bills, removed[1])) {
			t.Errorf("deletions %+v", d)
		}
		recount(t, w, books)
		fatalIf(t, t.Failed(), "seed %d", seed)
	}
}

func TestPlants(t *testing.T) {
	t.Parallel()
	w, books := founded(t, 1, 600, "EUR")
	at := time.Date(2027, 2, 20, 12, 0, 0, 0, time.UTC).Unix()
	plant := func(what string) []string {
		ids, err := w.Plant(what, at)
		fatalIf(t, err != nil || len(ids) == 0, "%s: %v, %v", what, ids, err)
		return ids
	}
	before := books.Control()
	plant(world.PlantDifference)
	if after := books.Control(); before.Difference != 0 || after.Difference.String() != "1.00" || after.Subledger != before.Subledger {
		t.Errorf("control was %+v and is %+v", before, after)
	}
	for _, a := range records(t, w, world.Accounts) {
		errorIf(t, a.text("account_type") == "accounts_payable" && a.text("current_balance") != books.Control().Ledger.String(),
			"the account shows %s", a["current_balance"])
	}
	gone := plant(world.PlantDeletions)
	d := books.Deletions()
	errorIf(t, len(gone) != 3 || len(d.Deleted) != 7, "deleted %v, deletions %+v", gone, d)
	back := plant(world.PlantRestore)
	d = books.Deletions()
	errorIf(t, len(d.Deleted) != 6 || !slices.Contains(d.Restored, back[0]), "restored %v, deletions %+v", back, d)
	risen := plant(world.PlantPriceRises)
	day, err := ledger.ReadDay("2027-02-20")
	must(t, err)
	found := 0
	for _, c := range books.PriceRises(day) {
		if slices.Contains(risen, c.Item) && c.At == "2027-02-20T12:00:00Z" {
			found++
		}
	}
	errorIf(t, len(risen) != 5 || found != 5, "%v rose, of them %d in the journal", risen, found)
	c := books.Control()
	errorIf(t, c.Difference.String() != "1.00", "control %+v", c)
	_, err = w.Plant("chaos", at)
	errorIf(t, err == nil, "an unknown change is planted")
	plain := world.New(world.Settings{Seed: 1, Zone: time.UTC, Anchor: time.Unix(at, 0)})
	_, err = plain.Plant(world.PlantDifference, at)
	errorIf(t, err == nil, "a world of single records has books")
}

// TestActivity: a month begins as the one before ended, and ends with what was open then.
func TestActivity(t *testing.T) {
	t.Parallel()
	w, books := founded(t, 2, 900, "INR")
	closing, opened, ended := sums{}, sums{}, sums{}
	moved, told := sums{}, sums{}
	for _, b := range records(t, w, world.Bills) {
		if !b.posted() || b.number("exchange_rate").Sign() == 0 {
			continue
		}
		moved.add(b.text("date")[:7]+" billed "+b.text("vendor_id"), b.number("sub_total"), b.number("exchange_rate"))
		moved.add(b.text("date")[:7]+" billed "+b.text("vendor_id"), b.number("tax_total"), b.number("exchange_rate"))
		for _, p := range b.list("payments") {
			moved.add(p.text("date")[:7]+" paid "+b.text("vendor_id"), p.number("amount"), b.number("exchange_rate"))
		}
		for _, c := range b.list("vendor_credits") {
			moved.add(c.text("date")[:7]+" credited "+b.text("vendor_id"), c.number("amount"), b.number("exchange_rate"))
		}
	}
	for _, a := range books.Activity() {
		same(t, a.Closing, a.Opening+a.Billed-a.Paid-a.Credited, a)
		told.add(a.Month.String()[:7]+" billed "+a.Vendor, exact(t, a.Billed))
		told.add(a.Month.String()[:7]+" paid "+a.Vendor, exact(t, a.Paid))
		told.add(a.Month.String()[:7]+" credited "+a.Vendor, exact(t, a.Credited))
		opened.add(a.Month.String()+" "+a.Vendor, exact(t, a.Opening))
		closing.add(a.Month.NextMonth().String()+" "+a.Vendor, exact(t, a.Closing))
		ended.add(a.Month.String(), exact(t, a.Closing))
	}
	agree(t, "activity", moved, told)
	last := books.Ledger.Today.NextMonth().String()
	for place := range closing {
		if strings.HasPrefix(place, last) {
			delete(closing, place)
		}
	}
	agree(t, "openings", closing, opened)
	open := sums{}
	var dpo, days float64
	for _, end := range books.MonthEnds() {
		for _, a := range books.Ageing(end) {
			open.add(end.Month().String(), exact(t, a.Base))
		}
		if all := books.DPO(end)[0]; end > books.Ledger.Start+120 {
			fatalIf(t, all.Vendor != "" || all.Days == nil, "%+v", all)
			value, _ := (*big.Rat)(all.Days).Float64()
			dpo, days = dpo+value, days+1
		}
	}
	agree(t, "closings", open, ended)
	dpo /= days
	errorIf(t, dpo < 30 || dpo > 50, "DPO is %.1f on average", dpo)
}

// TestMoreFigures recounts what is left, each from the records.
func TestMoreFigures(t *testing.T) {
	t.Parallel()
	w, books := founded(t, 3, 900, "USD")
	bills := records(t, w, world.Bills)
	want, got := sums{}, sums{}
	prices, paid := sums{}, sums{}
	due, told := sums{}, sums{}
	today := books.Ledger.Today
	for _, b := range bills {
		if !b.posted() {
			continue
		}
		centre := ""
		for _, f := range b.list("custom_fields") {
			if f.text("customfield_id") == "460000000600000900" && f.text("value") != "null" {
				centre = f.text("value")
			}
		}
		want.add(b.text("date")[:7]+" "+centre+" net", b.number("sub_total"), b.number("exchange_rate"))
		want.add(b.text("date")[:7]+" "+centre+" bills", big.NewRat(1, 1))
		for _, line := range b.list("line_items") {
			if line.text("name") != "" {
				prices.add(line.text("line_item_id"), line.number("rate"))
			}
		}
		if b.number("balance").Sign() > 0 && b.text("due_date") >= today.String() && b.text("due_date") <= (today+14).String() {
			due.add(b.text("bill_id"), b.number("balance"))
		}
	}
	for _, c := range books.CostCentres() {
		got.add(c.Month.String()[:7]+" "+c.Value+" net", exact(t, c.Net))
		got.add(c.Month.String()[:7]+" "+c.Value+" bills", big.NewRat(int64(c.Bills), 1))
	}
	for _, p := range books.PricesPaid() {
		paid.add(p.Line, exact(t, p.Price))
	}
	for _, item := range books.Due(today) {
		told.add(item.Bill, exact(t, item.Open))
	}
	agree(t, "cost centres", want, got)
	agree(t, "prices paid", prices, paid)
	agree(t, "due in 14 days", due, told)
	exposure(t, w, books, bills)
	journal(t, w, books)
	duplicates(t, books, bills)
}

// exposure recounts foreign bills, banks and adjustments.
func exposure(t *testing.T, w *world.World, books figures.Books, bills []fields) {
	t.Helper()
	want, got := sums{}, sums{}
	rates := map[string]*big.Rat{}
	for _, c := range records(t, w, world.Currencies) {
		rates[c.text("currency_code")] = c.number("exchange_rate")
	}
	for _, b := range bills {
		if code := b.text("currency_code"); b.posted() && code != "USD" {
			want.add(code+" document", b.number("balance"), b.number("exchange_rate"))
			want.add(code+" revalued", b.number("balance"), rates[code])
		}
	}
	for _, a := range records(t, w, world.Accounts) {
		if code := a.text("currency_code"); code != "USD" {
			want.add(code+" bank", a.number("current_balance"))
		}
	}
	var book ledger.Amount
	for _, balance := range books.Balances() {
		if balance.Currency != "USD" {
			book -= balance.Opening + balance.Movement
		}
	}
	expected := -book
	for _, e := range books.Exposure(books.Ledger.Today) {
		got.add(e.Currency+" document", exact(t, e.Document))
		got.add(e.Currency+" revalued", exact(t, e.Revalued))
		got.add(e.Currency+" bank", exact(t, e.Bank))
		if e.Bank != 0 {
			book = e.BankBook
		}
		same(t, e.Unrealized, e.Document-e.Revalued, e)
	}
	agree(t, "exposure", want, got)
	errorIf(t, book != expected || book <= 0, "the foreign accounts are booked with %s, want %s", book, expected)
	gains, adjusted, totals := sums{}, sums{}, sums{}
	for _, a := range records(t, w, world.Adjustments) {
		for _, account := range a.list("accounts") {
			gains.add(a.text("base_currency_adjustment_id"), account.number("gain_or_loss"))
		}
		same(t, gains[a.text("base_currency_adjustment_id")].Cmp(a.number("gain_or_loss")), 0, a)
	}
	for _, a := range books.Adjustments() {
		adjusted.add(a.ID, exact(t, a.Gain))
		totals[a.ID] = exact(t, a.Total)
	}
	agree(t, "totals of adjustments", gains, totals)
	agree(t, "adjustments", gains, adjusted)
}

// journal: the newest price is that of the record, changed when the journal says.
func journal(t *testing.T, w *world.World, books figures.Books) {
	t.Helper()
	want, got := sums{}, sums{}
	last := map[string]figures.PriceChange{}
	for _, c := range books.PriceChanges() {
		last[c.Item] = c
	}
	for _, i := range records(t, w, world.Items) {
		c, changed := last[i.text("item_id")]
		if !changed {
			continue
		}
		at, err := time.Parse("2006-01-02T15:04:05-0700", i.text("last_modified_time"))
		errorIf(t, err != nil || at.UTC().Format(time.RFC3339) != c.At,
			"item %s was modified %s, its price %s", c.Item, i["last_modified_time"], c.At)
		want.add(c.Item, i.number("purchase_rate"))
		want.add(c.Item+" sales", i.number("rate"))
		got.add(c.Item, exact(t, c.After))
		got.add(c.Item+" sales", exact(t, c.SalesAfter))
	}
	agree(t, "prices", want, got)
	today, rises := books.Ledger.Today, 0
	for _, c := range books.PriceChanges() {
		if c.Day.Quarter() == today.Quarter() && 100*c.After > 105*c.Before {
			rises++
		}
	}
	errorIf(t, rises == 0 || rises != len(books.PriceRises(today)) || rises == len(books.PriceChanges()),
		"%d prices rose this quarter by more than five percent, %d are told", rises, len(books.PriceRises(today)))
}

// duplicates are the only vendors with an equal tax number or name, and bills with an equal number.
func duplicates(t *testing.T, books figures.Books, bills []fields) {
	t.Helper()
	taxes, names, numbers := map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]int{}
	note := func(to map[string]map[string]bool, key, vendor string) {
		if to[key] == nil {
			to[key] = map[string]bool{}
		}
		to[key][vendor] = true
	}
	for _, b := range bills {
		var name string
		if json.Unmarshal(b["vendor_name"], &name) != nil {
			t.Fatal(b)
		}
		normal := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, name)
		note(taxes, b.text("gst_no"), b.text("vendor_id"))
		note(names, normal, b.text("vendor_id"))
		numbers[b.text("vendor_id")+" "+b.text("bill_number")]++
	}
	pairs := 0
	for _, d := range books.Duplicates() {
		for _, vendors := range taxes {
			pairs += both(vendors, d, d.Tax)
		}
		for _, vendors := range names {
			pairs += both(vendors, d, d.Name)
		}
	}
	shared := 0
	for _, to := range []map[string]map[string]bool{taxes, names} {
		for _, vendors := range to {
			shared += len(vendors) - 1
		}
	}
	twice := 0
	for _, count := range numbers {
		twice += count - 1
	}
	errorIf(t, pairs != 4 || shared != 4 || twice != 2 || len(books.TwiceEntered()) != 2,
		"%d planted pairs, %d vendors share; %d numbers twice, %v", pairs, shared, twice, books.TwiceEntered())
}

func both(vendors map[string]bool, d figures.Duplicate, expected bool) int {
	if expected && vendors[d.First] && vendors[d.Second] {
		return 1
	}
	return 0
}
