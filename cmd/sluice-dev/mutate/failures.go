package mutate

// failureBugs let one failure stop others, or for longer than it may.
func failureBugs() []bug {
	return []bug{
		impatient("TestErrorTextCannotStopTheQueue", "raw error texts", "a NUL in an error cannot be written, so the stream never settles",
			edit{"pipeline/jobs/tick.go", "	return &cleanError{text: c.scrub.Error(err), cause: err}\n", "	return err\n"}),
		impatient("TestExhaustedWaitsWithoutAnAttempt", "waiting spends attempts", "a spent day is a failure",
			edit{"pipeline/jobs/worker.go", "		return w.snooze(ctx, claim, cause, pipeline.StateWaiting, until)\n", "		return w.retry(ctx, claim, cause)\n"}),
		tests("pipeline/sync", "TestAFloodOfOneParentStopsNoOther", "one parent for all", "the parent whose list does not fit is the first one of each run, and the last",
			edit{"pipeline/sync/run.go", "		if batch.End != nil && scan.Parent != \"\" {", "		if false {"}),
		tests("pipeline/sync", "TestEveryTurnEnds", "a turn without an end", "a large answer that was not loaded keeps all others waiting",
			edit{"pipeline/sync/writebehind/writebehind.go", "			turn.End() //", "			_ = turn //"}),
		tests("pipeline/upstream/wire", "TestRetryAfterIsBelievedForAnHour", "Retry-After is believed for a day", "one answer closes an allowance for a day",
			edit{"pipeline/upstream/wire/headers.go", "const mostRetry = time.Hour\n", "const mostRetry = 24 * time.Hour\n"}),
		tests("pipeline/upstream", "TestOnlyKnownWordsDeny", "an unknown word denies", "a word of the token endpoint that no document names denies the credential",
			edit{"pipeline/upstream/token/tokencall.go", "		return given{refused: refusedUnknown}, e\n", "		return given{refused: refusedKnown}, e\n"}),
		tests("pipeline/upstream", "TestOneRefusalOfACredentialThatWorkedProvesNothing", "one refusal is enough", "a credential that worked is denied by one answer",
			edit{"pipeline/upstream/token/refusal.go", "		return refusals >= 2 //", "		return true //"}),
		tests("pipeline/upstream", "TestADeniedCredentialIsAskedAboutOnceADay", "denied for ever", "a denied credential is never asked about again",
			edit{"pipeline/upstream/token/refresh.go", `row.Reason != "" && row.SinceRefresh < deniedFor`, `row.Reason != ""`}),
		tests("pipeline/upstream", "TestABogusRefreshTokenGivesWay", "no way back", "the configured refresh token is not tried when the one that upstream sent is refused",
			edit{"pipeline/upstream/token/refusal.go", "		next.FellBack = !row.FellBack\n", "		next.FellBack = false\n"}),
		tests("pipeline/upstream", "TestATakenTokenThatEndedIsRenewed", "a taken token is a new one", "a token that another process fetched proves that the credential is denied",
			edit{"pipeline/upstream/client.go", "		if at.Made {\n", "		if at.Version > 0 {\n"}),
	}
}
