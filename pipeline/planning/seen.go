package planning

import (
	"sluice/pipeline"
	"sluice/pipeline/planning/cadence"
	"sluice/pipeline/warehouse/streams"
)

// HistoryOf returns a stream's runs of one class. Runs of another class, such as a full scan in
// between, say nothing about the scheduled runs.
func HistoryOf(s *streams.Stream, class pipeline.Class) cadence.History {
	var history cadence.History
	for _, run := range s.Runs() {
		if run.Class != class {
			continue
		}
		if history.Since.IsZero() {
			history.Since = run.Watermark
		}
		history.Runs = append(history.Runs, cadence.Run{Start: run.Start, Changes: run.Changes, Calls: run.Calls})
	}
	return history
}
