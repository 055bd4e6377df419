package cells_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/calls"
	"sluice/schema"
	"sluice/schema/record"
)

// things is a made-up resource; its table is written by hand, as the layout demands.
const things = `
CREATE SCHEMA shop;
INSERT INTO sluice.service_schemas VALUES ('shop');
CREATE TABLE shop.things (
	organization_id text COLLATE "C" NOT NULL, thing_id text COLLATE "C" NOT NULL, name text, modified timestamptz, _extra jsonb,
	_content_hash bytea NOT NULL, _call_id bigint NOT NULL, _raw_position integer NOT NULL, _run_id bigint NOT NULL,
	_first_seen_at timestamptz NOT NULL, _changed_at timestamptz NOT NULL, _payload_hash bigint, _deleted_at timestamptz,
	PRIMARY KEY (organization_id, thing_id))`

func migratedThings(ctx context.Context, url string) error {
	if err := migrated(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	_, err = conn.Exec(ctx, things)
	return errors.Join(err, conn.Close(ctx))
}

func shop() *schema.Service {
	return &schema.Service{Name: "shop", Resources: []schema.Resource{{
		Name: "things", Path: "/things", Key: "things", ID: "thing_id",
		Cursor:  schema.Since{Column: "modified", Param: "last_modified_time"},
		Columns: []schema.Column{schema.ID("thing_id", "Key."), schema.Text("name", "Name."), schema.Time("modified", "Modification.")},
	}}}
}

func streamOf(organization string) pipeline.Stream {
	service := shop()
	return pipeline.Stream{Organization: organization, Service: service, Resource: &service.Resources[0]}
}

// process opens the database of a cell as a process of sluice does.
func (m *member) process(rules calls.Rules) *warehouse.DB {
	m.Helper()
	db, err := warehouse.Open(m.Context(), m.url, warehouse.Options{Due: planning.Due, Ledger: rules})
	m.must(err)
	m.Cleanup(db.Close)
	return db
}

func register(ctx context.Context, db *warehouse.DB, organizations ...string) error {
	settings := make([]warehouse.StreamSetting, len(organizations))
	for i, organization := range organizations {
		settings[i] = warehouse.StreamSetting{Key: streamOf(organization).Key(), Every: time.Hour, Enabled: true}
	}
	return db.RegisterStreams(ctx, settings)
}

func callOf(organization string, run int64) pipeline.Call {
	return pipeline.Call{Organization: organization, Service: "shop", Resource: "things", Run: run, Method: "GET", Path: "/things", Page: 1}
}

// thing returns a record of the resource.
func thing(tb testing.TB, id int, name string, at time.Time) record.Record {
	tb.Helper()
	normalizer, err := record.New(&shop().Resources[0], time.UTC)
	if err != nil {
		tb.Fatal(err)
	}
	found, err := normalizer.Record(fmt.Appendf(nil, `{"thing_id":"%d","name":%q,"modified":%q}`, id, name, at.UTC().Format(time.RFC3339)))
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

func batchOf(claim pipeline.Claim, call int64, records ...record.Record) pipeline.Batch {
	return pipeline.Batch{Claim: claim, Call: call, Records: records, Received: len(records), Position: claim.Position}
}
