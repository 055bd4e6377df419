package warehousetest

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Digests returns a digest of each table of records that has rows: of all columns of all rows.
func Digests(tb testing.TB, conn *pgx.Conn) map[string]string {
	tb.Helper()
	read := func(sql string) string {
		tb.Helper()
		var text string
		if err := conn.QueryRow(tb.Context(), sql).Scan(&text); err != nil {
			tb.Fatal(err)
		}
		return text
	}
	found := map[string]string{}
	for table := range strings.FieldsSeq(read(`SELECT string_agg(format('%I.%I', n.nspname, c.relname), ' ') FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
		WHERE c.relkind = 'r' AND n.nspname NOT IN ('sluice', 'river') AND pg_relation_size(c.oid) > 0`)) {
		digest := read(`SELECT count(*) || ' rows, ' || coalesce(md5(string_agg(t::text, E'\n' ORDER BY t::text)), '') FROM ` + table + ` t`)
		if digest != "0 rows, " {
			found[table] = digest
		}
	}
	return found
}

// Damage changes rows as a person could. It does not change tombstones and calls.
func Damage(tb testing.TB, conn *pgx.Conn) {
	tb.Helper()
	// Some records have fewer elements than before, others have more.
	if _, err := conn.Exec(tb.Context(), `
UPDATE inventory.items SET name = 'edited', rate = NULL;
UPDATE inventory.bills SET vendor_name = NULL, sub_total = 0;
DELETE FROM inventory.bills_line_items WHERE _position > 0;
DELETE FROM accounting.vendor_payments_bills WHERE mod(hashtext(_parent_id), 2) = 0;
INSERT INTO accounting.vendor_payments_bills SELECT (jsonb_populate_record(b, '{"_position": 99}')).* FROM accounting.vendor_payments_bills b
	WHERE _position = 0;
UPDATE chat.conversations SET title = 'edited'`); err != nil {
		tb.Fatal(err)
	}
}

// LateChange is a row of analytics.after_close, its sums as fractions that a model can say, too.
type LateChange struct{ Kind, Effect, Base string }

// AfterClose returns what analytics.after_close has of the bills of an organization, by their
// identifiers.
func AfterClose(tb testing.TB, from interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}, organization, period string,
) map[string]LateChange {
	tb.Helper()
	rows, _ := from.Query(tb.Context(), `
		SELECT record_id, kind, CASE WHEN effect IS NULL THEN 'other currency' ELSE coalesce(effect ->> 'sub_total', '0') END,
			coalesce(effect_base ->> 'sub_total', '0')
		FROM analytics.after_close WHERE organization_id = $1 AND period = $2 AND table_name = 'inventory.bills'`, organization, period)
	found := map[string]LateChange{}
	var id string
	var change LateChange
	if _, err := pgx.ForEachRow(rows, []any{&id, &change.Kind, &change.Effect, &change.Base}, func() error {
		change.Effect, change.Base = Fraction(change.Effect), Fraction(change.Base)
		found[id] = change
		return nil
	}); err != nil {
		tb.Fatal(err)
	}
	return found
}

// Fraction writes a number without zeros at its end; another text stays.
func Fraction(text string) string {
	if number, ok := new(big.Rat).SetString(text); ok {
		return number.RatString()
	}
	return text
}
