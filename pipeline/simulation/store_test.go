package simulation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
	"sluice/pipeline/warehouse/rows/version"
	"sluice/schema/record"
)

// row is what the store holds of a record.
type row struct {
	value, stamps string
	// created is when the record was created.
	created, modified time.Time
	// first and changed are when the row was first and last written; deleted is the instant of its
	// tombstone.
	first, changed, deleted time.Time
	call                    int64
	// list and single are the content hashes of the last list record and the last single record.
	list, single [16]byte
	// pending says that the row needs its single record. failed is when reading that failed, after
	// which the row pauses. answered says that a single record has arrived.
	pending, answered bool
	failed            time.Time
	// tried is when a single record arrived that was older than the row.
	tried time.Time
}

// table is one resource's rows, its quarantine, and the evidence against its rows.
type table struct {
	rows map[string]*row
	// entries are the entries of the quarantine, by their bytes; swept says that sweeps read them
	// again.
	entries  map[string]*entry
	swept    bool
	evidence map[string]*evidence
	// sweep is the stream of sweeps, nil if there is none; most is how many rows a look may miss.
	sweep *stream
	most  int
	// known are the verdicts on the list, late is the lateness of its records, read is when its
	// last clean run began.
	known pipeline.Capabilities
	late  pipeline.Lateness
	// deaf says that the list keeps its lag: a growing lag would read again what a bug had missed.
	deaf bool
	read time.Time
	// hints are what upstream told of; nil where it tells nothing.
	hints *hints
}

// stream is one row of the table of streams.
type stream struct {
	pipeline.Stream

	table    *table
	upstream *upstream
	fence    int64
	run      int64
	scan     reading
	met      pipeline.Refusals
	begun    time.Time
	whole    bool
	position pipeline.Position
	// due says that the stream has a job in the queue, which may be worked from until on. held says
	// that a worker works it. wanted says that a run was requested meanwhile.
	due, held, wanted bool
	until             time.Time
	// attempt counts how often the job was given to a worker.
	attempt int
	ends    int
	// asked counts the runs that hints requested, serves is what it was when the run began. Calls
	// and wrote count the calls and the written records of the run. Stopped says that the last run
	// ended before it was done, denied that upstream refuses the stream.
	asked, serves, calls, wrote int
	stopped, denied             bool
	// hidden are records that two equal passes with pages of one size did not show.
	hidden map[string]bool
}

// store is the warehouse: rows, positions and fences. Each of its steps stands for one transaction
// of the real one.
type store struct {
	rules   pipeline.Rules
	absence pipeline.TombstoneRules
	// skew is how far the database's clock is ahead of upstream's.
	skew time.Duration
	runs int64
	// violation is the first broken invariant that was found.
	violation error
	seen      map[string]int
	// forgets is the identifier whose records the store loses; "" for none.
	forgets string
	// mistake is the mistake about hints that the store makes; "" for none.
	mistake string
}

var (
	errDatabase  = errors.New("the database went away")
	errAmbiguous = errors.New("the connection broke while the transaction was committed")
)

func (s *store) brokenf(format string, args ...any) {
	if s.violation == nil {
		s.violation = fmt.Errorf(format, args...)
	}
}

// clock returns the time by the database's clock.
func (s *store) clock(of *stream) time.Time { return of.upstream.now.Add(s.skew) }

// claim gives a worker the stream and takes it from the worker that had it.
func (s *store) claim(of *stream, bound time.Time) pipeline.Claim {
	of.fence++
	if of.run == 0 {
		s.runs++
		of.run = s.runs
		of.scan = reading{began: s.clock(of), ids: map[string]bool{}}
		of.met, of.begun = pipeline.Refusals{}, s.clock(of)
		of.position.Scan = nil
		if of.Work == pipeline.WorkBackfill {
			of.position.Scan = scan.Backfill(of.Stream, nil, bound, s.rules)
		}
		if h := of.table.hints; h != nil {
			h.began(of)
		}
	}
	again := of.position.Scan == nil && of.Work == pipeline.WorkList && of.Resource.Swept() && !of.table.swept && of.table.asks(s.clock(of))
	if of.position.Scan == nil {
		of.whole = of.Work == pipeline.WorkSweep || of.Work == pipeline.WorkList && (!of.Resource.Swept() || again)
	}
	known := make(pipeline.Capabilities)
	for c, v := range of.table.known {
		v.Age = of.upstream.now.Sub(v.SeenAt)
		known[c] = v
	}
	late := of.table.late.Most
	if of.table.deaf {
		late = 0
	}
	return pipeline.Claim{
		Stream: of.Stream, Fence: of.fence, Run: of.run, Position: copied(of.position), Capabilities: known, Late: late, Suspected: of.table.missed(),
		Reread: again,
	}
}

