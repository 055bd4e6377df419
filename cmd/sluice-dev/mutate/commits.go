package mutate

// commitBugs commit one of rows, position and job without the others.
func commitBugs() []bug {
	return []bug{
		schedules("5000", "watermark before the rows", "the watermark moves with the first batch of a run and not with its last",
			edit{"pipeline/sync/run.go", "		position.Scan = &scan\n", "		position.Scan, position.Watermark = &scan, scan.Started.Add(-c.runner.Rules.Lag)\n"}),
		tests("pipeline/warehouse", "TestAUnitIsOneTransaction", "rows without their job", "a job that cannot be settled does not undo the rows",
			edit{"pipeline/warehouse/load.go", "	return complete(ctx, l.tx, l.batch.Claim, l.batch.Complete)\n", "	_ = complete(ctx, l.tx, l.batch.Claim, l.batch.Complete)\n	return nil\n"}),
		tests("pipeline/warehouse", "TestATombstoneEndsAVersion", "a version outlives its record", "a tombstone leaves the version open",
			edit{"pipeline/warehouse/tombstones/rows.go", "	return len(buried), history.Write(ctx, tx, history.ResourceOf(stream), buried)\n", "	_ = history.Write\n	return len(buried), nil\n"}),
		tests("pipeline/warehouse", "TestTheLogSaysWhatChanged", "a deletion that nothing tells of", "a tombstone is no change",
			edit{"pipeline/warehouse/tombstones/rows.go", "logChange(ctx, tx, stream, changes.Deleted, buried)", "logChange(ctx, tx, stream, changes.Deleted, nil)"}),
		impatient("TestChunksChainUntilTheRunEnds", "a chunk without its next", "the job of a chunk is done, and none goes on with its run",
			edit{"pipeline/jobs/worker.go", "	if !more {\n		return nil\n	}\n", "	if !more || more {\n		return nil\n	}\n"}),
	}
}
