package closings

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrPeriod says that a text names no period.
var ErrPeriod = errors.New("no period: write it as 2026-10, 2026-Q3, 2026, or 2026-10-01..2026-10-15")

// Period is a span of days, the first and the last included.
type Period struct {
	// Name is the shortest way of writing it, the same for the same days.
	Name string
	// First and Last are its days as 2026-10-01.
	First, Last string
}

var periodOf = regexp.MustCompile(`^([1-9][0-9]{3})(?:-(0[1-9]|1[0-2])|-Q([1-4]))?$`)

// Parse reads a period.
func Parse(text string) (Period, error) {
	if first, last, found := strings.Cut(text, ".."); found {
		from, err := time.Parse(time.DateOnly, first)
		to, failed := time.Parse(time.DateOnly, last)
		if err != nil || failed != nil || from.Year() < 1000 {
			return Period{}, fmt.Errorf("%q is %w", text, ErrPeriod)
		}
		if to.Before(from) {
			return Period{}, fmt.Errorf("%q ends before it begins: %w", text, ErrPeriod)
		}
		return span(from, to), nil
	}
	parts := periodOf.FindStringSubmatch(text)
	if parts == nil {
		return Period{}, fmt.Errorf("%q is %w", text, ErrPeriod)
	}
	number := func(text string) int { n, _ := strconv.Atoi(text); return n } // digits
	first, months := time.Date(number(parts[1]), time.January, 1, 0, 0, 0, 0, time.UTC), 12
	switch {
	case parts[2] != "":
		first, months = first.AddDate(0, number(parts[2])-1, 0), 1
	case parts[3] != "":
		first, months = first.AddDate(0, 3*number(parts[3])-3, 0), 3
	}
	return span(first, first.AddDate(0, months, -1)), nil
}

// span names the days from the first to the last.
func span(first, last time.Time) Period {
	p := Period{First: first.Format(time.DateOnly), Last: last.Format(time.DateOnly)}
	is := func(months int) bool { return first.Day() == 1 && last.Equal(first.AddDate(0, months, -1)) }
	switch month := int(first.Month()) - 1; {
	case is(1):
		p.Name = first.Format("2006-01")
	case is(3) && month%3 == 0:
		p.Name = fmt.Sprintf("%d-Q%d", first.Year(), month/3+1)
	case is(12) && month == 0:
		p.Name = first.Format("2006")
	default:
		p.Name = p.First + ".." + p.Last
	}
	return p
}
