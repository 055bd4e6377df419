package scan

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/schema"
)

// Notes of runs that read their list whole because of what is known of it.
const (
	noteNoFilter = "the list does not filter by modification time (%s %s): everything was read"
	noteNoSort   = "the list does not sort by modification time (%s %s): everything was read"
)

// Needed is the capability that a list has to have to be read as its cursor says; "" if it needs
// none.
func Needed(cursor schema.Cursor) pipeline.Capability {
	switch cursor.(type) {
	case schema.Since:
		return pipeline.CapabilityFilter
	case schema.NewestFirst:
		return pipeline.CapabilityDescending
	default:
		return ""
	}
}

// FallsBack says that the list is known to lack what its cursor needs. Such a list is read whole,
// in passes, until that verdict is taken back.
func FallsBack(stream pipeline.Stream, known pipeline.Capabilities) bool {
	needed := Needed(stream.Resource.ListCursor())
	return needed != "" && known.Lacks(needed)
}

// keysets are the capabilities that a list has to have to be read in one pass. Each must have been
// shown by answers: a declaration is not enough.
var keysets = [...]pipeline.Capability{pipeline.CapabilityFilter, pipeline.CapabilityInclusive, pipeline.CapabilityAscending}

// ReadsByKeyset says that the list can be asked for what was modified since the last record, in
// ascending order, so that one pass is enough (docs/decisions/0008-keyset-paging).
func ReadsByKeyset(stream pipeline.Stream, known pipeline.Capabilities) bool {
	if !anchors(stream.Resource) {
		return false
	}
	for _, c := range keysets {
		if !known.Shows(c) {
			return false
		}
	}
	return true
}

// mayAnchor says that a first sync finds out whether the list can be read by keyset. It does so
// unless that is known.
func mayAnchor(stream pipeline.Stream, known pipeline.Capabilities) bool {
	return anchors(stream.Resource) && !slices.ContainsFunc(keysets[:], known.Lacks)
}

// anchors says that the list is declared to filter, and that its pages have a size. A list without
// one brings more records a call.
func anchors(resource *schema.Resource) bool {
	_, filters := resource.Cursor.(schema.Since)
	return filters && resource.Paging == schema.PagingNumber && resource.Unsized == 0
}

// unfilteredOneIn is how many sweeps there are to one that does not rely on the filter, whatever
// the capabilities.
const unfilteredOneIn = 4

// unfiltered says that a sweep must not rely on the filter. No answer shows that a filter leaves
// out too much, and what it hides from runs it hides from sweeps. So no row gets a tombstone on the
// filter's word alone (invariant 7), and some sweep, picked by the number of its run, finds what it
// hides.
func unfiltered(claim *pipeline.Claim) bool {
	return claim.Suspected || digest(strconv.FormatInt(claim.Run, 10), "sweep")%unfilteredOneIn == 0
}

// fallBack plans a run over the whole list and says why.
func fallBack(scan *pipeline.Scan, claim *pipeline.Claim) {
	needed := Needed(claim.Stream.Resource.ListCursor())
	var note outside.Text = noteNoFilter
	if needed == pipeline.CapabilityDescending {
		note = noteNoSort
	}
	verdict := claim.Capabilities[needed]
	scan.Note = outside.Plainf(note, verdict.Source, verdict.SeenAt.UTC().Format(time.DateOnly))
}

