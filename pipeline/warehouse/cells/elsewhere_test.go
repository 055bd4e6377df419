package cells_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/warehouse/cells"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/warehousetest"
)

// halts runs a move until a step is told of for the first time, and kills it there.
func halts(t *testing.T, m *cells.Move, at cells.Step) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m.Progress = func(step cells.Step, _ string, _ int64) {
		if step == at {
			cancel()
		}
	}
	if err := m.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("the move was not killed: %v", err)
	}
}

func TestMovesThatAreRefused(t *testing.T) {
	t.Parallel()
	all := fleetOf(t, "few_tables", fewTables, "a", "b", "c")
	a, b, c := all[0], all[1], all[2]
	refused(t, move(a, b).Run(t.Context()), cells.ErrElsewhere, moving, "cell a never had it")
	a.settle(moving)
	refused(t, move(b, a).Run(t.Context()), cells.ErrElsewhere, "cell b never had it, cell a says: here")
	refused(t, move(a, b).GiveUp(t.Context()), cells.ErrElsewhere, "cell a says: here")
	halts(t, move(a, b), cells.Copying)
	wants(a, b, cells.Sealed, cells.Arriving)
	// Another target has to wait until the move is given up; so has another source.
	refused(t, move(a, c).Run(t.Context()), cells.ErrElsewhere, moving, "cell a says: sealed (other cell: b)")
	refused(t, move(a, c).GiveUp(t.Context()), cells.ErrElsewhere, "other cell: b")
	refused(t, move(b, c).Run(t.Context()), cells.ErrElsewhere, "cell b says: arriving (other cell: a)")
	refused(t, move(c, b).Run(t.Context()), cells.ErrElsewhere, "cell c never had it")
	refused(t, move(a, b).TakeOver(t.Context()), cells.ErrElsewhere, "cell b has not all rows", "backup")
	wants(a, b, cells.Sealed, cells.Arriving)
	if c.state() != "" {
		t.Errorf("a third cell says %q", c.state())
	}
	if err := move(a, b).GiveUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	run(t, move(a, c))
	wants(a, c, cells.Left, cells.Here)
	// A backup of before the move brings it back: nothing moves until a person has decided.
	a.exec(`UPDATE sluice.homes SET state = 'here', move = '', peer = ''`)
	refused(t, move(a, c).Run(t.Context()), cells.ErrElsewhere, "cell a says: here, cell c says: here (other cell: a)")
	refused(t, move(c, a).Run(t.Context()), cells.ErrElsewhere, "cell c says: here", "cell a says: here")
	if n := ask[int](c, `SELECT count(*) FROM sluice.homes WHERE state = 'here'`); n != 1 {
		t.Error("a refused move changed what the cell says")
	}
}

func TestTwoMoversAtOnce(t *testing.T) {
	t.Parallel()
	all := fleetOf(t, "few_tables", fewTables, "a", "b", "c")
	a, b, c := all[0], all[1], all[2]
	a.settle(moving)
	b.settle(other)
	first := move(a, b)
	asked := false
	first.Progress = func(step cells.Step, _ string, _ int64) {
		if step != cells.Comparing || asked {
			return
		}
		asked = true
		for _, second := range []*cells.Move{move(a, b), move(a, c), move(b, c)} {
			refused(t, second.Run(t.Context()), cells.ErrBusy, "pid", `application "sluice fleet"`)
			refused(t, second.GiveUp(t.Context()), cells.ErrBusy, "pid")
		}
		if err := (&cells.Move{From: b.Database, To: c.Database, Organization: other}).Run(t.Context()); err != nil {
			t.Errorf("a move of another organization: %v", err)
		}
	}
	run(t, first)
	if !asked {
		t.Error("the move compared nothing")
	}
	wants(a, b, cells.Left, cells.Here)
}

