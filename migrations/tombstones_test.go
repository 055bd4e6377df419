package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/migrations"
)

// tombstones is the version that brought tombstones.
const tombstones = 10

// Lists that users declared before there were tombstones get theirs, records and
// elements, and nothing else in their schema does.
func TestOlderListsOfUsersGetTombstones(t *testing.T) {
	t.Parallel()
	url := before(t, tombstones)
	run(t, url,
		`CREATE SCHEMA custom`,
		`CREATE TABLE custom.price_lists (organization_id text, pricebook_id text, _hash bytea)`,
		`CREATE TABLE custom."price_lists_Items" (organization_id text, _parent_id text, _position integer)`,
		`CREATE TABLE custom.notes (text text)`,
	)
	if err := migrations.Migrate(t.Context(), url, migrations.Options{}); err != nil {
		t.Fatal(err)
	}
	got := list(t, url, `SELECT table_name || ': ' || data_type || ': ' || col_description(format('custom.%I', table_name)::regclass, ordinal_position)
		FROM information_schema.columns WHERE table_schema = 'custom' AND column_name = '_deleted_at' ORDER BY 1`)
	want := []string{
		"price_lists: timestamp with time zone: When the record was found to be gone upstream, by upstream's clock; null while it exists. " +
			"The evidence is in sluice.tombstones.",
		"price_lists_Items: timestamp with time zone: When the record that the row belongs to was found to be gone upstream; null while it exists.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
