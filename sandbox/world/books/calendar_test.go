package books_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"sluice/sandbox/world/books"
)

// The calendar writes the same bytes as package time, also around changes of the clock, in zones
// that change at midnight, and outside of its years.
func TestCalendarWritesWhatPackageTimeWrites(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"UTC", "Asia/Kolkata", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo", "Pacific/Apia",
		"Pacific/Kiritimati", "America/St_Johns", "Asia/Pyongyang", "Africa/Casablanca",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			c := books.NewCalendar(zone)
			for _, seconds := range instants(zone) {
				at := time.Unix(seconds, 0).In(zone)
				if got, want := string(c.AppendStamp(nil, seconds)), at.Format("2006-01-02T15:04:05-0700"); got != want {
					t.Fatalf("instant %d is written %s, want %s", seconds, got, want)
				}
				for _, later := range []int{0, 1, 7, 30, 400} {
					if got, want := string(c.AppendDay(nil, seconds, later)), at.AddDate(0, 0, later).Format(time.DateOnly); got != want {
						t.Fatalf("instant %d, %d days later, is written %s, want %s", seconds, later, got, want)
					}
				}
			}
		})
	}
}

// instants returns some instants of eighty years, and those around every change of the clock.
func instants(zone *time.Location) []int64 {
	begin, end := time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2045, 1, 1, 0, 0, 0, 0, time.UTC)
	var all []int64
	for at := begin.In(zone); ; {
		_, change := at.ZoneBounds()
		if change.IsZero() || change.After(end) {
			break
		}
		for _, day := range []int64{0, 1, 7, 30} {
			for _, second := range []int64{-7201, -3600, -1800, -1, 0, 1, 1800, 3600, 7200} {
				all = append(all, change.Unix()-day*86_400+second)
			}
		}
		if !change.After(at) { // package time stops on the last day of some leap years.
			change = at.AddDate(0, 0, 1)
		}
		at = change
	}
	for _, year := range []int{2015, 2040} {
		edge := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		for hours := int64(-50); hours <= 50; hours++ {
			all = append(all, edge+hours*3600, edge+hours*3600-1)
		}
	}
	some := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		all = append(all, begin.Unix()+some.Int64N(end.Unix()-begin.Unix()))
	}
	return all
}
