package warehouse_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
)

// quiet is the instant to which the runs of these tests would move the watermark.
var quiet = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant

// misfit returns a record that does not fit.
func misfit(raw, id string) pipeline.RejectedRecord {
	return pipeline.RejectedRecord{Raw: []byte(raw), ID: id, Code: "bad_number"}
}

// ends loads the last batch of a run over the whole list and returns how the run ended.
func (h *fixture) ends(claim pipeline.Claim, received int, rejects ...pipeline.RejectedRecord) string {
	h.Helper()
	batch := h.unit(claim)
	batch.Received, batch.Rejected = received, rejects
	batch.Position = pipeline.Position{Watermark: quiet, ScannedUntil: quiet}
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Entire: true, Whole: &pipeline.Whole{Started: quiet}}
	h.load(batch)
	return ask[string](h, `SELECT concat_ws('|', outcome, note, refused, clashed, watermark_after IS NOT NULL) FROM sluice.runs WHERE id = $1`, claim.Run)
}

// ofWork claims the stream of another work over the list.
func (h *fixture) ofWork(work pipeline.Work) pipeline.Claim {
	h.Helper()
	stream := h.stream
	stream.Work = work
	check.Must(h, h.db.RegisterStreams(h.Context(), []warehouse.StreamSetting{
		{Key: h.stream.Key(), Every: time.Hour, Enabled: true}, {Key: stream.Key(), Every: time.Hour, Enabled: true},
	}))
	return check.Sure(h.db.Claim(h.Context(), stream, pipeline.ClassOf(stream)))(h)
}

// TestTooMuchRefusedHoldsTheMark is invariant 1: the rejected records of all chunks of a run
// decide, and those already known no longer count.
func TestTooMuchRefusedHoldsTheMark(t *testing.T) {
	t.Parallel()
	const waits = ": rows are loaded, the watermark waits (sluice quarantine list)"
	clash := misfit("c", "7")
	clash.Code = pipeline.CodeClash
	for name, test := range map[string]struct {
		before   func(h *fixture)
		received int
		rejects  []pipeline.RejectedRecord
		want     string
	}{
		"as many as are let pass": {nil, 20, []pipeline.RejectedRecord{misfit("a", "1")}, "done||1|0|t"},
		"one too many":            {nil, 19, []pipeline.RejectedRecord{misfit("a", "1")}, "provisional|1 of 19 records did not fit" + waits + "|1|0|f"},
		"all without identifiers": {nil, 2, []pipeline.RejectedRecord{misfit("a", ""), misfit("b", "")}, "provisional|2 of 2 records did not fit" + waits + "|2|0|f"},
		"one that clashes": {
			nil, 1000, []pipeline.RejectedRecord{clash},
			"provisional|1 records came under identifiers that others of the same answer had" + waits + "|1|1|f",
		},
		"the same again": {
			func(h *fixture) { h.ends(h.claim(), 1, misfit("a", "1")) }, 1, []pipeline.RejectedRecord{misfit("a", "1")}, "done||0|0|t",
		},
		"other bytes, the same record and reason": {
			func(h *fixture) { h.ends(h.claim(), 1, misfit("a", "1")) }, 1, []pipeline.RejectedRecord{misfit("b", "1")}, "done||0|0|t",
		},
		"another record": {
			func(h *fixture) { h.ends(h.claim(), 1, misfit("a", "1")) }, 1, []pipeline.RejectedRecord{misfit("b", "2")},
			"provisional|1 of 1 records did not fit" + waits + "|1|0|f",
		},
		"after a run that never ended well": {
			func(h *fixture) {
				claim := h.claim()
				batch := h.unit(claim)
				batch.Received, batch.Rejected = 1, []pipeline.RejectedRecord{misfit("a", "1")}
				h.load(batch)
				check.Must(h, h.db.Settle(t.Context(), claim, pipeline.Settlement{State: pipeline.StateFailed, EndRun: true}))
			}, 1, []pipeline.RejectedRecord{misfit("a", "1")}, "provisional|1 of 1 records did not fit" + waits + "|1|0|f",
		},
		"what a look met before": {
			func(h *fixture) { h.ends(h.ofWork(pipeline.WorkLook), 1, misfit("a", "1")) }, 1, []pipeline.RejectedRecord{misfit("a", "1")},
			"provisional|1 of 1 records did not fit" + waits + "|1|0|f",
		},
		"what a sweep met, and then the list": {
			func(h *fixture) {
				h.ends(h.ofWork(pipeline.WorkSweep), 1, misfit("a", "1"))
				h.ends(h.claim(), 1, misfit("a", "1"))
			}, 1, []pipeline.RejectedRecord{misfit("a", "1")}, "done||0|0|t",
		},
		"what a person decided about": {
			func(h *fixture) {
				h.ends(h.claim(), 1, misfit("a", "1"))
				check.Must(h, h.db.Resolve(t.Context(), ask[int64](h, `SELECT id FROM sluice.quarantine`), "not wanted"))
			}, 1, []pipeline.RejectedRecord{misfit("a", "1")}, "done||0|0|t",
		},
		"other bytes than those that a person decided about": {
			func(h *fixture) {
				h.ends(h.claim(), 1, misfit("a", "1"))
				check.Must(h, h.db.Resolve(t.Context(), ask[int64](h, `SELECT id FROM sluice.quarantine`), "a bad minute"))
			}, 1, []pipeline.RejectedRecord{misfit("b", "1")}, "provisional|1 of 1 records did not fit" + waits + "|1|0|f",
		},
		"in another chunk": {
			func(h *fixture) {
				batch := h.unit(h.claim())
				batch.Received, batch.Rejected = 10, []pipeline.RejectedRecord{misfit("a", "1")}
				h.load(batch)
			}, 9, nil, "provisional|1 of 19 records did not fit" + waits + "|1|0|f",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			if test.before != nil {
				test.before(h)
			}
			check.Same(t, "the run", test.want, h.ends(h.claim(), test.received, test.rejects...))
		})
	}
}