// copied converts a scan to JSON and back, as the table of streams does.
func copied(p pipeline.Position) pipeline.Position {
	if p.Scan == nil {
		return p
	}
	raw, err := json.Marshal(p.Scan)
	if err != nil {
		panic(err)
	}
	out := pipeline.Position{Watermark: p.Watermark, ScannedUntil: p.ScannedUntil, Scan: new(pipeline.Scan)}
	if err := json.Unmarshal(raw, out.Scan); err != nil {
		panic(err)
	}
	return out
}

// load writes a batch.
func (s *store) load(of *stream, batch pipeline.Batch) error {
	if of.fence != batch.Claim.Fence || of.run != batch.Claim.Run {
		s.seen["zombie refused"]++
		return fmt.Errorf("%s: %w", of, pipeline.ErrLostClaim)
	}
	if got := len(batch.Records) + len(batch.Rejected) + batch.Duplicates; batch.Received != got && batch.Call != 0 {
		s.brokenf("%s: %d records received, %d accounted for", of, batch.Received, got)
	}
	for i := range batch.Records {
		if s.forgets == "" || batch.Records[i].ID != s.forgets {
			s.apply(of, batch, &batch.Records[i])
		}
	}
	s.release(of, batch)
	s.refuse(of, batch)
	s.judge(of, &batch)
	if of.Work == pipeline.WorkHinted {
		s.settle(of, batch)
		s.apart(of, batch)
	} else {
		s.failDetails(of, batch)
	}
	of.sight(batch)
	s.weigh(of, batch)
	if batch.End != nil && batch.End.Whole != nil {
		s.conclude(of, batch.End.Whole, batch.End.Proof)
	}
	if of.Work == pipeline.WorkLook {
		s.looked(of, batch)
	}
	for _, v := range batch.Observed {
		v.SeenAt = of.upstream.now
		of.table.known[v.Capability] = v
		s.seen[fmt.Sprintf("observed %s %s", v.Capability, v.Answer)]++
	}
	s.advance(of, batch)
	return nil
}

// apply loads a record. A record changes nothing if its modification time is older than the row's,
// or the same and its call earlier.
func (s *store) apply(of *stream, batch pipeline.Batch, record *record.Record) {
	have, known := of.table.rows[record.ID]
	before := time.Time{}
	if known {
		before = have.modified
	}
	defer func() {
		if batch.Listed && of.Resource.Swept() && have.call == batch.Call && have.modified.After(before) {
			of.table.late.See(have.modified, of.table.read)
		}
	}()
	if !known {
		have = &row{first: s.clock(of)}
		of.table.rows[record.ID] = have
	}
	last := &have.list
	if batch.Details {
		last = &have.single
		have.answered = true
	}
	if known && *last == record.Hash {
		s.seen["unchanged"]++
		if batch.Details {
			have.pending, have.failed = false, time.Time{}
		}
		return
	}
	if known && s.older(of, batch, record, have) {
		s.seen["superseded"]++
		if batch.Details {
			have.tried = s.clock(of)
			if !have.failed.IsZero() {
				have.failed = have.tried // one that had failed rests for another day
			}
		}
		return
	}
	of.wrote++
	have.single = [16]byte{} // a changed row no longer is what its single record made of it
	if batch.Details && !record.Modified.Equal(before) {
		have.list = [16]byte{} // and if the single record has another version, it is not what its list record made of it
	}
	*last, have.changed = record.Hash, s.clock(of)
	have.value, have.modified, have.call = record.Tables[0][0].Values[1].Text, record.Modified, batch.Call
	have.created, _ = time.Parse(canonicalTime, record.Tables[0][0].Values[2].Text) // every record has it
	have.pending, have.failed = false, time.Time{}
	if record.Carries[1] {
		have.stamps = stamps(record.Tables[1])
		s.whole(of, record.ID, have)
	} else {
		have.pending = true
	}
}

// whole checks that a record and its lines are of one version (invariant 2).
func (s *store) whole(of *stream, id string, have *row) {
	stamp := have.value + " "
	for rest := have.stamps; rest != ""; rest = rest[len(stamp):] {
		if len(rest) < len(stamp) || rest[:len(stamp)] != stamp {
			s.brokenf("%s: %s is version %s and holds lines [%s]", of, id, have.value, have.stamps)
			return
		}
	}
}

