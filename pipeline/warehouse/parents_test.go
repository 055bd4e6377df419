package warehouse_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse"
	"sluice/schema"
)

// next asks for the next parent and ends its list: read, or failed with a reason.
func (s *storeFixture) next(claim pipeline.Claim, failed string) string {
	s.Helper()
	parent, _, err := s.db.NextParent(s.Context(), claim)
	s.must(err)
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
		s.must(err)
		if parent != "" && strings.Contains(failing, parent) {
			why = "HTTP 404"
		}
		if got := s.next(claim, why); got != parent {
			s.Errorf("asked twice: %q and %q", parent, got)
		}
		if parent == "" {
			break
		}
		order = append(order, parent)
		if left < 1 {
			s.Errorf("%d parents left with %s", left, parent)
		}
	}
	end := s.of(claim)
	end.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	s.load(end)
	return strings.Join(order, " ")
}

func (s *storeFixture) wantRound(what, want, failing string) {
	s.Helper()
	if got := s.round(failing); got != want {
		s.Errorf("%s: read %q, want %q", what, got, want)
	}
}

func TestParentsAreReadStalestFirst(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	list := s.claimOf(s.bills)
	s.wantRound("no parent known", "", "")
	s.load(s.of(list, header("1", "a", 1), header("2", "a", 1), singleBill("3", "without vendor", 1)))
	s.must(exec(s, `INSERT INTO store.customers VALUES ($1, 'v2'), ($1, 'v7'), ($1, ''), ($1, NULL), ('other', 'v8')`, organization))
	s.must(s.db.ListParents(t.Context(), s.persons, []string{"named", "v1", ""}))
	s.wantRound("each once, in both columns and the configuration", "named v1 v2 v7", "")
	s.wantRound("all again", "named v1 v2 v7", "")

	// A run that stops after two parents: the next run begins with the others.
	claim := s.claimOf(s.persons)
	s.next(claim, "")
	if got := s.next(claim, "no such vendor\x00"); got != "v1" {
		t.Errorf("second is %q", got)
	}
	if _, left, err := s.db.NextParent(t.Context(), claim); err != nil || left != 2 {
		t.Errorf("%d left, %v, want 2", left, err)
	}
	if got := ask[string](s.fixture, `SELECT concat_ws('|', failures, note, read_at < tried_at) FROM sluice.parents WHERE parent_id = 'v1'`); got != "1|no such vendor\u2400|t" {
		t.Errorf("the failed parent is %q", got)
	}
	end := s.of(claim)
	end.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	s.load(end)
	s.wantRound("the other two first; those that fail have their turn and no more", "v2 v7 named v1", "v2")
	s.wantRound("the same order", "v2 v7 named v1", "")
	if got := ask[int](s.fixture, `SELECT sum(failures) FROM sluice.parents`); got != 0 {
		t.Errorf("%d failures after all were read", got)
	}
}

func TestParentsComeAndGo(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	s.must(exec(s, `INSERT INTO store.customers VALUES ($1, 'a'), ($1, 'b')`, organization))
	s.must(s.db.ListParents(t.Context(), s.persons, []string{"a", "x"}))
	s.wantRound("named and found", "a b x", "")
	s.must(exec(s, `DELETE FROM store.customers`))
	s.wantRound("no row refers to b any more", "a x", "")
	s.must(s.db.ListParents(t.Context(), s.persons, nil))
	s.must(exec(s, `INSERT INTO store.customers VALUES ($1, 'b'), ($1, 'c')`, organization))
	s.wantRound("none is named, b is back", "c b", "")
	if err := s.db.ListParents(t.Context(), s.bills, nil); err == nil {
		t.Error("bills have no parents, yet they were listed")
	}
	if _, _, err := s.db.NextParent(t.Context(), s.claimOf(s.bills)); err == nil {
		t.Error("bills have no parents, yet one was asked for")
	}
	if _, _, err := s.db.Pending(t.Context(), s.persons, 0, 1); err == nil {
		t.Error("persons have no details, yet they were asked for")
	}
}

func TestAnOrganizationIsPinnedToItsName(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	pin := func(name, zone string, active bool) (warehouse.Identity, error) {
		return s.db.PinOrganization(t.Context(), "17", warehouse.Identity{Name: name, TimeZone: zone, Active: active})
	}
	want := func(what string, want warehouse.Identity, got warehouse.Identity, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", what, got, err, want)
		}
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
	if !errors.Is(err, warehouse.ErrOtherOrganization) || got.Name != "Alpha" {
		t.Fatalf("another name: %+v, %v, want ErrOtherOrganization", got, err)
	}
	for _, word := range []string{"17", `"Alpha"`, `"Beta"`, "sluice organizations accept 17"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %s", err, word)
		}
	}
	if zone := ask[string](s.fixture, `SELECT time_zone FROM sluice.organizations`); zone != "Europe/Oslo" {
		t.Errorf("another organization changed the time zone to %s", zone)
	}
	s.must(s.db.AcceptOrganization(t.Context(), "17", warehouse.Identity{Name: "Beta", TimeZone: "Asia/Tokyo", Active: true}))
	got, err = pin("Beta", "Asia/Tokyo", true)
	want("accepted", warehouse.Identity{Name: "Beta", TimeZone: "Asia/Tokyo", Active: true}, got, err)
	if err := s.db.AcceptOrganization(t.Context(), "17", warehouse.Identity{}); err == nil {
		t.Error("a name that is not there was accepted")
	}
}

// TestOneColumnOfParents: a column names the same parent in many rows.
func TestOneColumnOfParents(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	cursor, _ := s.persons.Resource.Cursor.(schema.PerParent)
	cursor.From = cursor.From[1:]
	s.persons.Resource.Cursor = cursor
	s.must(exec(s, `INSERT INTO store.customers VALUES ($1, 'a'), ($1, 'a'), ($1, 'b')`, organization))
	s.wantRound("each once", "a b", "")
}

func TestARunMayBeDueAgainSooner(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	due := func(again pipeline.Again) time.Duration {
		end := s.of(s.claimOf(s.persons))
		end.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Again: again}
		s.load(end)
		seconds := ask[float64](s.fixture, `SELECT extract(epoch FROM next_due_at - clock_timestamp())::float8 FROM sluice.streams WHERE resource = 'persons'`)
		return time.Duration(seconds * float64(time.Second)).Round(time.Minute)
	}
	for again, want := range map[pipeline.Again]time.Duration{pipeline.AgainNot: time.Hour, pipeline.AgainNoParent: 30 * time.Minute, pipeline.AgainMissed: time.Hour} {
		s.must(exec(s, `UPDATE sluice.streams SET next_due_at = clock_timestamp()`))
		if got := due(again); got != want {
			t.Errorf("again because of %q: due in %s, want %s", again, got, want)
		}
	}
}
