package main

// viewBugs make analysts' figures wrong, or show readers what is not theirs
// (docs/decisions/0027-views).
func viewBugs() []bug {
	const (
		views = "migrations/views/"
		room  = "migrations"

		closed = "pipeline/warehouse/closings"
	)
	return []bug{
		tests(room, "^TestPayables$", "an unknown rate is 1", "an amount in a foreign currency counts as one in the base currency",
			edit{views + "bills.sql", "    ELSE nullif(b.exchange_rate, 0)\n", "    ELSE coalesce(nullif(b.exchange_rate, 0), 1)\n"}),
		tests(closed, "^TestClosedPeriodListsEveryChange$", "a payment changes the month", "what is paid later counts as a change of the closed month of the bill",
			edit{"connectors/inventory/bills.go", `"is_reverse_charge_applied"},`, `"is_reverse_charge_applied", "balance"},`}),
		tests(closed, "^TestClosedPeriodListsEveryChange$", "deleted bills stay in the sums", "a bill that is gone upstream has no effect on the closed month",
			edit{views + "after_close.sql", "CASE WHEN p.is_in AND NOT p.is_deleted AND p.counts THEN", "CASE WHEN p.is_in AND p.counts THEN"}),
		tests(closed, "^TestAPeriodIsNotClosed$", "closed before the lists are here", "a period is closed although a table is not complete up to its end",
			edit{"pipeline/warehouse/closings/closings.go", "s.watermark IS NULL OR s.watermark < ($3::date + 1)::timestamp AT TIME ZONE $4", "s.watermark IS NULL"}),
		tests(room, "^TestAsOfEndsDaysByZone$", "as of the session's midnight", "a day ends in UTC for all organizations",
			edit{"migrations/00117_closings.sql", "(as_of.day() + 1)::timestamp AT TIME ZONE o.zone AS at", "(as_of.day() + 1)::timestamp AT TIME ZONE 'UTC' AS at"}),
		tests(room, "^TestAsOfRefuses$", "an empty past", "a table whose versions were not kept on that day is empty",
			edit{"migrations/00117_closings.sql", "        IF NOT c.has_begun THEN\n", "        CONTINUE WHEN NOT c.is_known;\n        IF NOT c.has_begun THEN\n"}),
		tests(room, "^TestPayables$", "lines without a rest", "what no line shows is in no cut of the spend",
			edit{views + "spend_lines.sql", "WHERE b.is_posted AND (NOT b.lines_loaded OR ", "WHERE b.is_posted AND (false AND "}),
		tests(room, "^TestReadersSeeTheirOrganizations$", "rows of all organizations", "a reader of one organization sees the bills of the others",
			edit{views + "bills.sql", "WHERE b.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));", "WHERE true;"}),
		tests(room, "^TestMaskedReadersSeeNothingPersonal$", "a mask that keeps the value", "masked readers see addresses of persons",
			edit{views + "contacts.sql", "ELSE '***@' || split_part(nullif(p.email, ''), '@', 2) END", "ELSE p.email END"}),
		tests(room, "^TestSumsLeaveOutWhatEntersThemOtherwise$", "discounts in the sums", "a bill with a discount is said to contradict itself",
			edit{"migrations/00113_verify.sql", "CASE WHEN coalesce(b.discount_total, 0) <> 0 OR ", "CASE WHEN "}),
		tests("schema/record", "^TestKeysOfAPrefixBecomeRows$", "display twins are drift", "nearly every live record counts as one with unknown keys",
			edit{"schema/record/compile.go", "o.fields[name] == nil && !c.Given", "false && o.fields[name] == nil"}),
	}
}
