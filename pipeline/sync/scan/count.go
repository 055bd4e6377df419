package scan

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// Notes of runs over a list that was counted.
const (
	noteFirst   = "first copy, counted once"
	noteUnseen  = "upstream counts %d records, and %d came: the watermark waits, and the next run reads the list again"
	noteCapped  = "upstream counts %d records, and %d in the two halves of the list: it shows no more than it counts, and the watermark waits"
	noteCounted = "upstream counts %d records, and %d came in a reading that was proven without the count: its count is no longer used"
)

// Texts of verdicts on CapabilityTotal.
const (
	evidenceTotal    = "asked for the number of records, the list gave it"
	evidenceRefused  = "asked for the number of records, the list answered with an error (HTTP %d, code %s)"
	evidenceNoTotal  = "asked for the number of records, the list gave a page without it"
	evidenceDiffered = "it counted %d records where a whole reading came to %d"
	evidenceNoSums   = "asked for the sums of its columns, the list gave none"
	differedOnce     = "1"
)

// countSlack is by how much an instant before a count is set back: upstream's clock shows whole
// seconds, and a record becomes visible a little after its time of creation.
const countSlack = 2 * time.Second

// plansCount says that a run asks first how many records its list has. A run that reads the whole
// list does so unless upstream is known not to answer. Another one does so if upstream has answered
// before, and the last count is long enough ago.
func plansCount(claim *pipeline.Claim, scan *pipeline.Scan) bool {
	work := claim.Stream.Work
	if claim.CountEvery <= 0 || !claim.Stream.Countable() {
		return false
	}
	switch work {
	case pipeline.WorkLook: // its first question
		return claim.Capabilities.Shows(pipeline.CapabilityTotal)
	case pipeline.WorkDetails, pipeline.WorkHinted, pipeline.WorkBackfill:
		return false
	case pipeline.WorkList, pipeline.WorkSweep:
	}
	if due := claim.CountAge >= claim.CountEvery; !whole(scan) {
		return due && claim.Capabilities.Shows(pipeline.CapabilityTotal)
	} else if !due && work == pipeline.WorkList && !claim.Position.Watermark.IsZero() {
		return false // a list that every run reads whole
	}
	return !claim.Capabilities.Lacks(pipeline.CapabilityTotal)
}

// WholeEvery is how often a list is read whole at least whose count and sums stand for reading it: they
// do not show an edit of a text.
const WholeEvery = 24 * time.Hour

// CountStands says that upstream's count and sums, as long as they are those of the rows, stand for
// reading a list that has no filter. Both were seen to be those of a whole reading.
func CountStands(stream pipeline.Stream, known pipeline.Capabilities) bool {
	total, sums := known[pipeline.CapabilityTotal], known[pipeline.CapabilitySums]
	return stream.Work == pipeline.WorkList && stream.Countable() && !stream.Resource.Swept() &&
		known.Shows(pipeline.CapabilityTotal) && total.Value == "" && known.Shows(pipeline.CapabilitySums) && sums.Value != ""
}

// between says that a run only asks for count and sums, and reads what differs.
func between(claim *pipeline.Claim, scan *pipeline.Scan, rules pipeline.Rules) bool {
	return asLeft(claim, rules) && whole(scan) && !claim.Reread && !claim.Suspected && claim.CountEvery > 0 && claim.WholeAge < WholeEvery &&
		CountStands(claim.Stream, claim.Capabilities)
}

// ReadWhole makes a run that asked only for count and sums read its list whole. The count that came
// proves it.
func ReadWhole(scan *pipeline.Scan, claim pipeline.Claim, rules pipeline.Rules) {
	claim.WholeAge = WholeEvery
	next := Plan(&claim, rules)
	next.Started, next.Spent, next.Doubt = scan.Started, scan.Spent, scan.Doubt
	next.Counting = next.Counting && scan.Look == nil // else it was asked for
	if next.Count = scan.Count; next.Count != nil {
		proveBy(next, rules)
	}
	*scan = *next
}