// TestQuarantineIsAskedForAgain: the sweep, which becomes due earlier, asks within an hour; then
// the pause is as long as the entry was old. Where there is no sweep, the list's own runs ask.
func TestQuarantineIsAskedForAgain(t *testing.T) {
	h := open(t)
	sweep := h.stream
	sweep.Work = pipeline.WorkSweep
	settings := []warehouse.StreamSetting{
		{Key: h.stream.Key(), Every: 10 * time.Hour, Enabled: true},
		{Key: sweep.Key(), Every: 168 * time.Hour, Enabled: true, After: 168 * time.Hour},
	}
	check.Must(h, h.db.RegisterStreams(t.Context(), settings))
	due := func(what string, stream pipeline.Stream, want time.Duration) {
		t.Helper()
		got := ask[time.Duration](h, `SELECT next_due_at - clock_timestamp() FROM sluice.streams WHERE resource = $1`, stream.Key().Resource)
		check.ErrorIf(t, got > want+time.Minute || got < want-time.Minute, "%s: %s is due in %s, want %s", what, stream, got, want)
	}
	h.ends(h.claim(), 100, misfit("a", "1"))
	due("opened", sweep, time.Hour)
	due("opened", h.stream, 10*time.Hour)

	older := func(hours int) {
		_, err := h.db.Pool().Exec(t.Context(), `UPDATE sluice.quarantine SET opened_at = opened_at - $1::interval, asked_at = asked_at - $1::interval`,
			fmt.Sprint(hours, " hours"))
		check.Must(h, err)
	}
	swept := func() {
		t.Helper()
		claim := check.Sure(h.db.Claim(t.Context(), sweep, pipeline.ClassSweep))(h)
		check.ErrorIf(t, claim.Reread, "a sweep is told to read all")
		h.ends(claim, 100, misfit("a", "1"))
	}
	older(1)
	swept()
	due("asked for in vain", sweep, time.Hour)
	older(3)
	swept()
	due("asked for in vain for four hours", sweep, 4*time.Hour)
	claim := check.Sure(h.db.Claim(t.Context(), sweep, pipeline.ClassSweep))(h)
	check.Must(h, h.db.Settle(t.Context(), claim, pipeline.Settlement{State: pipeline.StateFailed, EndRun: true}))
	due("failed", sweep, 4*time.Hour)

	settings[1].Enabled = false
	check.Must(h, h.db.RegisterStreams(t.Context(), settings))
	check.ErrorIf(t, h.claim().Reread, "the list is read whole before it is time")
	h.ends(h.claim(), 100, misfit("a", "1"))
	due("no sweep", h.stream, 4*time.Hour)
	older(5)
	check.ErrorIf(t, !h.claim().Reread, "nothing sweeps the list, and its own run does not read it whole either")

	// The record was loaded: there is nothing to ask for.
	batch := h.unit(h.claim(), h.record(1, "one"))
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	h.load(batch)
	due("loaded", h.stream, 10*time.Hour)
	check.ErrorIf(t, h.claim().Reread, "the list is read whole although nothing is in quarantine")
}

