package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
)

// budgetOthers shows what other programs spend.
func (c *cli) budgetOthers(ctx context.Context, a *engine.App, args []string) error {
	organization := ""
	if len(args) > 0 {
		o, err := a.ChooseOrganization(args[0])
		if err != nil {
			return err
		}
		organization = o.Key
	}
	others, err := a.Others(ctx, organization)
	if err != nil {
		return err
	}
	return c.show(others, view.Text(func(page *view.Page) {
		for i := range others {
			o := &others[i]
			page.Linef("%s", othersLine(o, streamName(manyOrganizations(a), o.Organization, o.Service, "")))
			if rows := profileRows(o.Profile); len(rows) > 0 {
				page.Linef("  usual by hours of %s, as the median of the last weeks ± the median distance from it:", o.Zone)
				page.Add(view.TableOf("HOUR  MON  TUE  WED  THU  FRI  SAT  SUN", rows))
			}
		}
	}))
}

// othersLine says in sentences what others spend of a service.
func othersLine(o *engine.Others, name string) string {
	parts := []string{
		fmt.Sprintf("%s: %s by others today", name, view.Plural(wholeCalls(o.Today), "call")), habitWords(&o.Habit), outlookWords(o),
	}
	if o.DaysSeen > 0 && o.HoursExact < 1 {
		spread := 100 * (1 - o.HoursExact) //nolint:mnd // percent
		parts = append(parts, fmt.Sprintf("%.0f %% of the hours are spread over a longer time without an answer", spread))
	}
	return strings.Join(parts, "; ")
}

func habitWords(h *planning.Habit) string {
	usual := ""
	if h.Usual != nil {
		usual = fmt.Sprintf("usual on this weekday are %s, from %s to %s",
			view.Count(wholeCalls(*h.Usual)), view.Count(wholeCalls(*h.Low)), view.Count(wholeCalls(*h.High)))
	}
	switch h.State {
	case planning.HabitMore, planning.HabitLess:
		said := fmt.Sprintf("a habit changed: %s than usual since %s", h.State, h.Since.Format(time.DateOnly))
		if usual != "" {
			said += " (" + usual + ")"
		}
		return said
	case planning.HabitLearning:
		return fmt.Sprintf("what is usual is not known yet: this weekday was seen %d of %d times", h.Days, h.DaysNeeded)
	case planning.HabitUsual:
	}
	return usual
}

func outlookWords(o *engine.Others) string {
	zone, err := time.LoadLocation(o.Zone)
	if err != nil {
		zone = time.UTC
	}
	of := &o.Outlook
	switch of.State {
	case planning.OutlookUnknown:
		return "no daily limit is known"
	case planning.OutlookSpent:
		return "spent by upstream's word until " + view.Minute(of.Until, zone)
	case planning.OutlookNone:
		said := "code 45: none expected until " + view.Minute(of.Until, zone)
		if of.Earliest != nil {
			said += ", or at " + view.Minute(*of.Earliest, zone) + " if others spend more than expected, as they did before"
		}
		return said + errorWords(of)
	case planning.OutlookExpected:
	}
	said := "code 45 expected at " + view.Minute(*of.At, zone)
	if of.Earliest != nil && (of.Latest == nil || !of.Latest.Equal(*of.Earliest)) {
		latest := "not at all"
		if of.Latest != nil {
			latest = view.Minute(*of.Latest, zone)
		}
		said += ", between " + view.Minute(*of.Earliest, zone) + " and " + latest
	}
	until := fmt.Sprintf(" (until the turn %s of ours and %s of others)", view.Count(wholeCalls(of.Ours)), view.Count(wholeCalls(of.Theirs)))
	return said + until + errorWords(of)
}

// errorWords say what the forecast rests on, and how wrong it was.
func errorWords(of *planning.Outlook) string {
	if of.Error == nil {
		return fmt.Sprintf("; it rests on %s, and its error is not known yet", of.Basis)
	}
	return fmt.Sprintf("; of %s it was wrong by %s a day in the median", view.Plural(of.ErrorDays, "day"), view.Plural(wholeCalls(*of.Error), "call"))
}

func wholeCalls(calls float64) int { return int(math.Round(calls)) }

// profileRows has a row for each hour in which others usually make calls.
func profileRows(profile []planning.OthersHour) []view.Row {
	days := []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}
	var rows []view.Row
	for hour := range 24 {
		row, some := view.Row{fmt.Sprintf("%02d", hour)}, false
		for _, day := range days {
			i := slices.IndexFunc(profile, func(h planning.OthersHour) bool { return h.Hour == hour && h.Weekday == day.String() })
			if i < 0 {
				row = append(row, nothing)
				continue
			}
			some = some || wholeCalls(profile[i].Median) > 0
			row = append(row, fmt.Sprintf("%s ± %s", view.Count(wholeCalls(profile[i].Median)), view.Count(wholeCalls(profile[i].Spread))))
		}
		if some {
			rows = append(rows, row)
		}
	}
	return rows
}
