package cells

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/postgres"
)

// The errors of moves.
var (
	// ErrElsewhere says that the organization is not at home in the cell that it should leave, or
	// has something in the cell that it should come to.
	ErrElsewhere = errors.New("cannot move")
	// ErrUnderWay says that calls or jobs of the organization did not end in time. Nothing is lost,
	// and the next try goes on.
	ErrUnderWay = errors.New("work is under way")
)

// Step is a closed set: what a move is at.
type Step string

// The steps of a move, in their order.
const (
	Draining  Step = "waiting for work under way"
	Copying   Step = "copying"
	Comparing Step = "comparing"
	Switching Step = "switching"
	Dropping  Step = "dropping"
)

// Move moves an organization from one cell to another, without a call. It can end anywhere: the
// next one goes on where it stood. What each cell says of the organization:
//
//	source    target
//	here      -          no call of it was ever made from the target
//	leaving   -          no new call leaves; workers end what they have begun
//	leaving   arriving
//	sealed    arriving   nothing is written; its rows are copied and compared
//	sealed    arrived    one transaction has written them all
//	left      arrived    this order is why it is at home in one cell at most
//	left      here       rows are dropped from the source
type Move struct {
	From, To     *Database
	Organization string
	// Patience bounds the wait for work under way; zero means DefaultPatience.
	Patience time.Duration
	// Progress is told what is done; rows are those copied or dropped so far. It may be nil.
	Progress func(step Step, table string, rows int64)
	// Lost names a cell whose database is lost for good, "" for none: then only the other one is
	// asked.
	Lost string

	id string
	// held are the sessions with the locks. What a cell says changes on them alone: a move that
	// lost its lock to another one changes nothing.
	held map[*Database]*Lock
}

const (
	sqlBegin = `
UPDATE sluice.homes SET state = 'leaving', peer = $2, move = gen_random_uuid()::text, changed_at = clock_timestamp(),
	moved_rows = NULL, dropped_at = NULL
WHERE organization_id = $1 AND state = 'here'`

	sqlAnnounce = `
INSERT INTO sluice.homes AS h (organization_id, state, peer, move) VALUES ($1, 'arriving', $2, $3)
ON CONFLICT (organization_id) DO UPDATE SET state = 'arriving', peer = excluded.peer, move = excluded.move, changed_at = clock_timestamp(),
	moved_rows = NULL, dropped_at = NULL
WHERE h.state = 'left' AND h.dropped_at IS NOT NULL`

	sqlTurn = `
UPDATE sluice.homes SET state = $4, changed_at = clock_timestamp(), moved_rows = coalesce($5::bigint, moved_rows)
WHERE organization_id = $1 AND state = $3 AND move = $2`

	sqlDropped = `UPDATE sluice.homes SET dropped_at = clock_timestamp() WHERE organization_id = $1 AND state = 'left' AND move = $2`
)

// Run moves the organization, or goes on with a move of it that ended early. It returns
// ErrElsewhere if what the cells say does not allow it, ErrUnderWay if work did not end in time,
// ErrBusy if another process moves it, and ErrNotEqual if the copy is not what was copied.
func (m *Move) Run(ctx context.Context) error {
	release, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	for {
		homes, err := m.homes(ctx)
		if err != nil {
			return err
		}
		m.id = homes[0].Move
		if done, err := m.next(ctx, homes[0], homes[1]); done || err != nil {
			return err
		}
	}
}

// next takes the step that follows from what the cells say, and reports whether none is left.
func (m *Move) next(ctx context.Context, from, to Home) (bool, error) {
	switch from.State {
	case Here:
		return false, m.start(ctx, from, to)
	case Leaving, Sealed:
		return false, m.goOn(ctx, from, to)
	case Left:
		// It may have come to the target by another cell, and rows are left from before.
		if m.ours(from, to) || to.State == Here {
			return to.State == Here && from.DroppedAt != nil, m.end(ctx, from, to)
		}
	case Arriving, Arrived:
	}
	return false, m.elsewhere(from, to)
}

// ours reports whether what the target says is of the move that the source is in.
func (m *Move) ours(from, to Home) bool { return to.Move == m.id && from.Peer == m.To.Name }

