package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox"
)

const closedMonth = "2025-10"

func (s *fixture) plantBill(id string, net int) {
	s.t.Helper()
	s.exec(`INSERT INTO inventory.bills (organization_id, bill_id, vendor_id, vendor_name, status, date, currency_code, exchange_rate, sub_total, tax_total, total, balance,
			_detail_state, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		VALUES ($1, $2, 'v', 'Vendor', 'open', '2025-10-03', 'INR', 1, $3, 0, $3, $3, 'current', '\x00', 1, 0, 1, clock_timestamp(), clock_timestamp())`, businessKey, id, net)
	s.exec(`INSERT INTO inventory.bills_line_items (organization_id, _parent_id, _position, account_id, item_total) VALUES ($1, $2, 0, 'a', $3)`, businessKey, id, net)
}

// closable is a warehouse that is complete up to now.
func closable(t *testing.T) *fixture {
	t.Helper()
	s := newFixture(t, sandbox.Options{Seed: 91, Records: 3}).narrow()
	s.runs(codeFine, "migrate")
	s.exec(`INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ($1, $1, 'Asia/Kolkata') ON CONFLICT DO NOTHING`, businessKey)
	s.exec(`INSERT INTO inventory.organizations (organization_id, id, name, currency_code, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		VALUES ($1, $1, $1, 'INR', '\x00', 1, 0, 1, now(), now())`, businessKey)
	s.runs(codeFine, "status") // from now on the streams are known
	s.exec(`UPDATE sluice.streams SET watermark = now()`)
	return s
}

// TestClose: a period is closed as its dry run says, and status, the console and /metrics show what
// changed since. It can be opened again.
func TestClose(t *testing.T) {
	t.Parallel()
	s := closable(t)
	s.plantBill("1", 5)
	s.plantBill("2", 7)
	dry := decoded[closingView](s, codeFine, "close", businessKey, closedMonth, "--dry-run")
	made := decoded[closingView](s, codeFine, "close", businessKey, "2025-10-01..2025-10-31")
	if !dry.DryRun || made.DryRun || dry.Digest != made.Digest || made.Period != closedMonth || made.Records != 2 || len(made.Sums) != 1 || len(made.Lacks) != 0 {
		t.Errorf("closed: %+v\nas the dry run said: %+v", made, dry)
	}
	s.exec(`UPDATE inventory.bills SET sub_total = 9, total = 9, _changed_at = clock_timestamp()`)
	s.exec(`UPDATE sluice.closings SET looked_at = looked_at - interval '11 minutes'`)
	app := s.opened()
	must(t, app.NoticeAfterClose(t.Context()))
	shown := decoded[statusView](s, codeFine, "status")
	errorIf(t, len(shown.Closings) != 1 || shown.Closings[0].Records != 2, "status shows %+v, want two records", shown.Closings)
	s.desk().says("/", "the closed period "+closedMonth+" changed, by 2 records")
	line := `sluice_closed_period_changes{organization="` + businessKey + `",period="` + closedMonth + `"} 2`
	errorIf(t, !strings.Contains(metricsOf(t, app), line), "/metrics lacks %s", line)
	s.runs(codeFine, "close "+businessKey+" "+closedMonth+" --reopen")
	s.counts(0, "periods are closed", `SELECT count(*) FROM sluice.closings WHERE reopened_at IS NULL`)
}

// TestCloseRefuses: exit codes and words of a period that is none, or is not closed or opened again.
func TestCloseRefuses(t *testing.T) {
	t.Parallel()
	s := closable(t)
	s.plantBill("1", 5)
	refuses := func(code int, says string, args ...string) {
		t.Helper()
		s.complains(code, says, append([]string{"close"}, args...)...)
	}
	refuses(codeUsage, "name the organization and the period", businessKey)
	refuses(codeUsage, "no other flag", "--list", "--reopen")
	refuses(codeUsage, "2026-10, 2026-Q3", businessKey, "October")
	refuses(codeUsage, "nowhere", "nowhere", closedMonth)
	refuses(codeFailed, "not closed", businessKey, closedMonth, "--reopen")
	s.exec(`UPDATE inventory.bills SET _detail_state = 'pending'`)
	refuses(codeFailed, "it is not complete:\n  inventory.bills has 1 records of the period whose single record is still to be read", businessKey, closedMonth)
	made := decoded[closingView](s, codeFine, "close", businessKey, closedMonth, "--anyway")
	errorIf(t, len(made.Lacks) != 1, "what was missing: %q", made.Lacks)
	refuses(codeFailed, "closed already", businessKey, closedMonth, "--anyway")
}

// TestEveryInvariantIsKeptSomewhere looks for the number of each invariant of docs/invariants.md
// beside the lines that keep it.
func TestEveryInvariantIsKeptSomewhere(t *testing.T) {
	t.Parallel()
	document := sure(os.ReadFile("../../../docs/invariants.md"))(t)
	var promised []string
	for _, heading := range regexp.MustCompile(`(?m)^## (\d+)\.`).FindAllSubmatch(document, -1) {
		promised = append(promised, string(heading[1]))
	}
	fatalIf(t, len(promised) != 10, "docs/invariants.md numbers %d invariants, want 10", len(promised))
	cited := regexp.MustCompile(`[Ii]nvariants? (\d+)`)
	var kept []string
	walk := func(path string, entry fs.DirEntry, err error) error {
		source := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".sql")
		if err != nil || entry.IsDir() || !source {
			return err
		}
		text, err := os.ReadFile(path)
		for _, citation := range cited.FindAllSubmatch(text, -1) {
			kept = append(kept, string(citation[1]))
		}
		return err
	}
	for _, folder := range []string{"../../../pipeline", "../../../schema", "../../../migrations", "../../../cmd"} {
		must(t, filepath.WalkDir(folder, walk))
	}
	for _, number := range promised {
		errorIf(t, !slices.Contains(kept, number), "invariant %s stands at no line of code", number)
	}
}
