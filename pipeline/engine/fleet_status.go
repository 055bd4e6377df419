package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"sluice/pipeline/warehouse/actions"
	"sluice/pipeline/warehouse/cells"
)

// FleetStatus is the state of a fleet.
type FleetStatus struct {
	Cells []CellStatus `json:"cells"`
	// Moves are the organizations that are between two cells.
	Moves []FleetMove `json:"moves"`
	// Sum adds up the cells that are in reach.
	Sum CellFigures `json:"sum"`
	// Out is how many cells are out of reach.
	Out int `json:"out_of_reach"`
}

// CellStatus is the state of one cell.
type CellStatus struct {
	Name   string `json:"name"`
	Config string `json:"config"`
	// Database is host, port and name of the database.
	Database string `json:"database"`
	// Error says why nothing more is known; "" if the cell is in reach.
	Error string `json:"error,omitempty"`
	// Number and JoinedAt are 0 and nil before it joined the fleet.
	Number   int        `json:"number,omitempty"`
	JoinedAt *time.Time `json:"joined_at,omitempty"`
	// Console is the address of its console, "" if that is not known.
	Console string `json:"console,omitempty"`

	CellFigures
}

// CellFigures are figures of the organizations that are at home in a cell, each counted as the
// commands of the cell count it.
type CellFigures struct {
	Organizations int `json:"organizations"`
	// Streams are those that the configuration enables, Late the lists that are late against their
	// own bound.
	Streams int `json:"streams"`
	Late    int `json:"late_streams"`
	// Calls are those of the services' days, Limit what their plans allow in one.
	Calls int64 `json:"calls"`
	Limit int64 `json:"calls_limit"`
	// Quarantined counts open entries.
	Quarantined int64 `json:"quarantined"`
}

func (s *CellFigures) add(other *CellFigures) {
	s.Organizations += other.Organizations
	s.Streams += other.Streams
	s.Late += other.Late
	s.Calls += other.Calls
	s.Limit += other.Limit
	s.Quarantined += other.Quarantined
}

// FleetMove is an organization between two cells, as far as they are in reach.
type FleetMove struct {
	Organization string `json:"organization"`
	// From and To are the cells, FromState and ToState what they say; "" if nothing.
	From      string      `json:"from"`
	FromState cells.State `json:"from_state"`
	To        string      `json:"to"`
	ToState   cells.State `json:"to_state"`
	// Since is the last step of the move.
	Since time.Time `json:"since"`
	// Rows is how many rows were copied, nil before.
	Rows *int64 `json:"rows,omitempty"`

	dropped bool
}

// Status reads the state of all cells. A cell that is out of reach or not migrated says so, and
// stops no other: the next call tries it again.
func (f *Fleet) Status(ctx context.Context) *FleetStatus {
	f.looking.Lock()
	defer f.looking.Unlock()
	shown := &FleetStatus{Cells: make([]CellStatus, len(f.Cells)), Moves: []FleetMove{}}
	homes := make([][]cells.Home, len(f.Cells))
	var reading sync.WaitGroup
	for i, c := range f.Cells {
		reading.Go(func() {
			if c.Err != nil {
				c.Err = c.reach(ctx)
			}
			s := &shown.Cells[i]
			s.Name, s.Config = c.Name, c.Path
			if c.DB != nil {
				s.Database = c.DB.Where()
			}
			var err error
			if homes[i], err = s.read(ctx, c, f.now()); err != nil {
				s.Error, s.CellFigures = string(c.App.options.Scrub.Error(err)), CellFigures{}
			}
		})
	}
	reading.Wait()
	for i := range shown.Cells {
		if shown.Cells[i].Error != "" {
			shown.Out++
			continue
		}
		shown.Sum.add(&shown.Cells[i].CellFigures)
	}
	shown.Moves = movesOf(f.Cells, homes)
	return shown
}

