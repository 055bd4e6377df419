package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/streams"
)

// watch follows streams through the tables, whichever process works them.
type watch struct {
	app *engine.App
	// total is how many streams there will be; keys are those requested so far.
	total   int
	keys    []pipeline.Key
	wanted  map[pipeline.Key]int64
	ended   map[pipeline.Key]streamResult
	began   time.Time
	now     func() time.Time
	current []streams.Run
	// patient also follows streams that wait for the next day.
	patient bool
}

func newWatch(a *engine.App, total int, now func() time.Time) *watch {
	return &watch{
		app: a, total: total, began: now(), now: now,
		wanted: make(map[pipeline.Key]int64, total), ended: make(map[pipeline.Key]streamResult, total),
	}
}

// add follows streams for which a run was requested.
func (w *watch) add(ctx context.Context, keys []pipeline.Key) error {
	streams, err := w.app.DB.Standing(ctx, keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		w.wanted[key] = streams[key].Requested
	}
	w.keys = append(w.keys, keys...)
	return nil
}

// standing reads how all streams stand; purpose is how its error begins.
func standing(ctx context.Context, a *engine.App, purpose string) (map[pipeline.Key]streams.Status, error) {
	rows, err := a.DB.Streams(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", purpose, err)
	}
	streams := make(map[pipeline.Key]streams.Status, len(rows))
	for _, s := range rows {
		streams[pipeline.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource}] = s
	}
	return streams, nil
}

// look notes which streams have ended and shows the progress of the others. It says whether there
// is nothing left to follow.
func (w *watch) look(ctx context.Context, progress *view.Progress) (bool, error) {
	streams, err := w.app.DB.Standing(ctx, w.keys)
	if err != nil {
		return false, err
	}
	over := true
	w.current = w.current[:0]
	for _, key := range w.keys {
		stream := streams[key]
		if _, done := w.ended[key]; !done && stream.Done >= w.wanted[key] {
			if err := w.end(ctx, key, stream, progress); err != nil {
				return false, err
			}
		}
		_, done := w.ended[key]
		waits := w.waits(stream) && !w.patient || !stream.Enabled
		if !done && stream.Run != nil {
			run, err := w.app.DB.RunProgress(ctx, *stream.Run)
			if err != nil {
				return false, fmt.Errorf("look at a run: %w", err)
			}
			w.current = append(w.current, run)
		}
		over = over && (done || waits)
	}
	progress.Show(w.line(ctx))
	if !over {
		return false, nil
	}
	return true, w.waiting(ctx, streams, progress)
}

// soon is how long the sync waits for a stream that goes on at a known instant. It outlasts a
// refusal of a minute. A longer one is left to the next sync, so that a scheduler does not pile up
// waiting processes.
const soon = 5 * time.Minute

// waits says that a stream cannot go on soon: the day's budget is spent, or upstream asked for a
// long wait.
func (w *watch) waits(stream streams.Standing) bool {
	switch pipeline.State(stream.State) {
	case pipeline.StateWaiting:
		return true
	case pipeline.StateRetrying:
		return stream.Until != nil && stream.Until.After(w.now().Add(soon))
	default:
		return false
	}
}

// end records the result of a stream whose run ended.
func (w *watch) end(ctx context.Context, key pipeline.Key, stream streams.Standing, progress *view.Progress) error {
	result, err := w.resultFor(ctx, key, stream, stream.LastRun)
	if err != nil {
		return err
	}
	w.keep(result, progress)
	return nil
}

// resultFor is the result of a stream whose run has a number; nil if it has none.
func (w *watch) resultFor(ctx context.Context, key pipeline.Key, stream streams.Standing, run *int64) (streamResult, error) {
	result := streamResult{Key: key, State: stream.State, Reason: stream.Reason}
	if run == nil {
		return result, nil
	}
	made, err := w.app.DB.RunProgress(ctx, *run)
	if err != nil {
		return result, fmt.Errorf("look at the run of %s: %w", key, err)
	}
	result.fill(made)
	return result, nil
}

// keep notes a result, and shows its line.
func (w *watch) keep(result streamResult, progress *view.Progress) {
	w.ended[result.Key] = result
	progress.Keep(result.line(manyOrganizations(w.app)))
}

