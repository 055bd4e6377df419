package planning

import (
	"math"
	"time"

	"sluice/pipeline/warehouse/calls"
)

// ForecastDays is how many earlier days a forecast is held against.
const ForecastDays = 7

// Forecast is what the schedule is expected to add until the course of a day ends.
type Forecast struct {
	Until time.Time `json:"until"`
	Calls int64     `json:"calls"`
	// Past is how far the same forecast was off on earlier days; nil if the call log has none.
	Past *Hindsight `json:"past,omitempty"`
}

// Hindsight compares the forecast of a schedule with the calls that were made on earlier days, from
// the same time of the day on. Differences are in calls: above zero where more were made than
// foretold.
type Hindsight struct {
	Days int `json:"days"`
	// Off is the mean of the differences without their signs.
	Off   int64 `json:"off"`
	Least int64 `json:"least"`
	Most  int64 `json:"most"`
}

// ForecastOf returns the forecast of a day. perDay is what the schedule takes of a day, before are
// the calls from now until the end of the course on earlier days.
func ForecastOf(now *calls.Day, perDay float64, before []calls.Span) Forecast {
	f := Forecast{Until: CourseTo(now)}
	f.Calls = int64(perDay * float64(f.Until.Sub(now.At)) / float64(day))
	if len(before) == 0 {
		return f
	}
	past := Hindsight{Days: len(before), Least: math.MaxInt64, Most: math.MinInt64}
	var sum int64
	for _, span := range before {
		off := span.Calls - f.Calls
		past.Least, past.Most = min(past.Least, off), max(past.Most, off)
		sum += max(off, -off)
	}
	past.Off = int64(math.Round(float64(sum) / float64(past.Days)))
	f.Past = &past
	return f
}
