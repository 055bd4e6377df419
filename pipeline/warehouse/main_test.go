package warehouse_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema"
	"sluice/schema/record"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

const organization = "10234695"

var errBoom = errors.New("boom")

// things is a made-up resource; its table is written by hand, as the layout demands.
const things = `
CREATE SCHEMA shop;
CREATE OR REPLACE VIEW sluice.service_schemas AS SELECT name COLLATE "C" AS name FROM unnest('{accounting,billing,chat,custom,inventory,invoicing,shop}'::text[]) AS name;
CREATE TABLE shop.things (
	organization_id text COLLATE "C" NOT NULL, thing_id text COLLATE "C" NOT NULL, name text CHECK (name <> 'poison'),
	amount numeric, modified timestamptz, _extra jsonb, _content_hash bytea NOT NULL, _call_id bigint NOT NULL,
	_raw_position integer NOT NULL, _run_id bigint NOT NULL, _first_seen_at timestamptz NOT NULL,
	_changed_at timestamptz NOT NULL, _payload_hash bigint, _deleted_at timestamptz, PRIMARY KEY (organization_id, thing_id))`

// shop is the service of the tests.
func shop() *schema.Service {
	return &schema.Service{Name: "shop", Resources: []schema.Resource{{
		Name: "things", Path: "/things", Key: "things", ID: "thing_id",
		Cursor: schema.Since{Column: "modified", Param: "last_modified_time"},
		Columns: []schema.Column{
			schema.ID("thing_id", "Key."), schema.Text("name", "Name."), schema.Decimal("amount", "Amount."),
			schema.Time("modified", "Modification."),
		},
	}}}
}

// fixture is one warehouse with one registered stream.
type fixture struct {
	*testing.T
	url        string
	db         *warehouse.DB
	stream     pipeline.Stream
	normalizer *record.Normalizer
}

// open returns a warehouse of its own for a test, which runs beside others.
func open(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	url := warehousetest.MigratedWith(t, "control", things)
	service := shop()
	h := &fixture{T: t, url: url, stream: pipeline.Stream{
		Organization: organization, Service: service, Resource: &service.Resources[0],
	}}
	h.db = h.another(warehouse.Options{})
	check.Must(h, h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{{Key: h.stream.Key(), Every: time.Hour, Enabled: true}}))
	h.normalizer = check.Sure(record.New(h.stream.Resource, time.UTC))(h)
	return h
}

// another opens the same database as a second process.
func (h *fixture) another(options warehouse.Options) *warehouse.DB {
	h.Helper()
	options.Due = planning.Due
	db := check.Sure(warehouse.Open(h.Context(), h.url, options))(h)
	h.Cleanup(db.Close)
	return db
}

func (h *fixture) claim() pipeline.Claim {
	h.Helper()
	return check.Sure(h.db.Claim(h.Context(), h.stream, pipeline.ClassIncremental))(h)
}

// call reserves a call without limits and returns its number.
func (h *fixture) call(run int64) int64 {
	h.Helper()
	decision := check.Sure(h.db.Reserve(h.Context(), pipeline.Call{
		Organization: organization, Service: "shop", Resource: "things", Run: run, Method: "GET", Path: "/things", Page: 1,
	}, pipeline.Limits{Shared: "suite"}))(h)
	return decision.Call
}

// record returns a thing with this name.
func (h *fixture) record(id int, name string, more ...string) record.Record {
	h.Helper()
	raw := fmt.Sprintf(`{"thing_id":"%d","name":%q,"amount":"1.50","modified":"2026-01-17T15:27:23+0530"%s}`,
		id, name, strings.Join(more, ""))
	return check.Sure(h.normalizer.Record([]byte(raw)))(h)
}

// unit returns a batch of records under a claim, with a call of its own and an unchanged position.
func (h *fixture) unit(claim pipeline.Claim, records ...record.Record) pipeline.Batch {
	h.Helper()
	return pipeline.Batch{
		Claim: claim, Call: h.call(claim.Run), Records: records, Received: len(records), Position: claim.Position,
	}
}

func (h *fixture) load(batch pipeline.Batch) pipeline.Loaded {
	h.Helper()
	return check.Sure(h.db.Load(h.Context(), batch))(h)
}

func (h *fixture) exec(sql string, args ...any) {
	h.Helper()
	check.Must(h, check.Failure(h.db.Pool().Exec(h.Context(), sql, args...)))
}

// ask reads one value.
func ask[T any](h *fixture, sql string, args ...any) T {
	h.Helper()
	var value T
	check.Must(h, h.db.Pool().QueryRow(h.Context(), sql, args...).Scan(&value))
	return value
}

// dump returns everything that a batch could have changed.
func (h *fixture) dump() string {
	h.Helper()
	return ask[string](h, `SELECT concat_ws(E'\n',
		(SELECT json_agg(t ORDER BY thing_id)::text FROM shop.things t), (SELECT json_agg(s)::text FROM sluice.streams s),
		(SELECT json_agg(r ORDER BY id)::text FROM sluice.runs r), (SELECT json_agg(q ORDER BY id)::text FROM sluice.quarantine q),
		(SELECT json_agg(d ORDER BY path)::text FROM sluice.drift d), (SELECT json_agg(w ORDER BY call_id)::text FROM sluice.raw_records w))`)
}

// pause waits for a duration that the database asked for.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
