//go:build e2e

package cli

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"sluice/sandbox/world/ledger/figures"
)

// checksOfQuestions are the checks of answers that are no figures of the books.
func checksOfQuestions() map[int]func(*booksFixture, *testing.T, pageQuestion) {
	return map[int]func(*booksFixture, *testing.T, pageQuestion){
		26: (*booksFixture).findsTwins, 28: (*booksFixture).agreesWithStatus, 30: (*booksFixture).listsAllViews,
	}
}

// findsTwins: every vendor that was entered twice is found, by what the copied records show, and at
// most one pair that is none, among 80 vendors; bills that were entered twice are noticed.
func (q *booksFixture) findsTwins(t *testing.T, asked pageQuestion) {
	t.Helper()
	found := map[string]map[string]bool{}
	for _, r := range q.query(t, asked.sql) {
		key := r[0].(string)
		if found[key] == nil {
			found[key] = map[string]bool{}
		}
		found[key][fmt.Sprint(r[1], " ", r[2])] = true
	}
	for _, b := range q.all {
		q.books(b, func(o *organizationBooks) {
			pairs := map[string]bool{}
			for _, d := range o.Duplicates() {
				pair := d.First + " " + d.Second
				pairs[pair] = true
				if !found[b.key][pair] && (d.Name || len(o.bills) > len(o.Ledger.Bills)/2) {
					t.Errorf("%s: the vendors %s are one, and are not found", b.name, pair)
				}
			}
			invented := 0
			for pair := range found[b.key] {
				if !pairs[pair] {
					invented++
				}
			}
			if invented > 1 {
				t.Errorf("%s: %d pairs of vendors are no duplicates: %v", b.name, invented, found[b.key])
			}
			q.findsBillsTwice(t, b, o.TwiceEntered())
		})
	}
}

func (q *booksFixture) findsBillsTwice(t *testing.T, b business, twice []figures.TwiceEntered) {
	t.Helper()
	var want []string
	for _, pair := range twice {
		want = append(want, pair.First, pair.Second)
	}
	slices.Sort(want)
	got := one[[]string](q.fixture, `SELECT coalesce(array_agg(record_id ORDER BY record_id), '{}') FROM analytics.quality
		WHERE organization_id = $1 AND resource = 'inventory.bills' AND check_name = 'bill_number_repeated'`, b.key)
	if len(twice) == 0 || !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("%s: bills entered twice are %v, noticed are %v", b.name, want, got)
	}
}

// agreesWithStatus: the times are those that the operator sees.
func (q *booksFixture) agreesWithStatus(t *testing.T, asked pageQuestion) {
	t.Helper()
	const form = "2006-01-02 15:04:05.000000"
	written := func(at *time.Time) any {
		if at == nil {
			return nil
		}
		return at.UTC().Round(time.Microsecond).Format(form)
	}
	var status struct {
		Streams []struct {
			Organization string     `json:"organization"`
			Service      string     `json:"service"`
			Resource     string     `json:"resource"`
			Watermark    *time.Time `json:"watermark"`
			LastDoneAt   *time.Time `json:"last_done_at"`
			NextDueAt    *time.Time `json:"next_due_at"`
			Quarantined  int        `json:"quarantined"`
			Enabled      bool       `json:"enabled"`
		} `json:"streams"`
	}
	o := q.run("status", "--json")
	must(t, json.Unmarshal([]byte(o.stdout), &status))
	seen := map[string]string{}
	for _, s := range status.Streams {
		state := "copied"
		switch {
		case !s.Enabled:
			state = "not copied any more"
		case s.Watermark == nil:
			state = "first copy under way"
		}
		seen[s.Organization+" "+s.Service+"."+s.Resource] = sixth(row{state, written(s.Watermark), written(s.LastDoneAt), written(s.NextDueAt), s.Quarantined})
	}
	rows := q.query(t, `SELECT organization_id, resource, state, to_char(complete_up_to AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
		to_char(last_looked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char(next_look_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
		in_quarantine, share_complete FROM (`+asked.sql+`) AS shown`)
	if len(rows) < 50 {
		t.Errorf("%d rows", len(rows))
	}
	for _, r := range rows {
		if got, want := sixth(r[2:7]), seen[fmt.Sprint(r[0], " ", r[1])]; got != want {
			t.Errorf("%s %s: %s, status says %s", r[0], r[1], got, want)
		}
	}
	for _, b := range q.all {
		var bills map[string]bool
		q.books(b, func(o *organizationBooks) { bills = o.bills })
		live, loaded := 0, 0
		for raw := range q.world.TruthOf(b.id, b.dataCenter, "inventory", "bills") {
			live++
			if bills[parse(raw).text("bill_id")] {
				loaded++
			}
		}
		at := slices.IndexFunc(rows, func(r row) bool { return r[0] == b.key && r[1] == "inventory.bills" })
		if want := fmt.Sprintf("%.4f", float64(loaded)/float64(live)); rows[at][7] != want {
			t.Errorf("%s: %v of the bills are complete, want %s", b.name, rows[at][7], want)
		}
	}
}

// findsDifference: where a payables account was made to differ from the open bills by 1.00, the
// checks say so, and nowhere else.
func (q *booksFixture) findsDifference(t *testing.T, planted bool) {
	t.Helper()
	got := q.query(t, `SELECT organization_id, amount FROM analytics.quality WHERE check_name = 'control_differs'`)
	if !planted {
		if len(got) > 0 {
			t.Errorf("the books agree, the checks find differences: %v", got)
		}
		return
	}
	if len(got) != 1 || got[0][0] != q.all[2].key || rounded(numeral(got[0][1])).Cmp(big.NewRat(1, 1)) != 0 {
		t.Errorf("the checks find %v, want 1.00 of %s", got, q.all[2].key)
	}
}

// listsAllViews: the catalog has each view with all its columns.
func (q *booksFixture) listsAllViews(t *testing.T, asked pageQuestion) {
	t.Helper()
	var got []string
	for _, r := range q.query(t, asked.sql) {
		got = append(got, sixth(r[:3]))
	}
	want := one[[]string](q.fixture, `SELECT array_agg(concat_ws(' | ', table_schema, table_name, n || '.000000') ORDER BY table_name)
		FROM (SELECT table_schema::text, table_name::text, count(*) AS n FROM information_schema.columns WHERE table_schema = 'analytics' GROUP BY 1, 2) AS c`)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(got) < 40 {
		t.Errorf("the catalog lists\n%v\nthere are\n%v", got, want)
	}
}
