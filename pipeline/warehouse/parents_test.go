package warehouse_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse"
	"sluice/schema"
)

// next asks for the next parent and ends its list: read, or failed with a reason.
func (s *storeFixture) next(claim pipeline.Claim, failed string) string {
	s.Helper()
	parent, _, err := s.db.NextParent(s.Context(), claim)
	check.Must(s, err)
	if parent != "" {
		batch := s.of(claim)
		batch.Parent = &pipeline.ParentRead{ID: parent, Failed: outside.Text(failed)}
		s.load(batch)
	}
	return parent
}

// round reads all parents of a run; those of failing fail.
func (s *storeFixture) round(failing string) string {
	s.Helper()
	claim := s.claimOf(s.persons)
	var order []string
	for {
		why := ""
		parent, left, err := s.db.NextParent(s.Context(), claim)
		check.Must(s, err)
		if parent != "" && strings.Contains(failing, parent) {
			why = "HTTP 404"
		}
		got := s.next(claim, why)
		check.ErrorIf(s, got != parent, "asked twice: %q and %q", parent, got)
		if parent == "" {
			break
		}
		order = append(order, parent)
		check.ErrorIf(s, left < 1, "%d parents left with %s", left, parent)
	}
	end := s.of(claim)
	end.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	s.load(end)
	return strings.Join(order, " ")
}

func (s *storeFixture) wantRound(what, want, failing string) {
	s.Helper()
	check.Same(s, what+": read", want, s.round(failing))
}

func TestParentsAreReadStalestFirst(t *testing.T) {
	s := openStore(t)
	list := s.claimOf(s.bills)
	s.wantRound("no parent known", "", "")
	s.load(s.of(list, header("1", "a", 1), header("2", "a", 1), singleBill("3", "without vendor", 1)))
	s.exec(`INSERT INTO store.customers VALUES ($1, 'v2'), ($1, 'v7'), ($1, ''), ($1, NULL), ('other', 'v8')`, organization)
	check.Must(s, s.db.ListParents(t.Context(), s.persons, []string{"named", "v1", ""}))
	s.wantRound("each once, in both columns and the configuration", "named v1 v2 v7", "")
	s.wantRound("all again", "named v1 v2 v7", "")

	// A run that stops after two parents: the next run begins with the others.
	claim := s.claimOf(s.persons)
	s.next(claim, "")
	check.Same(t, "second", "v1", s.next(claim, "no such vendor\x00"))
	_, left, err := s.db.NextParent(t.Context(), claim)
	check.ErrorIf(t, err != nil || left != 2, "%d left, %v, want 2", left, err)
	check.Same(t, "the failed parent", "1|no such vendor\u2400|t",
		ask[string](s.fixture, `SELECT concat_ws('|', failures, note, read_at < tried_at) FROM sluice.parents WHERE parent_id = 'v1'`))
	end := s.of(claim)
	end.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	s.load(end)
	s.wantRound("the other two first; those that fail have their turn and no more", "v2 v7 named v1", "v2")
	s.wantRound("the same order", "v2 v7 named v1", "")
	check.Same(t, "failures after all were read", 0, ask[int](s.fixture, `SELECT sum(failures) FROM sluice.parents`))
}

func TestParentsComeAndGo(t *testing.T) {
	s := openStore(t)
	s.exec(`INSERT INTO store.customers VALUES ($1, 'a'), ($1, 'b')`, organization)
	check.Must(s, s.db.ListParents(t.Context(), s.persons, []string{"a", "x"}))
	s.wantRound("named and found", "a b x", "")
	s.exec(`DELETE FROM store.customers`)
	s.wantRound("no row refers to b any more", "a x", "")
	check.Must(s, s.db.ListParents(t.Context(), s.persons, nil))
	s.exec(`INSERT INTO store.customers VALUES ($1, 'b'), ($1, 'c')`, organization)
	s.wantRound("none is named, b is back", "c b", "")
	check.ErrorIf(t, s.db.ListParents(t.Context(), s.bills, nil) == nil, "bills have no parents, yet they were listed")
	_, _, err := s.db.NextParent(t.Context(), s.claimOf(s.bills))
	check.ErrorIf(t, err == nil, "bills have no parents, yet one was asked for")
	if _, _, err := s.db.Pending(t.Context(), s.persons, 0, 1); err == nil {
		t.Error("persons have no details, yet they were asked for")
	}
}

