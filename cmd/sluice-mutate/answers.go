package main

// answerBugs give people plausible figures that are wrong (docs/querying.md).
func answerBugs() []bug {
	const (
		file  = "docs/querying.md"
		which = "^TestAnswersAreRight$"
		room  = "cmd/sluice/cli"
	)
	return []bug{
		tests(room, which, "deleted bills are owed", "a page adds up bills that are gone upstream",
			edit{file, " AND _deleted_at IS NULL\nGROUP BY organization_id, vendor_id\nORDER", "\nGROUP BY organization_id, vendor_id\nORDER"}),
		tests(room, which, "rupees and dollars", "a page adds up amounts of several currencies",
			edit{file, "AS vendor, count(*) AS bills, round(sum(balance * exchange_rate), 2) AS open_base", "AS vendor, count(*) AS bills, round(sum(balance), 2) AS open_base"}),
		tests(room, which, "by name", "a page takes vendors of one name for one",
			edit{file, "GROUP BY organization_id, vendor_id\nORDER", "GROUP BY organization_id, vendor_name\nORDER"},
			edit{file, "SELECT organization_id, vendor_id, max(vendor_name) AS vendor, count(*) AS bills, round", "SELECT organization_id, max(vendor_id) AS vendor_id, vendor_name AS vendor, count(*) AS bills, round"}),
		tests(room, which, "SQL that no test runs", "a help text shows a statement that is not known to be right",
			edit{"cmd/sluice/cli/demo.go", "in another shell.`,", "in another shell: SELECT count(*) FROM inventory.bills`,"}),
	}
}