// TestARunThatBroughtNoPageHasAsked: an empty export, or a run over no parents, is no reason to ask
// again at once.
func TestARunThatBroughtNoPageHasAsked(t *testing.T) {
	h := open(t)
	check.Must(h, h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{{Key: h.stream.Key(), Every: 10 * time.Hour, Enabled: true}}))
	h.ends(h.claim(), 100, misfit("a", "1"))
	h.exec(`UPDATE sluice.quarantine SET opened_at = opened_at - interval '3 hours'`)
	h.load(pipeline.Batch{Claim: h.claim(), End: &pipeline.End{Outcome: pipeline.OutcomeProvisional, Note: "came back empty"}})
	due := ask[time.Duration](h, `SELECT next_due_at - clock_timestamp() FROM sluice.streams WHERE resource = $1`, h.stream.Key().Resource)
	check.ErrorIf(t, due < time.Hour, "the list is due in %s: it runs without a pause", due)
}

// TestSingleRecordsInQuarantine: they have a pause of their own, and no list is swept for them. The
// end of their run is judged without them, as it moves no watermark.
func TestSingleRecordsInQuarantine(t *testing.T) {
	h := openStore(t)
	check.Must(h, h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: h.bills.Key(), Every: 10 * time.Hour, Enabled: true}, {Key: h.details.Key(), Every: time.Hour, Enabled: true},
	}))
	h.ends(h.claim(), 100)
	claim := h.claimOf(h.details)
	batch := h.of(claim, singleBill("1", "10", 1))
	batch.Received, batch.Rejected = 2, []pipeline.RejectedRecord{misfit("a", "7")}
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	h.load(batch)
	check.Same(t, "the run",
		"done|1", ask[string](h.fixture, `SELECT concat_ws('|', outcome, refused) FROM sluice.runs WHERE id = $1`, claim.Run))
	due := ask[time.Duration](h.fixture, `SELECT next_due_at - clock_timestamp() FROM sluice.streams WHERE resource = 'bills'`)
	check.ErrorIf(t, due < 9*time.Hour, "the list is due in %s for the sake of a record that it does not show", due)
	stream := check.Sure(h.db.Stream(t.Context(), h.bills.Key()))(h)
	check.ErrorIf(t, stream.Quarantined != 1 || stream.Unrequested != 0 || stream.Withheld != 0,
		"%d in quarantine, %d to be asked for, a watermark waits because of %d", stream.Quarantined, stream.Unrequested, stream.Withheld)
}

// TestLoadingByHandAnswersNoRequest: such a run does not read the list.
func TestLoadingByHandAnswersNoRequest(t *testing.T) {
	h := open(t)
	check.Must(h, h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{{Key: h.stream.Key(), Every: 10 * time.Hour, Enabled: true}}))
	h.ends(h.claim(), 100)
	stands := func() string {
		return ask[string](h, `SELECT concat_ws('|', requested_gen > served_gen, next_due_at < clock_timestamp() + interval '1 minute') FROM sluice.streams WHERE resource = $1`,
			h.stream.Key().Resource)
	}
	load := func() {
		claim := check.Sure(h.db.Claim(t.Context(), h.stream, pipeline.ClassProbe))(h)
		batch := h.unit(claim, h.record(1, "one"))
		batch.Position, batch.End = claim.Position, &pipeline.End{Outcome: pipeline.OutcomeDone}
		h.load(batch)
	}
	load()
	check.Same(t, "without a request it stands at", "f|f", stands())
	check.Must(h, h.db.Request(t.Context(), []pipeline.Key{h.stream.Key()}))
	load()
	check.Same(t, "with a request it stands at", "t|t", stands())
	h.ends(h.claim(), 100)
	check.Same(t, "after a run it stands at", "f|f", stands())
}

// TestWhatIsNotUpstreamAnyMoreLeavesQuarantine: garbage had identifiers that no record has, or
// none. A clean reading of the whole list that does not show an entry closes it. A reading that met
// it, was not clean or brought nothing does not.
func TestWhatIsNotUpstreamAnyMoreLeavesQuarantine(t *testing.T) {
	h := open(t)
	h.ends(h.claim(), 2, misfit("a", ""), misfit("b", "0"))
	states := func(when, want string) {
		t.Helper()
		check.Same(t, when, want, ask[string](h, `SELECT string_agg(convert_from(raw, 'UTF8') || ' ' || state, ', ' ORDER BY id) FROM sluice.quarantine`))
	}
	states("met", "a open, b open")
	h.ends(h.claim(), 0)
	states("an empty list", "a open, b open")
	batch := h.unit(h.claim(), h.record(1, "one"))
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	h.load(batch)
	states("a part of the list", "a open, b open")
	h.ends(h.claim(), 100, misfit("b", "0"))
	states("one of them was met", "a retried, b open")
	note := ask[string](h, `SELECT note FROM sluice.quarantine WHERE state = 'retried'`)
	check.ErrorIf(t, !strings.Contains(note, "not there any more"), "the note is %q", note)
	got := h.ends(h.claim(), 1, misfit("a", ""))
	check.ErrorIf(t, !strings.HasPrefix(got, "provisional"), "what comes back is no news: %s", got)
	states("back", "a open, b open")
}
