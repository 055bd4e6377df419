package migrations_test

import (
	"testing"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
)

// Upstream merges and drops records, and records that refer to others may come before or without
// them. So a row of a service refers by a foreign key to its own parent row only.
func TestNoForeignKeyFollowsUpstreamsIdentifiers(t *testing.T) {
	t.Parallel()
	url := warehousetest.New(t)
	if err := migrations.Migrate(t.Context(), url, migrations.Options{}); err != nil {
		t.Fatal(err)
	}
	const (
		services = `('accounting', 'invoicing', 'billing', 'inventory', 'chat', 'notifications', 'custom')`
		keys     = `FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
			JOIN pg_class p ON p.oid = k.confrelid WHERE k.contype = 'f' AND n.nspname IN ` + services
		columns = `(SELECT array_agg(a.attname::text ORDER BY at) FROM unnest(k.conkey) WITH ORDINALITY AS w (number, at)
			JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = number)`
	)
	if got := list(t, url, `SELECT c.relname || ' leads to ' || p.relname `+keys+` AND NOT (p.relnamespace = c.relnamespace
			AND starts_with(c.relname, p.relname || '_') AND `+columns+`[1:2] = ARRAY['organization_id', '_parent_id'])`); len(got) > 0 {
		t.Errorf("foreign keys that follow upstream's identifiers: %q", got)
	}
	if got := list(t, url, `SELECT c.relname::text `+keys); len(got) == 0 {
		t.Error("there are no foreign keys at all: nothing was looked at")
	}
}
