package main

import "slices"

// bugs returns all deliberate bugs. The simulation catches those of reading, each within its number
// of schedules; the tests of a package catch the others.
func bugs() []bug {
	return slices.Concat(
		markBugs(), passBugs(), overlapBugs(), anchorBugs(), rowBugs(), historyBugs(), versionBugs(), importBugs(), absenceBugs(), underBugs(), jobBugs(), callBugs(),
		proofBugs(), machineBugs(), boundBugs(), answerBugs(), otherBugs(), secretBugs(), detailBugs(), scheduleBugs(), hintBugs(), viewBugs(),
		operationBugs(), consoleBugs(), changeBugs(), eventBugs(), erasureBugs(),
	)
}

const (
	runFile   = "pipeline/sync/run.go"
	scanFile  = "pipeline/sync/scan/scan.go"
	simulated = "pipeline/simulation"
)

// schedules returns a bug that the simulation must catch within n schedules.
func schedules(n, name, says string, edits ...edit) bug {
	return bug{Name: name, Says: says, Edits: edits, Package: simulated, Run: "^TestSchedules$", Args: []string{"-schedules=" + n, "-shrink=false"}}
}

// tests returns a bug that the tests of a package must catch.
func tests(where, which, name, says string, edits ...edit) bug {
	return bug{Name: name, Says: says, Edits: edits, Package: where, Run: which}
}

const markNow = "	if watermark := scan.Started.Add(-c.runner.Rules.LagFor(c.claim.Late)); watermark.After(position.Watermark) {\n"

// markBugs move the watermark where it must not go (invariant 1).
func markBugs() []bug {
	largest := []edit{
		{runFile, "	pages    int\n", "	pages    int\n	largest  time.Time\n"},
		{runFile, "	c.pages++\n", "	c.pages++\n	for i := range batch.Records {\n		if m := batch.Records[i].Modified; m.After(c.largest) {\n			c.largest = m\n		}\n	}\n"},
	}
	return []bug{
		schedules("5000", "watermark from data", "the watermark is the largest modification time seen",
			append(slices.Clone(largest), edit{runFile, markNow, "	if watermark := c.largest; watermark.After(position.Watermark) {\n"})...),
		schedules("5000", "watermark from data, one second on", "the watermark is the largest modification time seen and one second",
			append(slices.Clone(largest), edit{runFile, markNow, "	if watermark := c.largest.Add(time.Second); watermark.After(position.Watermark) {\n"})...),
		schedules("20000", "no lag", "the watermark is upstream's clock, although writes are seen later than the time they carry",
			edit{runFile, "scan.Started.Add(-c.runner.Rules.LagFor(c.claim.Late))", "scan.Started"}),
		schedules("20000", "watermark at the end of the run", "the watermark is our clock when the run ends",
			edit{runFile, markNow, "	if watermark := c.runner.Now().Add(-c.runner.Rules.Lag); watermark.After(position.Watermark) {\n"}),
		schedules("20000", "strict bound", "the next run asks from behind the watermark",
			edit{scanFile, "scan.Mode, scan.Bound = pipeline.ModeSince, bound", "scan.Mode, scan.Bound = pipeline.ModeSince, claim.Position.Watermark.Add(rules.Lag)"}),
		schedules("5000", "watermark before the rows", "the watermark moves with the first batch of a run and not with its last",
			edit{runFile, "		position.Scan = &scan\n", "		position.Scan, position.Watermark = &scan, scan.Started.Add(-c.runner.Rules.Lag)\n"}),
		schedules("20000", "watermark of a shifting list", "a run that did not find the list at rest moves the watermark",
			edit{runFile, "end.Outcome != pipeline.OutcomeDone || scan.Partial", "scan.Partial"}),
		schedules("20000", "upstream's clock alone", "a server whose clock is ahead carries the watermark with it",
			edit{scanFile, "		scan.Started = asked\n", "		scan.Started = date\n"}),
		schedules("5000", "a watermark over quarantine", "a run that was refused everything moves the watermark over it",
			edit{"pipeline/rules.go", "	case rules.TooManyRejected(r.Refused, r.Received):\n", "	case false:\n"}),
		schedules("5000", "a watermark over a clash", "a run moves the watermark over records that all came under one identifier",
			edit{"pipeline/rules.go", "	case r.Clashed > 0:\n", "	case r.Clashed < 0:\n"}),
		schedules("20000", "quarantine is forgotten", "what the watermark passed in quarantine is not asked for again",
			edit{scanFile, "if from.IsZero() || claim.Reread {", "if from.IsZero() {"}),
		tests("pipeline/sync", "^TestRejectedRecordsWithOneIdentifier$", "rejected records never clash", "a scan of rejected records that all have one identifier proves others gone",
			edit{"pipeline/sync/batch.go", "twice && reject.ID != \"\" &&", "twice && false &&"}),
		tests("pipeline/sync", "^TestClashingIdentifiersAreKept$", "a clash is a duplicate", "of several records under one identifier one stays, and the others are dropped",
			edit{"pipeline/sync/batch.go", "			others = append(others, record)\n", "			batch.Duplicates++\n"}),
		tests("pipeline/warehouse", "^TestQuarantineIsAskedForAgain$", "a sweep for its own sake", "what is in quarantine waits for the next sweep",
			edit{"pipeline/planning/due.go", "rejectedRest = time.Hour\n", "rejectedRest = 2400 * time.Hour\n"}),
		tests("pipeline/warehouse", "^TestTooMuchRefusedHoldsTheMark$", "nothing is known", "one record that will never fit keeps its watermark waiting for ever",
			edit{"pipeline/warehouse/quarantine/quarantine.go", "q.state = 'open' AND CASE WHEN $13 THEN NOT q.weighed_by_list ELSE q.weighed = '' END AND $4 <> 0 AS news", "$4 <> 0 AS news"}),
		schedules("60000", "our clock after the answer", "the run starts when its first answer is looked at",
			edit{"pipeline/sync/reader.go", "	batch, err := p.batch(ctx, page, unfinished.Parent)\n", "	unfinished.Started = p.runner.Now().UTC().Truncate(time.Second)\n	batch, err := p.batch(ctx, page, unfinished.Parent)\n"},
			edit{"pipeline/sync/reader.go", "	\"fmt\"\n", "	\"fmt\"\n	\"time\"\n"}),
	}
}

