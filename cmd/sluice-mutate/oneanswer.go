package main

// oneAnswerBugs let one answer stop an organization for longer than it may
// (docs/decisions/0012-refusals).
func oneAnswerBugs() []bug {
	const (
		functions = "migrations/00103_calls.sql"
		ledger    = "pipeline/warehouse/calls"
		room      = "pipeline/upstream"
		headers   = room + "/wire/headers.go"
		refusals  = room + "/token/refusal.go"
	)
	return []bug{
		tests(room, "^TestOnlyKnownWordsDeny$", "an unknown word denies", "a word of the token endpoint that no document names denies the credential",
			edit{room + "/token/tokencall.go", "		return given{refused: refusedUnknown}, e\n", "		return given{refused: refusedKnown}, e\n"}),
		tests(room, "^TestOneRefusalOfACredentialThatWorkedProvesNothing$", "one refusal is enough", "a credential that worked is denied by one answer",
			edit{refusals, "		return refusals >= 2 //", "		return true //"}),
		tests(room, "^TestAnUnknownWordDeniesAfterHours$", "pauses that do not grow", "unknown words deny within minutes",
			edit{refusals, "	return pauses()[min(row.Refusals, len(pauses()))-1]\n", "	return spacing\n"}),
		tests(room, "^TestADeniedCredentialIsAskedAboutOnceADay$", "denied for ever", "a denied credential is never asked about again",
			edit{room + "/token/refresh.go", `row.Reason != "" && row.SinceRefresh < deniedFor`, `row.Reason != ""`}),
		tests(room, "^TestAFailureOfTheServerDeniesForNoOtherDay$", "another day", "a server error at the daily question denies a credential for another day",
			edit{refusals, "		next.Reason = \"\" //", "		_ = next.Reason //"}),
		tests(room, "^TestABogusRefreshTokenGivesWay$", "no way back", "the configured refresh token is not tried when the one that upstream sent is refused",
			edit{refusals, "		next.FellBack = !row.FellBack\n", "		next.FellBack = false\n"}),
		tests(room+"/wire", "^TestFiguresOfHeadersAreBelievable$", "a header above a billion is believed", "a daily figure that no plan has reaches the call log",
			edit{headers, "const mostCalls = 1_000_000_000\n", "const mostCalls = 1 << 40\n"}),
		tests(room+"/wire", "^TestRetryAfterIsBelievedForAnHour$", "Retry-After is believed for a day", "one answer closes an allowance for a day",
			edit{headers, "const mostRetry = time.Hour\n", "const mostRetry = 24 * time.Hour\n"}),
		tests(ledger, "^TestOneCallAsksBehindALongWait$", "all ask behind a long wait", "behind a gate that was closed for long all that wait call at once",
			edit{functions, " WHERE id = v_budget.probe_call;\n        IF v_probe.finished_at IS NULL AND v_probe.lease_until > v_now THEN\n", " WHERE id = v_budget.probe_call;\n        IF false THEN\n"}),
		tests(ledger, "^TestAFigureOfNothingIsAskedAboutAfterAnHour$", "nothing left, all day", "a figure of nothing holds until the reset that came with it",
			edit{functions, "                v_until := least(v_until, v_day.seen_at + p_day / 24);\n", ""}),
		tests("cmd/sluice/cli", "^TestWhatASyncWaitsFor$", "a sync waits for anything", "a sync waits for a stream that goes on in an hour",
			edit{"cmd/sluice/cli/watch.go", "		return stream.Until != nil && stream.Until.After(w.now().Add(soon))\n", "		return false\n"}),
	}
}
