package mutate

// callBugs send calls that are not counted, or more than a budget has.
func callBugs() []bug {
	return []bug{
		tests("pipeline/warehouse", "TestNeverMoreThanTheMinuteInAnyWindow", "counted when sent", "a call leaves its slot a minute after it was sent, not after it ended",
			edit{"migrations/00103_calls.sql", "        free_at = v_now + (free_at - lease_until),\n", "        free_at = reserved_at + (free_at - lease_until),\n"}),
		tests("pipeline/warehouse", "TestALostCallHoldsItsSlotUntilItCannotBeUnderWay", "a crash frees the slot", "a call without a reported end holds no slot",
			edit{"migrations/00103_calls.sql", "p_class, v_now + p_lease, v_now + p_lease + p_window, v_bucket,", "p_class, v_now, v_now + p_window, v_bucket,"}),
		tests("pipeline/warehouse/calls", "TestABackfillDoesNotStarveIncrementalRuns", "no floors", "a backfill spends what incremental runs need",
			edit{"migrations/00103_calls.sql", "                IF v_until > v_now THEN\n                    refused := 'class';", "                IF false THEN\n                    refused := 'class';"}),
		tests("pipeline/warehouse/calls", "TestOneCallAsksWhetherTheDayTurned", "all ask at once", "when a spent day may have turned, all that wait ask",
			edit{"migrations/00103_calls.sql", " WHERE id = v_day.probe_call;\n        IF v_probe.finished_at IS NULL AND v_probe.lease_until > v_now THEN\n", " WHERE id = v_day.probe_call;\n        IF false THEN\n"}),
		tests("pipeline/budget", "TestAStaleGrantIsGivenUp", "a stale grant", "a process that was suspended uses a slot that is not held for it any more",
			edit{"pipeline/budget/gate.go", "if g.now().Sub(asked) <= g.minute/staleParts {", "if !g.now().Before(asked) {"}),
		tests("pipeline/upstream", "TestNoRequestIsSentTwice", "requests are sent again", "net/http repeats a request that was not counted",
			edit{"pipeline/upstream/wire/transport.go", "DisableKeepAlives: true", "DisableKeepAlives: false"}),
		tests("pipeline/upstream", "TestOneRefreshForTheFleet", "all callers refresh", "each caller asks for a token of its own",
			edit{"pipeline/upstream/token/tokens.go", "	if g, ok := h.get(t.now(), refused); ok {\n		return g, nil\n	}\n	release, err := t.take(ctx, h)\n", "	release, err := func() (func(), error) { return func() {}, nil }()\n"}),
		schedules("5000", "hints without a cap", "callbacks cause any number of calls within a minute",
			edit{"pipeline/planning/hinted.go", "singles <= list && h.Recent+singles <= h.PerMinute", "singles <= list"}),
		tests("pipeline/warehouse/calls", "TestNoCallLeavesAfterTheTimelineChanged", "calls right after a promotion", "calls that the database forgot count for upstream's minute and not for ours",
			edit{"migrations/00103_calls.sql", "    IF v_until > clock_timestamp() THEN\n", "    IF false THEN\n"}),
	}
}
