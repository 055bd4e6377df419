package cells_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sluice/pipeline/warehouse/cells"
	"sluice/pipeline/warehouse/postgres"
)

var everyStatement = flag.Bool("every-statement", false, "end moves around each statement, and not only around those that say where an organization is, and some others") //nolint:gochecknoglobals // a flag

// pair returns two cells with few tables; an organization is at home in the first one, and has rows
// in all of them, as another one that does not move.
func pair(t *testing.T) (source, target *member, tables []string) { //nolint:nonamedreturns // the names say which is which
	t.Helper()
	both := fleetOf(t, "few_tables", fewTables, "a", "b")
	source, target = both[0], both[1]
	source.settle(moving, other)
	tables = append(source.moves(), strings.Fields(dropped)...)
	source.fill(moving, 1000, source.moves())
	source.fill(other, 2000, source.moves())
	source.exec(`UPDATE sluice.live_calls SET finished_at = clock_timestamp()`)
	return source, target, tables
}

// points returns the statements around which moves are ended: those that say where the organization
// is, and some of the others.
func points(t *testing.T, said []string) []int {
	t.Helper()
	var chosen []int
	for i, sql := range said {
		states := strings.Contains(sql, "sluice.homes") && (strings.HasPrefix(sql, "UPDATE") || strings.HasPrefix(sql, "INSERT"))
		if *everyStatement || states {
			chosen = append(chosen, i+1)
		}
	}
	if len(chosen) < 3 {
		t.Fatalf("of %d statements %d say where the organization is", len(said), len(chosen))
	}
	const some = 3
	for range some {
		chosen = append(chosen, 1+rand.IntN(len(said)))
	}
	slices.Sort(chosen)
	return slices.Compact(chosen)
}

// TestMovesThatEnd ends moves before and after statements. Whatever was done, another move goes on
// or gives up, and all rows are in one place.
func TestMovesThatEnd(t *testing.T) {
	t.Parallel()
	from, to, tables := pair(t)
	was, others := from.contents(moving, tables), from.contents(other, tables)
	home := from
	k := traced(t, []*member{from, to})
	k.arm(0, false, nil)
	run(t, move(from, to))
	all := k.said
	t.Logf("a move has %d statements", len(all))
	k.arm(0, false, nil)
	run(t, move(to, from))

	done := func(point int) {
		t.Helper()
		wants(from, to, cells.Left, cells.Here)
		same(t, "rows of the organization", was, to.contents(moving, tables))
		same(t, "rows that are left", nothing(), from.contents(moving, tables))
		if t.Failed() {
			t.Fatalf("a move was ended at statement %d: %s", point, k.killed)
		}
		from, to = to, from
	}
	for i, point := range points(t, all) {
		for _, after := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			k.arm(point, after, cancel)
			err := move(from, to).Run(ctx)
			cancel()
			if k.killed == "" {
				t.Fatalf("the move has no statement %d", point)
			}
			if last := after && point >= len(all)-1; err == nil && !last {
				t.Errorf("a move that was ended at statement %d says that it is done: %s", point, k.killed)
			}
			oneHome(t, []*member{from, to})
			killed := k.killed
			k.arm(0, false, nil)
			k.killed = killed
			state := from.state()
			if i%2 == 0 {
				err := patiently(t, move(from, to).GiveUp)
				switch {
				case undone(state):
					if err != nil {
						t.Fatal(err)
					}
					if from.state() != cells.Here {
						t.Errorf("after giving up the source says %q", from.state())
					}
					same(t, "rows after giving up", was, from.contents(moving, tables))
					same(t, "rows in the target after giving up", nothing(), to.contents(moving, tables))
					from.exec(`INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES ($1, 's', 'r', 'new', '', 1)`, moving)
					from.exec(`DELETE FROM sluice.drift WHERE path = 'new'`)
				default:
					refused(t, err, cells.ErrElsewhere, moving)
				}
			}
			run(t, move(from, to))
			done(point)
		}
	}
	same(t, "rows of another organization", others, home.contents(other, tables))
}

// TestGivingUpThatEnds ends what gives a move up, around each statement that says where the
// organization is.
func TestGivingUpThatEnds(t *testing.T) {
	t.Parallel()
	from, to, tables := pair(t)
	was := from.contents(moving, tables)
	k := traced(t, []*member{from, to})
	// begun leaves a move when all rows have arrived, and the source has not let go.
	begun := func() {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		moves := move(from, to)
		moves.Progress = func(step cells.Step, _ string, _ int64) {
			if step == cells.Switching {
				cancel()
			}
		}
		k.arm(0, false, nil)
		if err := moves.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		wants(from, to, cells.Sealed, cells.Arrived)
	}
	begun()
	k.arm(0, false, nil)
	if err := patiently(t, move(from, to).GiveUp); err != nil {
		t.Fatal(err)
	}
	for i, point := range points(t, k.said) {
		begun()
		ctx, cancel := context.WithCancel(t.Context())
		k.arm(point, i%2 == 0, cancel)
		_ = move(from, to).GiveUp(ctx)
		cancel()
		oneHome(t, []*member{from, to})
		k.arm(0, false, nil)
		if undone(from.state()) {
			if err := patiently(t, move(from, to).GiveUp); err != nil {
				t.Fatal(err)
			}
		}
		if from.state() != cells.Here {
			t.Errorf("after giving up the source says %q", from.state())
		}
		same(t, "rows after giving up", was, from.contents(moving, tables))
		run(t, move(from, to))
		wants(from, to, cells.Left, cells.Here)
		same(t, "rows after another move", was, to.contents(moving, tables))
		run(t, move(to, from))
	}
}

// TestADatabaseThatIsLostInTheMiddle: connections to one of the databases break, and further ones
// are refused. The move says so, and goes on when the database is back.
func TestADatabaseThatIsLostInTheMiddle(t *testing.T) {
	t.Parallel()
	source, target, tables := pair(t)
	was := source.contents(moving, tables)
	var lines []*line
	ways := make([]*member, 2)
	for i, m := range []*member{source, target} {
		l, address := through(t, m.url)
		lines = append(lines, l)
		ways[i] = alone(t, m.Database.Name, address)
	}
	from, to := ways[0], ways[1]
	for _, step := range []cells.Step{cells.Copying, cells.Comparing, cells.Switching, cells.Dropping} {
		for lost, l := range lines {
			if step == cells.Dropping && ways[lost] == to {
				continue // nothing is asked of the target any more
			}
			moves := move(from, to)
			n := 0
			moves.Progress = func(at cells.Step, _ string, _ int64) {
				if at == step {
					if n++; n == 1 || n == 7 {
						l.cut()
					}
				}
			}
			err := patiently(t, moves.Run)
			refused(t, err, postgres.ErrUnreachable)
			oneHome(t, []*member{source, target})
			l.mend()
			for i, m := range ways { // connections that broke are found out when they are used
				ways[i] = alone(t, m.Database.Name, m.url)
			}
			from, to = ways[0], ways[1]
			run(t, move(from, to))
			wants(from, to, cells.Left, cells.Here)
			same(t, "rows of the organization", was, to.contents(moving, tables))
			same(t, "rows that are left", nothing(), from.contents(moving, tables))
			from, to = to, from
			ways[0], ways[1] = ways[1], ways[0]
			lines[0], lines[1] = lines[1], lines[0]
		}
	}
	lines[0].cut()
	refused(t, move(from, to).Run(t.Context()), postgres.ErrUnreachable, from.Database.Name)
}