// passBugs take a list for whole that is not (docs/decisions/0007-paging-by-number).
func passBugs() []bug {
	return []bug{
		schedules("20000", "one pass is enough", "a list is believed after it was read once",
			edit{scanFile, "	case equal:\n", "	case equal || true:\n"}),
		schedules("60000", "a full last page is the last", "a page that says that nothing follows is believed although it is full",
			edit{scanFile, "return !page.more && (len(page.entries) < s.PerPage || len(page.entries) == 0)", "return !page.more"}),
		tests("pipeline/sync", "^TestAGapProvesNothing$", "a pass with a gap counts", "a pass with an empty or repeated page is compared like others",
			edit{scanFile, "equal := s.Pass > 1 && !s.Suspect && ", "equal := s.Pass > 1 && "},
			edit{scanFile, "		s.LastSeen = -1\n", ""}),
		tests("pipeline/sync", "^TestADeletionHidesTheSameRecordInNoTwoPasses$", "the same page edges", "two passes can miss the record behind one edge",
			edit{scanFile, "	s.moveEdges(rules)\n", ""}),
		tests("pipeline/sync", "^TestTheFirstPassIsReadInOrder$", "the first pass ahead", "both passes are read with pages that overlap in time",
			edit{"pipeline/sync/scan/page.go", "|| !scan.Partial && (scan.LastPages == 0 || scan.LastPrefetched) {", "{"},
			edit{"pipeline/sync/scan/page.go", "	if !scan.Partial && scan.Page == 1 {\n		return 0 // this pass asks for another page size, which upstream may ignore\n	}\n", ""},
			edit{scanFile, " && (s.Partial || !s.LastPrefetched)", ""}),
		schedules("60000", "another page size", "a page number is asked for on under another page size",
			edit{scanFile, "	case s.Page == 1 && len(overlaps.Links) == 0:\n", "	case true:\n"}),
		schedules("60000", "order taken for granted", "a list that was asked to be sorted is taken to be",
			edit{"pipeline/sync/scan/suspect.go", "		if !page.sorted {\n", "		if false {\n"},
			edit{"pipeline/sync/scan/suspect.go", "(!last.IsZero() && e.modified.After(last))", "false"}),
		schedules("5000", "a refused call is an empty page", "an answer that none is ends the list",
			edit{"pipeline/sync/reader.go", "	case err != nil:\n		return pipeline.Batch{}, err\n	}\n	unfinished.Spent++\n", "	case err != nil:\n		page = pipeline.Page{Date: asked, PerPage: unfinished.PerPage}\n	}\n	unfinished.Spent++\n"}),
		schedules("5000", "a poison record hides the rest", "the first record that does not fit ends its page",
			edit{"pipeline/sync/unchanged/unchanged.go", "			}\n		}\n		if err := each(raw, record, misfit); err != nil {\n", "			}\n		}\n		if err := each(raw, record, misfit); err != nil || misfit != nil {\n"}),
	}
}