// waiting records what is known of streams that wait for the next day, or for longer than soon.
func (w *watch) waiting(ctx context.Context, streams map[pipeline.Key]streams.Standing, progress *view.Progress) error {
	for _, key := range w.keys {
		if _, done := w.ended[key]; done {
			continue
		}
		stream := streams[key]
		result, err := w.resultFor(ctx, key, stream, stream.Run)
		if err != nil {
			return err
		}
		result.Until = stream.Until
		result.Outcome, result.Note = string(pipeline.StateWaiting), "the day's budget for it is spent"
		if stream.State == string(pipeline.StateRetrying) {
			result.Note = "upstream asked for a wait"
		}
		if !stream.Enabled {
			result.Outcome, result.Note = "paused", "it was paused, or taken out of the configuration"
		}
		if stream.Until != nil {
			result.Note += ", it goes on at " + view.Minute(*stream.Until, w.app.Zone(key.Organization))
		}
		w.keep(result, progress)
	}
	return nil
}

// line is the progress line: ended streams, rows, calls, budget and time.
func (w *watch) line(ctx context.Context) string {
	var rows, calls int64
	for _, r := range w.ended {
		rows, calls = rows+r.Received, calls+r.Calls
	}
	names := make([]string, 0, len(w.current))
	for i := range w.current {
		run := &w.current[i]
		rows, calls = rows+run.Received, calls+run.Calls
		names = append(names, fmt.Sprintf("%s %s", run.Resource, view.Count(run.Received)))
	}
	text := fmt.Sprintf("%d of %d done · %s · %s · %s", len(w.ended), w.total,
		view.Plural(rows, "record"), view.Plural(calls, "call"), view.Age(w.now().Sub(w.began)))
	if left := w.budget(ctx); left != "" {
		text += " · " + left
	}
	if eta := w.eta(ctx); eta > 0 {
		text += " · about " + view.Age(eta) + " to go"
	}
	if len(names) > 0 {
		text += " · " + strings.Join(names, ", ")
	}
	return text
}

// budget is what is left of the day, for the tightest service at work.
func (w *watch) budget(ctx context.Context) string {
	least, text := int64(-1), ""
	seen := make(map[string]bool)
	for _, key := range w.keys {
		limits, err := w.app.Limits(key.Organization, key.Service)
		if err != nil || limits.Daily == 0 || seen[key.Organization+key.Service] {
			continue
		}
		seen[key.Organization+key.Service] = true
		spent, err := w.app.DB.BudgetLeft(ctx, key.Organization, key.Service)
		if err != nil {
			return "" // progress is not a result: an error leaves the figure out
		}
		if left := max(0, int64(limits.Daily)-spent.Day); least < 0 || left < least {
			least, text = left, fmt.Sprintf("%s calls left today (%s)", view.Count(left), key.Service)
		}
	}
	return text
}

func (w *watch) result() *syncResult {
	result := &syncResult{Seconds: w.now().Sub(w.began).Seconds(), several: manyOrganizations(w.app)}
	for _, key := range w.keys {
		if r, ended := w.ended[key]; ended {
			result.Streams = append(result.Streams, r)
		}
	}
	return result
}

// eta estimates the time left. Its basis is the last completed run of each stream at work that read
// in the same way and received more; zero if there was none.
func (w *watch) eta(ctx context.Context) time.Duration {
	var longest time.Duration
	for i := range w.current {
		run := &w.current[i]
		if run.Received == 0 || run.Seconds <= 0 {
			continue
		}
		before, err := w.app.DB.Runs(ctx, streams.RunFilter{
			Organization: run.Organization, Service: run.Service, Resource: run.Resource, Limit: 5,
		})
		if err != nil {
			return 0 // progress is not a result
		}
		for j := range before {
			known := &before[j]
			sameWay := (known.Bound == nil) == (run.Bound == nil)
			if known.ID == run.ID || known.Outcome != string(pipeline.OutcomeDone) || !sameWay || known.Received <= run.Received {
				continue
			}
			left := float64(known.Received-run.Received) * run.Seconds / float64(run.Received)
			longest = max(longest, time.Duration(left*float64(time.Second)))
			break
		}
	}
	return longest
}
