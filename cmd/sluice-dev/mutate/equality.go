package mutate

// equalityBugs leave the warehouse different from upstream.
func equalityBugs() []bug {
	return []bug{
		tests("pipeline", "TestLagFollowsLateness", "a lag that never grows", "writes are late, and the lag stays what it was",
			edit{"pipeline/rules.go", "	return max(r.Lag, min(2*late, MaxLag))\n", "	return max(r.Lag, min(0*late, MaxLag))\n"}),
		tests("pipeline/sync", "TestPlanFollowsWhatIsKnown", "what is known is forgotten", "a list that was seen to ignore its filter is asked for what changed again",
			edit{"pipeline/sync/scan/capable.go", `needed != "" && known.Lacks(needed)`, `needed == "" && known.Lacks(needed)`}),
		tests("pipeline/warehouse", "TestVerdictsAreKept", "declarations have the last word", "a restart replaces what was measured by what is declared",
			edit{"pipeline/warehouse/capabilities/capability.go", "WHERE c.source IN ('documented', 'assumed')\n	AND (c.verdict", "WHERE (c.verdict"}),
		impatient("TestAskedDuringARunIsServedByAnother", "no second look", "who asks while a run is under way is not served",
			edit{"pipeline/warehouse/streams/status.go", "`SELECT requested_gen > served_gen FROM", "`SELECT false AND requested_gen > served_gen FROM"},
			edit{"pipeline/warehouse/streams/status.go", "WHERE enabled AND (requested_gen", "WHERE false AND enabled AND (requested_gen"}),
		tests("pipeline/lineage/verify", "TestCompare", "verify compares nothing", "rows that differ from their records are found equal",
			edit{"pipeline/warehouse/contents/statement.go", "CASE WHEN %s IS DISTINCT FROM %s THEN %d END", "CASE WHEN false AND %s IS DISTINCT FROM %s THEN %d END"}),
		tests("pipeline/warehouse/rows", "TestPayloadHashesChangeNothing", "a payload hash outlives its bytes", "a row that is replaced keeps the payload hash of what it was",
			edit{"pipeline/warehouse/rows/statements/updates.go", "_content_hash = s._content_hash, _payload_hash = s._payload_hash", "_content_hash = s._content_hash"}),
		schedules("5000", "a refused call is an empty page", "an answer that none is ends the list",
			edit{"pipeline/sync/reader.go", "	case err != nil:\n		return pipeline.Batch{}, err\n	}\n	unfinished.Spent++\n", "	case err != nil:\n		page = pipeline.Page{Date: asked, PerPage: unfinished.PerPage}\n	}\n	unfinished.Spent++\n"}),
		tests("pipeline/upstream", "TestEveryAnswerHasItsKind", "200 is success", "an answer whose code says that it failed is believed",
			edit{"pipeline/upstream/verdict.go", "	case success && code == \"0\":\n", "	case success:\n"}),
		tests("pipeline/upstream", "TestAPageCutAtAnyByteIsUnavailable", "a cut body is believed", "what was cut off is taken for the end",
			edit{"pipeline/upstream/body/json.go", "	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {\n", "	if false && errors.Is(err, io.EOF) {\n"}),
		tests("pipeline/warehouse", "TestACallbackDuringAReadLeadsToAnother", "spent by an earlier call", "a hint that arrived while its record was read is taken for read",
			edit{"pipeline/warehouse/hints/hints.go", "	AND h.last_at < n.at\n", "	AND n.at IS NOT NULL\n"}),
		tests("pipeline/warehouse", "TestAReadThatShowsNothingNewIsRepeatedOnce", "one look", "a record that showed nothing new is not read again, although changes are seen late",
			edit{"pipeline/warehouse/hints/hints.go", "AND t._changed_at >= began.at) AS new", "AND t._changed_at >= began.at) OR true AS new"}),
	}
}