// Stands says that a run still need not read its list: its count and sums are asked for, are equal, or
// lead to the pages that differ.
func Stands(scan *pipeline.Scan, end *pipeline.End) bool {
	switch {
	case scan.Look == nil, end != nil && (end.Sweep || end.Note == noteMoved):
		return false
	case scan.Counting: // it is asked for next
		return true
	default:
		return scan.Count != nil && (end != nil || len(scan.Look.Search) > 0)
	}
}

// Sums says that the list is to be asked for the sums of its columns: upstream may know some, and it
// is not known to give none. The number of records comes along.
func Sums(claim *pipeline.Claim) bool {
	return claim.Stream.Resource.Summed() && !claim.Capabilities.Lacks(pipeline.CapabilitySums)
}

// whole says that the scan reads its list whole.
func whole(scan *pipeline.Scan) bool { return scan.Bound.IsZero() && !scan.Partial }

// Counted takes upstream's count into the scan. Of a whole reading it becomes the proof. The pages
// then need not overlap, and their order does not matter. From is upstream's clock when the request
// left, never when it was answered: a record that was created between the count and the answer
// would stand for one that the list hid. A count of an unknown instant says nothing.
func Counted(scan *pipeline.Scan, page pipeline.Page, rules pipeline.Rules) {
	if page.Date.IsZero() {
		return
	}
	scan.Count = &pipeline.Count{
		Tally: page.Tally, Call: page.Call,
		From: page.Date.Add(-page.Took - countSlack).UTC().Truncate(time.Second), To: page.Date.Add(time.Second).UTC(),
	}
	if whole(scan) && !scan.Differed {
		proveBy(scan, rules)
	}
}

// proveBy makes the count of a scan the proof of its reading.
func proveBy(scan *pipeline.Scan, rules pipeline.Rules) {
	scan.Count.Proves = true
	scan.Mode, scan.Keyset, scan.Overlap, scan.ByModification = pipeline.ModeFull, pipeline.Keyset{}, pipeline.Overlap{}, false
	if scan.Count.Records > scan.PerPage {
		scan.PerPage = min(scan.PerPage, rules.PerPage) // pages without a size have no numbers
	}
}

// Uncounted gives the verdict of a request that was to be answered by a count, or by sums, and was
// refused or, if refused is nil, answered without.
func Uncounted(asked pipeline.Request, refused error) pipeline.Verdict {
	v := pipeline.Verdict{Capability: pipeline.CapabilityTotal, Answer: pipeline.AnswerNo, Source: pipeline.SourceObserved, Evidence: evidenceNoTotal}
	if asked.Sums {
		v.Capability, v.Evidence = pipeline.CapabilitySums, evidenceNoSums
	}
	if failure, ok := errors.AsType[*pipeline.Error](refused); ok {
		v.Evidence = fmt.Sprintf(evidenceRefused, failure.Status, failure.Code)
	}
	return v
}

// countedPage takes a page into a reading that the count will prove: it goes on until upstream says
// that nothing follows.
func (s *progress) countedPage(page view) *pipeline.End {
	if !page.more || len(page.entries) == 0 {
		return &pipeline.End{Outcome: pipeline.OutcomeDone, Note: s.Note}
	}
	s.Page++
	return nil
}

// countedPages is how many pages behind the next one a counted reading has.
func countedPages(scan *pipeline.Scan) int {
	return max((scan.Count.Records+scan.PerPage-1)/scan.PerPage-scan.Page, 0)
}

// Unread notes the records of a page that do not fit and may have been created since the count: their
// time of creation cannot be read, or is later.
func Unread(scan *pipeline.Scan, stream pipeline.Stream, batch *pipeline.Batch) {
	if scan.Count == nil {
		return
	}
	for i := range batch.Rejected {
		var members map[string]json.RawMessage
		var text string
		_ = json.Unmarshal(batch.Rejected[i].Raw, &members) // what cannot be read has no time
		_ = json.Unmarshal(members[stream.Resource.Created()], &text)
		if at, err := time.Parse(wireTime, text); err != nil || !at.Before(scan.Count.From) {
			scan.Count.Unsure++
		}
	}
}

