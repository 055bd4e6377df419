package sandbox_test

import (
	"cmp"
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

const wireTime = "2006-01-02T15:04:05-0700"

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at := sure(time.Parse(wireTime, text))(t)
	return at
}

func idsOf(t *testing.T, records []object, id string) []string {
	t.Helper()
	return slices.Sorted(slices.Values(texts(t, slices.Values(records), id)))
}

func TestChangeIsSeenByFilter(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 2, Records: 900, Limits: off()})
	u.Advance(48 * time.Hour)
	u.login(t)
	before := map[string]map[string]string{}
	for _, l := range listings() {
		before[l.name] = map[string]string{}
		for _, record := range u.all(t, l) {
			before[l.name][text(t, record[l.id])] = canonical(t, record)
		}
	}
	since := u.clock.Now().Add(48 * time.Hour).Format(wireTime)
	changed := u.change(t, sandbox.Change{Seed: 4, Inserts: 3, Edits: 6, Deletes: 2})
	for _, l := range listings() {
		ids := changed[l.name]
		fatalIf(t, len(ids.Inserted) != 3 || len(ids.Edited) != 6 || len(ids.Deleted) != 2, "%s: changed %+v", l.name, ids)
		all := u.all(t, l)
		byID := map[string]object{}
		for _, record := range all {
			byID[text(t, record[l.id])] = record
		}
		for _, id := range ids.Deleted {
			errorIf(t, byID[id] != nil || u.get(t, l.path+"/"+id).Code != http.StatusNotFound, "%s: deleted %s is still there", l.name, id)
		}
		moved := "last_modified_time"
		if l.name == "credit_notes" {
			moved = "updated_time"
		}
		for _, id := range append(ids.Edited, ids.Inserted...) {
			errorIf(t, !instant(t, text(t, byID[id][moved])).Equal(instant(t, since)),
				"%s: %s of %s is %s, want %s", l.name, moved, id, byID[id][moved], since)
		}
		for _, id := range ids.Edited {
			delete(byID[id], moved)
			old := parsed(t, []byte(before[l.name][id]))
			delete(old, moved)
			errorIf(t, canonical(t, old) == canonical(t, byID[id]), "%s: the edit of %s changed no value", l.name, id)
		}
		touched := len(byID) - len(before[l.name]) // inserted less deleted
		equal(t, touched, 1, l.name)
		filtered := idsOf(t, u.all(t, l, "last_modified_time", since), l.id)
		want := append(slices.Clone(ids.Edited), ids.Inserted...)
		slices.Sort(want)
		if l.name == "bills" || l.name == "credit_notes" { // the filter is ignored in silence
			want = idsOf(t, all, l.id)
		}
		equal(t, filtered, want, l.name)
	}
}

func TestUnencodedPlusLosesTheFilter(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 600})
	base := "/inventory/v1/items?organization_id=" + sandbox.DefaultOrganizationID + "&last_modified_time=2030-01-01T00:00:00"
	p := readPage(t, u.serve(t, http.MethodGet, base+"%2B0530", nil), "items")
	errorIf(t, len(p.Records) != 0, "encoded: %d records, want none", len(p.Records))
	p = readPage(t, u.serve(t, http.MethodGet, base+"+0530", nil), "items")
	errorIf(t, len(p.Records) != 168, "raw: %d records, want all 168", len(p.Records))
}

