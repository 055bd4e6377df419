package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
)

// backfillForecast is what --dry-run shows.
type backfillForecast struct {
	Backfills []foreseenBackfill `json:"backfills"`
	Services  []planning.Supply  `json:"services"`
	// Fits says that all calls fit into what backfills may still spend today.
	Fits bool `json:"fits"`
}

// foreseenBackfill is one backfill that would be asked for.
type foreseenBackfill struct {
	pipeline.Key

	Column string `json:"column,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	// Windows are the ranges that the list would be read in, one after the other.
	Windows []window `json:"windows,omitempty"`
	Rows    *int64   `json:"rows"`
	// Calls is nil if nobody can say; Ask is then what --assume has to give.
	Calls *int           `json:"calls"`
	Basis planning.Basis `json:"basis"`
	Ask   string         `json:"assume,omitempty"`
}

// window is a range of days; an empty end is open.
type window struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// foreseeBackfills says what backfills would cost.
func (c *cli) foreseeBackfills(ctx context.Context, a *engine.App, backfills []engine.Backfill) error {
	view := backfillForecast{Fits: true}
	var accounts []engine.Account
	demands := make(map[engine.Account]planning.Demand)
	for i := range backfills {
		b := backfillAsPlanned(&backfills[i])
		view.Backfills = append(view.Backfills, b)
		account := engine.Account{Organization: b.Organization, Service: b.Service}
		demand, known := demands[account]
		if !known {
			accounts = append(accounts, account)
		}
		if b.Calls == nil {
			demand.Unknown++
		} else {
			demand.Calls, demand.Chain = demand.Calls+*b.Calls, max(demand.Chain, *b.Calls)
		}
		demands[account] = demand
	}
	supplies, err := a.Supplies(ctx)
	if err != nil {
		return err
	}
	for _, account := range accounts {
		if supply, known := supplies.Under(account, demands[account]); known {
			view.Services, view.Fits = append(view.Services, supply), view.Fits && supply.Fits
		}
	}
	if err := c.printForecast(a, &view); err != nil {
		return err
	}
	if !view.Fits {
		return exit(codeBudget)
	}
	return nil
}

func backfillAsPlanned(b *engine.Backfill) foreseenBackfill {
	view := foreseenBackfill{
		Key: b.Stream.Key(), Column: b.Column, From: dayOrOpen(b.Days.From), To: dayOrOpen(b.Days.To), Rows: b.Rows,
		Basis: b.Run.Basis, Ask: b.Run.Ask,
	}
	view.Resource = b.Stream.Resource.Name
	if b.Run.Basis != planning.Unknown {
		view.Calls = new(b.Run.Calls)
	}
	if b.Windows != nil {
		for at := range b.Windows.Of {
			from, to := b.Windows.BoundsOf(at)
			view.Windows = append(view.Windows, window{dayOrOpen(from), dayOrOpen(to)})
		}
	}
	return view
}

func dayOrOpen(day time.Time) string {
	if day.IsZero() {
		return ""
	}
	return day.Format(time.DateOnly)
}

func (c *cli) printForecast(a *engine.App, shown *backfillForecast) error {
	p := c.printer()
	if p.JSON {
		return p.Document(shown)
	}
	several := len(a.Config.Organizations) > 1
	name := func(key pipeline.Key) string { return planView{several: several}.name(key) }
	rows := make([][]string, 0, len(shown.Backfills))
	var unknown []string
	for i := range shown.Backfills {
		b := &shown.Backfills[i]
		shown := backfillView{}
		shown.Column, shown.From, shown.To = b.Column, b.From, b.To
		known := "unknown"
		if b.Rows != nil {
			known = view.Count(*b.Rows)
		}
		if b.Calls == nil {
			unknown = append(unknown, b.Ask)
		}
		rows = append(rows, []string{name(b.Key), shown.between(), view.Count(max(len(b.Windows), 1)), known, counted(b.Calls), b.Basis.String()})
	}
	if err := p.Table([]string{streamColumn, "RANGE", "WINDOWS", "ROWS", callsColumn, "RESTS ON"}, rows); err != nil {
		return err
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		if err := p.Line("unknown: the list was never read whole. --assume NAME=NUMBER says how many there are, for:\n  %s",
			strings.Join(slices.Compact(unknown), "\n  ")); err != nil {
			return err
		}
	}
	return c.printSupplies(a, shown, name)
}

func (c *cli) printSupplies(a *engine.App, shown *backfillForecast, name func(pipeline.Key) string) error {
	p := c.printer()
	rows := make([][]string, 0, len(shown.Services))
	for i := range shown.Services {
		s := &shown.Services[i]
		ceiling, left := "no limit", none(0)
		if s.Daily > 0 {
			ceiling, left = view.Count(s.Ceiling)+" of "+view.Count(s.Daily), counted(s.Remaining)
		}
		of := planning.ServicePlan{Organization: s.Organization, DoneSeconds: s.DoneSeconds, Fits: s.Fits}
		rows = append(rows, []string{
			name(pipeline.Key{Organization: s.Organization, Service: s.Service}), atLeast(s.Calls, s.Unknown), took(s.Seconds), ceiling,
			view.Count(s.Today), left, planView{now: c.env.Now(), zone: a.Zone}.done(&of), perDay(&s.PerDay), fits(&of),
		})
	}
	if err := p.Line("\nThe allowances, of which backfills may spend their ceiling a day"); err != nil {
		return err
	}
	header := []string{"SERVICE", callsColumn, "TAKES", "CEILING", "TODAY", "LEFT", "ALL BY", "SCHEDULE", "FITS"}
	if err := p.Table(header, rows); err != nil || shown.Fits {
		return err
	}
	const rest = "\nIt does not fit into today: it would go on as the day gives calls back, until the time under ALL BY."
	return p.Line(rest)
}
