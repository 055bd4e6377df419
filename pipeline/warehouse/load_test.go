package warehouse_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/schema/record"
)

func TestAUnitIsOneTransaction(t *testing.T) {
	h := open(t)
	claim := h.claim()
	h.load(h.unit(claim, h.record(1, "one")))
	before := h.dump()

	batch := h.unit(claim, h.record(1, "changed"), h.record(2, "two", `,"surprise":1`))
	batch.Rejected = []pipeline.RejectedRecord{{Raw: []byte(`{"thing_id":3}`), ID: "3", Code: "wrong_type"}}
	batch.Position = pipeline.Position{Watermark: time.Now()}
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	var seen int
	batch.Complete = func(ctx context.Context, tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM shop.things`).Scan(&seen); err != nil {
			return err
		}
		return errBoom
	}
	check.FailsWith(t, check.Failure(h.db.Load(t.Context(), batch)), errBoom)
	check.ErrorIf(t, seen != 2, "Complete saw %d rows: it has to be last", seen)
	check.Same(t, "a unit that failed left traces", before, h.dump())
	batch.Complete = nil
	check.Same(t, "loaded", pipeline.Loaded{Inserted: 1, Updated: 1}, h.load(batch))
}

func TestALostClaimWritesNothing(t *testing.T) {
	h := open(t)
	old := h.claim()
	h.load(h.unit(old, h.record(1, "one")))
	stale := h.unit(old, h.record(1, "stale"), h.record(2, "two"))
	stale.Complete = func(context.Context, pgx.Tx) error {
		t.Error("the job of a lost claim was settled")
		return nil
	}
	young := h.claim()
	check.ErrorIf(t, young.Run != old.Run || young.Fence <= old.Fence, "claims %+v and %+v: want the same run and a larger fence", old, young)
	before := h.dump()
	check.FailsWith(t, check.Failure(h.db.Load(t.Context(), stale)), pipeline.ErrLostClaim)
	settlement := pipeline.Settlement{State: pipeline.StateFailed, EndRun: true, Complete: stale.Complete}
	check.FailsWith(t, h.db.Settle(t.Context(), old, settlement), pipeline.ErrLostClaim)
	check.Same(t, "a lost claim left traces", before, h.dump())

	end := h.unit(young)
	end.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	h.load(end)
	check.FailsWith(t, check.Failure(h.db.Load(t.Context(), h.unit(young, h.record(3, "late")))), pipeline.ErrLostClaim)
}

// TestAClaimEndsWithItsTimeline: after a promotion or a restore the database may have forgotten
// what was loaded under a claim, and still has the claim itself. What would follow is refused.
func TestAClaimEndsWithItsTimeline(t *testing.T) {
	h := open(t)
	claim := h.claim()
	check.FatalIf(t, claim.Timeline == "", "the claim has no timeline")
	claim.Timeline += "before"
	before := h.dump()
	check.FailsWith(t, check.Failure(h.db.Load(t.Context(), h.unit(claim, h.record(1, "one")))), pipeline.ErrLostClaim)
	check.FailsWith(t, h.db.Settle(t.Context(), claim, pipeline.Settlement{State: pipeline.StateFailed, EndRun: true}), pipeline.ErrLostClaim)
	check.Same(t, "a claim of another timeline left traces", before, h.dump())
}

func TestAClaimGoesOnWhereTheLastUnitStands(t *testing.T) {
	h := open(t)
	claim := h.claim()
	check.FatalIf(t, claim.Position.Scan != nil || !claim.Position.Watermark.IsZero(), "a new stream stands at %+v", claim.Position)
	start := time.Date(2026, 1, 17, 9, 57, 23, 0, time.UTC)
	position := pipeline.Position{Watermark: start, Scan: &pipeline.Scan{
		Mode: pipeline.ModeSince, Started: start, Bound: start.Add(-time.Hour), Page: 3, PerPage: 200, Pass: 2,
		Seen: 400, Digest: math.MaxUint64, LastSeen: 5, LastDigest: math.MaxUint64 - 1, Note: "shifting",
	}}
	batch := h.unit(claim)
	batch.Position = position
	h.load(batch)
	check.Same(t, "position", position, h.claim().Position)
	got := ask[time.Time](h, `SELECT bound FROM sluice.runs`)
	check.ErrorIf(t, !got.Equal(position.Scan.Bound), "the run's bound is %s", got)
}

func TestAMarkNeverMovesBack(t *testing.T) {
	h := open(t)
	late := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, watermark := range []time.Time{late, late.Add(-time.Hour), {}} {
		claim := h.claim()
		batch := h.unit(claim)
		batch.Position = pipeline.Position{Watermark: watermark}
		h.load(batch)
		got := h.claim().Position.Watermark
		check.ErrorIf(t, !got.Equal(late), "after %s the watermark is %s, want %s", watermark, got, late)
	}
}

func TestTheEndOfARun(t *testing.T) {
	h := open(t)
	claim := h.claim()
	batch := h.unit(claim, h.record(1, "one"), h.record(2, "two", `,"surprise":1`))
	batch.Received, batch.Duplicates = 5, 2
	_, err := h.db.Pool().Exec(t.Context(), `INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, weighed, weighed_by_list)
		VALUES ($1, 'shop', 'things', sha256('x'), 'x', 'bad_json', 'passed', true)`, organization) // known, so no news
	check.Must(h, err)
	batch.Rejected = []pipeline.RejectedRecord{{Raw: []byte(`x`), Code: "bad_json"}}
	batch.Position.Scan = &pipeline.Scan{Mode: pipeline.ModeSince, Page: 2}
	h.load(batch)
	h.call(claim.Run) // a call that brought nothing
	claim = h.claim()
	last := h.unit(claim, h.record(1, "one"))
	last.Position = pipeline.Position{Watermark: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	last.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Note: "two passes"}
	h.load(last)

	got := ask[string](h, `SELECT concat_ws('|', outcome, note, gen, watermark_before, watermark_after AT TIME ZONE 'UTC', chunks, calls, pages,
		received, inserted, updated, unchanged, superseded, duplicates, quarantined, drifted, ended_at IS NOT NULL) FROM sluice.runs`)
	check.Same(t, "run", "done|two passes|0|2026-03-01 00:00:00|2|3|2|6|2|0|1|0|2|1|1|t", got)
	got = ask[string](h, `SELECT concat_ws('|', state, run_id, scan, last_run_id = $1, last_done_at IS NOT NULL, failures, note,
		next_due_at BETWEEN now() + interval '59 minutes' AND now() + interval '1 hour') FROM sluice.streams`, claim.Run)
	check.Same(t, "stream", "idle|t|t|0|two passes|t", got)
	next := h.claim()
	check.ErrorIf(t, next.Run == claim.Run || !next.Position.Watermark.Equal(last.Position.Watermark) || next.Position.Scan != nil,
		"the next claim is %+v", next)
}

func TestSettle(t *testing.T) {
	h := open(t)
	claim := h.claim()
	until := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	batch := h.unit(claim, h.record(1, "one"))
	batch.Position.Scan = &pipeline.Scan{Page: 2}
	h.load(batch)
	check.Must(h, h.db.Settle(t.Context(), claim, pipeline.Settlement{
		State: pipeline.StateWaiting, Kind: pipeline.Exhausted, Reason: "the day\x00 is spent", Until: until,
	}))
	const row = `SELECT concat_ws('|', state, reason, wait_until AT TIME ZONE 'UTC', failures, run_id IS NOT NULL, scan IS NOT NULL,
		served_gen) FROM sluice.streams`
	check.Same(t, "stream", "waiting|the day\u2400 is spent|2026-03-02 00:00:00|0|t|t|0", ask[string](h, row))
	again := h.claim()
	check.ErrorIf(t, again.Run != claim.Run || again.Position.Scan == nil, "the claim after a wait is %+v, want the open run", again)
	check.Same(t, "stream", "running||0|t|t|0", ask[string](h, row))
	settled := false
	failed := pipeline.Settlement{
		State: pipeline.StateFailed, Kind: pipeline.Unexpected, Reason: "no envelope", EndRun: true,
		Complete: func(context.Context, pgx.Tx) error {
			settled = true
			return errBoom
		},
	}
	check.FailsWith(t, h.db.Settle(t.Context(), again, failed), errBoom)
	check.ErrorIf(t, !settled, "Complete was not called")
	failed.Complete = nil
	check.Must(h, h.db.Settle(t.Context(), again, failed))
	check.Same(t, "stream", "failed|no envelope|1|f|f|0", ask[string](h, row))
	check.Same(t, "run",
		"failed|unexpected|no envelope|1", ask[string](h, `SELECT concat_ws('|', outcome, kind, note, calls) FROM sluice.runs`))
}

func TestWhatDoesNotFitIsKeptWhole(t *testing.T) {
	h := open(t)
	claim := h.claim()
	raw := []byte("{\"thing_id\":\"3\",\"name\":\"\x00\xff\"}")
	reject := pipeline.RejectedRecord{Raw: raw, ID: "3", Code: "wrong_type", Path: "na\x00me", Detail: "\xffno text"}
	batch := h.unit(claim, h.record(1, "one"), h.record(2, "poison"))
	batch.Rejected = []pipeline.RejectedRecord{reject, reject, {Raw: nil, Code: "bad_json"}}
	loaded := h.load(batch)
	check.Same(t, "loaded", pipeline.Loaded{Inserted: 1, Rejected: 1}, loaded)
	const entries = `SELECT coalesce(string_agg(concat_ws('|', record_id, code, path, detail, seen, state, call_id = $1, run_id = $2), ';'
		ORDER BY id), '') FROM sluice.quarantine WHERE code <> '23514'`
	check.Same(t, "quarantine", "3|wrong_type|na\u2400me|\uFFFDno text|2|open|t|t;|bad_json|||1|open|t|t", ask[string](h, entries, batch.Call, claim.Run))
	got := ask[[]byte](h, `SELECT raw FROM sluice.quarantine WHERE record_id = '3'`)
	check.ErrorIf(t, string(got) != string(raw), "the bytes are %q, want %q", got, raw)
	refused := ask[[]byte](h, `SELECT raw FROM sluice.quarantine WHERE code = '23514' AND record_id = '2'`)
	check.ErrorIf(t, string(refused) != string(batch.Records[1].Raw), "the bytes of the refused record are %q", refused)

	// An older call proves nothing about the record; a later one that brings it closes the entry.
	late, early := h.unit(claim, h.record(2, "fine")), h.unit(claim, h.record(2, "fine"))
	early.Call = batch.Call - 1
	h.load(early)
	state := func() string { return ask[string](h, `SELECT state FROM sluice.quarantine WHERE record_id = '2'`) }
	check.Same(t, "after an older call it", "open", state())
	h.load(late)
	check.Same(t, "after a later call it", "retried", state())
	back := h.unit(claim, h.record(2, "poison"))
	h.load(back)
	check.Same(t, "when it comes back unfit it", "open", state())
	id := ask[int64](h, `SELECT id FROM sluice.quarantine WHERE record_id = '2'`)
	check.Must(h, h.db.Resolve(t.Context(), id, "not wanted"))
	h.load(h.unit(claim, h.record(2, "poison")))
	const decided = `SELECT concat_ws('|', state, note, seen) FROM sluice.quarantine WHERE id = $1`
	check.Same(t, "what a person decided", "resolved|not wanted|3", ask[string](h, decided, id))
}

// TestALargeMisfitIsKeptWhole: it is stored in pieces, which its entry does not show, and nothing
// is added when it comes again.
func TestALargeMisfitIsKeptWhole(t *testing.T) {
	h := open(t)
	raw := bytes.Repeat([]byte("0123456789abcde\x00"), 1_150_001) // 17.5 MiB: two whole pieces and a rest
	batch := h.unit(h.claim())
	batch.Rejected = []pipeline.RejectedRecord{{Raw: raw, ID: "3", Code: "too_large"}, {Raw: raw, ID: "3", Code: "too_large"}}
	h.load(batch)
	h.load(batch)
	const entry = `SELECT concat_ws('|', octet_length(raw), encode(sha256(raw), 'hex'), encode(record_hash, 'hex'), seen) FROM sluice.quarantine`
	hash := fmt.Sprintf("%x", sha256.Sum256(raw))
	check.Same(t, "the entry", fmt.Sprintf("%d|%s|%s|4", len(raw), hash, hash), ask[string](h, entry))
}

func TestDriftIsCountedAndBounded(t *testing.T) {
	h := open(t)
	claim := h.claim()
	batch := h.unit(claim, h.record(1, "one", `,"b":1,"a":null`), h.record(2, "two", `,"b":2`), h.record(3, "three"))
	h.load(batch)
	const drift = `SELECT string_agg(concat_ws('|', path, kind, seen), ' ' ORDER BY path, kind) FROM sluice.drift`
	check.Same(t, "drift", "a|null|1 b|number|2", ask[string](h, drift))
	many := h.record(4, "four")
	for i := range 1500 {
		many.Drift = append(many.Drift, record.Drift{Path: "k" + string(rune(0x4e00+i)), Kind: "string"})
	}
	h.load(h.unit(claim, many))
	h.load(h.unit(claim, many))
	check.Same(t, "rows of drift, want 1000 and the others", 1001, ask[int64](h, `SELECT count(*) FROM sluice.drift`))
	check.Same(t, "sightings", 3003, ask[int64](h, `SELECT sum(seen) FROM sluice.drift`))
}

// TestAnExportShowsThatItIsStillUnderWay: one call has many batches, each of which extends the
// lease of its slot. After its end was reported, no batch extends it.
func TestAnExportShowsThatItIsStillUnderWay(t *testing.T) {
	h := open(t)
	call := h.reserve(h.db, "shop", pipeline.Limits{Shared: "suite", Concurrent: 1}).Call
	const lease = `SELECT extract(epoch FROM lease_until)::float8 FROM sluice.calls WHERE id = $1`
	const slot = `SELECT extract(epoch FROM free_at - lease_until)::float8 FROM sluice.calls WHERE id = $1`
	claim := h.claim()
	batch := h.unit(claim, h.record(1, "one"))
	batch.Call, batch.Position.Scan = call, &pipeline.Scan{Mode: pipeline.ModeExport}
	before := ask[float64](h, lease, call)
	h.load(batch)
	after := ask[float64](h, lease, call)
	check.ErrorIf(t, after <= before, "the lease ends at %f after the unit, at %f before it: want later", after, before)
	held := ask[float64](h, slot, call)
	check.ErrorIf(t, held != 60, "the slot is held for %f s after the lease, want 60", held)
	check.Must(h, h.db.Finish(t.Context(), call, pipeline.CallResult{Status: 200}))
	h.load(batch)
	got := ask[float64](h, lease, call)
	check.ErrorIf(t, got != after, "the lease of a finished call moved from %f to %f", after, got)
}
