package pipeline

import "sluice/pipeline/outside"

// fewRejected is how many records a run may reject before Flood looks at their share.
const fewRejected = 1000

// Refusals counts the records that a run received, and those of them that are new in quarantine: no
// earlier run counted them, and the operator has not decided about them. So a record that never
// fits withholds the watermark once only (docs/decisions/0018-rejected-records).
type Refusals struct {
	Received, Refused int64
	// Clashed counts those of Refused that shared an identifier with another record of the same
	// answer.
	Clashed int64
}

// Flood reports whether the run should stop reading the list, because the rest would only fill the
// quarantine. Records that are in quarantine already do not count. So a list with many records that
// never fit is read further by each run, and to its end at last.
func (r Refusals) Flood(rules Rules) bool {
	return r.Refused > fewRejected && rules.TooManyRejected(r.Refused, r.Received)
}

// Withhold makes the end of a run provisional if too many of its records were rejected, and reports
// whether it did. The rows stay; the watermark does not move, and no row counts as missed
// (invariants 1 and 7). Was is the position before the batch. Runs over single records are left as
// they are, because they move no watermark.
func (r Refusals) Withhold(batch *Batch, was Position, rules Rules) bool {
	if batch.End == nil || batch.End.Outcome == OutcomeFailed || batch.Claim.Stream.Work == WorkDetails {
		return false
	}
	var note outside.Text
	switch {
	case r.Clashed > 0:
		note = outside.Number(r.Clashed) + " records came under identifiers that others of the same answer had"
	case rules.TooManyRejected(r.Refused, r.Received):
		note = outside.Number(r.Refused) + " of " + outside.Number(r.Received) + " records did not fit"
	default:
		return false
	}
	note += ": rows are loaded, the watermark waits (sluice quarantine list)"
	if batch.End.Note != "" {
		note += "; " + batch.End.Note
	}
	again := batch.End.Again
	if stream := batch.Claim.Stream; stream.Work == WorkList && stream.Resource.Swept() {
		again = AgainWithheld // from the same bound; whole lists are read again after longer and longer pauses
	}
	batch.End = &End{Outcome: OutcomeProvisional, Note: note, Again: again}
	batch.Position = Position{Watermark: was.Watermark, ScannedUntil: was.ScannedUntil}
	return true
}