// start takes the steps while the organization is at home in the source.
func (m *Move) start(ctx context.Context, from, to Home) error {
	// Of a move before: in the other direction, or given up. Rows that arrived later are not thrown
	// away for a source out of a backup.
	stale := (to.State == Arriving || to.State == Arrived) && to.ChangedAt.Before(from.ChangedAt)
	switch {
	case stale, to.State == Left && to.DroppedAt == nil:
		return m.clear(ctx, to)
	case to.State == "" || to.State == Left:
		return m.begin(ctx)
	default:
		return m.elsewhere(from, to)
	}
}

// goOn takes the steps after the organization has begun to leave the source.
func (m *Move) goOn(ctx context.Context, from, to Home) error {
	ours := m.ours(from, to)
	switch {
	case to.State == Left && to.DroppedAt == nil:
		return m.clear(ctx, to)
	// A sealed one was announced: else the target is out of a backup, or took it over and passed it
	// on.
	case (to.State == "" || to.State == Left) && from.Peer == m.To.Name && (from.State == Leaving || ours):
		return m.announce(ctx)
	case ours:
		return m.carry(ctx, from.State, to.State)
	default:
		return m.elsewhere(from, to)
	}
}

// carry takes the steps in which the source stops and the target gets the rows.
func (m *Move) carry(ctx context.Context, from, to State) error {
	switch {
	case from == Leaving && to == Arriving:
		return m.seal(ctx)
	case from == Sealed && to == Arriving:
		if err := m.settled(ctx, m.From); err != nil {
			return err
		}
		// An answer to a call of long ago may have written a row since those of an earlier stay
		// were dropped.
		if err := m.drop(ctx, m.To); err != nil {
			return err
		}
		return m.copyRows(ctx)
	case from == Sealed && to == Arrived:
		m.tell(Switching, "", 0)
		return m.turn(ctx, m.held[m.From].conn, Sealed, Left, -1)
	default:
		return m.elsewhere(Home{State: from}, Home{State: to})
	}
}

// end takes the steps after the source has let go.
func (m *Move) end(ctx context.Context, from, to Home) error {
	switch {
	case to.State == Arrived:
		return m.turn(ctx, m.held[m.To].conn, Arrived, Here, -1)
	case to.State != Here:
		return m.elsewhere(from, to)
	case from.DroppedAt != nil:
		return nil
	}
	if err := m.drop(ctx, m.From); err != nil {
		return err
	}
	return m.exec(ctx, m.From, sqlDropped, m.Organization, m.id)
}

// GiveUp lets the organization stay in the source, as long as that has not let go of it.
func (m *Move) GiveUp(ctx context.Context) error {
	homes, release, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer release()
	from, to := homes[0], homes[1]
	m.id = from.Move
	known := m.Lost != m.To.Name
	switch {
	case from.State != Leaving && from.State != Sealed || from.Peer != m.To.Name,
		to.State == Here || to.State == Leaving || to.State == Sealed, // it was taken over
		known && from.State == Sealed && to.Move != m.id:              // it was, and passed on
		return m.elsewhere(from, to)
	}
	// The target lets go first: then it can never be at home there.
	if known && to.Move == m.id {
		if err := m.turn(ctx, m.held[m.To].conn, to.State, Left, -1); err != nil {
			return err
		}
	}
	if err := m.turn(ctx, m.held[m.From].conn, from.State, Here, -1); err != nil || !known {
		return err
	}
	if homes, err = m.homes(ctx); err != nil || homes[1].State != Left {
		return err
	}
	return m.clear(ctx, homes[1])
}

// TakeOver makes the target the home of an organization whose rows have all arrived, although the
// source cannot be asked to let go: its database is lost for good (Lost).
func (m *Move) TakeOver(ctx context.Context) error {
	homes, release, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer release()
	to := homes[1]
	if to.State != Arrived || to.Peer != m.From.Name {
		return fmt.Errorf("%w: cell %s has not all rows of organization %s out of cell %s: restore that one from a backup", ErrElsewhere,
			m.To.Name, m.Organization, m.From.Name)
	}
	m.id = to.Move
	return m.turn(ctx, m.held[m.To].conn, Arrived, Here, -1)
}

// enter takes the locks, and returns what the cells say then.
func (m *Move) enter(ctx context.Context) ([2]Home, func(), error) {
	release, err := m.lock(ctx)
	if err != nil {
		return [2]Home{}, nil, err
	}
	homes, err := m.homes(ctx)
	if err != nil {
		release()
	}
	return homes, release, err
}

