package main

// answerBugs give people plausible figures that are wrong (docs/querying.md).
func answerBugs() []bug {
	const (
		file  = "cmd/sluice/cli/tour.go"
		which = "^TestAnswersAreRight$"
		room  = "cmd/sluice/cli"
	)
	return []bug{
		tests(room, which, "deleted bills are owed", "the tour adds up bills that are gone upstream",
			edit{file, " AND _deleted_at IS NULL\nGROUP BY vendor_id", "\nGROUP BY vendor_id"}),
		tests(room, which, "rupees and dollars", "the tour adds up amounts of several currencies",
			edit{file, "round(sum(balance * exchange_rate), 2) AS open_base", "round(sum(balance), 2) AS open_base"}),
		tests(room, which, "by name", "the tour takes vendors of one name for one",
			edit{file, "GROUP BY vendor_id ORDER", "GROUP BY vendor_name ORDER"}, edit{file, "SELECT vendor_id, max(vendor_name) AS vendor, count", "SELECT max(vendor_id) AS vendor_id, vendor_name AS vendor, count"},
			edit{file, "DESC NULLS LAST, vendor_id LIMIT", "DESC NULLS LAST, 1 LIMIT"}),
		tests(room, which, "SQL that no test runs", "a help text shows a statement that is not known to be right",
			edit{"cmd/sluice/cli/demo.go", "in another shell.`,", "in another shell: SELECT count(*) FROM inventory.bills`,"}),
	}
}