// older applies the rule of the warehouse and checks its verdict against invariant 5. A row may get
// an earlier modification time in two cases only: upstream was set back, which counts after ten
// minutes, or the row's time is more than a day in the future.
func (s *store) older(of *stream, batch pipeline.Batch, record *record.Record, have *row) bool {
	asked := of.upstream.asked[batch.Call]
	verdict := version.Judge(
		version.Record{Modified: record.Modified, Call: batch.Call, RequestedAt: asked},
		version.Row{Modified: have.modified, Call: have.call, Changed: have.changed},
	)
	if verdict == version.Rollback {
		s.seen["rollback"]++
	}
	older := verdict == version.Superseded || verdict == version.Rollback && batch.Details
	back := record.Modified.Before(have.modified) && have.modified.Sub(have.changed) < 24*time.Hour ||
		record.Modified.Equal(have.modified) && batch.Call < have.call
	if !older && back && asked.Before(have.changed.Add(10*time.Minute)) {
		s.brokenf("%s: %s went back from %v (call %d) to %v (call %d)", of, record.ID, have.modified, have.call, record.Modified, batch.Call)
	}
	return older
}

func stamps(lines []record.Row) string {
	out := ""
	for _, line := range lines {
		out += line.Values[1].Text + " "
	}
	return out
}

// advance moves the position and checks a moving watermark against invariant 1.
func (s *store) advance(of *stream, batch pipeline.Batch) {
	before := of.position
	of.position = batch.Position
	if of.Work == pipeline.WorkList {
		of.table.read = of.position.ScannedUntil
	}
	if of.position.Watermark.Before(before.Watermark) {
		s.brokenf("%s: the watermark moved back from %v to %v", of, before.Watermark, of.position.Watermark)
	}
	if of.position.Watermark.After(before.Watermark) {
		s.seen["watermark moved"]++
		s.passed(of, batch.End)
		if of.table.late.Records > 0 {
			s.seen["with late records"]++
		}
	}
	if before.Scan != nil && !before.Scan.Keyset.Tie.IsZero() && (batch.Position.Scan == nil || batch.Position.Scan.Keyset.Tie.IsZero()) {
		s.seen["tie walked"]++
	}
	if batch.End != nil {
		if batch.End.Note == "keyset paging: one pass" {
			s.seen[strings.TrimSpace("keyset "+string(of.Work))]++
		}
		s.seen["ended "+string(batch.End.Outcome)]++
		if batch.End.Proof != "" {
			s.seen["proof: "+string(batch.End.Proof)]++
		}
		if batch.End.Note != "" {
			s.seen["noted"]++
		}
		of.run, of.position.Scan = 0, nil
		of.ends++
		if of.table.hints != nil {
			s.ended(of, batch.End)
		}
	}
}

// passed checks that every record before the watermark is loaded (invariant 1). Two equal passes
// prove it where upstream heeds page sizes (docs/reading.md): with pages of one size, two deletions
// can hide one record from both. Such a record is for the next reading of the whole list.
func (s *store) passed(of *stream, end *pipeline.End) {
	if of.Work == pipeline.WorkBackfill || of.Work == pipeline.WorkDetails || of.Work == pipeline.WorkLook || of.Work == pipeline.WorkHinted {
		s.brokenf("%s: a run over a part of the list moved a watermark", of)
	}
	if of.overQuarantine(s.rules) {
		s.brokenf("%s: the watermark %v passed what was refused just now", of, of.position.Watermark.Format(time.TimeOnly))
	}
	started := of.position.Watermark.Add(lag)
	for _, t := range of.upstream.things {
		v := t.last()
		if v.gone || v.quiet || v.late() || v.visible.After(started) || v.modified.After(of.position.Watermark) {
			continue
		}
		have := of.table.rows[t.id]
		if have != nil && !have.modified.Before(v.modified) || of.rejected(t, v) {
			continue
		}
		if of.hidden[t.id] || end != nil && end.Proof == pipeline.ProofPasses && of.upstream.hides(started) {
			of.hidden[t.id] = true
			s.seen["hidden from two passes with pages of one size"]++
			continue
		}
		s.brokenf("%s: the watermark %v passed %s, written %v and not loaded", of, of.position.Watermark.Format(time.TimeOnly), t.id,
			v.modified.Format(time.TimeOnly))
	}
}

// hides reports whether two passes over a list, which began then, may have missed the same record:
// pages have one size, and a deletion during each pass pulled it over the same edge.
func (u *upstream) hides(began time.Time) bool {
	deletions := 0
	for _, t := range u.things {
		for i := range t.versions {
			if v := &t.versions[i]; v.gone && v.visible.After(began.Add(-lag)) { // caches show deletions late
				deletions++
			}
		}
	}
	return u.fixed && deletions > 1
}

// rejected reports whether this version is in quarantine, and so will be read again.
func (of *stream) rejected(t *thing, v *edition) bool {
	for _, whole := range []bool{true, false} {
		for _, raw := range [][]byte{t.wire(v, whole), t.spoilt(faultGarbage, v, whole), t.spoilt(faultOneID, v, whole)} {
			if e := of.table.entries[string(raw)]; e != nil && e.open {
				return true
			}
		}
	}
	return false
}
