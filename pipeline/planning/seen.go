package planning

import (
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning/cadence"
	"sluice/pipeline/warehouse/streams"
)

// SeenOf sums up a stream's runs of one class. Runs of another class, such as a full scan in
// between, say nothing about the scheduled runs.
func SeenOf(s *streams.Stream, class pipeline.Class) cadence.Seen {
	var runs []cadence.Run
	var since time.Time
	for _, run := range s.Runs() {
		if run.Class != class {
			continue
		}
		if since.IsZero() {
			since = run.Watermark
		}
		runs = append(runs, cadence.Run{Start: run.Start, Changes: run.Changes, Calls: run.Calls})
	}
	return cadence.Observe(runs, since, s.SeenAt())
}
