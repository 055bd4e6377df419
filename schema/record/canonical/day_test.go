package canonical_test

import (
	"fmt"
	"testing"
	"time"

	"sluice/schema/record/canonical"
)

const seconds = 24 * 60 * 60

// Every day of the years 1 to 9999, with what package time has for it.
func TestDaysAreThoseOfPackageTime(t *testing.T) {
	t.Parallel()
	const first = -719_162 // 0001-01-01
	const last = 2_932_896 // 9999-12-31
	if from, to := time.Unix(first*seconds, 0).UTC(), time.Unix(last*seconds, 0).UTC(); from.Format(time.DateOnly) != "0001-01-01" || to.Format(time.DateOnly) != "9999-12-31" {
		t.Fatalf("%s to %s are not all days", from, to)
	}
	var text []byte
	for days := first; days <= last; days++ {
		day := time.Unix(int64(days)*seconds, 0).UTC()
		text = day.AppendFormat(text[:0], time.DateOnly)
		if got, ok := canonical.Day(text); !ok || got != days {
			t.Fatalf("%s is %d, %t, want %d", text, got, ok, days)
		}
	}
}

func TestOnlyDaysThatExistAreRead(t *testing.T) {
	t.Parallel()
	for year := range 10_000 {
		for month := range 14 {
			for _, day := range []int{0, 1, 28, 29, 30, 31, 32} {
				text := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
				at, err := time.Parse(time.DateOnly, text)
				want := err == nil && year > 0
				days, ok := canonical.Day(text)
				if ok != want || ok && int64(days)*seconds != at.Unix() {
					t.Fatalf("%s is %d, %t, want %t", text, days, ok, want)
				}
			}
		}
	}
	for _, text := range []string{"", "2026-01-0", "2026/01/01", "2026-01.01", "202x-01-01", "2026-0x-01", "2026-01-0x", "-026-01-01", "+026-01-01"} {
		if _, ok := canonical.Day([]byte(text)); ok {
			t.Errorf("%q is a day", text)
		}
	}
	if days, ok := canonical.Day("1970-01-02T03:04:05Z"); !ok || days != 1 {
		t.Errorf("with something behind it a day is %d, %t", days, ok)
	}
}
