package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/streams/backfills"
)

// backfillWishes are the flags of backfill, besides the resources.
type backfillWishes struct {
	organization organizationFlag
	from, to     string
	dry          bool

	work workWishes
}

func (c *cli) backfillCommand() *cobra.Command {
	var wishes backfillWishes
	cmd := &cobra.Command{
		Use:   "backfill resource ...",
		Short: "Read lists again on demand, whole or between two days, beside the schedule",
		Long: `Read the lists of resources again, beside what the schedule does: after a declaration
grew, after rows were repaired, or if old rows are in doubt. Watermarks do not move,
and newer rows are not overwritten. Arguments name resources or services as for sync.

--from and --to name the first and the last day wanted, in the organization's zone.
Where the list filters by the day of its records (accounting.vendor_payments: date),
it is read in windows of months; where it can only be narrowed by modification time,
--from alone is what changed since; where neither is possible they are refused.

Calls are spent as work of the class backfill: at most its ceiling of each day, and
never what is kept for other classes (sluice budget). A backfill that the day stops
ends this command with exit code 4 and goes on with the next sync or serve, or with
'sluice backfill resume'. --wait stays until it is done, over days; --detach leaves
the work to serve or the next sync. --dry-run says what it would cost, without a call,
and ends with exit code 4 if that does not fit into what backfills may still spend today.`,
		Example: "  sluice backfill accounting.vendor_payments --from 2024-01-01 --to 2025-12-31 --dry-run\n" +
			"  sluice backfill inventory.items --from 2026-01-01 --org acme\n  sluice backfill list\n  sluice backfill pause 12",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			days, err := wishes.days()
			if err != nil {
				return err
			}
			return c.withUpstream(cmd.Context(), !wishes.dry && !wishes.work.detach, func(ctx context.Context, a *engine.App) error {
				return c.backfill(ctx, a, args, days, wishes)
			})
		},
	}
	flags := cmd.Flags()
	wishes.organization.add(cmd)
	flags.StringVar(&wishes.from, "from", "", "first day wanted: 2026-01-31")
	flags.StringVar(&wishes.to, "to", "", "last day wanted: 2026-01-31")
	flags.BoolVar(&wishes.dry, "dry-run", false, "only say what it would cost")
	wishes.work.flags(cmd)
	cmd.AddCommand(c.backfillList(), c.backfillShow(), c.backfillPause(), c.backfillResume(),
		c.change("cancel ID ...", "End backfills for good; what they loaded stays", changeable, (*warehouse.DB).Cancel))
	return cmd
}

// days reads --from and --to.
func (w *backfillWishes) days() (engine.Days, error) {
	var days engine.Days
	for _, flag := range []struct {
		name, text string
		into       *time.Time
	}{{"--from", w.from, &days.From}, {"--to", w.to, &days.To}} {
		if flag.text == "" {
			continue
		}
		day, err := time.Parse(time.DateOnly, flag.text)
		if err != nil {
			return days, usage("%s %q is no day: write it as 2026-01-31", flag.name, flag.text)
		}
		*flag.into = day
	}
	if !days.To.IsZero() && days.From.After(days.To) {
		return days, usage("--from %s is behind --to %s: exchange them", w.from, w.to)
	}
	return days, w.work.check()
}

func (c *cli) backfill(ctx context.Context, a *engine.App, names []string, days engine.Days, wishes backfillWishes) error {
	key, err := wishes.organization.key(a)
	if err != nil {
		return err
	}
	found, err := a.Backfills(ctx, names, key, days)
	if err != nil {
		return err
	}
	if wishes.dry {
		return c.foreseeBackfills(ctx, a, found)
	}
	ids, err := requestBackfills(ctx, a, found)
	if err != nil {
		return err
	}
	return c.work(ctx, a, ids, wishes.work)
}

// requestBackfills opens backfills and returns their numbers.
func requestBackfills(ctx context.Context, a *engine.App, wanted []engine.Backfill) ([]int64, error) {
	if err := notOpen(ctx, a, wanted); err != nil {
		return nil, err
	}
	var ids []int64
	for i := range wanted {
		id, err := a.RequestBackfill(ctx, &wanted[i])
		if errors.Is(err, backfills.ErrOpen) {
			return ids, usage("%w: sluice backfill list shows it", err)
		}
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// notOpen refuses the whole command if one of the wanted backfills is open already.
func notOpen(ctx context.Context, a *engine.App, wanted []engine.Backfill) error {
	open, err := a.DB.List(ctx, backfills.Filter{Open: true, Limit: manyBackfills})
	if err != nil {
		return fmt.Errorf("read the backfills: %w", err)
	}
	var taken []string
	for i := range wanted {
		for j := range open {
			if keyOf(&open[j]) == wanted[i].Stream.Key() {
				taken = append(taken, fmt.Sprintf("%s has backfill %d, which is %s", wanted[i].Stream, open[j].ID, open[j].State))
			}
		}
	}
	if len(taken) > 0 {
		return usage("a list has one open backfill at most: %s. Let it end, or sluice backfill cancel it", strings.Join(taken, "; "))
	}
	return nil
}

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
	if err := c.show(shown, shown.text(a, c.env.Now())); err != nil {
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

// text shows which lists are read, for how many calls, and each allowance before and after that.
func (f *backfillForecast) text(a *engine.App, now time.Time) view.Text {
	return func(page *view.Page) {
		page.Add(view.Table(f.Backfills, "STREAM  RANGE  WINDOWS  ROWS  CALLS  RESTS ON", func(b *foreseenBackfill) view.Row {
			return view.Row{
				streamName(manyOrganizations(a), b.Organization, b.Service, b.Resource), between(b.Column, b.From, b.To), max(len(b.Windows), 1),
				view.Or(b.Rows, notKnown), view.Or(b.Calls, notKnown), b.Basis,
			}
		}))
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
