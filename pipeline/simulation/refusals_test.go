package simulation_test

import (
	"time"

	"sluice/pipeline"
)

// entry is a record in quarantine: one row of sluice.quarantine. The rules are those of the
// warehouse, which are SQL and are tested on a database. The simulation tests them together with
// everything else.
type entry struct {
	id, code string
	call     int64
	details  bool
	open     bool
	// opened, asked and seen are when the entry was opened, when its record was last read again,
	// and when it last arrived.
	opened, asked, seen time.Time
	// weighed says that a run counted the entry, and byList that one of the list itself did; by is that
	// one. run is the last run that received its record.
	weighed, byList bool
	by, run         int64
}

// counted reports whether the entry no longer counts in a run of the stream.
func (e *entry) counted(of *stream) bool {
	if of.Work == pipeline.WorkList {
		return e.byList
	}
	return e.weighed
}

// spoilt returns a record on the wire during a lasting fault: with a value that does not fit, or
// with the same identifier as all others.
func (t *thing) spoilt(f fault, v *edition, whole bool) []byte {
	bad, of := *v, *t
	if f == faultGarbage {
		bad.poison = true
	} else {
		of.id = "000"
	}
	return of.encode(&bad, whole)
}

// asks reports whether it is time to read records in quarantine again.
func (t *table) asks(now time.Time) bool {
	for _, e := range t.entries {
		if e.open && !e.details && (e.asked.IsZero() || !now.Before(e.asked.Add(max(time.Hour, e.asked.Sub(e.opened))))) {
			return true
		}
	}
	return false
}

// release closes the entries of records that the batch brings. A list record without lines closes
// no entry of a single record.
func (s *store) release(of *stream, batch pipeline.Batch) {
	if len(of.table.entries) == 0 {
		return
	}
	for i := range batch.Records {
		record := &batch.Records[i]
		for _, e := range of.table.entries {
			if e.open && e.id == record.ID && e.call <= batch.Call && (record.Carries[1] || !e.details) {
				e.open = false
				s.seen["released"]++
			}
		}
	}
}

// refuse stores the rejected records, and counts those that no run has counted before.
func (s *store) refuse(of *stream, batch pipeline.Batch) {
	of.met.Received += int64(batch.Received)
	now := s.clock(of)
	for _, reject := range batch.Rejected {
		e := of.table.entries[string(reject.Raw)]
		if e == nil || !e.open {
			like := of.table.like(reject)
			e = &entry{id: reject.ID, code: reject.Code, opened: now, open: true}
			if like != nil {
				e.opened, e.asked, e.weighed, e.byList = like.opened, like.asked, like.weighed, like.byList
			}
			of.table.entries[string(reject.Raw)] = e
		}
		e.call, e.run, e.seen, e.details, e.code = batch.Call, of.run, now, batch.Details, reject.Code
		if e.counted(of) {
			s.seen["refused, and known"]++
			continue
		}
		of.met.Refused++
		if reject.Code == pipeline.CodeClash {
			of.met.Clashed++
		}
	}
}

// like returns the oldest open entry of the same record for the same reason; nil if there is none.
func (t *table) like(reject pipeline.RejectedRecord) *entry {
	var oldest *entry
	for _, e := range t.entries {
		if e.open && e.id != "" && e.id == reject.ID && e.code == reject.Code && (oldest == nil || e.opened.Before(oldest.opened) ||
			e.opened.Equal(oldest.opened) && e.weighed && !oldest.weighed) {
			oldest = e
		}
	}
	return oldest
}

// judge makes the end of a run provisional if too many of its records were rejected, and updates
// the entries.
func (s *store) judge(of *stream, batch *pipeline.Batch) {
	if batch.End == nil {
		return
	}
	if of.met.Withhold(batch, of.position, s.rules) {
		s.seen["withheld"]++
	}
	now := s.clock(of)
	for _, e := range of.table.entries {
		if !e.open {
			continue
		}
		if e.run == of.run && !e.counted(of) {
			e.weighed, e.byList, e.by = true, of.Work == pipeline.WorkList, of.run
		}
		if e.details {
			continue
		}
		if batch.End.Entire && of.met.Received > 0 && e.seen.Before(of.begun) {
			e.open = false
			s.seen["not upstream any more"]++
		}
		if of.whole && e.opened.Before(of.begun) {
			e.asked = now
			s.seen["asked for again"]++
		}
	}
}

// overQuarantine reports whether too many of the run's rejected records are new, or whether one of
// them clashes (invariant 1). A watermark must not move then. Records that an earlier run counted
// are read again.
func (of *stream) overQuarantine(rules pipeline.Rules) bool {
	fresh := int64(0)
	for _, e := range of.table.entries {
		if e.open && e.by == of.run {
			if fresh++; e.code == pipeline.CodeClash {
				return true
			}
		}
	}
	return float64(fresh) > rules.MaxRejected*float64(of.met.Received)
}

// unmended returns how long the oldest entry has been open that a healthy upstream would close;
// zero if there is none.
func (w *world) unmended() time.Duration {
	of := w.streams[0]
	longest := time.Duration(0)
	for _, t := range of.upstream.things {
		v := t.last()
		if v.gone || v.poison {
			continue
		}
		for _, e := range of.table.entries {
			if e.open && e.id == t.id {
				longest = max(longest, w.store.clock(of).Sub(e.opened))
			}
		}
	}
	return longest
}