// read reads the figures of one cell, and what it says of organizations.
func (s *CellStatus) read(ctx context.Context, c *FleetCell, now time.Time) ([]cells.Home, error) {
	if c.Err != nil {
		return nil, c.Err
	}
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	cell, err := c.DB.Cell(ctx)
	if err != nil {
		return nil, err
	}
	s.Number, s.JoinedAt = cell.Number, &cell.JoinedAt
	homes, err := c.DB.Homes(ctx)
	if err != nil {
		return nil, err
	}
	if s.Console, err = actions.ConsoleAddress(ctx, c.App.DB.Pool()); err != nil {
		return nil, err
	}
	s.CellFigures, err = c.figures(ctx, homes, now)
	return homes, err
}

// figures counts what the organizations have that are at home in the cell.
func (c *FleetCell) figures(ctx context.Context, homes []cells.Home, now time.Time) (CellFigures, error) {
	var figures CellFigures
	here := make(map[string]bool)
	for i := range homes {
		if homes[i].State.AtHome() {
			here[homes[i].Organization] = true
		}
	}
	figures.Organizations = len(here)
	streams, err := c.App.streamFigures(ctx)
	if err != nil {
		return figures, err
	}
	for i := range streams {
		s := &streams[i]
		if !here[s.Organization] {
			continue
		}
		figures.Quarantined += s.Quarantined
		if s.Enabled && s.Late > 0 { // backfills have no schedule
			figures.Streams++
			if !strings.Contains(s.Resource, ".") && s.Watermark != nil && now.Sub(*s.Watermark) > s.Late {
				figures.Late++
			}
		}
	}
	days, err := c.App.Days(ctx, "")
	if err != nil {
		return figures, err
	}
	for i := range days {
		if here[days[i].Organization] {
			figures.Calls += days[i].Spent
			figures.Limit += days[i].Limit
		}
	}
	return figures, nil
}

// movesOf returns the moves that have not ended, by organization. Homes are what each cell says.
func movesOf(of []*FleetCell, homes [][]cells.Home) []FleetMove {
	moves := make(map[string]*FleetMove)
	for i, c := range of {
		for k := range homes[i] {
			h := &homes[i][k]
			if h.Move == "" {
				continue
			}
			m := moves[h.Move]
			if m == nil {
				m = &FleetMove{Organization: h.Organization}
				moves[h.Move] = m
			}
			switch h.State {
			case cells.Leaving, cells.Sealed, cells.Left:
				m.From, m.FromState, m.To, m.dropped = c.Name, h.State, h.Peer, h.DroppedAt != nil
			case cells.Arriving, cells.Arrived, cells.Here:
				m.To, m.ToState, m.From = c.Name, h.State, h.Peer
			}
			if h.ChangedAt.After(m.Since) {
				m.Since = h.ChangedAt
			}
			if h.Rows != nil {
				m.Rows = h.Rows
			}
		}
	}
	open := []FleetMove{}
	for _, id := range slices.Sorted(maps.Keys(moves)) {
		if m := moves[id]; m.open() {
			open = append(open, *m)
		}
	}
	slices.SortStableFunc(open, func(a, b FleetMove) int { return strings.Compare(a.Organization, b.Organization) })
	return open
}

// open reports whether something is left to do.
func (m *FleetMove) open() bool {
	switch m.FromState {
	case cells.Leaving, cells.Sealed:
		return true
	case cells.Left:
		return !m.dropped || m.ToState == cells.Arrived
	default:
		return m.ToState == cells.Arriving || m.ToState == cells.Arrived
	}
}

// String says in words how far the move is.
func (m *FleetMove) String() string {
	say := func(cell string, state cells.State) string {
		if state == "" {
			return fmt.Sprintf("cell %s says nothing", cell)
		}
		return fmt.Sprintf("cell %s says %s", cell, state)
	}
	return say(m.From, m.FromState) + ", " + say(m.To, m.ToState)
}