const loaderRoom = "pipeline/warehouse/rows"

// rowBugs write rows that are older, narrower or not there (invariants 2, 4, 5).
func rowBugs() []bug {
	return []bug{
		tests(loaderRoom, "^(TestVersions|TestAnyOrderOfDeliveryGivesTheNewest)$", "last write wins", "an older record overwrites a newer one",
			edit{loaderRoom + "/version/version.go", "	default:\n		return Superseded\n", "	default:\n		return Replace\n"}),
		tests(loaderRoom, "^TestNarrowerRecordWipesNothing$", "all columns are written", "a key that is absent wipes what was there",
			edit{loaderRoom + "/statements/updates.go", "CASE WHEN %[2]s THEN s.%[1]s ELSE t.%[1]s END", "CASE WHEN %[2]s THEN s.%[1]s ELSE s.%[1]s END"}),
		tests(loaderRoom, "^TestChildrenAreReplacedWithTheirArrayOnly$", "children without their array", "an array that a record does not carry empties its rows",
			edit{loaderRoom + "/children.go", "		if k.Carries[a.child.Index] {\n", "		if true {\n"}),
		tests("pipeline", "^TestLagFollowsLateness$", "a lag that never grows", "writes are late, and the lag stays what it was",
			edit{"pipeline/rules.go", "	return max(r.Lag, min(2*late, MaxLag))\n", "	return max(r.Lag, min(0*late, MaxLag))\n"}),
		tests("pipeline/sync", "^TestPlanFollowsWhatIsKnown$", "what is known is forgotten", "a list that was seen to ignore its filter is asked for what changed again",
			edit{"pipeline/sync/scan/capable.go", "needed != \"\" && known.Lacks(needed)", "needed == \"\" && known.Lacks(needed)"}),
		tests("pipeline/warehouse", "^TestVerdictsAreKept$", "declarations have the last word", "a restart replaces what was measured by what is declared",
			edit{"pipeline/warehouse/capabilities/capability.go", "WHERE c.source IN ('documented', 'assumed')\n	AND (c.verdict", "WHERE (c.verdict"}),
		tests("pipeline/warehouse", "^TestALostClaimWritesNothing$", "no fence", "a worker that lost its stream still writes",
			edit{"pipeline/warehouse/streams/claim.go", "if stream.Fence != claim.Fence || stream.Run != claim.Run {", "if false {"}),
		tests("pipeline/warehouse", "^TestAMarkNeverMovesBack$", "a watermark moves back", "the last writer decides where the watermark is",
			edit{"pipeline/warehouse/streams/run.go", "watermark = greatest(watermark, $4::timestamptz)", "watermark = $4::timestamptz"}),
		tests("pipeline/warehouse", "^TestAUnitIsOneTransaction$", "rows without their job", "a job that cannot be settled does not undo the rows",
			edit{"pipeline/warehouse/load.go", "	return complete(ctx, l.tx, l.batch.Claim, l.batch.Complete)\n", "	_ = complete(ctx, l.tx, l.batch.Claim, l.batch.Complete)\n	return nil\n"}),
		tests("pipeline/warehouse/postgres", "^TestNobodyReadsBehindCopyFrom$", "rows are read behind the copy", "who copies rows and is cancelled returns while they are being read",
			edit{"pipeline/warehouse/postgres/read.go", "	defer lent.takeBack()\n", "	_ = lent.takeBack\n"}),
		tests("schema/jsonscan", "^TestOnceSaysNoToNamesThatMayComeTwice$", "names inside come twice", "of an object inside a value the last of two equal names counts",
			edit{"schema/jsonscan/value.go", "		if string(data[before.from:before.to]) == string(data[name.from:name.to]) {\n			return false\n", "		if before == name {\n			return false\n"}),
		tests("schema/record", "^TestWhatAPayloadHashIsOf$", "the payload hash forgets the declaration", "a record is known although its columns are declared otherwise by now",
			edit{"schema/record/hash.go", "			add(\"%q %q %q %d %t %q\", c.Wire, c.Also, c.ColumnName(), c.Kind, c.Given, c.Values)\n", "			add(\"%q\", c.Wire)\n"}),
		tests("schema/record", "^TestTheNewerOfTwoKeysCounts$", "the last of two keys counts", "of a modification time that comes under two keys the older one can stay",
			edit{"schema/record/leaf.go", "to.State == Set && s.modified.After(s.values.Instant)", "false"}),
		tests("pipeline/sync", "^TestKnownRecordsChangeNothing$", "known records have no age", "of records that are known no pass knows when they were created",
			edit{"schema/record/peek.go", "|| c.Wire == resource.Created() ", ""}),
		tests(loaderRoom, "^TestPayloadHashesChangeNothing$", "a payload hash outlives its bytes", "a row that is replaced keeps the payload hash of what it was",
			edit{loaderRoom + "/statements/updates.go", "_content_hash = s._content_hash, _payload_hash = s._payload_hash", "_content_hash = s._content_hash"}),
		tests("schema/record/...", "^(TestDecimalIsExact|TestAppend|TestRecordBecomesRows|TestWhatDoesNotFit)$", "numbers are floats", "a number passes through a float",
			edit{"schema/record/canonical/decimal.go", "	mantissa, exponent, ok := splitExponent(literal)\n", "	float, _ := strconv.ParseFloat(string(literal), 64)\n	literal = strconv.AppendFloat(nil, float, 'g', -1, 64)\n	mantissa, exponent, ok := splitExponent(literal)\n"}),
	}
}

