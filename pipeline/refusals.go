package pipeline

import "sluice/pipeline/outside"

// fewRejected is how many records a run may refuse, whatever part of all they are, before it is
// asked whether what comes is a list at all.
const fewRejected = 1000

// Refusals counts what a run was given, and what of it went to quarantine and is news: no earlier
// run was judged with it, and no person decided about it. So one record that will never fit holds a
// watermark up once and not for ever (docs/decisions/0024-rejected-records).
type Refusals struct {
	Received, Refused int64
	// Clashed are those of Refused that came under an identifier which others of the same answer
	// had.
	Clashed int64
}

// Flood says that a list is not worth reading on: reading it to its end would only fill the
// quarantine. What is known is not counted, so a list with many records that will never fit is read
// further by each run, and whole in the end.
func (r Refusals) Flood(rules Rules) bool {
	return r.Refused > fewRejected && rules.TooManyRejected(r.Refused, r.Received)
}

// Withhold turns the end of a run of which too much was refused into a provisional one, and says
// whether it did: rows stay, and neither the watermark nor anything that the run did not see is
// concluded from it (invariants 1 and 7). Was is the position before the batch. Single records move
// no watermark.
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
		again = AgainWithheld // from the same bound; whole lists are asked for with longer and longer pauses
	}
	batch.End = &End{Outcome: OutcomeProvisional, Note: note, Again: again}
	batch.Position = Position{Watermark: was.Watermark, ScannedUntil: was.ScannedUntil}
	return true
}
