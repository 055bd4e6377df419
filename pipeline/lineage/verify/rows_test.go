package verify_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/lineage/compare"
	"sluice/pipeline/lineage/verify"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/contents"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema"
	"sluice/schema/record"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// orders is a made-up resource with every kind, nested arrays, bare values and single records. Its
// tables are written by hand in the layout of generated ones.
const orders = `
CREATE SCHEMA shop;
CREATE OR REPLACE VIEW sluice.service_schemas AS SELECT name COLLATE "C" AS name FROM unnest('{accounting,billing,chat,custom,inventory,invoicing,shop}'::text[]) AS name;
CREATE TABLE shop.orders (
	organization_id text COLLATE "C" NOT NULL, order_id text COLLATE "C" NOT NULL, name text, rate numeric, active boolean, stock bigint,
	since date, edited timestamptz, open jsonb, _extra jsonb, _content_hash bytea NOT NULL, _call_id bigint NOT NULL, _raw_position integer NOT NULL,
	_run_id bigint NOT NULL, _first_seen_at timestamptz NOT NULL, _changed_at timestamptz NOT NULL, _payload_hash bigint,
	_detail_state text NOT NULL DEFAULT 'none_needed', _detail_hash bytea, _detail_call_id bigint, _detail_raw_position integer,
	_detail_at timestamptz, _deleted_at timestamptz, PRIMARY KEY (organization_id, order_id));
CREATE TABLE shop.orders_lines (
	organization_id text COLLATE "C" NOT NULL, _parent_id text COLLATE "C" NOT NULL, _position integer NOT NULL, amount numeric,
	PRIMARY KEY (organization_id, _parent_id, _position),
	FOREIGN KEY (organization_id, _parent_id) REFERENCES shop.orders ON DELETE CASCADE);
CREATE TABLE shop.orders_lines_taxes (
	organization_id text COLLATE "C" NOT NULL, _parent_id text COLLATE "C" NOT NULL, _parent_position integer NOT NULL, _position integer NOT NULL,
	tax text, PRIMARY KEY (organization_id, _parent_id, _parent_position, _position),
	FOREIGN KEY (organization_id, _parent_id, _parent_position) REFERENCES shop.orders_lines ON DELETE CASCADE);
CREATE TABLE shop.orders_labels (
	organization_id text COLLATE "C" NOT NULL, _parent_id text COLLATE "C" NOT NULL, _position integer NOT NULL, label text,
	PRIMARY KEY (organization_id, _parent_id, _position),
	FOREIGN KEY (organization_id, _parent_id) REFERENCES shop.orders ON DELETE CASCADE)`

func shop() *schema.Service {
	return &schema.Service{Name: "shop", Resources: []schema.Resource{{
		Name: "orders", Path: "/orders", Key: "orders", ID: "order_id", Cursor: schema.Since{Column: "edited", Param: "edited"},
		Details: &schema.Details{Marker: "lines"}, Single: &schema.Single{Path: "/orders/{id}", Key: "order"},
		Columns: []schema.Column{
			schema.ID("order_id", "Key."), schema.Text("name", "Name."), schema.Decimal("rate", "Rate."), schema.Bool("active", "Active."),
			schema.Int("stock", "Stock."), schema.Date("since", "Since."), schema.Time("edited", "Edited."), schema.JSON("open", "Open."),
		},
		Children: []schema.Child{
			{
				Name: "lines", Columns: []schema.Column{schema.Decimal("amount", "Amount.")},
				Children: []schema.Child{{Name: "taxes", Columns: []schema.Column{schema.Text("tax", "Tax.")}}},
			},
			{Name: "labels", Scalar: true, Columns: []schema.Column{schema.Text("label", "Label.")}},
		},
	}}}
}

// fixture is a warehouse with the streams of the orders.
type fixture struct {
	*testing.T

	db         *warehouse.DB
	normalizer *record.Normalizer
	stream     pipeline.Stream
	table      *compare.Comparer
}

func open(t *testing.T) *fixture {
	t.Helper()
	url := warehousetest.Template(t, "orders", func(ctx context.Context, url string) error {
		if err := migrations.Migrate(ctx, url, migrations.Options{}); err != nil {
			return err
		}
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, orders)
		return errors.Join(err, conn.Close(ctx))
	})
	h := &fixture{T: t}
	var err error
	h.db, err = warehouse.Open(t.Context(), url, warehouse.Options{})
	h.must(err)
	t.Cleanup(h.db.Close)
	service := shop()
	h.stream = pipeline.Stream{Organization: "1", Service: service, Resource: &service.Resources[0]}
	h.normalizer, err = record.New(h.stream.Resource, time.UTC)
	h.must(err)
	h.table = compare.New(h.stream, h.normalizer.RecordUnder)
	h.must(h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: h.stream.Key(), Every: time.Hour, Enabled: true}, {Key: h.of(pipeline.WorkDetails).Key(), Every: time.Hour, Enabled: true},
	}))
	return h
}

