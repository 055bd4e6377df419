package engine

import (
	"fmt"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"sluice/pipeline/warehouse/streams"
)

// Alarm returns a text if too many records of a stream do not fit, by the configured thresholds; ""
// if not. The share is that of the last run that ended; the open entries are those of all runs.
// Records that withheld a watermark alarm until they are loaded, no longer exist upstream, or the
// operator decides about them.
func (a *App) Alarm(s *streams.Status) string {
	thresholds := a.Config.Quarantine
	switch {
	case s.QuarantinedShare > thresholds.MaxShare:
		return fmt.Sprintf("ALARM: %.1f %% of the last run's records are in quarantine (quarantine.max_share: %g %%)",
			100*s.QuarantinedShare, 100*thresholds.MaxShare)
	case s.Withheld > 0:
		return fmt.Sprintf("ALARM: %s that made the watermark wait are in quarantine (quarantine.max_share: %g %%)",
			records(s.Withheld), 100*thresholds.MaxShare)
	case thresholds.MaxOpen > 0 && s.Quarantined > int64(thresholds.MaxOpen):
		return fmt.Sprintf("ALARM: %s are in quarantine (quarantine.max_open: %s)",
			records(s.Quarantined), english().Sprint(thresholds.MaxOpen))
	default:
		return ""
	}
}

// records writes a number of records: 1 record, 1,001 records.
func records(n int64) string {
	if n == 1 {
		return "1 record"
	}
	return english().Sprintf("%d records", n)
}

// english writes numbers with separators of thousands.
func english() *message.Printer { return message.NewPrinter(language.English) }
