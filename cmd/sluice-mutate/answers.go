package main

// answerBugs give people plausible figures that are wrong (docs/querying.md).
func answerBugs() []bug {
	const (
		file  = "cmd/sluice-sandbox/demo/tour.go"
		room  = "cmd/sluice/cli"
		which = "^TestTheTourAsksQuestionsOfThePage$"
	)
	return []bug{
		tests("migrations", "^TestPayables$", "deleted bills are owed", "bills that are gone upstream count as posted",
			edit{"migrations/views/bills.sql", "b.status NOT IN ('draft', 'void') AND b._deleted_at IS NULL AS is_posted", "b.status NOT IN ('draft', 'void') AS is_posted"}),
		tests(room, which, "rupees and dollars", "the tour adds up amounts of several currencies",
			edit{file, "sum(bills) AS bills, sum(open_base) AS open_base", "sum(bills) AS bills, sum(open) AS open_base"}),
		tests(room, which, "by name", "the tour takes vendors of one name for one",
			edit{file, "FROM analytics.ap_ageing\nGROUP BY organization_id, vendor_id\n", "FROM analytics.ap_ageing\nGROUP BY organization_id, vendor_name\n"}),
		tests(room, "^TestAnswersAreRight$", "SQL that no test runs", "a help text shows a statement that is not known to be right",
			edit{"cmd/sluice/cli/console.go", "without a database that it waits for one.", "without a database that it waits for one: SELECT count(*) FROM inventory.bills."}),
	}
}
