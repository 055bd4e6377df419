package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/tombstones"
)

// Month is what upstream counts and sums up of a month of a list, beside the rows of it.
type Month struct {
	Organization string `json:"organization"`
	List         string `json:"list"`
	// Name is year and month, or says that it is what lies before or behind the rows.
	Name string `json:"month"`
	streams.Count

	// Note says why the list is not compared, and Name is empty; "" if it is.
	Note string `json:"note,omitempty"`

	first, last time.Time
}

// Months asks upstream what it counts and sums up of each month of a list, lets run read what changed
// since, and compares. It costs a call a month, and two for what lies before and behind all rows.
// Where a row was created or edited meanwhile, the number of rows is nil. A list that does not count by
// day is one month with the reason.
func (a *App) Months(ctx context.Context, list pipeline.Stream, run func() error) ([]Month, error) {
	known, err := capabilities.New(a.DB.Pool()).Capabilities(ctx, list)
	switch {
	case err != nil:
		return nil, err
	case list.Resource.Window == nil:
		return unmonthly(list, "it takes no filter by day"), nil
	case !known.Shows(pipeline.CapabilityTotal):
		note, err := a.Uncounted(ctx, list)
		return unmonthly(list, note), err
	}
	rows, err := a.DB.Months(ctx, list, nil, time.Time{})
	if err != nil {
		return nil, err
	} else if len(rows) == 0 {
		return unmonthly(list, "nothing is here"), nil
	}
	months := monthsOf(list, rows[0].First, rows[len(rows)-1].First)
	sums, since, err := a.askMonths(ctx, list, months, known)
	if err == nil && unfiltered(months) {
		return unmonthly(list, "upstream ignores the filter by day: it counts as many in each month"), nil
	}
	if err == nil {
		err = run()
	}
	if err == nil {
		rows, err = a.DB.Months(ctx, list, sums, since)
	}
	if err != nil {
		return nil, err
	}
	for i := range months {
		months[i].compare(rows)
	}
	return months, nil
}

// askMonths asks upstream for months. It gives sums of the columns that count, and an instant before
// the first question.
func (a *App) askMonths(
	ctx context.Context, list pipeline.Stream, months []Month, known pipeline.Capabilities,
) (pipeline.Sums, time.Time, error) {
	summed, first := make(pipeline.Sums), new(pipeline.Scan)
	client, err := a.Client()
	if err != nil {
		return nil, time.Time{}, err
	}
	request := pipeline.Request{
		Stream: list, Class: pipeline.ClassProbe, Page: 1, PerPage: pipeline.DefaultRules().PerPage,
		Counts: true, Sums: known.Shows(pipeline.CapabilitySums),
	}
	for i := range months {
		m := &months[i]
		request.From, request.To = m.first, m.last
		page, err := client.Page(ctx, request)
		page.Turn.End()
		if err == nil && (!page.Counted || page.Date.IsZero()) {
			err = fmt.Errorf("%s: asked for the number of records of a month, the list gave none, or not when", list)
		}
		if err != nil {
			return nil, time.Time{}, err
		}
		if first.Count == nil {
			scan.Counted(first, page, pipeline.DefaultRules())
		}
		m.At, m.Upstream, m.Sums = page.Date, int64(page.Tally.Records), make(map[string]streams.Sum)
		for column, sum := range known.Sums(page.Tally.Sums) {
			summed[column], m.Sums[column] = sum, streams.Sum{Upstream: sum}
		}
	}
	return summed, first.Count.From, nil
}

// unfiltered says that upstream counts as many records of each month, and of what lies before them.
func unfiltered(months []Month) bool {
	other := func(m Month) bool { return m.Upstream != months[0].Upstream }
	return months[0].Upstream > 0 && !slices.ContainsFunc(months, other)
}

// unmonthly is a list that is not compared by month, with the reason.
func unmonthly(list pipeline.Stream, note string) []Month {
	return []Month{{Organization: list.Organization, List: resourceName(list), Note: note}}
}

// compare takes in the rows of a month.
func (m *Month) compare(rows []tombstones.Month) {
	var ours tombstones.Month
	for _, row := range rows { // before and behind the months there are none
		if row.First.Equal(m.first) {
			ours = row
		}
	}
	if ours.Moved {
		m.Sums = nil
		return
	}
	m.Ours = new(int64(ours.Rows))
	for column, sum := range m.Sums {
		if sum.Ours = ours.Sums[column]; sum.Ours == "" { // no rows, or one without a value
			delete(m.Sums, column)
			continue
		}
		m.Sums[column] = sum
	}
}

// monthsOf are the months from a first to a last one, and what lies before and behind them.
func monthsOf(list pipeline.Stream, first, last time.Time) []Month {
	of := Month{Organization: list.Organization, List: resourceName(list)}
	before, behind := of, of
	before.Name, before.last = "before", first.AddDate(0, 0, -1)
	months := []Month{before}
	for ; !first.After(last); first = first.AddDate(0, 1, 0) {
		of.Name, of.first, of.last = first.Format("2006-01"), first, first.AddDate(0, 1, -1)
		months = append(months, of)
	}
	behind.Name, behind.first = "behind", first
	return append(months, behind)
}