func TestAnOrganizationIsPinnedToItsName(t *testing.T) {
	s := openStore(t)
	pin := func(name, zone string, active bool) (warehouse.Identity, error) {
		return s.db.PinOrganization(t.Context(), "17", warehouse.Identity{Name: name, TimeZone: zone, Active: active})
	}
	want := func(what string, want warehouse.Identity, got warehouse.Identity, err error) {
		t.Helper()
		check.ErrorIf(t, err != nil || got != want, "%s: %+v, %v, want %+v", what, got, err, want)
	}
	got, err := pin("", "", true)
	want("nothing is known", warehouse.Identity{}, got, err)
	got, err = pin("Alpha", "Europe/Oslo", true)
	want("first sight", warehouse.Identity{Name: "Alpha", TimeZone: "Europe/Oslo", Active: true}, got, err)
	got, err = pin("Alpha", "", false)
	want("the rest follows upstream", warehouse.Identity{Name: "Alpha", TimeZone: "Europe/Oslo"}, got, err)
	got, err = pin("", "", true)
	want("an answer without a name says nothing", warehouse.Identity{Name: "Alpha", TimeZone: "Europe/Oslo"}, got, err)

	got, err = pin("Beta", "Asia/Tokyo", true)
	check.FatalIf(t, !errors.Is(err, warehouse.ErrOtherOrganization) || got.Name != "Alpha",
		"another name: %+v, %v, want ErrOtherOrganization", got, err)
	for _, word := range []string{"17", `"Alpha"`, `"Beta"`, "sluice organizations accept 17"} {
		check.ErrorIf(t, !strings.Contains(err.Error(), word), "%q does not say %s", err, word)
	}
	check.Same(t, "another organization changed the time zone to", "Europe/Oslo", ask[string](s.fixture, `SELECT time_zone FROM sluice.organizations`))
	check.Must(s, s.db.AcceptOrganization(t.Context(), "17", warehouse.Identity{Name: "Beta", TimeZone: "Asia/Tokyo", Active: true}))
	got, err = pin("Beta", "Asia/Tokyo", true)
	want("accepted", warehouse.Identity{Name: "Beta", TimeZone: "Asia/Tokyo", Active: true}, got, err)
	check.ErrorIf(t, s.db.AcceptOrganization(t.Context(), "17", warehouse.Identity{}) == nil, "a name that is not there was accepted")
}

// TestOneColumnOfParents: a column names the same parent in many rows.
func TestOneColumnOfParents(t *testing.T) {
	s := openStore(t)
	cursor, _ := s.persons.Resource.Cursor.(schema.PerParent)
	cursor.From = cursor.From[1:]
	s.persons.Resource.Cursor = cursor
	s.exec(`INSERT INTO store.customers VALUES ($1, 'a'), ($1, 'a'), ($1, 'b')`, organization)
	s.wantRound("each once", "a b", "")
}

func TestARunMayBeDueAgainSooner(t *testing.T) {
	s := openStore(t)
	due := func(again pipeline.Again) time.Duration {
		end := s.of(s.claimOf(s.persons))
		end.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Again: again}
		s.load(end)
		seconds := ask[float64](s.fixture, `SELECT extract(epoch FROM next_due_at - clock_timestamp())::float8 FROM sluice.streams WHERE resource = 'persons'`)
		return time.Duration(seconds * float64(time.Second)).Round(time.Minute)
	}
	for again, want := range map[pipeline.Again]time.Duration{pipeline.AgainNot: time.Hour, pipeline.AgainNoParent: 30 * time.Minute, pipeline.AgainMissed: time.Hour} {
		s.exec(`UPDATE sluice.streams SET next_due_at = clock_timestamp()`)
		check.Same(t, fmt.Sprintf("again because of %q: due in", again), want, due(again))
	}
}

// openValued is openStore with bills that have amounts, a rate and a status.
func openValued(t *testing.T) *storeFixture {
	t.Helper()
	s := openStore(t)
	s.exec(`ALTER TABLE store.bills ADD COLUMN gross numeric, ADD COLUMN net numeric, ADD COLUMN rate numeric, ADD COLUMN stand text`)
	bills := s.details.Resource
	bills.Columns = append(bills.Columns, schema.Decimal("gross", "With tax."), schema.Decimal("net", "Without."), schema.Decimal("rate", "Rate."),
		schema.Text("status", "Where it stands.").As("stand"))
	bills.Details.Value = &schema.Value{
		Amounts: []string{"gross", "net"}, Rate: "rate", Open: &schema.Open{Column: "status", Is: []string{"open", "over'due"}},
	}
	return s
}

// waiting is a bill whose single record was never read.
type waiting struct {
	id, gross, net, rate, status string
	day                          int
}

// add writes rows as a list of headers leaves them.
func (s *storeFixture) add(rows ...waiting) {
	s.Helper()
	for _, r := range rows {
		s.exec(`INSERT INTO store.bills (organization_id, bill_id, gross, net, rate, stand, modified, _detail_state, _content_hash, _call_id,
			_raw_position, _run_id, _first_seen_at, _changed_at)
			VALUES ($1, $2, nullif($3, '')::numeric, nullif($4, '')::numeric, nullif($5, '')::numeric, nullif($6, ''), '2026-01-01'::timestamptz + $7 * interval '1 day',
			'pending', '', 1, 0, 1, now() - interval '1 hour', now() - interval '1 hour')`, organization, r.id, r.gross, r.net, r.rate, r.status, r.day)
	}
}

