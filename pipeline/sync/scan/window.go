package scan

import (
	"time"

	"sluice/pipeline"
	"sluice/schema"
)

const noteOutside = "upstream ignored the filter by day: everything was read"

// Backfill begins a scan that moves no watermark and ends after one pass. It reads the windows if
// there are any, otherwise what changed since the bound, otherwise everything.
func Backfill(stream pipeline.Stream, windows *pipeline.Windows, bound time.Time, rules pipeline.Rules) *pipeline.Scan {
	scan := &pipeline.Scan{
		Mode: pipeline.ModeFull, Page: 1, PerPage: rules.PerPage, Pass: 1, Partial: true, Once: true, Windows: windows,
	}
	switch stream.Resource.ListCursor().(type) {
	case schema.Export:
		scan.Mode = pipeline.ModeExport
	case schema.Since:
		if !bound.IsZero() {
			scan.Mode, scan.Bound = pipeline.ModeSince, bound
		}
	case schema.NewestFirst:
		if !bound.IsZero() {
			scan.Mode, scan.Bound = pipeline.ModeNewest, bound
		}
	}
	return scan
}

// nextWindow goes on with the next window, or ends the run.
func (s *progress) nextWindow() *pipeline.End {
	// A copy: the caller still holds the position before this page.
	var windows *pipeline.Windows
	if s.Windows != nil {
		windows = new(*s.Windows)
	}
	if !windows.Next() {
		return &pipeline.End{Outcome: pipeline.OutcomeDone, Note: s.Note}
	}
	s.Windows, s.Pass = windows, 1
	s.restart()
	return nil
}

// outside says that the page holds a record of another day than was asked for.
func (s *progress) outside(page view) bool {
	from, to := s.Windows.Bounds()
	for _, e := range page.entries {
		if e.day == "" {
			continue
		}
		if !from.IsZero() && e.day < from.Format(time.DateOnly) || !to.IsZero() && e.day > to.Format(time.DateOnly) {
			return true
		}
	}
	return false
}

// dayAt is the index, in a row, of the day by which the list filters; -1 if the list does not
// filter by day.
func dayAt(resource *schema.Resource) int {
	if resource.Window == nil {
		return -1
	}
	for i, column := range resource.Columns {
		if column.Wire == resource.Window.Column {
			return i
		}
	}
	return -1
}