func (h *fixture) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *fixture) of(work pipeline.Work) pipeline.Stream {
	stream := h.stream
	stream.Work = work
	return stream
}

// load loads records as the answer of one call.
func (h *fixture) load(work pipeline.Work, raws ...string) {
	h.Helper()
	stream := h.of(work)
	claim, err := h.db.Claim(h.Context(), stream, pipeline.ClassOf(stream))
	h.must(err)
	decision, err := h.db.Reserve(h.Context(), pipeline.Call{
		Organization: "1", Service: "shop", Resource: stream.Key().Resource, Run: claim.Run, Method: "GET", Path: "/x",
	}, pipeline.Limits{Shared: "suite"})
	h.must(err)
	batch := pipeline.Batch{
		Claim: claim, Call: decision.Call, Received: len(raws), Position: claim.Position, Details: work == pipeline.WorkDetails,
		End: &pipeline.End{Outcome: pipeline.OutcomeDone},
	}
	for _, raw := range raws {
		batch.Records = append(batch.Records, h.record(raw))
	}
	loaded, err := h.db.Load(h.Context(), batch)
	h.must(err)
	if loaded.Inserted+loaded.Updated != len(raws) {
		h.Fatalf("of %d records %+v", len(raws), loaded)
	}
}

func (h *fixture) record(raw string) record.Record {
	h.Helper()
	record, err := h.normalizer.Record([]byte(raw))
	h.must(err)
	return record
}

// after runs sql, then look, and rolls the changes back.
func (h *fixture) after(sql string, look func(view contents.View)) {
	h.Helper()
	tx, err := h.db.Pool().Begin(h.Context())
	h.must(err)
	defer func() { _ = tx.Rollback(h.Context()) }()
	_, err = tx.Exec(h.Context(), sql)
	h.must(err)
	look(contents.Within(tx))
}

const (
	first = `{"order_id":"7","name":"bolt","rate":"10.50","active":true,"stock":3,"since":"2026-03-01","edited":"2026-03-01T10:00:00+0530",` +
		`"open":{"a":[1.0,null]},"novel":"x"}`
	whole = `{"order_id":"7","name":"bolt","rate":"10.50","edited":"2026-03-01T10:00:00+0530","labels":["red","blue"],` +
		`"lines":[{"amount":1,"taxes":[{"tax":"a"},{"tax":"b"}]},{"amount":"2.00"}]}`
	changed = `{"order_id":"8","name":"new","rate":2,"edited":"2026-03-02T10:00:00Z"}`
)

