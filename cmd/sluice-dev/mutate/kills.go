package mutate

// killBugs lose jobs, or let a worker write that lost its claim.
func killBugs() []bug {
	return []bug{
		impatient("TestARunWithoutAJobGoesOn", "a run without its job", "a run whose job was lost waits for its stream's next turn",
			edit{"pipeline/warehouse/streams/status.go", " OR run_id IS NOT NULL)", ")"}),
		impatient("TestKilledWorkersJobsComeBack", "no reaper", "the jobs of killed processes wait for an hour",
			edit{"pipeline/jobs/reap.go", "		if missed[o.job] < looks {\n", "		if missed[o.job] < looks || !o.Own {\n"}),
		impatient("TestAnEndThatWasNotRecorded", "a job without its end", "a job whose end was not recorded waits for an hour",
			edit{"pipeline/jobs/reap.go", "		if missed[o.job] < looks {\n", "		if missed[o.job] < looks || o.Own {\n"}),
		impatient("TestAnEndThatWasNotRecorded", "own jobs look lost", "a process takes away the job that it works",
			edit{"pipeline/jobs/worker.go", "	w.jobs[id]++\n", "	w.jobs[-id]++\n"}),
		impatient("TestChunksChainUntilTheRunEnds", "done is under way", "a job that is done stands in the way of the next one",
			edit{"pipeline/jobs/jobs.go", "rivertype.JobStateRunning, rivertype.JobStateScheduled,\n", "rivertype.JobStateRunning, rivertype.JobStateScheduled, rivertype.JobStateCompleted,\n"}),
		tests("pipeline/warehouse", "TestALostClaimWritesNothing", "no fence", "a worker that lost its stream still writes",
			edit{"pipeline/warehouse/streams/claim.go", "if stream.Fence != claim.Fence || stream.Run != claim.Run {", "if false {"}),
		tests("pipeline/warehouse", "TestAClaimEndsWithItsTimeline", "a claim of another timeline", "a worker goes on behind rows that a promotion lost",
			edit{"pipeline/warehouse/streams/claim.go", "stream.Timeline != claim.Timeline", "false"}),
		impatient("TestLocksOfOthers", "any session speaks for a process", "a killed process lives as long as another role has its lock",
			edit{"migrations/00101_streams.sql", " AND l.pid = coalesce(p.lock_pid, l.pid)\n", "\n"}),
		tests("pipeline/events", "TestMoved", "a lost claim still moves", "a process stores its position after the operator chose another one",
			edit{"pipeline/warehouse/receivers/receivers.go", "	next_attempt = CASE WHEN $5::bigint > 0 THEN NULL ELSE next_attempt END\nWHERE name = $1 AND claim = $2`", "	next_attempt = CASE WHEN $5::bigint > 0 THEN NULL ELSE next_attempt END\nWHERE name = $1 AND $2::bigint > 0`"}),
	}
}
