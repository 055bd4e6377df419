package simulation_test

import (
	"slices"
	"time"

	"sluice/pipeline"
)

// evidence is the evidence that a record is gone: one row of sluice.tombstones. The rules are those
// of package tombstones, which are SQL and are tested on a database. The simulation tests them
// together with everything else.
type evidence struct {
	state    string
	shrunken bool
	// looked says that a look missed the record, and no scan of the whole list before it. word says
	// that upstream's word is the proof.
	looked, word bool
	// missed is the scan that first did not see the record, proof the scan or call that confirmed
	// it.
	missed, proof sight
	gone          time.Time
}

// sight is one scan, or one call for a single record. first and last are its calls, clock is
// upstream's clock when it began, ended the database's clock when it ended. keyset says that the
// scan read on from modification times.
type sight struct {
	run, first, last int64
	clock, ended     time.Time
	keyset           bool
}

// The states of evidence.
const (
	stateMissed = "missed"
	stateHeld   = "held"
	stateGone   = "gone"
)

// reading is what a run over a whole list has seen so far.
type reading struct {
	// began is when the run began by the database's clock.
	began       time.Time
	ids         map[string]bool
	first, last int64
	sighted     int
}

// sight records what a batch of a scan of the whole list has seen.
func (of *stream) sight(batch pipeline.Batch) {
	if batch.Call == 0 || batch.Details || !of.ProvesAbsence() {
		return
	}
	s := &of.scan
	if s.first == 0 {
		s.first = batch.Call
	}
	s.last = max(s.last, batch.Call)
	for i := range batch.Records {
		s.ids[batch.Records[i].ID] = true
	}
	s.sighted += len(batch.Records)
	for i := range batch.Rejected {
		if id := batch.Rejected[i].ID; id != "" {
			s.ids[id] = true
			s.sighted++
		}
	}
}

// weigh updates the evidence by a batch: it takes back evidence against records that the batch has,
// and confirms evidence against those that upstream does not know.
func (s *store) weigh(of *stream, batch pipeline.Batch) {
	if batch.Call == 0 {
		return
	}
	for i := range batch.Records {
		s.revive(of, batch.Records[i].ID, batch.Call)
	}
	for i := range batch.Rejected {
		s.revive(of, batch.Rejected[i].ID, batch.Call)
	}
	for _, id := range batch.Missing {
		e := of.table.evidence[id]
		if e == nil || !batch.Unknown || e.state != stateMissed || e.shrunken || batch.Call <= e.missed.last || !of.table.answered() {
			continue
		}
		asked := of.upstream.asked[batch.Call]
		e.word = true
		e.proof = sight{run: batch.Claim.Run, first: batch.Call, last: batch.Call, clock: asked, ended: s.clock(of)}
		s.bury(of, id, asked, asked)
		s.seen["gone by upstream's word"]++
		if e.looked {
			s.seen["gone by a look and upstream's word"]++
		}
		if of.upstream.batched {
			s.seen["gone by the word of a batch"]++
		}
		if of.Work == pipeline.WorkHinted {
			s.seen["gone by a scan and a hint"]++
		}
	}
}

// revive takes back the evidence against a record, if its call is later than those of the evidence.
func (s *store) revive(of *stream, id string, call int64) {
	e := of.table.evidence[id]
	switch {
	case e == nil:
	case e.state == stateGone && call > e.proof.first:
		of.table.rows[id].deleted, of.table.rows[id].changed = time.Time{}, s.clock(of)
		delete(of.table.evidence, id)
		s.seen["revived"]++
	case e.state != stateGone && call > e.missed.first:
		delete(of.table.evidence, id)
	}
}

// conclude updates the evidence at the end of a clean scan of the whole list, for the rows that it
// did not see.
func (s *store) conclude(of *stream, whole *pipeline.Whole, proof pipeline.Proof) {
	now := sight{
		run: of.run, first: of.scan.first, last: of.scan.last, clock: whole.Started, ended: s.clock(of), keyset: proof == pipeline.ProofKeyset,
	}
	absent, live := of.absent(whole)
	if len(absent) == 0 {
		return
	}
	limit := max(s.absence.MaxRows, int(s.absence.MaxShare*float64(live)))
	shrunken := of.scan.sighted == 0 || len(absent) > limit
	for _, id := range absent {
		e := of.table.evidence[id]
		confirmed := e != nil && s.confirms(of, e, now, shrunken)
		switch {
		case e == nil, !confirmed && e.state == stateMissed && (e.looked || e.shrunken && !shrunken):
			of.table.evidence[id] = &evidence{state: stateMissed, shrunken: shrunken, missed: now}
			s.seen["missed"]++
			if !shrunken {
				s.ask(of, id)
			}
		case !confirmed:
		case shrunken:
			e.state, e.shrunken, e.proof, e.gone = stateHeld, true, now, whole.Started
			s.seen["held"]++
		default:
			e.proof = now
			s.bury(of, id, whole.Started, of.scan.began)
			if e.looked {
				s.seen["gone by a look and a scan"]++
			} else {
				s.seen["gone by two scans"]++
			}
		}
	}
}

