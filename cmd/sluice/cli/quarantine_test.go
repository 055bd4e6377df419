package cli

import (
	"strconv"
	"strings"
	"testing"

	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/sandbox"
)

// three are entries whose bytes fit no declaration; one of them is no UTF-8.
const three = `INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, last_seen_at) VALUES
	($1, 'inventory', 'bills', '\x01', '71', '{"bill_id": "71", "date": "soon"}', 'bad_time', 'date', '2026-03-01 00:30:00+05:30'),
	($1, 'inventory', 'bills', '\x02', '', '\xff7b', 'no_id', '', '2026-02-28 12:00:00+00'),
	($1, 'inventory', 'items', '\x03', '73', '{"item_id": "73", "rate": "<much>"}', 'bad_number', 'rate', clock_timestamp())`

// TestQuarantineIsNarrowed selects entries by resource, reason, time and organization.
func TestQuarantineIsNarrowed(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 94, Records: 10})
	s.exec(three, sandbox.DefaultOrganizationID)
	for args, want := range map[string]string{
		"list":                              "73 - 71",
		"list bills":                        "- 71",
		"list inventory.items":              "73",
		"list --code bad_time":              "71",
		"list --since 2026-03-01":           "73", // no organization is named: a day of UTC
		"list --since 2026-02-28":           "73 - 71",
		"list --since 1h":                   "73",
		"list --since 2026-02-28T19:00:00Z": "73 71",
		"list --org " + sandbox.DefaultOrganizationID + " --since 2026-03-01": "73 71", // a day of its zone, India's
	} {
		entries := decoded[[]quarantine.Entry](s, codeFine, append([]string{"quarantine"}, strings.Fields(args)...)...)
		var got []string
		for _, e := range entries {
			if e.Record == "" {
				e.Record = "-"
			}
			got = append(got, e.Record)
		}
		errorIf(t, strings.Join(got, " ") != want, "%s: %v, want %s", args, got, want)
	}
	for _, args := range []string{"list --since soon", "list --org nobody", "accept 1", "accept --note x", "retry", "retry 1 --code no_id"} {
		s.prints(codeUsage, "", append([]string{"quarantine"}, strings.Fields(args)...)...)
	}
}

// TestQuarantineAccept: the received bytes are shown; an entry that a person accepts is closed and
// stays closed.
func TestQuarantineAccept(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 95, Records: 10})
	s.exec(three, sandbox.DefaultOrganizationID)
	var found []wholeEntry
	for _, id := range one[[]int64](s, `SELECT array_agg(id ORDER BY record_hash) FROM sluice.quarantine`) {
		found = append(found, decoded[wholeEntry](s, codeFine, "quarantine", "show", strconv.FormatInt(id, 10)))
	}
	errorIf(t, found[0].Raw != `{"bill_id": "71", "date": "soon"}` || string(found[1].RawBase64) != "\xff{" || found[0].RawBase64 != nil ||
		found[2].Raw != `{"item_id": "73", "rate": "<much>"}` || found[2].Path != "rate" || found[2].LastSeenAt.IsZero(), "shown: %+v", found)

	first := strconv.FormatInt(found[0].ID, 10)
	results := decoded[[]accepted](s, codeFine, "quarantine", "accept", first, "--note", "a test of the vendor")
	errorIf(t, len(results) != 1 || !results[0].Accepted, "accepted: %+v", results)
	s.prints(codeFailed, "no such open entry", "quarantine", "accept", first, "--note", "again")
	s.run("quarantine", "show", first).prints(t, codeFine, "resolved", "a test of the vendor")
	s.prints(codeFine, "1 of 1", "quarantine", "accept", "--resource", "all", "--code", "no_id", "--note", "nameless")
	s.counts(1, "open entries of those that were not named", `SELECT count(*) FROM sluice.quarantine WHERE state = 'open' AND record_id = '73'`)

	// After an upgrade one command tries all open entries.
	tried := decoded[[]engine.Retried](s, codeFailed, "quarantine", "retry", "--resource", "inventory.items")
	errorIf(t, len(tried) != 1 || tried[0].Loaded || !strings.Contains(tried[0].Why, "number"), "retried before: %+v", tried)
	s.exec(`UPDATE sluice.quarantine SET raw = '{"item_id": "73", "rate": 12.5}' WHERE record_id = '73'`)
	s.prints(codeFine, "1 of 1 loaded", "quarantine", "retry", "--resource", "all")
	same(t, "the rate is", "12.5", one[string](s, `SELECT rate::text FROM inventory.items WHERE item_id = '73'`))
	all := decoded[[]quarantine.Entry](s, codeFine, "quarantine", "list", "--all")
	errorIf(t, len(all) != 3 || all[2].Note != "a test of the vendor" || all[0].State != "retried", "all: %+v", all)
}
