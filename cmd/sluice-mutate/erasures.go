package main

// erasureBugs leave a copy of what was erased, let it come back, or keep what is to be left out
// (docs/decisions/0029-personal-data).
func erasureBugs() []bug {
	const (
		room  = "pipeline/warehouse"
		erase = room + "/erasures"
	)
	return []bug{
		tests("pipeline/upstream", "^TestColumnsAreLeftOutWhileAListIsRead$", "only lists are redacted", "columns of what is not redacted while it is read are stored",
			edit{"pipeline/sync/rewriting.go", "	if !page.LeftOut {\n", "	if false {\n"}),
		tests("pipeline/upstream/body", "^TestAnOwnListIsRewritten$", "all lists are redacted", "columns of a list beside a very long one are stored",
			edit{"pipeline/upstream/body/list.go", "Rewritten: quickly && ", "Rewritten: (quickly || true) && "}),
		tests("schema/redact", "^TestNoByteOfALeftOutValueSurvives$", "members that are passed", "a value that is to be left out is kept where its key was expected",
			edit{"schema/redact/walk.go", "		if f == nil || f.action != keep || f.quoted", "		if f == nil || f.quoted"}),
		tests(room, "^TestAnErasedRecordIsNowhere$", "archives stay", "the raw records of an erased record stay",
			edit{erase + "/places.go", "				return []byte(archive.Erased)\n", "				return record\n"}),
		tests(room, "^TestAnErasedRecordIsRefused$", "what was erased is loaded", "the next sync brings an erased record back",
			edit{room + "/load.go", "	if !l.row.Erased {\n", "	if true {\n"}),
		tests(room, "^TestALoadThatWaitedForAnErasure$", "claims outlive an erasure", "a load that waited for an erasure brings the record back",
			edit{room + "/streams/claim.go", "UPDATE sluice.streams SET fence = fence + 1\nWHERE organization_id = $1 AND service = $2 AND (resource", "UPDATE sluice.streams SET fence = fence + 0\nWHERE organization_id = $1 AND service = $2 AND (resource"}),
		tests("pipeline/engine/enginetest", "^TestVerifyNamesNoErasedRecord$", "erased records are named", "a verification keeps the identifier of an erased record",
			edit{"pipeline/lineage/verify/hold.go", "codeErased, \"\", call", "codeErased, id, call"}),
		tests(room, "^TestReceiptsShowThatTheyWereAltered$", "receipts stand alone", "a receipt can be removed without a trace",
			edit{erase + "/erasures.go", "		if before[r.Organization], err = hex.DecodeString(r.Digest); err != nil {\n", "		if _, err = hex.DecodeString(r.Digest); err != nil {\n"}),
	}
}
