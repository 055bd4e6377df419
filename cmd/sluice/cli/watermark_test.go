package cli

import (
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestAWatermarkAheadOfTimeIsRefused: no run reads from a watermark that something else moved
// ahead. The command status says so, the other streams go on, and one command brings back the
// changes that a run would have skipped.
func TestAWatermarkAheadOfTimeIsRefused(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 60}).narrow()
	lists := []string{"inventory.items", "accounting.vendor_payments"}
	s.sync(codeFine, lists...)
	before := one[string](s, `SELECT watermark::text FROM sluice.streams WHERE resource = 'items'`)
	if _, err := s.world.Change(sandbox.Change{Seed: 5, Inserts: 3, Resources: []string{"items", "vendor_payments"}}); err != nil {
		t.Fatal(err)
	}
	s.exec(`UPDATE sluice.streams SET watermark = watermark + interval '1 year' WHERE resource = 'items'`)

	result := s.sync(codeFailed, lists...)
	for _, r := range result.Streams {
		switch r.Resource {
		case "items":
			if r.Outcome != "failed" || !strings.Contains(r.Reason+r.Note, "sluice sync inventory.items --reset-watermark") {
				t.Errorf("items: %+v", r)
			}
		case "vendor_payments":
			if r.Outcome != "done" || r.Inserted != 3 {
				t.Errorf("the stream beside it: %+v", r)
			}
		}
	}
	if o := s.run("status"); !strings.Contains(o.stdout, "ERROR: the watermark") || strings.Contains(o.stdout, "items            idle") {
		t.Errorf("status: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	s.prints(codeUsage, "", "sync", "--reset-watermark")
	o := s.run("sync", "--json", "--reset-watermark", "inventory.items")
	if r := s.synced(codeFine, o).Streams[0]; r.Inserted != 3 || !strings.Contains(o.stderr, "the watermark goes back from") {
		t.Errorf("after the reset: %+v\n%s", r, o.stderr)
	}
	if moved := one[bool](s, `SELECT watermark > $1::timestamptz AND watermark < clock_timestamp() FROM sluice.streams WHERE resource = 'items'`, before); !moved {
		t.Error("the watermark is not where the last run left it")
	}
	// If the runs are not known any more, the whole list is read.
	s.exec(`UPDATE sluice.streams SET watermark = watermark + interval '1 year' WHERE resource = 'items'`)
	s.exec(`UPDATE sluice.runs SET watermark_after = NULL WHERE resource = 'items'`)
	o = s.run("sync", "--json", "--reset-watermark", "inventory.items")
	if r := s.synced(codeFine, o).Streams[0]; r.Received < one[int64](s, `SELECT count(*) FROM inventory.items`) || r.Inserted != 0 || !strings.Contains(o.stderr, "to none: the whole list is read") {
		t.Errorf("without a proven watermark: %+v\n%s", r, o.stderr)
	}
	if o := s.run("status"); strings.Contains(o.stdout, "ERROR") {
		t.Errorf("status after it:\n%s", o.stdout)
	}
}
