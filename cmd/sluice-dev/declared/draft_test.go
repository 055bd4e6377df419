package declared

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/connectors"
	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema/ddl"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// TestNothingToDraft: the migrations make what the declarations require.
func TestNothingToDraft(t *testing.T) {
	t.Parallel()
	url := warehousetest.Template(t, "migrated", func(ctx context.Context, url string) error {
		return migrations.Migrate(ctx, url, migrations.Options{})
	})
	existing, err := catalogOf(t.Context(), url, connectors.All())
	must(t, err)
	if sql, changed := ddl.Draft(connectors.All(), existing); sql != "" || changed {
		t.Errorf("the declarations ask for more than the migrations make:\n%s", sql)
	}
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	_, err = conn.Exec(t.Context(), `ALTER TABLE inventory.bills DROP COLUMN notes CASCADE`)
	must(t, err)
	existing, err = catalogOf(t.Context(), url, connectors.All())
	must(t, err)
	if sql, _ := ddl.Draft(connectors.All(), existing); !strings.Contains(sql, `ADD COLUMN "notes" text`) {
		t.Errorf("a missing column is not drafted:\n%s", sql)
	}
}