func TestLocalFindsWhatWasEdited(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.load(pipeline.WorkList, first, `{"order_id":"8","name":"old","rate":1,"edited":"2026-03-01T10:00:00Z"}`, `{"order_id":"9","name":"header"}`)
	h.load(pipeline.WorkDetails, whole, `{"order_id":"8","name":"old","rate":1,"stock":5,"edited":"2026-03-01T10:00:00Z","lines":[{"amount":3}]}`)
	h.load(pipeline.WorkList, changed) // its single record is outdated now, and still all that is known of stock and lines
	for name, c := range map[string]struct {
		// sql runs first; want is severity, code and path, empty for no finding; says is part of
		// the detail.
		sql, want, says string
	}{
		"nothing":             {sql: `SELECT`},
		"another spelling":    {sql: `UPDATE shop.orders SET rate = 10.5000, open = '{"a": [1, null]}' WHERE order_id = '7'`},
		"a text":              {`UPDATE shop.orders SET name = 'nut' WHERE order_id = '7'`, "violation edited name", "a text of 3 characters, the record has a text of 4"},
		"a number":            {`UPDATE shop.orders SET rate = 10.51 WHERE order_id = '7'`, "violation edited rate", "the table has 10.51, the record has 10.5"},
		"a flag":              {`UPDATE shop.orders SET active = false WHERE order_id = '7'`, "violation edited active", "false"},
		"an int":              {`UPDATE shop.orders SET stock = 4 WHERE order_id = '7'`, "violation edited stock", "4"},
		"a day":               {`UPDATE shop.orders SET since = '2026-03-02' WHERE order_id = '7'`, "violation edited since", "2026-03-02"},
		"an instant":          {`UPDATE shop.orders SET edited = edited + interval '1 s' WHERE order_id = '7'`, "violation edited " + "edited", "04:30:01"},
		"an open shape":       {`UPDATE shop.orders SET open = '{"a": [2, null]}' WHERE order_id = '7'`, "violation edited open", "characters"},
		"nothing for a value": {`UPDATE shop.orders SET name = NULL WHERE order_id = '7'`, "violation edited name", "the table has nothing"},
		"an unknown key":      {`UPDATE shop.orders SET _extra = '{"novel": "x", "more": 1}' WHERE order_id = '7'`, "", ""},
		"a line":              {`UPDATE shop.orders_lines SET amount = 9 WHERE _parent_id = '7' AND _position = 1`, "violation edited lines[1].amount", "9"},
		"a line too few":      {`DELETE FROM shop.orders_lines WHERE _parent_id = '7' AND _position = 1`, "violation edited lines[1]", "no such row"},
		"a line too many":     {`INSERT INTO shop.orders_lines VALUES ('1', '7', 2, 1)`, "violation edited lines[2]", "the record has none"},
		"another's line": {`INSERT INTO shop.orders (organization_id, order_id, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
			SELECT '2', order_id, _content_hash, _call_id, 0, 1, now(), now() FROM shop.orders WHERE order_id = '7'; INSERT INTO shop.orders_lines VALUES ('2', '7', 2, 1)`, "", ""},
		"a tax":             {`UPDATE shop.orders_lines_taxes SET tax = 'c' WHERE _position = 1`, "violation edited lines[0].taxes[1].tax", "characters"},
		"a bare value":      {`UPDATE shop.orders_labels SET label = 'green' WHERE _position = 0`, "violation edited labels[0].label", "characters"},
		"an outdated line":  {`UPDATE shop.orders_lines SET amount = 4 WHERE _parent_id = '8'`, "violation edited lines[0].amount", "the record has 3"},
		"an outdated value": {`UPDATE shop.orders SET rate = 1 WHERE order_id = '8'`, "violation edited rate", "the record has 2"},
		"several":           {`UPDATE shop.orders SET name = 'nut', rate = 1, stock = 1, active = false WHERE order_id = '7'`, "violation edited name", "and 1 more"},
		"a hash":            {`UPDATE shop.orders SET _content_hash = '\x01010101010101010101010101010101' WHERE order_id = '7'`, "violation hash ", "content hash"},
		"another's raw":     {`UPDATE shop.orders SET _raw_position = 1 WHERE order_id = '7'`, "violation edited ", "of another record"},
		"no raw record":     {`DELETE FROM sluice.raw_records WHERE call_id = (SELECT _call_id FROM shop.orders WHERE order_id = '8')`, "notice no_raw ", "not kept"},
		"an unfit raw record": {
			`UPDATE sluice.raw_records SET records = replace(records, '"rate":2', '"rate":"x"')`, "notice rejected ", "rate",
		},
		"a repaired raw record": {
			"UPDATE sluice.raw_records SET records = replace(records, 'new', 'n\uFFFDw')", "notice edited name", "could not be kept",
		},
	} {
		h.after(c.sql, func(view contents.View) {
			keys, err := h.table.After(t.Context(), view, "", 10)
			h.must(err)
			findings, rows, err := verify.Local(t.Context(), view, h.stream, compare.New(h.stream, h.normalizer.RecordUnder), keys)
			h.must(err)
			var got, says []string
			for _, f := range findings {
				got, says = append(got, string(f.Severity)+" "+f.Code+" "+f.Path), append(says, f.Detail)
			}
			if strings.Join(got, ", ") != c.want || rows != 3 || !strings.Contains(strings.Join(says, ""), c.says) {
				t.Errorf("%s: %d rows, found %q, want %q with %q\n%q", name, rows, got, c.want, c.says, says)
			}
		})
	}
}

// TestCompare: keys that a record does not carry are not compared, and a record without a row has
// no differences.
func TestCompare(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.load(pipeline.WorkList, first)
	h.load(pipeline.WorkDetails, whole)
	for raw, want := range map[string]string{
		first: "", whole: "",
		`{"order_id":"7"}`:                          "",
		`{"order_id":"none","name":"x","lines":[]}`: "",
		`{"order_id":"7","name":""}`:                "name",
		`{"order_id":"7","rate":null}`:              "rate",
		`{"order_id":"7","labels":[]}`:              "labels[0] labels[1]",
		`{"order_id":"7","novel":"y"}`:              "_extra",
		`{"order_id":"7","other":1}`:                "_extra",
		`{"order_id":"7","lines":[{"amount":1}]}`:   "lines[1] lines[0].taxes[0] lines[0].taxes[1]",
	} {
		err := contents.Look(t.Context(), h.db.Pool(), func(view contents.View) error {
			found, err := h.table.Differences(t.Context(), view, []record.Record{h.record(raw)}, true)
			var paths []string
			for _, d := range append(found["7"], found["none"]...) {
				paths = append(paths, d.Path)
			}
			if got := strings.Join(paths, " "); got != want {
				t.Errorf("%s: %q differ, want %q", raw, got, want)
			}
			return err
		})
		h.must(err)
	}
}