// historyBugs tell another past than there was (docs/decisions/0016-versions).
func historyBugs() []bug {
	const (
		room      = "pipeline/warehouse"
		functions = "migrations/00107_history.sql"
	)
	return []bug{
		tests(room, "^TestVersionsAreWhatTheTablesHeld$", "versions without arrays", "a version holds the row and not its lines",
			edit{functions, "        CASE WHEN v_arrays IS NULL THEN", "        CASE WHEN true THEN"}),
		tests(room, "^TestATombstoneEndsAVersion$", "a version outlives its record", "a tombstone leaves the version open",
			edit{room + "/tombstones/rows.go", "	return len(buried), history.Write(ctx, tx, history.ResourceOf(stream), buried)\n", "	_ = history.Write\n	return len(buried), nil\n"}),
		tests(room, "^TestTheTableIsItsOwnVersion$", "a version of nothing", "a version is written although nothing changed",
			edit{functions, "ELSE (l.record - v_own) IS DISTINCT FROM (s.record - v_own) OR l.arrays", "ELSE true OR l.arrays"}),
		tests(room, "^TestTheTableIsItsOwnVersion$", "versions depend on the session", "texts of instants are in the session's zone",
			edit{functions, "SET timezone = 'UTC' SET bytea_output", "SET bytea_output"}),
		tests(room, "^TestSwitchingOnAndOff$", "gaps are filled", "what was not kept is answered from before",
			edit{functions, "SELECT p.versions AND p.began_at <= at AND (p.ended_at IS NULL OR at < p.ended_at) AND", "SELECT p.versions AND"}),
		tests(room, "^TestVersionsAreKeptForATime$", "half of the past", "an instant whose versions were dropped is answered out of what is left",
			edit{functions, " AND (p.dropped_to IS NULL OR p.dropped_to <= at)\n", "\n"}),
	}
}

// jobBugs lose jobs (invariants 6, 9).
func jobBugs() []bug {
	const room = "pipeline/jobs"
	bugs := []bug{
		tests(room, "^TestARunWithoutAJobGoesOn$", "a run without its job", "a run whose job was lost waits for its stream's next turn",
			edit{"pipeline/warehouse/streams/status.go", " OR run_id IS NOT NULL)", ")"}),
		tests(room, "^TestKilledWorkersJobsComeBack$", "no reaper", "the jobs of killed processes wait for an hour",
			edit{room + "/reap.go", "		if missed[o.job] < looks {\n", "		if missed[o.job] < looks || !o.Own {\n"}),
		tests(room, "^TestAnEndThatWasNotRecorded$", "a job without its end", "a job whose end was not recorded waits for an hour",
			edit{room + "/reap.go", "		if missed[o.job] < looks {\n", "		if missed[o.job] < looks || o.Own {\n"}),
		tests(room, "^TestAnEndThatWasNotRecorded$", "own jobs look lost", "a process takes away the job that it works",
			edit{room + "/worker.go", "	w.jobs[id]++\n", "	w.jobs[-id]++\n"}),
		tests(room, "^TestAskedDuringARunIsServedByAnother$", "no second look", "who asks while a run is under way is not served",
			edit{"pipeline/warehouse/streams/status.go", "`SELECT requested_gen > served_gen FROM", "`SELECT false AND requested_gen > served_gen FROM"},
			edit{"pipeline/warehouse/streams/status.go", "WHERE enabled AND (requested_gen", "WHERE false AND enabled AND (requested_gen"}),
		tests(room, "^TestErrorTextCannotStopTheQueue$", "raw error texts", "a NUL in an error cannot be written, so the stream never settles",
			edit{room + "/tick.go", "	return &cleanError{text: c.scrub.Error(err), cause: err}\n", "	return err\n"}),
		tests(room, "^TestChunksChainUntilTheRunEnds$", "done is under way", "a job that is done stands in the way of the next one",
			edit{room + "/jobs.go", "rivertype.JobStateRunning, rivertype.JobStateScheduled,\n", "rivertype.JobStateRunning, rivertype.JobStateScheduled, rivertype.JobStateCompleted,\n"}),
		tests(room, "^TestExhaustedWaitsWithoutAnAttempt$", "waiting spends attempts", "a spent day is a failure",
			edit{room + "/worker.go", "		return w.snooze(ctx, claim, cause, pipeline.StateWaiting, until)\n", "		return w.retry(ctx, claim, cause)\n"}),
	}
	for i := range bugs {
		bugs[i].Args = []string{"-patience=12s"} // what they break never comes true
	}
	return bugs
}

