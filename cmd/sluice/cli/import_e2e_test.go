//go:build e2e

package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// TestKilledImportLosesNothing: an import is killed within a batch. The same command, run again,
// makes all tables what they are without a kill.
func TestKilledImportLosesNothing(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 146, Records: 9_000, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	streams := exportedStreams{}
	for i, record := range s.truths()["inventory.items"] {
		streams["inventory.items"] = append(streams["inventory.items"], exportedRecord{record: record})
		if i == 700 {
			streams["inventory.items"][i].record = withKey(record, "last_modified_time", `"the day before yesterday"`)
		}
	}
	file := plainLines(s, streams)["inventory.items"]
	whole := s.secondWarehouse(t)
	want := whole.imported(codeFine, file)
	if want.Lines < 1500 {
		t.Fatalf("%d lines make too few batches", want.Lines)
	}
	s.exec(`CREATE FUNCTION public.hang() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NULL; END$$;
		CREATE TRIGGER hang AFTER INSERT ON sluice.imports FOR EACH ROW WHEN (NEW.first_line > 1000) EXECUTE FUNCTION public.hang()`)
	conn := sure(pgx.Connect(t.Context(), s.environment["SLUICE_DATABASE_URL"]))(t)
	sure(conn.Exec(t.Context(), `SELECT pg_advisory_lock(77)`))(t)
	p := s.start("import", file)
	s.until("the import waits in its third batch", `SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`)
	p.kill()
	must(t, conn.Close(t.Context()))
	s.quiet() // the server may still commit what the process began
	s.exec(`DROP TRIGGER hang ON sluice.imports`)
	rows := one[int64](s, `SELECT count(*) FROM inventory.items`)
	if stored := one[int64](s, `SELECT sum(inserted)::bigint FROM sluice.runs WHERE class = 'import' AND outcome = 'provisional'`); stored != rows || rows < 900 || rows >= want.Inserted {
		t.Errorf("%d rows after the kill, the run says %d", rows, stored)
	}
	s.counts(0, "runs are open", `SELECT count(*) FROM sluice.runs WHERE ended_at IS NULL`)
	if found := s.verified(codeFine, "--local"); len(found.Findings) != 0 {
		t.Errorf("after the kill verify finds %+v", found.Findings)
	}
	got := s.imported(codeFine, file)
	if got.Lines != want.Lines || got.Inserted != want.Inserted-rows || got.Unchanged != rows || got.Rejected != want.Rejected || got.CallsSaved != want.CallsSaved {
		t.Errorf("after the kill: %+v, without one: %+v", got, want)
	}
	if diff := cmp.Diff(whole.fields(), s.fields()); diff != "" {
		t.Errorf("(-without a kill +after one):\n%s", firstOf(diff))
	}
	s.counts(1, "records are in quarantine", `SELECT count(*) FROM sluice.quarantine WHERE state = 'open'`)
}