func TestSorting(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 8, Records: 600, Limits: off()})
	asText := func(t *testing.T, a, b object, column string) int {
		t.Helper()
		return cmp.Compare(text(t, a[column]), text(t, b[column]))
	}
	asAmount := func(t *testing.T, a, b object, column string) int {
		t.Helper()
		return amount(t, a[column]).Cmp(amount(t, b[column]))
	}
	all := listings()
	for _, c := range []struct {
		listing listing
		columns []string
		compare func(*testing.T, object, object, string) int
	}{
		{all[0], []string{"account_name", "account_type"}, asText},
		{all[1], []string{"vendor_name", "date", "reference_number"}, asText},
		{all[1], []string{"amount", "balance"}, asAmount},
		{all[3], []string{"last_modified_time", "created_time", "date"}, asText},
		{all[4], []string{"customer_name", "creditnote_number", "date", "created_time"}, asText},
		{all[4], []string{"total", "balance"}, asAmount},
	} {
		for _, column := range c.columns {
			for order, sign := range map[string]int{"A": 1, "D": -1} {
				p := readPage(t, u.get(t, c.listing.path, "sort_column", column, "sort_order", order), c.listing.key)
				errorIf(t, p.Context.Column != column || p.Context.Order != order,
					"%s: context %+v for %s %s", c.listing.name, p.Context, column, order)
				errorIf(t, !slices.IsSortedFunc(p.Records, func(a, b object) int { return sign * c.compare(t, a, b, column) }),
					"%s is not sorted by %s %s", c.listing.name, column, order)
			}
		}
	}
	for _, l := range all { // unknown columns, or no column, mean newest first
		for _, pairs := range [][]string{nil, {"sort_column", "colour", "sort_order", "A"}, {"frobnicate", "1"}} {
			p := readPage(t, u.get(t, l.path, pairs...), l.key)
			errorIf(t, p.Context.Column != "created_time" || p.Context.Order != "D" ||
				!slices.IsSortedFunc(p.Records, func(a, b object) int { return -asText(t, a, b, "created_time") }),
				"%s with %v: not newest first: %+v", l.name, pairs, p.Context)
		}
	}
	// Credit notes cannot be sorted by modification time.
	p := readPage(t, u.get(t, all[4].path, "sort_column", "last_modified_time"), all[4].key)
	errorIf(t, p.Context.Column != "created_time", "credit notes sorted by %s", p.Context.Column)
}

// TestSortsModified checks the option: lists that filter by modification time then sort by it as
// well. The documents show neither for these lists.
func TestSortsModified(t *testing.T) {
	t.Parallel()
	const column = "last_modified_time"
	for _, on := range []bool{false, true} {
		u := start(t, sandbox.Options{Seed: 8, Records: 600, Limits: off(), SortsModified: on})
		u.change(t, sandbox.Change{Seed: 4, Edits: 20})
		all := listings()
		for _, c := range []struct {
			listing listing
			sorts   bool
		}{{all[1], on}, {all[2], on}, {all[3], true}} { // bills sort in any case, and do not filter
			whole := readPage(t, u.get(t, c.listing.path), c.listing.key)
			since := text(t, whole.Records[len(whole.Records)/2][column])
			for order, sign := range map[string]int{"A": 1, "D": -1} {
				p := readPage(t, u.get(t, c.listing.path, "sort_column", column, "sort_order", order, column, since), c.listing.key)
				errorIf(t, (p.Context.Column == column && p.Context.Order == order) != c.sorts,
					"%s, option %v: context %+v", c.listing.name, on, p.Context)
				sorted := slices.IsSortedFunc(p.Records, func(a, b object) int {
					return sign * instant(t, text(t, a[column])).Compare(instant(t, text(t, b[column])))
				})
				errorIf(t, len(p.Records) < 10 || sorted != c.sorts,
					"%s %s, option %v: %d records, sorted %v", c.listing.name, order, on, len(p.Records), sorted)
			}
		}
	}
}

func TestTimesTie(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 2000, Limits: off(), TimeZone: "America/New_York"})
	seconds, offsets, records := map[string]bool{}, map[string]bool{}, u.all(t, listings()[3])
	for _, record := range records {
		created := text(t, record["created_time"])
		errorIf(t, instant(t, text(t, record["last_modified_time"])).Before(instant(t, created)),
			"bill %s changed before it was made", record["bill_id"])
		seconds[created] = true
		offsets[created[len(created)-5:]] = true
	}
	errorIf(t, len(seconds)*2 > len(records) || len(seconds) < 10, "%d records share %d seconds", len(records), len(seconds))
	errorIf(t, !offsets["-0500"] || !offsets["-0400"] || len(offsets) != 2, "offsets %v, want those of New York", keysOf(offsets))
}