// lock takes the lock of the organization in both cells, unless one is lost.
func (m *Move) lock(ctx context.Context) (func(), error) {
	m.held = make(map[*Database]*Lock)
	release := func() {
		for _, lock := range m.held {
			lock.Release(ctx)
		}
	}
	for _, d := range []*Database{m.From, m.To} {
		if d.Name == m.Lost {
			continue
		}
		lock, err := d.Lock(ctx, m.Organization)
		if err != nil {
			release()
			return nil, err
		}
		m.held[d] = lock
	}
	return release, nil
}

// homes returns what the source and the target say.
func (m *Move) homes(ctx context.Context) ([2]Home, error) {
	var homes [2]Home
	for i, d := range []*Database{m.From, m.To} {
		if d.Name == m.Lost {
			continue
		}
		var err error
		if homes[i], err = d.Home(ctx, m.Organization); err != nil {
			return homes, err
		}
	}
	return homes, nil
}

// elsewhere says why the organization cannot go.
func (m *Move) elsewhere(from, to Home) error {
	say := func(home Home) string {
		switch {
		case home.State == "":
			return "never had it"
		case home.Peer == "":
			return "says: " + string(home.State)
		default:
			return "says: " + string(home.State) + " (other cell: " + home.Peer + ")"
		}
	}
	return fmt.Errorf("%w organization %s: cell %s %s, cell %s %s", ErrElsewhere, m.Organization, m.From.Name, say(from), m.To.Name, say(to))
}

func (m *Move) begin(ctx context.Context) error {
	var cells [2]Cell
	for i, d := range []*Database{m.From, m.To} {
		var err error
		if cells[i], err = d.Cell(ctx); err != nil {
			return err
		}
		if !cells[i].Owned {
			return fmt.Errorf("%w organization %s: the role in database.url of cell %s does not own its tables: name the one that migrates it",
				ErrElsewhere, m.Organization, d.Name)
		}
	}
	if cells[0].Clashes(cells[1]) {
		return fmt.Errorf("%w organization %s: cells %s and %s both had drawn numbers before they joined the fleet, "+
			"so rows of one could be taken for the other's", ErrElsewhere, m.Organization, m.From.Name, m.To.Name)
	}
	if err := m.clocks(ctx); err != nil {
		return err
	}
	// What cannot be copied is found out while nothing has stopped.
	source, err := m.From.tables(ctx)
	if err != nil {
		return err
	}
	target, err := m.To.tables(ctx)
	if err != nil {
		return err
	}
	if _, err := common(source, target); err != nil {
		return err
	}
	return m.exec(ctx, m.From, sqlBegin, m.Organization, m.To.Name)
}

func (m *Move) announce(ctx context.Context) error {
	return m.exec(ctx, m.To, sqlAnnounce, m.Organization, m.From.Name, m.id)
}

// clear drops what a cell has of an organization that is at home in the other one.
func (m *Move) clear(ctx context.Context, home Home) error {
	if home.State != Left {
		turned := Move{Organization: m.Organization, id: home.Move}
		if err := turned.turn(ctx, m.held[m.To].conn, home.State, Left, -1); err != nil {
			return err
		}
	}
	if err := m.settled(ctx, m.To); err != nil {
		return err
	}
	if err := m.drop(ctx, m.To); err != nil {
		return err
	}
	return m.exec(ctx, m.To, sqlDropped, m.Organization, home.Move)
}

// turn lets the organization go from one state to the next; rows below zero are unknown. Another
// one in between is an error.
func (m *Move) turn(ctx context.Context, on changes.Execer, before, after State, rows int64) error {
	var counted *int64
	if rows >= 0 {
		counted = &rows
	}
	done, err := on.Exec(ctx, sqlTurn, m.Organization, m.id, before, after, counted)
	if err != nil {
		return postgres.Fail("organization "+m.Organization+" from "+string(before)+" to "+string(after), err)
	}
	if done.RowsAffected() != 1 {
		return fmt.Errorf("%w organization %s: it was %s a moment ago, and is not any more", ErrElsewhere, m.Organization, before)
	}
	return nil
}

func (m *Move) exec(ctx context.Context, d *Database, sql string, args ...any) error {
	done, err := m.held[d].conn.Exec(ctx, sql, args...)
	if err == nil && done.RowsAffected() != 1 {
		return fmt.Errorf("%w organization %s: cell %s says something else than a moment ago", ErrElsewhere, m.Organization, d.Name)
	}
	return postgres.Fail(d.what("organization "+m.Organization), err)
}

func (m *Move) tell(step Step, table string, rows int64) {
	if m.Progress != nil {
		m.Progress(step, table, rows)
	}
}
