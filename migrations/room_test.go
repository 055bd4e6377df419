package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/migrations"
)

// room is the version that keeps room on pages for new versions of rows.
const room = 32

// Every list without single records has room on its pages, whoever declared it; those with an index that each update changes, elements and
// tables of others have not.
func TestPagesOfListsKeepRoom(t *testing.T) {
	t.Parallel()
	url := before(t, room)
	run(t, url,
		`CREATE SCHEMA custom`,
		`CREATE TABLE custom."Price lists" (organization_id text, pricebook_id text, _hash bytea)`,
		`CREATE TABLE custom.orders (organization_id text, order_id text, _hash bytea, _detail_state text)`,
		`CREATE TABLE custom.price_lists_items (organization_id text, _parent_id text, _position integer)`,
	)
	if err := migrations.Migrate(t.Context(), url, migrations.Options{}); err != nil {
		t.Fatal(err)
	}
	const roomy = `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN ('accounting', 'inventory', 'invoicing', 'billing', 'chat', 'custom') AND c.relkind = 'r' AND `
	want := list(t, url, roomy+`EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = '_hash')
		AND (SELECT count(*) FROM pg_index WHERE indrelid = c.oid AND NOT indisprimary) = 0 AND c.relname <> 'orders' ORDER BY 1`)
	if diff := cmp.Diff(want, list(t, url, roomy+`'fillfactor=90' = ANY(c.reloptions) ORDER BY 1`)); diff != "" || len(want) < 19 {
		t.Errorf("of %d lists (-want +got):\n%s", len(want), diff)
	}
}