// TestTheMostValuableSingleRecordIsReadFirst has the order of docs/reading.md, written by hand.
func TestTheMostValuableSingleRecordIsReadFirst(t *testing.T) {
	s := openValued(t)
	s.add(
		waiting{id: "paid", gross: "5000", rate: "1", status: "paid", day: 1},
		waiting{id: "loss", gross: "-9500", rate: "1", status: "paid", day: 1},
		waiting{id: "old", gross: "100", rate: "1", status: "open", day: 1},
		waiting{id: "new", gross: "100", rate: "1", status: "open", day: 5},
		// A thousand yen are worth less than a hundred rupees, ten dollars more.
		waiting{id: "yen", gross: "1000", rate: "0.05", status: "over'due", day: 9},
		waiting{id: "dollar", gross: "10", rate: "83.25", status: "open", day: 2},
		waiting{id: "net", net: "99", rate: "1", status: "open", day: 3},
		waiting{id: "both", gross: "98", net: "10000", rate: "1", status: "open", day: 3},
		// What an amount is worth without a rate is not known.
		waiting{id: "unpriced", gross: "70000", status: "open", day: 4},
		waiting{id: "blank", day: 8},
	)
	// Open ones count tenfold: 8325 of the dollars, 500 of the yen.
	order := []string{"loss", "dollar", "paid", "new", "old", "net", "both", "yen", "unpriced", "blank"}
	s.wantPending(10, 10, order...)
	s.wantPending(3, 10, order[:3]...)

	// The rows of another organization are no part of it.
	s.exec(`UPDATE store.bills SET organization_id = 'other' WHERE bill_id IN ('dollar', 'loss')`)
	s.wantPending(2, 8, "paid", "new")

	// A resource without a value reads the newest first, as before.
	s.details.Resource.Details.Value = nil
	s.wantPending(3, 8, "yen", "blank", "new")
}

// TestWhatAScanMissedIsAskedForFirst: upstream's answer decides whether the row is deleted.
func TestWhatAScanMissedIsAskedForFirst(t *testing.T) {
	s := openValued(t)
	s.db = s.another(warehouse.Options{Absence: &once})
	s.bills.Resource.Complete = "The test says so."
	sweep := s.bills
	sweep.Work = pipeline.WorkSweep
	check.Must(s, s.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{{Key: sweep.Key(), Every: time.Hour, Enabled: true}}))
	whole := func(id, gross string) string {
		return fmt.Sprintf(`{"bill_id":%q,"gross":%s,"rate":1,"status":"paid","modified":"2026-01-01T10:00:00Z"}`, id, gross)
	}
	list := s.claimOf(s.bills)
	s.load(s.of(list, whole("1", "10"), whole("2", "500"), whole("3", "70")))
	s.load(s.of(s.claimOf(s.details), singleBill("3", "c", 1)))
	s.wantPending(10, 2, "2", "1")

	batch := s.of(s.claimOf(sweep), whole("2", "500"), whole("3", "70"))
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Whole: &pipeline.Whole{Started: time.Now().Add(time.Minute)}}
	s.load(batch)
	s.wantPending(10, 2, "1", "2")
}

// TestEveryTenthPlaceIsOfTheLongestWait: rows of little value are read although more valuable ones
// keep coming.
func TestEveryTenthPlaceIsOfTheLongestWait(t *testing.T) {
	s := openValued(t)
	for n := range 30 {
		id := fmt.Sprintf("%02d", n)
		s.add(waiting{id: id, gross: fmt.Sprint(100 + n), rate: "1", status: "open", day: 1})
	}
	// Row 05 was first seen longest ago, the single record of row 03 was read still before.
	s.exec(`UPDATE store.bills SET _first_seen_at = now() - interval '9 days' WHERE bill_id = '05'`)
	s.exec(`UPDATE store.bills SET _detail_state = 'stale', _detail_at = now() - interval '20 days' WHERE bill_id = '03'`)
	reading := func(place, limit int) string {
		t.Helper()
		ids, _, err := s.db.Pending(t.Context(), s.details, place, limit)
		check.Must(s, err)
		return strings.Join(ids, " ")
	}
	for _, test := range []struct {
		place, limit int
		want         string
	}{
		{0, 20, "29 28 27 26 25 24 23 22 21 03 20 19 18 17 16 15 14 13 12 05"},
		{9, 3, "03 29 28"}, {1009, 1, "03"}, {18, 3, "29 03 28"}, {8, 1, "29"},
	} {
		check.Same(t, fmt.Sprintf("from place %d on the rows", test.place), test.want, reading(test.place, test.limit))
	}

	// Forty calls, each of which is followed by a new bill that is worth more than all others.
	var read []string
	for place := range 40 {
		id := reading(place, 1)
		read = append(read, id)
		s.exec(`UPDATE store.bills SET _detail_state = 'current', _detail_at = now() WHERE bill_id = $1`, id)
		s.add(waiting{id: fmt.Sprintf("new%02d", place), gross: "1000", rate: "1", status: "open", day: 9})
	}
	old := slices.DeleteFunc(read, func(id string) bool { return strings.HasPrefix(id, "new") })
	check.ErrorIf(t, cmp.Diff([]string{"29", "03", "05"}, old[:3]) != "" || len(old) != 5,
		"of the rows that were there first, %v were read", old)
}