func TestAccountFilters(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 10_000})
	path := "/books/v3/chartofaccounts"
	all := readPage(t, u.get(t, path, "filter_by", "AccountType.All"), "chartofaccounts")
	fatalIf(t, len(all.Records) != 200 || all.Context.More || all.Context.PerPage != 5000, "%d accounts, %+v", len(all.Records), all.Context)
	p := readPage(t, u.get(t, path, "filter_by", "AccountType.All", "per_page", "150"), "chartofaccounts")
	errorIf(t, len(p.Records) != 150 || !p.Context.More, "per_page is not honoured: %d accounts", len(p.Records))
	active := readPage(t, u.get(t, path), "chartofaccounts")
	inactive := readPage(t, u.get(t, path, "filter_by", "AccountType.Inactive"), "chartofaccounts")
	errorIf(t, len(inactive.Records) == 0 || len(active.Records)+len(inactive.Records) != 200 || active.Context.Filter != "AccountType.Active",
		"%d active, %d inactive, filter %q", len(active.Records), len(inactive.Records), active.Context.Filter)
	for _, record := range inactive.Records {
		equal(t, string(record["is_active"]), "false", record["account_id"])
	}
	grouped := 0
	for _, group := range []string{"Asset", "Liability", "Equity", "Income", "Expense"} {
		n := len(readPage(t, u.get(t, path, "filter_by", "AccountType."+group), "chartofaccounts").Records)
		errorIf(t, n == 0, "no account of group %s", group)
		grouped += n
	}
	equal(t, grouped, 200, "groups hold")
	p = readPage(t, u.get(t, path, "showbalance", "false"), "chartofaccounts")
	errorIf(t, p.Records[0]["current_balance"] != nil, "a balance that was declined")
}

func TestPagesAreBounded(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 2000})
	p := readPage(t, u.get(t, "/inventory/v1/bills", "per_page", "5000"), "bills")
	errorIf(t, len(p.Records) != 200 || p.Context.PerPage != 200 || !p.Context.More || p.Context.Report != "Bills",
		"%d records, %+v", len(p.Records), p.Context)
	p = readPage(t, u.get(t, "/inventory/v1/bills", "page", "99"), "bills")
	errorIf(t, len(p.Records) != 0 || p.Context.More || p.Context.Page != 99, "behind the end: %d records, %+v", len(p.Records), p.Context)
}

func TestItemDetails(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 600})
	ids := idsOf(t, readPage(t, u.get(t, "/inventory/v1/items", "per_page", "5"), "items").Records, "item_id")
	p := readPage(t, u.get(t, "/inventory/v1/itemdetails", "item_ids", strings.Join(ids, ",")+",123"), "items")
	equal(t, idsOf(t, p.Records, "item_id"), ids, "details of")
	equal(t, u.get(t, "/inventory/v1/itemdetails", "item_ids", strings.Repeat("1,", 100)+"1").Code, http.StatusBadRequest, "101 ids")
}

// amount reads a number as written; "" is zero.
func amount(t *testing.T, value json.RawMessage) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(string(value))
	fatalIf(t, !ok, "not a number: %s", value)
	return r
}

func sumOf(t *testing.T, array json.RawMessage, key string) *big.Rat {
	t.Helper()
	var all []object
	unmarshal(t, array, &all)
	sum := new(big.Rat)
	for _, element := range all {
		sum.Add(sum, amount(t, element[key]))
	}
	return sum
}

func same(t *testing.T, what, id string, a, b *big.Rat) {
	t.Helper()
	equal(t, a.Cmp(b), 0, what, id, a.FloatString(2), b.FloatString(2))
}