// confirms reports whether a scan confirms an earlier one, or a look.
func (s *store) confirms(of *stream, e *evidence, now sight, shrunken bool) bool {
	apart := s.absence.Apart
	return e.state == stateMissed && e.missed.run != now.run && (!e.shrunken || shrunken) &&
		!of.scan.began.Before(e.missed.ended.Add(apart)) && !now.clock.Before(e.missed.clock.Add(apart))
}

// absent returns the live rows that existed unchanged since before the scan and that it did not
// see, and the number of all live rows.
func (of *stream) absent(whole *pipeline.Whole) ([]string, int) {
	var ids []string
	live := 0
	for id, have := range of.table.rows {
		if !have.deleted.IsZero() {
			continue
		}
		live++
		e := of.table.evidence[id]
		if have.first.Before(of.scan.began) && have.first.Before(whole.Started) && have.changed.Before(of.scan.began) &&
			!of.scan.ids[id] && (e == nil || e.state != stateHeld) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, live
}

// ask sets a missed row to pending, if single records were ever answered.
func (*store) ask(of *stream, id string) {
	if of.upstream.headers && of.table.answered() {
		of.table.rows[id].pending, of.table.rows[id].failed, of.table.rows[id].tried = true, time.Time{}, time.Time{}
	}
}

// answered reports whether any single record has arrived so far.
func (t *table) answered() bool {
	for _, have := range t.rows {
		if have.answered {
			return true
		}
	}
	return false
}

// control returns the row whose list record was loaded last, of those that have their single record
// and that no scan missed, if one of ids was missed.
func (t *table) control(ids []string) string {
	missed := func(id string) bool {
		e := t.evidence[id]
		return e != nil && e.state == stateMissed && !e.shrunken
	}
	if !slices.ContainsFunc(ids, missed) {
		return ""
	}
	control, call := "", int64(-1)
	for id, have := range t.rows {
		current := have.answered && !have.pending && have.failed.IsZero() && have.deleted.IsZero()
		if current && t.evidence[id] == nil && !slices.Contains(ids, id) && (have.call > call || have.call == call && id < control) {
			control, call = id, have.call
		}
	}
	return control
}

// bury puts a tombstone on a row. If the row was written after the proof began, its record is
// alive, and bury deletes the evidence instead. It checks invariant 7: readers could not see the
// record at some instant of each scan and of a look, or when its single record was requested. A
// scan by keyset can miss a record that moves meanwhile: its modification time is set back, or an
// answer out of a cache shows it where it was. The second evidence decides about that, which never
// comes from a scan by keyset.
func (s *store) bury(of *stream, id string, gone, began time.Time) {
	have, e := of.table.rows[id], of.table.evidence[id]
	if !have.changed.Before(began) {
		delete(of.table.evidence, id)
		return
	}
	e.state, have.deleted, have.changed = stateGone, gone, s.clock(of)
	for _, one := range []sight{e.missed, e.proof} {
		if one == e.missed && one.keyset && of.upstream.moved(id, one, s.skew) {
			s.seen["missed because it moved"]++
			continue
		}
		if of.upstream.sees(id, one, s.skew) {
			s.brokenf("%s: %s has a tombstone, and was to be seen all through run %d", of, id, one.run)
		}
	}
}

// sees reports whether a record could be read all through a scan, allowing for answers from a
// cache.
func (u *upstream) sees(id string, during sight, skew time.Duration) bool {
	from := u.asked[during.first].Add(-skew - lag/2)
	for _, t := range u.things {
		if t.id == id {
			return !t.hidden(from, during.ended.Add(-skew))
		}
	}
	return false
}

// moved reports whether a record got another modification time during a scan, or shortly before.
func (u *upstream) moved(id string, during sight, skew time.Duration) bool {
	from, to := u.asked[during.first].Add(-skew-lag/2), during.ended.Add(-skew)
	at := slices.IndexFunc(u.things, func(t *thing) bool { return t.id == id })
	if at < 0 {
		return false
	}
	versions := u.things[at].versions
	for i := 1; i < len(versions); i++ {
		v := &versions[i]
		if !v.modified.Equal(versions[i-1].modified) && v.visible.After(from) && !v.visible.After(to) {
			return true
		}
	}
	return false
}

// missed reports whether rows need the decision of a next scan.
func (t *table) missed() bool {
	for _, e := range t.evidence {
		if e.state == stateMissed {
			return true
		}
	}
	return false
}

// review plays the operator, who looks upstream and decides about the rows under review.
func (w *world) review() {
	of := w.streams[0]
	for _, t := range of.upstream.things {
		e := of.table.evidence[t.id]
		switch {
		case e == nil || e.state != stateHeld:
		case t.at(of.upstream.now) != nil:
			delete(of.table.evidence, t.id)
			w.store.seen["rejected by a person"]++
		default:
			w.store.bury(of, t.id, e.gone, e.proof.ended)
			w.store.seen["accepted by a person"]++
		}
	}
}
