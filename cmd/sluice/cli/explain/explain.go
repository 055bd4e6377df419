// Package explain says in sentences what the history of a record means.
//
// It is pure. Start reading at Conclusions.
package explain

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline/warehouse/lineage"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/schema"
)

// Conclusions are sentences about a record, the most important first. Instants are in the
// organization's time zone.
func Conclusions(h lineage.History, resource *schema.Resource, zone *time.Location) []string {
	s := sentences{zone: zone, resource: resource}
	if h.Row != nil {
		s.present(&h)
	} else {
		s.absent(&h)
	}
	s.tombstone(h.Tombstone)
	s.quarantine(&h)
	s.covered(&h)
	return s.said
}

type sentences struct {
	said     []string
	zone     *time.Location
	resource *schema.Resource
}

func (s *sentences) sayf(format string, args ...any) {
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

func (s *sentences) at(t time.Time) string { return t.In(s.zone).Format("2006-01-02 15:04:05 MST") }

func (s *sentences) maybe(t *time.Time, otherwise string) string {
	if t == nil {
		return otherwise
	}
	return s.at(*t)
}

// Request names a call by its request: /inventory/v1/bills page 3.
func Request(c *lineage.Call) string {
	switch {
	case c.Imported != nil:
		return "imported from " + c.Imported.File
	case c.At == nil:
		return "not in the call log any more"
	case c.Page > 0:
		return c.Path + " page " + strconv.Itoa(c.Page)
	default:
		return c.Path
	}
}

func (s *sentences) call(c *lineage.Call) string {
	if from := c.Imported; from != nil {
		return fmt.Sprintf("batch %d (imported from %s, lines %d to %d, %s)", c.ID, from.File, from.First, from.Last, s.at(from.At))
	}
	if c.At == nil {
		return fmt.Sprintf("call %d, which is not in the call log any more", c.ID)
	}
	answer := "no answer"
	if c.Status != 0 {
		answer = fmt.Sprintf("HTTP %d", c.Status)
	}
	return fmt.Sprintf("call %d (%s, %s, %s)", c.ID, Request(c), answer, s.at(*c.At))
}

func (s *sentences) present(h *lineage.History) {
	row := h.Row
	s.sayf("The row is there since %s and last changed here %s.", s.at(row.FirstSeenAt), s.at(row.ChangedAt))
	if row.List != nil {
		s.sayf("It holds the list record that %s brought%s%s.", s.call(row.List), written(row.Run), s.modified(row))
	}
	if row.DetailState != "" {
		s.detail(h)
	}
	if len(row.Unknown) > 0 {
		s.sayf("Keys that no declaration knows are in _extra: %s.", strings.Join(row.Unknown, ", "))
	}
	var arrays []string
	for _, name := range slices.Sorted(maps.Keys(row.Arrays)) {
		if n := row.Arrays[name]; n > 0 {
			arrays = append(arrays, fmt.Sprintf("%d in %s", n, name))
		}
	}
	if len(arrays) > 0 {
		s.sayf("Rows of its arrays: %s.", strings.Join(arrays, ", "))
	}
}

func (s *sentences) modified(row *lineage.Row) string {
	if row.Modified == nil {
		return ""
	}
	return ", last modified upstream " + s.at(*row.Modified)
}

func written(run *lineage.Run) string {
	switch {
	case run == nil:
		return ""
	case run.Class == "":
		return fmt.Sprintf(" in run %d, which is not known any more", run.ID)
	case run.Outcome == "":
		return fmt.Sprintf(" in run %d (%s, not ended)", run.ID, run.Class)
	default:
		return fmt.Sprintf(" in run %d (%s, %s)", run.ID, run.Class, run.Outcome)
	}
}

// detail says what is known of the single record, and what it is waiting for.
func (s *sentences) detail(h *lineage.History) {
	row := h.Row
	switch row.DetailState {
	case "none_needed":
		s.sayf("The list carries all of it: its single record is not read.")
		return
	case "current":
		if row.Detail != nil {
			s.sayf("Its single record was brought by %s, and the list record did not change since.", s.call(row.Detail))
		}
		return
	case "pending":
		s.sayf("Its single record, with the arrays that the list leaves out, was not read yet.")
	case "stale":
		s.sayf("Its list record changed since its single record was read (%s): that is to be read again.", s.maybe(row.DetailAt, "never"))
	case "failed":
		s.sayf("Its single record could not be read at %s, and will be tried again.", s.maybe(row.DetailAt, "an unknown time"))
	}
	if h.Details == nil {
		return
	}
	waiting := int64(0)
	if h.Details.Waiting != nil {
		waiting = *h.Details.Waiting
	}
	s.sayf("Single records are read by the stream %s.%s, the most valuable first: %d wait, the stream is %s%s, its next turn is %s.",
		h.Service, h.Details.Resource, waiting, h.Details.State, s.because(h.Details), s.at(h.Details.NextDueAt))
}

func (s *sentences) because(stream *lineage.Stream) string {
	text := ""
	if !stream.Enabled {
		text = ", disabled by the configuration"
	}
	if stream.Reason != "" {
		text += " (" + stream.Reason + ")"
	}
	if stream.Until != nil {
		text += " until " + s.at(*stream.Until)
	}
	return text
}

func (s *sentences) absent(h *lineage.History) {
	open := slices.ContainsFunc(h.Quarantine, func(e lineage.Entry) bool { return e.State == "open" })
	where := fmt.Sprintf("the newest %d answers that raw records are kept of", h.Archives)
	if h.AllArchives {
		where = fmt.Sprintf("all %d answers that raw records are kept of", h.Archives)
	}
	switch {
	case h.Erasure != 0:
		s.sayf("The record was erased: erasure %d, see sluice erase --list. No run loads it again, whatever upstream shows.", h.Erasure)
	case h.Tombstone != nil && h.Tombstone.PrunedAt != nil:
		s.sayf("There is no row: it was deleted at %s, as its tombstone was older than retention.gone keeps such rows.", s.at(*h.Tombstone.PrunedAt))
	case len(h.Versions) > 0:
		s.sayf("There is no row, although %s brought the record: the row was deleted past the program, or by a rule of it.", s.call(h.Versions[0].Call))
	case open:
		s.sayf("There is no row: the record came and did not fit, and no version of it that fits was seen.")
	case len(h.Quarantine) > 0:
		s.sayf("There is no row: all that came of the record is closed in quarantine.")
	default:
		s.sayf("The record was never seen: there is no row, nothing in quarantine, and nothing in %s.", where)
	}
}

// tombstone says what is known of the record's end upstream.
func (s *sentences) tombstone(t *tombstones.Tombstone) {
	if t == nil {
		return
	}
	switch t.State {
	case "suspected":
		s.sayf("The scan of run %d did not show it at %s: it may be gone upstream, and a second proof decides.", t.SuspectedRun, s.at(t.SuspectedAt))
	case "needs_review":
		s.sayf("Two scans did not show it, the second at %s, but they missed too many rows at once: an operator decides whether it is gone.",
			s.maybe(t.ProofAt, "an unknown time"))
	case "deleted":
		s.sayf("It is gone upstream, and has its tombstone since %s, %s.", s.maybe(t.DeletedAt, "an unknown time"), proof(t))
	case "restored":
		s.sayf("It had a tombstone and came back at %s.", s.maybe(t.RestoredAt, "an unknown time"))
	}
}

func proof(t *tombstones.Tombstone) string {
	text := "as two whole scans did not show it"
	if t.Proof == "not_found" {
		text = "as upstream answered that there is no such record"
	}
	if t.DecidedBy == "person" {
		text += ", and an operator accepted that"
	}
	return text
}

func (s *sentences) quarantine(h *lineage.History) {
	for i := range h.Quarantine {
		e := &h.Quarantine[i]
		path := ""
		if e.Path != "" {
			path = " at " + e.Path
		}
		switch e.State {
		case "open":
			s.sayf("A version of it is in quarantine since %s, seen %d times: %s%s. sluice quarantine show %d has it whole.", s.at(e.FirstSeenAt), e.Seen,
				e.Code, path, e.ID)
		case "retried":
			s.sayf("A version of it was in quarantine (entry %d: %s%s), until one that fits was loaded %s.", e.ID, e.Code, path, s.maybe(e.DecidedAt, "later"))
		default:
			s.sayf("A version of it in quarantine (entry %d: %s%s) was set aside by a person %s: %s",
				e.ID, e.Code, path, s.maybe(e.DecidedAt, "later"), e.Note)
		}
	}
}

// covered says until when the record would have been seen, and when its list is due again.
func (s *sentences) covered(h *lineage.History) {
	if h.Parent != nil {
		s.sayf("It is listed under parent %s, whose list was last read %s.", h.Parent.ID, s.maybe(h.Parent.ReadAt, "never"))
	}
	list := h.List
	switch {
	case list == nil:
		s.sayf("No stream of the configuration brings it.")
		return
	case list.Watermark == nil:
		s.sayf("The list was never read to its end: what is not here may still come.")
	case h.Row == nil && len(h.Versions) == 0:
		s.sayf("The list is complete up to %s: a record that was never seen did not exist then, or the list does not show it%s.",
			s.at(*list.Watermark), s.filters())
	case h.Row != nil && h.Row.Modified != nil && h.Row.Modified.After(*list.Watermark):
		s.sayf("The list is complete up to %s: the row is newer than that.", s.at(*list.Watermark))
	default:
		s.sayf("The list is complete up to %s: later changes upstream may not be here yet.", s.at(*list.Watermark))
	}
	s.sayf("The list is read again at %s; the stream is %s%s.", s.at(list.NextDueAt), list.State, s.because(list))
}

func (s *sentences) filters() string {
	asked := make([]string, 0, len(s.resource.Params))
	for _, name := range slices.Sorted(maps.Keys(s.resource.Params)) {
		asked = append(asked, name+"="+s.resource.Params[name])
	}
	if len(asked) == 0 {
		return ""
	}
	return " (it is asked for with " + strings.Join(asked, ", ") + ")"
}
