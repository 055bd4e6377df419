package planning

import (
	"math"
	"time"

	"sluice/pipeline"
)

// rehearsedBudget is the day of a service under way, by hours since From.
type rehearsedBudget struct {
	of     *RehearsedService
	shares pipeline.Shares
	spent  map[pipeline.Class][]int
	others []float64
	turns  []int // the hour in which the day of each hour began
}

func newRehearsedBudget(of *RehearsedService, from time.Time, days int) *rehearsedBudget {
	hours := (days + 2) * hoursADay //nolint:mnd // the day before, and what runs on
	b := &rehearsedBudget{
		of: of, shares: of.Limits.Shares, spent: make(map[pipeline.Class][]int), others: make([]float64, hours), turns: make([]int, hours),
	}
	if b.shares == nil {
		b.shares = pipeline.DefaultShares()
	}
	for _, class := range pipeline.Classes() {
		b.spent[class] = make([]int, hours)
	}
	zone, turn := of.Zone, 0
	if named, err := time.LoadLocation(of.Limits.ResetZone); err == nil && of.Limits.ResetZone != "" {
		zone = named
	}
	for hour := range hours {
		local := from.Add(time.Duration(hour) * time.Hour).In(zone)
		b.others[hour] = of.Others[local.Weekday()][local.Hour()]
		if of.Limits.ResetZone == "" {
			turn = max(0, hour-hoursADay+1)
		} else if local.Hour() == of.Limits.ResetHour {
			turn = hour
		}
		b.turns[hour] = turn
	}
	return b
}

// take takes calls of the day, as many as a class may have now.
func (b *rehearsedBudget) take(class pipeline.Class, calls int, at time.Duration) int {
	hour := min(int(at/time.Hour), len(b.others)-1)
	granted := min(calls, b.available(class, hour))
	b.spent[class][hour] += granted
	return granted
}

// available returns what a class may spend in an hour: what is left, less what the others still
// need at the pace of their floors, up to its ceiling.
func (b *rehearsedBudget) available(class pipeline.Class, hour int) int {
	limit := float64(b.of.Limits.Daily)
	if limit == 0 {
		return math.MaxInt
	}
	left, own := limit, limit
	need := float64(hoursADay-(hour-b.turns[hour])) / hoursADay // of a floor, until the day turns
	if b.of.Limits.ResetZone == "" {
		need = 1.0 / hoursADay
	}
	for h := b.turns[hour]; h <= hour; h++ {
		left -= b.others[h]
	}
	for _, of := range pipeline.Classes() {
		spent := 0.0
		for h := b.turns[hour]; h <= hour; h++ {
			spent += float64(b.spent[of][h])
		}
		left -= spent
		share := b.shares[of]
		if of != class {
			left -= max(0, min(share.Floor*limit-spent, share.Floor*limit*need))
			continue
		}
		if share.Ceiling > 0 {
			own = share.Ceiling * limit
		}
		own -= spent
	}
	return max(0, int(min(left, own)))
}
