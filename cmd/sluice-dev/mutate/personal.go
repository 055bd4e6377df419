package mutate

// personalBugs leave a copy of what was erased, let it come back, or show what is to be left out.
func personalBugs() []bug {
	return []bug{
		tests("pipeline/upstream", "TestColumnsAreLeftOutWhileAListIsRead", "only lists are redacted", "columns of what is not redacted while it is read are stored",
			edit{"pipeline/sync/rewriting.go", "	if !page.LeftOut {\n", "	if false {\n"}),
		tests("schema/redact", "TestNoByteOfALeftOutValueSurvives", "members that are passed", "a value that is to be left out is kept where its key was expected",
			edit{"schema/redact/walk.go", "		if f == nil || f.action != keep || f.quoted", "		if f == nil || f.quoted"}),
		tests("pipeline/warehouse", "TestAnErasedRecordIsNowhere", "archives stay", "the raw records of an erased record stay",
			edit{"pipeline/warehouse/erasures/places.go", "				return []byte(archive.Erased)\n", "				return record\n"}),
		tests("pipeline/warehouse", "TestAnErasedRecordIsRefused", "what was erased is loaded", "the next sync brings an erased record back",
			edit{"pipeline/warehouse/load.go", "	if !l.row.Erased {\n", "	if true {\n"}),
		tests("pipeline/warehouse", "TestALoadThatWaitedForAnErasure", "claims outlive an erasure", "a load that waited for an erasure brings the record back",
			edit{"pipeline/warehouse/streams/claim.go", "UPDATE sluice.streams SET fence = fence + 1\nWHERE organization_id = $1 AND service = $2 AND (resource", "UPDATE sluice.streams SET fence = fence + 0\nWHERE organization_id = $1 AND service = $2 AND (resource"}),
		tests("pipeline/engine/enginetest", "TestVerifyNamesNoErasedRecord", "erased records are named", "a verification keeps the identifier of an erased record",
			edit{"pipeline/lineage/verify/hold.go", `codeErased, "", call`, "codeErased, id, call"}),
		tests("pipeline/warehouse", "TestReceiptsShowThatTheyWereAltered", "receipts stand alone", "a receipt can be removed without a trace",
			edit{"pipeline/warehouse/erasures/erasures.go", "		if before[r.Organization], err = hex.DecodeString(r.Digest); err != nil {\n", "		if _, err = hex.DecodeString(r.Digest); err != nil {\n"}),
		tests("migrations", "TestReadersSeeTheirOrganizations", "rows of all organizations", "a reader of one organization sees the bills of the others",
			edit{"migrations/views/bills.sql", "WHERE b.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));", "WHERE true;"}),
		tests("migrations", "TestMaskedReadersSeeNothingPersonal", "a mask that keeps the value", "masked readers see addresses of persons",
			edit{"migrations/views/contacts.sql", "ELSE '***@' || split_part(nullif(p.email, ''), '@', 2) END", "ELSE p.email END"}),
	}
}