// callBugs call too often, or believe an answer that is none (invariants 3, 10).
func callBugs() []bug {
	const (
		ledgerRoom = "pipeline/warehouse"
		functions  = "migrations/00103_calls.sql"
		door       = "pipeline/upstream/wire/transport.go"
		room       = "pipeline/upstream"
	)
	return append(oneAnswerBugs(), []bug{
		tests(ledgerRoom, "^TestNeverMoreThanTheMinuteInAnyWindow$", "counted when sent", "a call leaves its slot a minute after it was sent, not after it ended",
			edit{functions, "        free_at = v_now + (free_at - lease_until),\n", "        free_at = reserved_at + (free_at - lease_until),\n"}),
		tests(ledgerRoom, "^TestALostCallHoldsItsSlotUntilItCannotBeUnderWay$", "a crash frees the slot", "a call without a reported end holds no slot",
			edit{functions, "p_class, v_now + p_lease, v_now + p_lease + p_window, v_bucket,", "p_class, v_now, v_now + p_window, v_bucket,"}),
		tests(ledgerRoom+"/calls", "^TestABackfillDoesNotStarveIncrementalRuns$", "no floors", "a backfill spends what incremental runs need",
			edit{functions, "                IF v_until > v_now THEN\n                    refused := 'class';", "                IF false THEN\n                    refused := 'class';"}),
		tests(ledgerRoom+"/calls", "^TestOneCallAsksWhetherTheDayTurned$", "all ask at once", "when a spent day may have turned, all that wait ask",
			edit{functions, " WHERE id = v_day.probe_call;\n        IF v_probe.finished_at IS NULL AND v_probe.lease_until > v_now THEN\n", " WHERE id = v_day.probe_call;\n        IF false THEN\n"}),
		tests(room, "^TestEveryAnswerHasItsKind$", "200 is success", "an answer whose code says that it failed is believed",
			edit{room + "/verdict.go", "	case success && code == \"0\":\n", "	case success:\n"}),
		tests("pipeline/budget", "^TestAStaleGrantIsGivenUp$", "a stale grant", "a process that was suspended uses a slot that is not held for it any more",
			edit{"pipeline/budget/gate.go", "if g.now().Sub(asked) <= g.minute/staleParts {", "if !g.now().Before(asked) {"}),
		tests(room, "^TestRedirectsAreNotFollowed$", "redirects are followed", "the token goes where an answer says",
			edit{door, "d.transport.RoundTrip(request)", "(&http.Client{Transport: d.transport}).Do(request)"}),
		tests(room, "^TestNoRequestIsSentTwice$", "requests are sent again", "net/http repeats a request that was not counted",
			edit{door, "DisableKeepAlives: true", "DisableKeepAlives: false"}),
		tests(room, "^TestOneRefreshForTheFleet$", "all callers refresh", "each caller asks for a token of its own",
			edit{room + "/token/tokens.go", "	if g, ok := h.get(t.now(), refused); ok {\n		return g, nil\n	}\n	release, err := t.take(ctx, h)\n", "	release, err := func() (func(), error) { return func() {}, nil }()\n"}),
		tests(room, "^TestATakenTokenThatEndedIsRenewed$", "a taken token is a new one", "a token that another process fetched proves that the credential is denied",
			edit{room + "/client.go", "		if at.Made {\n", "		if at.Version > 0 {\n"}),
		tests(room, "^TestAPageCutAtAnyByteIsUnavailable$", "a cut body is believed", "what was cut off is taken for the end",
			edit{"pipeline/upstream/body/json.go", "	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {\n", "	if false && errors.Is(err, io.EOF) {\n"}),
	}...)
}
