//go:build e2e

package cli

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// TestAdoptingIsKilled: adopting is killed between any two batches and within one, and the same
// command goes on; in the end all tables are what they are without a kill.
func TestAdoptingIsKilled(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 146, Records: 9_000, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	streams := foreignStreams{}
	for i, record := range s.truths()["inventory.items"] {
		streams["inventory.items"] = append(streams["inventory.items"],
			foreignRecord{record: record, extracted: time.Now().Add(-time.Hour + time.Duration(i)*time.Millisecond), sync: 1})
	}
	whole := s.secondWarehouse(t)
	want := whole.adopted(codeFine, jsonlFiles(whole, streams)...).Adopted[0]
	if want.Records < 1500 {
		t.Fatalf("%d records make too few batches", want.Records)
	}
	flags := append([]string{"adopt"}, jsonlFiles(s, streams)...)
	s.exec(`CREATE FUNCTION public.hang() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NULL; END$$;
		CREATE TRIGGER hang AFTER UPDATE ON sluice.adoptions FOR EACH ROW WHEN (mod(NEW.records, 1000) < 500) EXECUTE FUNCTION public.hang()`)
	conn, err := pgx.Connect(t.Context(), s.environment["SLUICE_DATABASE_URL"])
	must(t, err)
	_, err = conn.Exec(t.Context(), `SELECT pg_advisory_lock(77)`)
	must(t, err)
	p := s.start(flags...)
	s.until("adopting waits at the end of a batch", `SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`)
	p.kill()
	must(t, conn.Close(t.Context()))
	s.quiet() // the server may still commit what the process began
	s.exec(`DROP TRIGGER hang ON sluice.adoptions`)
	rows := one[int64](s, `SELECT count(*) FROM inventory.items`)
	if stored := one[int64](s, `SELECT inserted FROM sluice.adoptions WHERE ended_at IS NULL`); stored != rows || rows == 0 || rows >= want.Inserted {
		t.Errorf("%d rows after the kill, the progress says %d", rows, stored)
	}
	if open := one[int](s, `SELECT count(*) FROM sluice.runs WHERE ended_at IS NULL`); open != 0 {
		t.Errorf("%d runs are open", open)
	}
	if found := s.verified(codeFine, "--local"); len(found.Findings) != 0 {
		t.Errorf("after the kill verify finds %+v", found.Findings)
	}
	got := s.adopted(codeFine, flags[1:]...).Adopted[0]
	if !got.Resumed || got.Counts != want.Counts || !cmp.Equal(got.Watermark, want.Watermark) {
		t.Errorf("after the kill: %+v, without one: %+v", got, want)
	}
	if diff := cmp.Diff(whole.fields(), s.fields()); diff != "" {
		t.Errorf("(-without a kill +after one):\n%s", firstOf(diff))
	}
}