// wireTime is how times of creation come. Source: docs/upstream.md U120.
const wireTime = "2006-01-02T15:04:05-0700"

// Settle puts the end of a whole reading off until its records are loaded and can be counted. The
// end of another run takes the count along: it is compared with all rows.
func Settle(scan *pipeline.Scan, batch *pipeline.Batch) {
	if batch.End == nil || scan.Count == nil || batch.End.Outcome != pipeline.OutcomeDone {
		return
	}
	if !whole(scan) {
		batch.Count = scan.Count
		return
	}
	scan.Count.Read, scan.Count.Proof = true, batch.End.Proof
	batch.End = nil
}

// thousand: a count in thousands may be where upstream stops to count, and to show.
const thousand = 1000

// Doubtful says that a count proves nothing although as many records came, unless it is that of both
// halves of the list together.
func Doubtful(count *pipeline.Count, seen pipeline.Seen) bool {
	return count.Records > 0 && count.Records%thousand == 0 && seen.Before == count.Records
}

// Judge compares the records of a whole reading with upstream's count, once all are loaded, and with
// that of both halves of the list, halved, if the count alone is doubtful; it is 0 if unknown. It gives
// the end of the run, or nil if the list has to be read once more: in overlapping pages, behind a
// new count. If that differs, too, the run is provisional. If the next run comes to the same, the
// count is another than that of the list's records, and is not used.
func Judge(scan *pipeline.Scan, seen pipeline.Seen, halved int, claim *pipeline.Claim, rules pipeline.Rules) (*pipeline.End, []pipeline.Verdict) {
	count, before := scan.Count, claim.Capabilities[pipeline.CapabilityTotal]
	unsure := seen.Between > 0 || count.Unsure > 0 || scan.Doubt != "" || halved == 0 && Doubtful(count, seen)
	end := &pipeline.End{Outcome: pipeline.OutcomeDone, Note: scan.Note, Proof: count.Proof}
	v := pipeline.Verdict{Capability: pipeline.CapabilityTotal, Answer: pipeline.AnswerYes, Source: pipeline.SourceObserved, Evidence: evidenceTotal}
	switch {
	case halved > count.Records:
		return &pipeline.End{Outcome: pipeline.OutcomeProvisional, Note: outside.Plainf(noteCapped, count.Records, halved)}, nil
	case !unsure && seen.Before == count.Records:
		end.Proof = pipeline.ProofCount
		if claim.Stream.Work == pipeline.WorkList && claim.Position.Watermark.IsZero() && end.Note == "" {
			end.Note = noteFirst
		}
		if before.Answer == v.Answer && before.Value == v.Value && before.Source == v.Source {
			return end, nil
		}
	case count.Proves:
		(*progress)(scan).readAgain(rules)
		return nil, nil
	case unsure: // nothing follows from the count; the reading has a proof of its own
		return end, nil
	case before.Answer == pipeline.AnswerYes && before.Value == differedOnce:
		end.Note = outside.Plainf(noteCounted, count.Records, seen.Before)
		v.Answer, v.Evidence = pipeline.AnswerNo, string(end.Note)
	default:
		end = &pipeline.End{Outcome: pipeline.OutcomeProvisional, Note: outside.Plainf(noteUnseen, count.Records, seen.Before)}
		v.Value, v.Evidence = differedOnce, fmt.Sprintf(evidenceDiffered, count.Records, seen.Before)
	}
	return end, []pipeline.Verdict{v}
}

// readAgain begins the second reading of a run whose first one differed from the count.
func (s *progress) readAgain(rules pipeline.Rules) {
	s.Count, s.Counting, s.Differed = nil, true, true
	s.forget()
	s.Pass++
	s.PerPage = rules.PerPage
	s.Overlap = pipeline.Overlap{Size: rules.PerPage}
	s.restart()
}
