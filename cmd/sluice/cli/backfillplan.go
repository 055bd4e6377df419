package cli

import (
	"context"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
)

// backfillForecast is what --dry-run shows.
type backfillForecast struct {
	Backfills []foreseenBackfill `json:"backfills"`
	Services  []planning.Quota   `json:"services"`
	// Fits says that all calls fit into what backfills may still spend today.
	Fits bool `json:"fits"`
}

// foreseenBackfill is one backfill that would be asked for.
type foreseenBackfill struct {
	pipeline.Key

	Column string `json:"column,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	// Windows are the ranges in which the list would be read, one after the other.
	Windows []window `json:"windows,omitempty"`
	Rows    *int64   `json:"rows"`
	// Calls is nil if it is unknown: the list was never read whole.
	Calls *int           `json:"calls"`
	Basis planning.Basis `json:"basis"`
}

// window is a range of days; an empty From or To means no bound.
type window struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// foreseeBackfills shows what backfills would cost.
func (c *cli) foreseeBackfills(ctx context.Context, a *engine.App, backfills []engine.Backfill) error {
	shown, err := forecastOf(ctx, a, backfills)
	if err != nil {
		return err
	}
	if err := c.show(shown, shown.lists(a), shown.allowances(a, c.env.Now())); err != nil {
		return err
	}
	if !shown.Fits {
		return exit(codeBudget)
	}
	return nil
}

// forecastOf says what backfills would cost.
func forecastOf(ctx context.Context, a *engine.App, backfills []engine.Backfill) (*backfillForecast, error) {
	shown := &backfillForecast{Fits: true}
	var asked []engine.QuotaKey
	demands := make(map[engine.QuotaKey]planning.BackfillCost)
	for i := range backfills {
		b := backfillAsPlanned(&backfills[i])
		shown.Backfills = append(shown.Backfills, b)
		account := engine.QuotaKey{Organization: b.Organization, Service: b.Service}
		demand, known := demands[account]
		if !known {
			asked = append(asked, account)
		}
		if b.Calls == nil {
			demand.Unknown++
		} else {
			demand.Calls, demand.Chain = demand.Calls+*b.Calls, max(demand.Chain, *b.Calls)
		}
		demands[account] = demand
	}
	supplies, err := a.Quotas(ctx)
	if err != nil {
		return nil, err
	}
	for _, account := range asked {
		if supply, known := supplies.Under(account, demands[account]); known {
			shown.Services, shown.Fits = append(shown.Services, supply), shown.Fits && supply.Fits
		}
	}
	return shown, nil
}

func backfillAsPlanned(b *engine.Backfill) foreseenBackfill {
	shown := foreseenBackfill{
		Key: b.Stream.Key(), Column: b.Column, From: dayOrOpen(b.Days.From), To: dayOrOpen(b.Days.To), Rows: b.Rows,
		Basis: b.Run.Basis,
	}
	shown.Resource = b.Stream.Resource.Name
	if b.Run.Basis != planning.Unknown {
		shown.Calls = new(b.Run.Calls)
	}
	if b.Windows != nil {
		for at := range b.Windows.Of {
			from, to := b.Windows.BoundsOf(at)
			shown.Windows = append(shown.Windows, window{dayOrOpen(from), dayOrOpen(to)})
		}
	}
	return shown
}

func dayOrOpen(day time.Time) string {
	if day.IsZero() {
		return ""
	}
	return day.Format(time.DateOnly)
}

// lists shows which lists are read, and for how many calls.
func (f *backfillForecast) lists(a *engine.App) view.Text {
	return func(page *view.Page) {
		page.Add(view.Table(f.Backfills, "STREAM  RANGE  WINDOWS  ROWS  CALLS  RESTS ON", func(b *foreseenBackfill) view.Row {
			return view.Row{
				streamName(manyOrganizations(a), b.Organization, b.Service, b.Resource), between(b.Column, b.From, b.To), max(len(b.Windows), 1),
				view.Or(b.Rows, notKnown), view.Or(b.Calls, notKnown), b.Basis,
			}
		}))
	}
}

// allowances shows each allowance before and after the backfills.
func (f *backfillForecast) allowances(a *engine.App, now time.Time) view.Text {
	return func(page *view.Page) {
		page.Linef("\nThe allowances, of which backfills may spend their ceiling a day")
		page.Add(view.Table(f.Services, "SERVICE  CALLS  TAKES  CEILING  TODAY  LEFT  ALL BY  SCHEDULE  FITS", func(s *planning.Quota) view.Row {
			ceiling, left := "no limit", nothing
			if s.Daily > 0 {
				ceiling, left = view.Count(s.Ceiling)+" of "+view.Count(s.Daily), view.Or(s.Remaining, notKnown)
			}
			return view.Row{
				streamName(manyOrganizations(a), s.Organization, s.Service, ""), atLeast(s.Calls, s.Unknown), took(s.Seconds), ceiling, s.Today, left,
				doneBy(s.DoneSeconds, now, a.Zone(s.Organization)), perDay(&s.PerDay), s.Fits,
			}
		}))
		if !f.Fits {
			page.Linef("\nIt does not fit into today: it would go on as the day gives calls back, until the time under ALL BY.")
		}
	}
}
