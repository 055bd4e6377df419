package main

const bodyRoom = "pipeline/upstream/body"

// boundBugs take from answers more than a process has room for
// (docs/decisions/0018-rejected-records).
func boundBugs() []bug {
	return []bug{
		tests("cmd/sluice/cli/bounded", "^TestStatusConnectionsAreBounded$", "connections without end", "the status pages take as many connections as come, and the descriptors of the calls with them",
			edit{"cmd/sluice/cli/serve.go", "bounded.Limit(listener, mostConnections)", "listener"},
			edit{"cmd/sluice/cli/bounded/bounded.go", "make(chan struct{}, connections)", "make(chan struct{}, 1<<10)"}),
		tests(bodyRoom, "^TestAListOfAMillionElementsTakesNoMemory$", "a page of any length", "what is made of the elements of a page has no bound",
			edit{bodyRoom + "/quick.go", "e.read++; e.read <= MaxElements", "e.read++; true"}),
		tests(bodyRoom, "^TestTextsOfAnEnvelopeAreShort$", "a token of any length", "a token of megabytes is kept and sent back",
			edit{bodyRoom + "/json.go", "	if len(raw) > maxText+len(`\"\"`) {\n", "	if false {\n"}),
		tests(bodyRoom, "^TestALineOfAMillionFieldsTakesNoMemory$", "a line of any width", "the fields of a line are counted when all of them were read",
			edit{bodyRoom + "/bounded.go", "b.line.see(p); b.line.fields > b.line.most", "b.line.see(p); false"}),
		tests(bodyRoom, "^TestDepthIsJudgedByRecord$", "a deep record loses its list", "what is too deep in one record is the whole answer's fault",
			edit{bodyRoom + "/depth.go", "	return n.inRecord()\n", "	return false\n"}),
		tests("pipeline/upstream/wire", "^TestReadAllWaitsForItsTurn$", "a turn that never came", "a large body that waited for its turn in vain is read all the same",
			edit{"pipeline/upstream/wire/exchange.go", "		return err\n	})\n", "		return nil\n	})\n"}),
		tests("pipeline/sync", "^TestEveryTurnEnds$", "a turn without an end", "a large answer that was not loaded keeps all others waiting",
			edit{"pipeline/sync/writebehind/writebehind.go", "			turn.End() //", "			_ = turn //"}),
		tests("pipeline/sync", "^TestAFloodOfOneParentStopsNoOther$", "one parent for all", "the parent whose list does not fit is the first one of each run, and the last",
			edit{"pipeline/sync/run.go", "		if batch.End != nil && scan.Parent != \"\" {", "		if false {"}),
		tests("pipeline/warehouse", "^TestARunThatBroughtNoPageHasAsked$", "quarantine without a pause", "a list that brings no page is read again at once because of its quarantine",
			edit{"pipeline/warehouse/quarantine/judge.go", "WHERE r.id = $4 AND r.class = $5\n", "WHERE r.id = $4 AND r.class = $5 AND r.pages > 0\n"}),
		tests("pipeline/warehouse", "^TestTooMuchRefusedHoldsTheMark$", "set aside for good", "what a person set aside lets the next bad minute of the same records pass",
			edit{"pipeline/warehouse/quarantine/quarantine.go", "= ($1, $2, $3) AND k.state = 'open' AND k.record_id <> ''", "= ($1, $2, $3) AND k.state <> 'retried' AND k.record_id <> ''"}),
		tests("schema/record", "^TestARecordIsBounded$", "keys without end", "a record may have any number of keys that its declaration does not know",
			edit{"schema/record/extra.go", "len(s.drift) > maxKinds ||", ""}),
		tests("pipeline/sync", "^TestARunEndsWhereTooMuchDoesNotFit$", "a flood of misfits", "a run goes on into the quarantine, whatever part of it does not fit",
			edit{"pipeline/rules.go", "fewRejected = 1000\n", "fewRejected = 5000\n"}),
		tests("pipeline/sync", "^TestARunEndsWhereTooMuchDoesNotFit$", "a flood moves the watermark", "a run that left off reading because of what did not fit ends as one that read all",
			edit{"pipeline/sync/batch.go", "Outcome: pipeline.OutcomeProvisional,", "Outcome: pipeline.OutcomeDone,"}),
	}
}
