package engine

import (
	"context"
	"time"

	"sluice/pipeline/planning"
)

// LastWeek is how many calls a day a service took in the last week: those of sluice, and those of
// other programs by the responses of upstream. Each is nil if no day of it is known.
type LastWeek struct {
	Organization string         `json:"organization"`
	Service      string         `json:"service"`
	Calls        *planning.Week `json:"calls"`
	Others       *planning.Week `json:"calls_of_others"`
}

// LastWeek returns the last week of a service.
func (a *App) LastWeek(ctx context.Context, organization, service string) (LastWeek, error) {
	const days, day = 7, 24 * time.Hour
	week, now := LastWeek{Organization: organization, Service: service}, a.options.Now()
	own, err := a.DB.SameSpan(ctx, organization, service, now, now.Add(day), days)
	if err != nil {
		return week, err
	}
	others, err := a.DB.OthersIn(ctx, organization, service, now.Add(-days*day), now)
	if err != nil {
		return week, err
	}
	counts := make([]int64, len(own))
	for i := range own {
		counts[i] = own[i].Calls
	}
	week.Calls = planning.WeekOf(counts)
	counts = make([]int64, len(others))
	for i := range others {
		counts[i] = others[i].Calls
	}
	week.Others = planning.WeekOf(counts)
	return week, nil
}
