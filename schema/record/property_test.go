package record_test

import (
	"math/big"
	"regexp"
	"testing"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"pgregory.net/rapid"

	"sluice/schema/record"
)

func one(t rapid.TB, n *record.Normalizer, key, literal string) string {
	t.Helper()
	rec, err := n.Record([]byte(`{"order_id":"1","` + key + `":` + literal + `}`))
	if err != nil {
		t.Fatalf("%s: %v", literal, err)
	}
	for _, value := range rec.Tables[0][0].Values[1:] {
		if value.State == record.Set {
			return value.Text
		}
	}
	t.Fatalf("%s: no value is set", literal)
	return ""
}

// A canonical decimal is the same number, to the last digit, in one spelling.
func TestDecimalIsExact(t *testing.T) {
	t.Parallel()
	n := normalizer(t)
	canonical := regexp.MustCompile(`^(0|-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?)$`)
	rapid.Check(t, func(t *rapid.T) {
		literal := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-2]?[0-9])?`).Draw(t, "literal")
		got := one(t, n, "total", literal)
		want, ok := new(big.Rat).SetString(literal)
		have, okHave := new(big.Rat).SetString(got)
		if !ok || !okHave || want.Cmp(have) != 0 {
			t.Fatalf("%s became %s", literal, got)
		}
		if !canonical.MatchString(got) || got == "-0" {
			t.Fatalf("%s is not canonical", got)
		}
		if again := one(t, n, "total", `"`+got+`"`); again != got {
			t.Fatalf("%s became %s the second time", got, again)
		}
	})
}

func TestInstantsOfOneMomentShareOneText(t *testing.T) {
	t.Parallel()
	n := normalizer(t)
	rapid.Check(t, func(t *rapid.T) {
		micros := rapid.Int64Range(time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC).UnixMicro(),
			time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC).UnixMicro()).Draw(t, "micros")
		zone := time.FixedZone("", 60*rapid.IntRange(-15*60-59, 15*60+59).Draw(t, "minutes"))
		at := time.UnixMicro(micros).In(zone)
		if at.Year() < 1 || at.Year() > 9999 {
			t.Skip("the wall clock leaves the years that are written with four digits")
		}
		layout := rapid.SampledFrom([]string{"2006-01-02T15:04:05.000000-0700", "2006-01-02T15:04:05.999999999-07:00"}).Draw(t, "layout")
		got := one(t, n, "changed", `"`+at.Format(layout)+`"`)
		back, err := time.Parse("2006-01-02 15:04:05.999999-07", got)
		if err != nil || !back.Equal(at) {
			t.Fatalf("%s became %s: %v", at, got, err)
		}
	})
}

// Without an offset a wall time is in the organization's zone. The expected instant is the earliest
// with that wall time, found by checking every hour around, or the first instant after a gap.
func TestWallTimesOfZones(t *testing.T) {
	t.Parallel()
	zones := map[string]*time.Location{}
	names := []string{"Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kolkata", "Pacific/Apia"}
	for _, name := range names {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones[name] = zone
	}
	rapid.Check(t, func(t *rapid.T) {
		zone := zones[rapid.SampledFrom(names).Draw(t, "zone")]
		wall := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Minute * time.Duration(rapid.IntRange(0, 12*365*24*60).Draw(t, "minute")))
		checkWall(t, zone, wall)
	})
}

// The oracle knows offsets are whole quarters of an hour between -12 and +14.
func oracle(zone *time.Location, wall time.Time) (time.Time, bool) {
	const layout = "2006-01-02 15:04:05"
	for quarters := 14 * 4; quarters >= -12*4; quarters-- {
		at := wall.Add(-time.Duration(quarters) * 15 * time.Minute)
		if at.In(zone).Format(layout) == wall.Format(layout) {
			return at, true
		}
	}
	return time.Time{}, false
}

func checkWall(t rapid.TB, zone *time.Location, wall time.Time) {
	t.Helper()
	n, err := record.New(order(), zone)
	if err != nil {
		t.Fatal(err)
	}
	got := one(t, n, "changed", `"`+wall.Format("2006-01-02T15:04:05")+`"`)
	want, shown := oracle(zone, wall)
	// In a gap the answer is that of the first wall time after it.
	for later := wall; !shown; {
		later = later.Add(time.Minute)
		want, shown = oracle(zone, later)
	}
	if text := want.UTC().Format("2006-01-02 15:04:05-07"); got != text {
		t.Fatalf("%s in %s: want %s, got %s", wall, zone, text, got)
	}
}

func TestFoldsAndGaps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, wire, want string }{
		{"Europe/Zurich", "2026-10-25T02:30:00", "2026-10-25 00:30:00+00"},
		{"Europe/Zurich", "2026-03-29T02:30:00", "2026-03-29 01:00:00+00"},
		{"Europe/Zurich", "2026-03-29T03:00:00", "2026-03-29 01:00:00+00"},
		{"America/New_York", "2026-11-01T01:30:00", "2026-11-01 05:30:00+00"},
		{"America/New_York", "2026-03-08T02:00:01", "2026-03-08 07:00:00+00"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04 03:00:00+00"},
		{"Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30 10:00:00+00"},
		{"Asia/Kolkata", "2026-01-17", "2026-01-16 18:30:00+00"},
		{"Asia/Kolkata", "2026-01-17T15:27:23.120456789", "2026-01-17 09:57:23.120456+00"},
		{"Asia/Kolkata", "2026-01-17 15:27:23Z", "2026-01-17 15:27:23+00"},
	} {
		t.Run(c.zone+" "+c.wire, func(t *testing.T) {
			t.Parallel()
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			n, err := record.New(order(), zone)
			if err != nil {
				t.Fatal(err)
			}
			if got := one(t, n, "changed", `"`+c.wire+`"`); got != c.want {
				t.Errorf("want %s, got %s", c.want, got)
			}
		})
	}
}