// Observed gives the verdicts that an answer shows. before is the scan when the page was requested,
// after is the scan now, and end is how the run ended, nil if it goes on. Known verdicts are not
// repeated.
func Observed(before, after *pipeline.Scan, page *pipeline.Page, end *pipeline.End, known pipeline.Capabilities) []pipeline.Verdict {
	var seen []pipeline.Verdict
	needed := neededBy(before.Mode)
	switch {
	case measuring(before):
		seen = measuredSeen(after)
	case before.Mode == pipeline.ModeKeyset:
		seen = keysetsSeen(after, end, known)
	case needed == "":
	case after.Mode == pipeline.ModeFull:
		seen = append(seen, pipeline.Verdict{Capability: needed, Answer: pipeline.AnswerNo, Evidence: string(after.Note)})
	case end != nil && end.Outcome == pipeline.OutcomeDone && retried(known[needed]):
		seen = append(seen, pipeline.Verdict{
			Capability: needed, Answer: pipeline.AnswerYes, Evidence: evidenceRetried,
		})
	}
	if v, ok := smaller(before, page, known); ok {
		seen = append(seen, v)
	}
	for i := range seen {
		seen[i].Source = pipeline.SourceObserved
	}
	return seen
}

// measuredSeen gives the verdicts of the answer that showed whether keyset paging works. An answer
// that did not may lack a record that was edited meanwhile, so it is no evidence.
func measuredSeen(after *pipeline.Scan) []pipeline.Verdict {
	if after.Mode != pipeline.ModeKeyset {
		return nil
	}
	var seen []pipeline.Verdict
	for _, c := range keysets {
		seen = append(seen, pipeline.Verdict{Capability: c, Answer: pipeline.AnswerYes, Evidence: evidenceMeasured})
	}
	return seen
}

// keysetsSeen gives the verdicts that an answer to a keyset scan shows.
func keysetsSeen(after *pipeline.Scan, end *pipeline.End, known pipeline.Capabilities) []pipeline.Verdict {
	if after.Mode != pipeline.ModeKeyset {
		missing := pipeline.CapabilityAscending
		switch after.Note {
		case noteIgnored:
			missing = pipeline.CapabilityFilter
		case noteExclusive:
			missing = pipeline.CapabilityInclusive
		}
		return []pipeline.Verdict{{Capability: missing, Answer: pipeline.AnswerNo, Evidence: string(after.Note)}}
	}
	var seen []pipeline.Verdict
	for _, c := range keysets {
		if end != nil && end.Outcome == pipeline.OutcomeDone && retried(known[c]) {
			seen = append(seen, pipeline.Verdict{Capability: c, Answer: pipeline.AnswerYes, Evidence: evidenceRetried})
		}
	}
	return seen
}

// evidenceMeasured is the evidence of a first sync.
const evidenceMeasured = "the list was asked for from a known record on, and the answer began there and went on in order"

// evidenceRetried is the evidence that takes a no back.
const evidenceRetried = "a clean run asked for it again, and every answer was as asked"

// retried says that an earlier run saw upstream lack the capability, so that this run asked for it
// again.
func retried(v pipeline.Verdict) bool {
	return v.Answer == pipeline.AnswerNo && v.Source == pipeline.SourceObserved
}

// neededBy is the capability that a mode of reading needs.
func neededBy(mode pipeline.Mode) pipeline.Capability {
	switch mode {
	case pipeline.ModeSince:
		return pipeline.CapabilityFilter
	case pipeline.ModeNewest:
		return pipeline.CapabilityDescending
	case pipeline.ModeFull, pipeline.ModeExport, pipeline.ModeKeyset, pipeline.ModeLook:
		return ""
	default:
		return ""
	}
}

// smaller gives a verdict if upstream gave smaller pages than asked for, unless that is known.
func smaller(before *pipeline.Scan, page *pipeline.Page, known pipeline.Capabilities) (pipeline.Verdict, bool) {
	if page.PerPage <= 0 || page.PerPage >= before.PerPage {
		return pipeline.Verdict{}, false
	}
	size := strconv.Itoa(page.PerPage)
	if known[pipeline.CapabilityPageSize].Value == size {
		return pipeline.Verdict{}, false
	}
	return pipeline.Verdict{
		Capability: pipeline.CapabilityPageSize, Answer: pipeline.AnswerNo, Value: size,
		Evidence: fmt.Sprintf("%d a page were asked for, and upstream says that it gives %d", before.PerPage, page.PerPage),
	}, true
}
