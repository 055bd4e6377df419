package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/sync/scan"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/streams/backfills"
	"sluice/schema"
)

// Days are the first and the last day of a backfill, midnight UTC; zero leaves that end open.
type Days struct{ From, To time.Time }

// Backfill is a backfill before it is opened, with its forecast.
type Backfill struct {
	// Stream is the stream of the backfill.
	Stream pipeline.Stream
	// Column is the wire name of the column that the days narrow; "" where the whole list is read.
	Column string
	Days   Days
	// Windows are the windows in which the list is read; nil if it takes no filter by day. Bound is
	// the lower bound of the modification time; zero if there is none.
	Windows *pipeline.Windows
	Bound   time.Time
	// Rows is the number of its rows in the warehouse; nil if unknown.
	Rows *int64
	Run  planning.Run
}

// Backfills returns the backfills that a command line names.
func (a *App) Backfills(ctx context.Context, names []string, organization string, days Days) ([]Backfill, error) {
	selected, err := a.Select(names, organization)
	if err != nil {
		return nil, err
	}
	lists := onlyLists(selected)
	if len(lists) == 0 {
		return nil, fmt.Errorf("%w: only lists are backfilled; single records follow what their list brings: name the list", ErrUsage)
	}
	known, err := a.Foresee(ctx, lists)
	if err != nil {
		return nil, err
	}
	backfills, mistakes := make([]Backfill, len(lists)), make([]error, len(lists))
	for i, list := range lists {
		backfills[i], mistakes[i] = a.narrowed(list, days)
	}
	if err := errors.Join(mistakes...); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	for i := range backfills {
		if err := a.size(ctx, &backfills[i], &known[i]); err != nil {
			return nil, err
		}
	}
	return backfills, nil
}

// narrowed returns how the days narrow a list: by the days of its records if it filters by them,
// else by a lower bound of the modification time. A list that cannot be narrowed so is an error,
// because reading more than was requested spends calls that other work needs.
func (a *App) narrowed(list pipeline.Stream, days Days) (Backfill, error) {
	b := Backfill{Stream: list, Days: days}
	b.Stream.Work = pipeline.WorkBackfill
	if days == (Days{}) {
		return b, nil
	}
	resource := list.Resource
	if resource.Window != nil && !resource.Window.Assumed {
		b.Column = resource.Window.Column
		b.Windows = pipeline.NewWindows(days.From, days.To, a.today(list.Organization), 1)
		return b, nil
	}
	switch cursor := resource.Cursor.(type) {
	case schema.Since:
		b.Column = cursor.Column
	case schema.NewestFirst:
		b.Column = cursor.Column
	default:
		return b, fmt.Errorf("%s: its list takes no filter by day or time, and is read whole only: leave --from and --to out", resourceName(list))
	}
	if !days.To.IsZero() {
		return b, fmt.Errorf("%s: its list is narrowed by %s, from below only: leave --to out", resourceName(list), b.Column)
	}
	b.Bound = time.Date(days.From.Year(), days.From.Month(), days.From.Day(), 0, 0, 0, 0, a.Zone(list.Organization))
	return b, nil
}

// today returns the present day in an organization's zone, as midnight UTC.
func (a *App) today(organization string) time.Time {
	now := a.options.Now().In(a.Zone(organization))
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
}

// A window has about windowRows rows and at most a year. Shorter windows spend calls on pages that
// are almost empty; longer ones cost more when they fail.
const (
	windowRows   = 1000
	windowMonths = 12
)

// size counts the rows of a backfill, sizes its windows by that, and forecasts its calls.
func (a *App) size(ctx context.Context, b *Backfill, known *planning.Stream) error {
	if err := a.narrowable(ctx, b); err != nil {
		return err
	}
	spans := []warehouse.Span{{From: b.Bound}}
	if b.Windows != nil {
		spans = []warehouse.Span{{From: b.Days.From, To: b.Days.To}}
	}
	counts, err := a.rows(ctx, b, known, spans)
	if err != nil {
		return err
	}
	if counts != nil {
		b.Rows = new(counts[0])
	}
	if w := b.Windows; w != nil && counts != nil && w.Of > 1 {
		perMonth := float64(counts[0]) / float64(w.Of)
		months := min(max(int(windowRows/max(perMonth, 1)), 1), windowMonths)
		*w = *pipeline.NewWindows(w.From, w.To, a.today(b.Stream.Organization), months)
		spans = spans[:0]
		for at := range w.Of {
			from, to := w.BoundsOf(at)
			spans = append(spans, warehouse.Span{From: from, To: to})
		}
		if counts, err = a.rows(ctx, b, known, spans); err != nil {
			return err
		}
	}
	b.Run = known.BackfillRun(counts)
	b.Run.Key = b.Stream.Key()
	return nil
}

// rows counts the rows of each span, or divides the assumed rows among the spans; nil if unknown.
func (a *App) rows(ctx context.Context, b *Backfill, known *planning.Stream, spans []warehouse.Span) ([]int64, error) {
	if known.Rows.Basis == planning.Assumed {
		each := make([]int64, len(spans))
		for i := range each {
			each[i] = (int64(known.Rows.Value) + int64(len(spans)) - 1) / int64(len(spans))
		}
		return each, nil
	}
	if !known.Rows.Known() {
		return nil, nil
	}
	resource, column := b.Stream.Resource, ""
	for _, c := range resource.Columns {
		if c.Wire == b.Column {
			column = c.ColumnName()
		}
	}
	table := [2]string{resource.SchemaName(b.Stream.Service), resource.Name}
	return a.DB.RowsWithin(ctx, b.Stream.Organization, table, column, b.Windows != nil, spans...)
}

// RequestBackfill opens a backfill and returns its number. It fails with backfills.ErrOpen if its
// list has an open one.
func (a *App) RequestBackfill(ctx context.Context, b *Backfill) (int64, error) {
	stream := b.Stream
	if cursor, perParent := stream.Resource.Cursor.(schema.PerParent); perParent && cursor.Listed != "" {
		ids := a.organization(stream.Organization).Services[stream.Service.Name].Listed(cursor.Listed)
		if err := a.DB.ListParents(ctx, stream, ids); err != nil {
			return 0, fmt.Errorf("note the %s of the configuration: %w", cursor.Listed, err)
		}
	}
	read := scan.Backfill(stream, b.Windows, b.Bound, pipeline.DefaultRules())
	read.Counting = b.Windows == nil && b.Bound.IsZero() && stream.Countable() && a.CountEvery(stream) > 0
	order := backfills.Order{Stream: stream, Column: b.Column, From: b.Days.From, To: b.Days.To, Scan: read}
	if b.Run.Basis != planning.Unknown {
		order.Calls, order.Basis = new(b.Run.Calls), b.Run.Basis.String()
	}
	return a.DB.OpenBackfill(ctx, order)
}

// listOf returns the key of a backfill's list, and whether the key was that of a backfill.
func listOf(key Key) (Key, bool) {
	list, cut := strings.CutSuffix(key.Resource, "."+string(pipeline.WorkBackfill))
	key.Resource = list
	return key, cut
}
