package engine_test

import (
	"testing"

	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse/streams"
)

func TestAlarm(t *testing.T) {
	t.Parallel()
	const (
		share    = "ALARM: 6.0 % of the last run's records are in quarantine (quarantine.max_share: 5 %)"
		withheld = "ALARM: 2 records that made the watermark wait are in quarantine (quarantine.max_share: 5 %)"
		many     = "ALARM: 1,001 records are in quarantine (quarantine.max_open: 1,000)"
	)
	for name, test := range map[string]struct {
		maxOpen        int
		open, withheld int64
		share          float64
		want           string
	}{
		"nothing":                {1000, 0, 0, 0, ""},
		"as much as is let pass": {1000, 1000, 0, 0.05, ""},
		"too large a share":      {1000, 2, 2, 0.06, share},
		"a healthy run since":    {1000, 3, 2, 0, withheld},
		"too many":               {1000, 1001, 0, 0, many},
		"both":                   {1000, 1001, 0, 0.06, share},
		"no bound":               {0, 1_000_000, 0, 0.05, ""},
	} {
		a := &engine.App{Config: &config.Config{Quarantine: config.Quarantine{MaxShare: 0.05, MaxOpen: test.maxOpen}}}
		if got := a.Alarm(&streams.Status{Quarantined: test.open, QuarantinedShare: test.share, Withheld: test.withheld}); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