// TestALockThatIsLost: a mover whose session with the lock ended changes nothing of what cells say,
// as another one may be at it.
func TestALockThatIsLost(t *testing.T) {
	t.Parallel()
	both := fleetOf(t, "few_tables", fewTables, "a", "b")
	for lost := range both {
		a, b := both[0], both[1]
		organization := []string{moving, other}[lost]
		a.settle(organization)
		moves := &cells.Move{From: a.Database, To: b.Database, Organization: organization}
		gone := false
		moves.Progress = func(step cells.Step, _ string, _ int64) {
			if step == cells.Comparing && !gone {
				gone = true
				both[lost].exec(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'
					AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
				second := &cells.Move{From: a.Database, To: b.Database, Organization: organization}
				refused(t, second.GiveUp(t.Context()), cells.ErrBusy) // the other lock
			}
		}
		err := moves.Run(t.Context())
		if err == nil {
			t.Errorf("a mover without the lock of cell %s says that it is done", both[lost].Database.Name)
		}
		home, err := b.Home(t.Context(), organization)
		b.must(err)
		if home.State == cells.Here {
			t.Errorf("a mover without the lock of cell %s switched", both[lost].Database.Name)
		}
	}
}

func TestTablesThatDiffer(t *testing.T) {
	t.Parallel()
	both := fleetOf(t, "few_tables", fewTables, "a", "b")
	a, b := both[0], both[1]
	a.settle(moving)
	for _, difference := range []struct{ here, back, says string }{
		{`ALTER TABLE shop.things ADD COLUMN later text`, `ALTER TABLE shop.things DROP COLUMN later`, "later text"},
		{`ALTER TABLE shop.things ALTER COLUMN name TYPE varchar(300)`, `ALTER TABLE shop.things ALTER COLUMN name TYPE text`, "name character varying(300)"},
		{`CREATE TABLE shop.others (organization_id text PRIMARY KEY)`, `DROP TABLE shop.others`, "the target has no table shop.others"},
	} {
		a.exec(difference.here)
		refused(t, move(a, b).Run(t.Context()), cells.ErrTables, "shop.", difference.says, "sluice fleet migrate")
		wants(a, b, cells.Here, "") // and nothing has stopped
		a.exec(difference.back)
	}
	// It is found in the middle, too: one cell may have got another version of the program by then.
	halts(t, move(a, b), cells.Copying)
	b.exec(`ALTER TABLE shop.things DROP COLUMN name`)
	refused(t, move(a, b).Run(t.Context()), cells.ErrTables, "shop.things")
	wants(a, b, cells.Sealed, cells.Arriving)
	b.exec(`ALTER TABLE shop.things ADD COLUMN name text`) // the order of columns does not matter
	a.fill(moving, 1000, []string{"shop.things"})
	run(t, move(a, b))
	if n := ask[int](b, `SELECT count(name) FROM shop.things`); n != rowsEach {
		t.Errorf("%d rows have their name", n)
	}
}

func TestNumbersThatClash(t *testing.T) {
	t.Parallel()
	joined := func(name string, number int, runs int64, above cells.Numbers) *member {
		t.Helper()
		m := alone(t, name, warehousetest.Template(t, "few_tables", fewTables))
		if runs > 0 {
			m.exec(`SELECT setval('sluice.runs_id_seq', $1)`, runs)
		}
		m.must(m.Join(t.Context(), number, above))
		return m
	}
	used := joined("used", 1, 5000, cells.Numbers{})
	above, err := used.Numbers(t.Context())
	used.must(err)
	if above.Others < 5000 || above.Others > 5000+64 {
		t.Errorf("the greatest number is %+v, want 5000 or the last one that will not be drawn", above)
	}
	empty, alsoUsed := joined("empty", 2, 0, above), joined("also used", 3, 70, above)
	low, twin := joined("low", 4, 0, cells.Numbers{}), joined("twin", 1, 0, above)
	used.settle(moving)
	alsoUsed.settle(other)
	for _, clashing := range []*member{alsoUsed, low, twin} {
		refused(t, move(used, clashing).Run(t.Context()), cells.ErrElsewhere, moving, "numbers", "cells used and "+clashing.Database.Name)
		wants(used, clashing, cells.Here, "")
	}
	run(t, move(used, empty))
	run(t, move(empty, used))
	used.exec(`INSERT INTO sluice.runs (id, organization_id, service, resource, class, gen) OVERRIDING SYSTEM VALUE VALUES (7, $1, 's', 'r', 'sweep', 1)`, moving)
	run(t, move(used, empty))
	// By way of a third cell rows would get to one that has drawn their numbers itself.
	alsoUsed.exec(`INSERT INTO sluice.runs (id, organization_id, service, resource, class, gen) OVERRIDING SYSTEM VALUE VALUES (7, $1, 's', 'r', 'sweep', 1)`, other)
	refused(t, move(empty, alsoUsed).Run(t.Context()), cells.ErrElsewhere, "sluice.runs", "--cancel")
	wants(empty, alsoUsed, cells.Sealed, cells.Arriving)
	if err := move(empty, alsoUsed).GiveUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	wants(empty, alsoUsed, cells.Here, cells.Left)
}

// TestADatabaseThatIsLostForGood: the other cell is asked alone.
func TestADatabaseThatIsLostForGood(t *testing.T) {
	t.Parallel()
	both := fleetOf(t, "few_tables", fewTables, "a", "b")
	a, b := both[0], both[1]
	a.settle(moving, other)
	a.fill(moving, 1000, a.moves())
	a.exec(`UPDATE sluice.live_calls SET finished_at = clock_timestamp()`)
	was := a.contents(moving, a.moves())
	gone := func(name string) *cells.Database {
		t.Helper()
		d, err := cells.Open(t.Context(), name, "postgres://u@127.0.0.1:1/gone?connect_timeout=1&sslmode=disable", nil)
		a.must(err)
		t.Cleanup(d.Close)
		return d
	}
	// The target is lost before it has let the source go: the organization stays.
	halts(t, move(a, b), cells.Copying)
	refused(t, (&cells.Move{From: a.Database, To: gone("b"), Organization: moving}).GiveUp(t.Context()), postgres.ErrUnreachable, "cell b")
	wants(a, b, cells.Sealed, cells.Arriving)
	if err := (&cells.Move{From: a.Database, To: gone("b"), Organization: moving, Lost: "b"}).GiveUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	wants(a, b, cells.Here, cells.Arriving)
	// If it comes back, it is cleared by the next move.
	halts(t, move(a, b), cells.Switching)
	wants(a, b, cells.Sealed, cells.Arrived)
	// The source is lost before it has let go, and all rows have arrived.
	lost := &cells.Move{From: gone("a"), To: b.Database, Organization: moving, Lost: "a"}
	if err := lost.TakeOver(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b.state() != cells.Here {
		t.Errorf("the target says %q", b.state())
	}
	same(t, "rows of the organization", was, b.contents(moving, b.moves()))
	refused(t, lost.TakeOver(t.Context()), cells.ErrElsewhere)
	// The source comes back from a backup: both say that it is at home there, and nothing moves.
	refused(t, move(a, b).Run(t.Context()), cells.ErrElsewhere, "sealed", "here")
	refused(t, move(a, b).GiveUp(t.Context()), cells.ErrElsewhere, "sealed", "here")
	refused(t, move(b, a).Run(t.Context()), cells.ErrElsewhere, "sealed", "here")
	// Nor if the target has passed it on meanwhile.
	b.exec(`UPDATE sluice.homes SET state = 'left', peer = 'c', move = 'another', dropped_at = now()`)
	refused(t, move(a, b).Run(t.Context()), cells.ErrElsewhere, "sealed", "left (other cell: c)")
	refused(t, move(a, b).GiveUp(t.Context()), cells.ErrElsewhere, "sealed", "left (other cell: c)")
	// A source out of a backup of before the move does not throw away what arrived later.
	a.exec(`UPDATE sluice.homes SET state = 'here', peer = '', move = '', changed_at = now() - interval '1 day' WHERE organization_id = $1`, moving)
	b.exec(`UPDATE sluice.homes SET state = 'arrived', peer = 'a', changed_at = now()`)
	refused(t, move(a, b).Run(t.Context()), cells.ErrElsewhere, "here", "arrived")
}

// TestWhatIsWrittenLate: an answer that comes after the organization has left may write a row
// beside the call. It does not hinder the way back.
func TestWhatIsWrittenLate(t *testing.T) {
	t.Parallel()
	both := fleetOf(t, "few_tables", fewTables, "a", "b")
	a, b := both[0], both[1]
	a.settle(moving)
	const budget = `INSERT INTO sluice.budgets (organization_id, shared, concurrent_limit) VALUES ($1, 'suite', $2)`
	a.exec(budget, moving, 5)
	run(t, move(a, b))
	a.exec(budget, moving, 1)
	run(t, move(b, a))
	if limit := ask[int](a, `SELECT concurrent_limit FROM sluice.budgets WHERE organization_id = $1`, moving); limit != 5 {
		t.Errorf("the limit is %d: not that of the cell that it came from", limit)
	}
}

func TestTheSaltOfErasures(t *testing.T) {
	t.Parallel()
	m := fleetOf(t, "few_tables", fewTables, "a")[0]
	first, err := m.Salt(t.Context())
	m.must(err)
	salt := []byte("another salt, of another cell...")
	if shared, err := m.ShareSalt(t.Context(), salt); err != nil || !shared {
		t.Errorf("a cell that erased nothing takes the salt: %t, %v", shared, err)
	}
	if now, err := m.Salt(t.Context()); err != nil || string(now) != string(salt) || string(first) == string(salt) {
		t.Errorf("the salt is %x, error %v", now, err)
	}
	m.settle(moving)
	m.fill(moving, 1000, []string{"sluice.erasures"})
	if shared, err := m.ShareSalt(t.Context(), first); err != nil || shared {
		t.Errorf("a cell that erased something takes the salt: %t, %v", shared, err)
	}
	if now, err := m.Salt(t.Context()); err != nil || string(now) != string(salt) {
		t.Errorf("the salt of a cell with erasures is %x, error %v: their hashes mean nothing now", now, err)
	}
}

// TestACopyThatDiffers: what something changes on the way is found, and nothing of it stays.
func TestACopyThatDiffers(t *testing.T) {
	t.Parallel()
	both := fleetOf(t, "few_tables", fewTables, "a", "b")
	a, b := both[0], both[1]
	a.settle(moving)
	a.fill(moving, 1000, a.moves())
	a.exec(`UPDATE sluice.live_calls SET finished_at = clock_timestamp()`)
	for _, does := range []string{"NEW.name := 'another'; RETURN NEW", "RETURN CASE WHEN NEW.thing_id <> 'k1001' THEN NEW END", "NEW.modified := NEW.modified + interval '1 microsecond'; RETURN NEW"} {
		b.exec(`CREATE OR REPLACE FUNCTION shop.alter() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN ` + strings.ReplaceAll(does, "'", "''") + `; END'`)
		b.exec(`CREATE TRIGGER alter BEFORE INSERT ON shop.things FOR EACH ROW EXECUTE FUNCTION shop.alter()`)
		b.exec(`ALTER TABLE shop.things_parts DISABLE TRIGGER ALL`) // an array without its record is not refused here
		refused(t, move(a, b).Run(t.Context()), cells.ErrNotEqual, "shop.things", "cell a has 3 rows", "cell b")
		wants(a, b, cells.Sealed, cells.Arriving)
		same(t, "rows of a copy that differs", nothing(), b.contents(moving, append(b.moves(), "sluice.changes")))
		b.exec(`DROP TRIGGER alter ON shop.things`)
		b.exec(`ALTER TABLE shop.things_parts ENABLE TRIGGER ALL`)
	}
	run(t, move(a, b))
}

func TestClocksThatAreApart(t *testing.T) {
	t.Parallel()
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	for _, clock := range []struct{ before, other, after, apart int }{{0, 0, 0, 0}, {0, 5, 10, 0}, {0, 15, 10, 5}, {100, 60, 110, 40}, {0, 2000, 500, 1500}} {
		if by := cells.Apart(at(clock.before), at(clock.other), at(clock.after)); by != time.Duration(clock.apart)*time.Millisecond {
			t.Errorf("%+v: %s apart", clock, by)
		}
	}
}

// TestALockIsFreeAtOnce: who comes right after another one is not told that the other is still at
// it, though the server notices the end of a session later.
func TestALockIsFreeAtOnce(t *testing.T) {
	t.Parallel()
	m := fleetOf(t, "few_tables", fewTables, "a")[0]
	for range 50 {
		lock, err := m.Lock(t.Context(), moving)
		m.must(err)
		lock.Release(t.Context())
		if n := ask[int](m, `SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
			WHERE l.locktype = 'advisory' AND d.datname = current_database()`); n != 0 {
			t.Fatalf("%d locks are held after the release", n)
		}
	}
}
