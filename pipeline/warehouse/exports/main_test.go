package exports_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline/warehouse/exports"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// shop is a service with one table of all types, and its array.
const shop = `
CREATE SCHEMA shop;
INSERT INTO sluice.service_schemas VALUES ('shop');
CREATE TABLE shop.things (
	organization_id text COLLATE "C" NOT NULL, thing_id text COLLATE "C" NOT NULL, name text, "is ""open""" boolean, small smallint, count integer,
	big bigint, price numeric, day date, at timestamptz, open jsonb, hash bytea, tags text[], lasts interval, raw json,
	PRIMARY KEY (thing_id, organization_id));
COMMENT ON TABLE shop.things IS 'One thing for sale.';
COMMENT ON COLUMN shop.things.name IS 'Name of the thing.';
INSERT INTO sluice.columns (schema_name, table_name, column_name, place, kind, class, is_assumed, wire, sentence)
VALUES ('shop', 'things', 'name', 1, 'text', 'company', false, 'thing_name', 'Name of the thing.');
CREATE TABLE shop.things_parts (
	organization_id text COLLATE "C" NOT NULL, _parent_id text COLLATE "C" NOT NULL, _position integer NOT NULL, part text,
	PRIMARY KEY (organization_id, _parent_id, _position));`

func migratedShop(ctx context.Context, url string) error {
	if err := migrations.Migrate(ctx, url, migrations.Options{History: migrations.History{Tables: []string{"inventory.bills"}}}); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, shop)
	return errors.Join(err, conn.Close(ctx))
}

// fixture is a warehouse with a shop, and a source of exports.
type fixture struct {
	*testing.T
	conn   *pgx.Conn
	source *exports.Source
}

func open(t *testing.T) *fixture {
	t.Helper()
	url := warehousetest.Template(t, "shop", migratedShop)
	f := &fixture{T: t, conn: warehousetest.Connect(t, url)}
	f.source = f.from(url)
	return f
}

func (f *fixture) from(url string) *exports.Source {
	f.Helper()
	source, err := exports.Open(f.Context(), url, nil)
	f.must(err)
	f.Cleanup(source.Close)
	return source
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) exec(sql string, args ...any) {
	f.Helper()
	_, err := f.conn.Exec(f.Context(), sql, args...)
	f.must(err)
}

// relation returns a relation by its name; nil if it cannot be exported.
func (f *fixture) relation(source *exports.Source, name string) *exports.Relation {
	f.Helper()
	found, err := source.Relations(f.Context())
	f.must(err)
	for i := range found {
		if found[i].Full() == name {
			return &found[i]
		}
	}
	return nil
}
