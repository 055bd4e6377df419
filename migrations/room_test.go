package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPagesOfListsKeepRoom: every list without single records has free room on its pages. Tables
// with an index that each update changes, and tables of elements, have none.
func TestPagesOfListsKeepRoom(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	const roomy = `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN (SELECT name FROM sluice.service_schemas) AND c.relkind = 'r' AND `
	want := list(t, url, roomy+`EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = '_content_hash')
		AND (SELECT count(*) FROM pg_index WHERE indrelid = c.oid AND NOT indisprimary) = 0 ORDER BY 1`)
	if diff := cmp.Diff(want, list(t, url, roomy+`'fillfactor=90' = ANY(c.reloptions) ORDER BY 1`)); diff != "" || len(want) < 16 {
		t.Errorf("of %d lists (-want +got):\n%s", len(want), diff)
	}
}
