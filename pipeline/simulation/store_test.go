package simulation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/run/passes"
	"sluice/pipeline/warehouse/loader/version"
	"sluice/schema/normalize"
)

// row is what the store holds of a record.
type row struct {
	value, stamps string
	modified      time.Time
	changed       time.Time
	call          int64
	// list and single are the hashes of what each form brought last.
	list, single [16]byte
	// pending says that the row waits for its single record, failed since when it
	// rests because that was not to be had.
	pending bool
	failed  time.Time
}

// table is one resource's rows and what did not fit.
type table struct {
	rows    map[string]*row
	rejects map[string]bool
	// known is what answers showed of the list, late how late records came in it, read when
	// its last clean run began.
	known pipeline.Capabilities
	late  pipeline.Lateness
	// deaf lists keep their lag: one that grows reads again what a bug had missed.
	deaf bool
	read time.Time
}

// stream is one row of the table of streams.
type stream struct {
	pipeline.Stream

	table    *table
	upstream *upstream
	fence    int64
	run      int64
	position pipeline.Position
	// due says that a ticket waits, wanted that somebody asked while one was worked.
	due, held, wanted bool
	// attempt counts how often the ticket was handed out.
	attempt int
	ends    []pipeline.End
}

// store is the warehouse: rows, positions and fences. What it does in one step is
// what the real one does in one transaction.
type store struct {
	rules pipeline.Rules
	runs  int64
	// violation is the first promise that was seen broken.
	violation error
	seen      map[string]int
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

// claim gives a worker the stream and takes it from whoever had it.
func (s *store) claim(of *stream) pipeline.Claim {
	of.fence++
	if of.run == 0 {
		s.runs++
		of.run = s.runs
		of.position.Scan = nil
		if of.Work == pipeline.WorkBackfill {
			of.position.Scan = passes.Backfill(of.Stream, nil, time.Time{}, s.rules)
		}
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
		Stream: of.Stream, Fence: of.fence, Run: of.run, Position: copied(of.position), Capabilities: known, Late: late,
	}
}

// copied sends a position through JSON, as the table that holds it does.
func copied(p pipeline.Position) pipeline.Position {
	if p.Scan == nil {
		return p
	}
	raw, err := json.Marshal(p.Scan)
	if err != nil {
		panic(err)
	}
	out := pipeline.Position{Mark: p.Mark, Read: p.Read, Scan: new(pipeline.Scan)}
	if err := json.Unmarshal(raw, out.Scan); err != nil {
		panic(err)
	}
	return out
}

// load writes a unit.
func (s *store) load(of *stream, unit pipeline.Unit) error {
	if of.fence != unit.Claim.Fence || of.run != unit.Claim.Run {
		s.seen["zombie refused"]++
		return fmt.Errorf("%s: %w", of, pipeline.ErrLostClaim)
	}
	if got := len(unit.Records) + len(unit.Rejects) + unit.Duplicates; unit.Received != got && unit.Call != 0 {
		s.brokenf("%s: %d records received, %d accounted for", of, unit.Received, got)
	}
	for i := range unit.Records {
		s.apply(of, unit, &unit.Records[i])
	}
	for i := range unit.Rejects {
		of.table.rejects[string(unit.Rejects[i].Raw)] = true
		if unit.Details {
			of.rest(unit.Rejects[i].ID)
		}
	}
	for _, id := range unit.Missing {
		of.rest(id)
	}
	for _, v := range unit.Observed {
		v.SeenAt = of.upstream.now
		of.table.known[v.Capability] = v
		s.seen[fmt.Sprintf("observed %s %s", v.Capability, v.Answer)]++
	}
	s.advance(of, unit)
	return nil
}

// apply is the rule about versions: what is older by its own word, or as old and
// asked for earlier, changes nothing.
func (s *store) apply(of *stream, unit pipeline.Unit, record *normalize.Record) {
	have, known := of.table.rows[record.ID]
	before := time.Time{}
	if known {
		before = have.modified
	}
	defer func() {
		if unit.Listed && of.Resource.Swept() && have.call == unit.Call && have.modified.After(before) {
			of.table.late.See(have.modified, of.table.read)
		}
	}()
	if !known {
		have = &row{}
		of.table.rows[record.ID] = have
	}
	last := &have.list
	if unit.Details {
		last = &have.single
	}
	if known && *last == record.Hash {
		s.seen["unchanged"]++
		if unit.Details {
			have.pending, have.failed = false, time.Time{}
		}
		return
	}
	if known && s.older(of, unit, record, have) {
		s.seen["superseded"]++
		return
	}
	have.single = [16]byte{} // a row that the list changed is not what the single record made of it
	*last, have.changed = record.Hash, of.upstream.now
	have.value, have.modified, have.call = record.Tables[0][0].Values[1].Text, record.Modified, unit.Call
	have.pending, have.failed = false, time.Time{}
	if record.Carries[1] {
		have.stamps = stamps(record.Tables[1])
	} else {
		have.pending = true
	}
}

// older asks the rule of the warehouse.
func (s *store) older(of *stream, unit pipeline.Unit, record *normalize.Record, have *row) bool {
	verdict := version.Judge(
		version.Record{Modified: record.Modified, Call: unit.Call, Asked: of.upstream.asked[unit.Call]},
		version.Row{Modified: have.modified, Call: have.call, Changed: have.changed},
	)
	if verdict == version.Rollback {
		s.seen["rollback"]++
	}
	return verdict == version.Superseded || verdict == version.Rollback && unit.Details
}

func stamps(lines []normalize.Row) string {
	out := ""
	for _, line := range lines {
		out += line.Values[1].Text + " "
	}
	return out
}

// advance moves the position, and holds a mark that moves against promise 1.
func (s *store) advance(of *stream, unit pipeline.Unit) {
	before := of.position
	of.position = copied(unit.Position)
	if of.Work == pipeline.WorkList {
		of.table.read = of.position.Read
	}
	if of.position.Mark.Before(before.Mark) {
		s.brokenf("%s: the mark moved back from %v to %v", of, before.Mark, of.position.Mark)
	}
	if of.position.Mark.After(before.Mark) {
		s.seen["mark moved"]++
		s.passed(of)
		if of.table.late.Records > 0 {
			s.seen["with late records"]++
		}
	}
	if unit.End != nil {
		s.seen["ended "+string(unit.End.Outcome)]++
		if unit.End.Note != "" {
			s.seen["noted"]++
		}
		of.run, of.position.Scan = 0, nil
		of.ends = append(of.ends, *unit.End)
	}
}

// passed looks for records that the mark passed and that are not loaded (promise 1).
func (s *store) passed(of *stream) {
	started := of.position.Mark.Add(lag)
	for _, t := range of.upstream.things {
		v := t.last()
		if v.gone || v.quiet || v.visible.After(started) || v.modified.After(of.position.Mark) {
			continue
		}
		have := of.table.rows[t.id]
		if have != nil && !have.modified.Before(v.modified) || of.rejected(t, v) {
			continue
		}
		s.brokenf("%s: the mark %v passed %s, written %v and not loaded", of, of.position.Mark.Format(time.TimeOnly), t.id,
			v.modified.Format(time.TimeOnly))
	}
}

// rejected says that this very version is in quarantine.
func (of *stream) rejected(t *thing, v *edition) bool {
	return v.poison && (of.table.rejects[string(t.wire(v, true))] || of.table.rejects[string(t.wire(v, false))])
}

// rest lets a row whose single record was not to be had wait for a day.
func (of *stream) rest(id string) {
	if have := of.table.rows[id]; have != nil {
		have.pending, have.failed = false, of.upstream.now
	}
}

// pending gives rows that wait for their single record.
func (of *stream) pending() []string {
	var ids []string
	for id, have := range of.table.rows {
		if have.pending || !have.failed.IsZero() && of.upstream.now.Sub(have.failed) >= 24*time.Hour {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids
}
