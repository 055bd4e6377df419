package rows_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/rows"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema"
	"sluice/schema/record"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// shop is a made-up service: one resource with every kind, one with nested arrays, one without a
// modification time, and two of realistic width for the benchmark.
var shop = &schema.Service{Name: "shop", Resources: []schema.Resource{ //nolint:gochecknoglobals // a declaration
	{
		Name: "goods", ID: "good_id", Cursor: schema.Since{Column: "edited"},
		Columns: []schema.Column{
			schema.ID("good_id", "Key."), schema.Text("name", "Name."), schema.Decimal("rate", "Rate."),
			schema.Bool("active", "Active."), schema.Int("stock", "Stock."), schema.Date("since", "Since."),
			schema.Time("edited", "Edited."), schema.JSON("open", "Open shape."),
			schema.Text("select", "A keyword upstream.").As("select \"it\""),
		},
		Children: []schema.Child{{Name: "labels", Scalar: true, Columns: []schema.Column{schema.Text("label", "Label.")}}},
	},
	{
		Name: "orders", ID: "order_id", Cursor: schema.NewestFirst{Column: "edited"},
		Columns: []schema.Column{schema.ID("order_id", "Key."), schema.Decimal("total", "Total."), schema.Time("edited", "Edited.")},
		Children: []schema.Child{
			{
				Name: "lines", Columns: []schema.Column{schema.ID("line_id", "Line."), schema.Decimal("amount", "Amount.")},
				Children: []schema.Child{{Name: "taxes", Columns: []schema.Column{schema.Text("tax", "Tax.")}}},
			},
			{Name: "payments", Columns: []schema.Column{schema.Decimal("paid", "Paid.")}},
		},
	},
	{Name: "flags", ID: "flag_id", Cursor: schema.FullScan{}, Columns: []schema.Column{schema.ID("flag_id", "Key."), schema.Text("state", "State.")}},
	wideItems(), wideBills(), bookings(),
	{
		Name: "extras", Schema: "custom", ID: "extra_id", Cursor: schema.FullScan{},
		Columns:  []schema.Column{schema.ID("extra_id", "Key."), schema.Text("say", "Say.")},
		Children: []schema.Child{{Name: "parts", Columns: []schema.Column{schema.Text("part", "Part.")}}},
	},
	{
		Name: "boxes", ID: "box_id", Cursor: schema.FullScan{}, Columns: []schema.Column{schema.ID("box_id", "Key.")},
		Children: []schema.Child{{Name: "layers", Children: []schema.Child{
			{Name: "labels", Scalar: true, Columns: []schema.Column{schema.Text("label", "Label.")}},
		}}},
	},
}}

func resource(tb testing.TB, name string) *schema.Resource {
	tb.Helper()
	for i := range shop.Resources {
		if shop.Resources[i].Name == name {
			return &shop.Resources[i]
		}
	}
	tb.Fatalf("no resource %s", name)
	return nil
}

const controlTables = `CREATE SCHEMA sluice; CREATE TABLE sluice.raw_records (call_id bigint, first_position integer,
organization_id text NOT NULL, service text NOT NULL, resource text NOT NULL, records text NOT NULL, record_count integer, kept_at timestamptz NOT NULL,
PRIMARY KEY (call_id, first_position));
CREATE TABLE sluice.changes (organization_id text NOT NULL, table_name text NOT NULL, op text NOT NULL, record_ids text[] NOT NULL, details jsonb);
ALTER TABLE sluice.raw_records ALTER COLUMN records SET COMPRESSION lz4; CREATE SCHEMA shop; CREATE SCHEMA custom;
CREATE VIEW sluice.owner AS SELECT relowner AS role FROM pg_class WHERE oid = 'sluice.raw_records'::regclass;`

var types = map[schema.Kind]string{ //nolint:gochecknoglobals // a constant table
	schema.KindID: `text COLLATE "C"`, schema.KindText: "text", schema.KindBool: "boolean", schema.KindInt: "bigint",
	schema.KindDecimal: "numeric", schema.KindDate: "date", schema.KindTime: "timestamptz", schema.KindJSON: "jsonb",
}

// createTables writes the layout of the design by hand: tests do not take it from the generator of
// migrations.
func createTables(res *schema.Resource) string {
	var b strings.Builder
	tables, room := res.Tables(), "shop"
	if res.Schema != "" {
		room = res.Schema
	}
	for i := range tables {
		table := &tables[i]
		fmt.Fprintf(&b, "CREATE TABLE %s.%s (organization_id text COLLATE \"C\" NOT NULL", room, table.Name)
		switch table.Depth() {
		case 1:
			b.WriteString(`, _parent_id text COLLATE "C" NOT NULL, _position integer NOT NULL`)
		case 2:
			b.WriteString(`, _parent_id text COLLATE "C" NOT NULL, _parent_position integer NOT NULL, _position integer NOT NULL`)
		}
		for _, column := range table.Columns {
			fmt.Fprintf(&b, ", %s %s", pgx.Identifier{column.ColumnName()}.Sanitize(), types[column.Kind])
		}
		switch table.Depth() {
		case 0:
			fmt.Fprintf(&b, `, _extra jsonb, _content_hash bytea NOT NULL, _call_id bigint NOT NULL, _raw_position integer NOT NULL, _run_id bigint NOT NULL,
 _first_seen_at timestamptz NOT NULL, _changed_at timestamptz NOT NULL, _payload_hash bigint%s, PRIMARY KEY (organization_id, %s));`, detailColumns(res), res.ID)
		case 1:
			fmt.Fprintf(&b, `, PRIMARY KEY (organization_id, _parent_id, _position),
 FOREIGN KEY (organization_id, _parent_id) REFERENCES %s.%s ON DELETE CASCADE);`, room, tables[table.Parent].Name)
		case 2:
			fmt.Fprintf(&b, `, PRIMARY KEY (organization_id, _parent_id, _parent_position, _position),
 FOREIGN KEY (organization_id, _parent_id, _parent_position) REFERENCES %s.%s ON DELETE CASCADE);`, room, tables[table.Parent].Name)
		}
	}
	if len(res.History) > 0 {
		fmt.Fprintf(&b, "CREATE TABLE %s.%s_history (organization_id text, %s text", room, res.Name, res.ID)
		for _, wire := range res.History {
			for _, column := range res.Columns {
				if column.Wire == wire {
					fmt.Fprintf(&b, ", %s %s", pgx.Identifier{column.ColumnName()}.Sanitize(), types[column.Kind])
				}
			}
		}
		fmt.Fprintf(&b, ", _call_id bigint NOT NULL, _seen_at timestamptz NOT NULL, PRIMARY KEY (organization_id, %s, _call_id));", res.ID)
	}
	return b.String()
}

func detailColumns(res *schema.Resource) string {
	if res.Details == nil {
		return ""
	}
	return `, _detail_state text NOT NULL DEFAULT 'none_needed' CHECK (_detail_state IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
 _detail_hash bytea, _detail_call_id bigint, _detail_raw_position integer, _detail_at timestamptz`
}

// connect returns a connection to a database of its own, with the tables of shop.
func connect(tb testing.TB) *pgx.Conn {
	tb.Helper()
	return dial(tb, database(tb))
}

// parallel lets a test of a resource run beside others.
func parallel(t *testing.T, name string) (*pgx.Conn, *schema.Resource) {
	t.Helper()
	t.Parallel()
	return connect(t), resource(t, name)
}

func database(tb testing.TB) string {
	tb.Helper()
	return warehousetest.Template(tb, "loader", func(ctx context.Context, url string) error {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		ddl := controlTables
		for i := range shop.Resources {
			ddl += createTables(&shop.Resources[i])
		}
		_, err = conn.Exec(ctx, ddl)
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	})
}

func dial(tb testing.TB, url string) *pgx.Conn {
	tb.Helper()
	conn := check.Sure(pgx.Connect(context.Background(), url))(tb)
	tb.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return conn
}

type object = map[string]any

// recordOf builds what normalize would: values are texts, nil is null, a missing key is absent,
// slices are arrays.
func recordOf(tb testing.TB, res *schema.Resource, carried object) record.Record {
	tb.Helper()
	raw, err := json.Marshal(carried)
	check.Must(tb, err)
	sum := sha256.Sum256(raw)
	tables := res.Tables()
	rec := record.Record{
		Raw: raw, Hash: [16]byte(sum[:16]), Tables: make([][]record.Row, len(tables)), Carries: make([]bool, len(tables)),
	}
	rec.ID, _ = carried[res.ID].(string)
	rec.Extra, _ = carried["_extra"].(string)
	if modified, is := carried[res.Modified()].(string); is {
		if rec.Modified, err = time.Parse("2006-01-02 15:04:05.999999-07", modified); err != nil {
			tb.Fatal(err)
		}
	}
	rec.Carries[0] = true
	rec.Tables[0] = []record.Row{row(nil, res.Columns, carried)}
	for i := 1; i < len(tables); i++ {
		_, rec.Carries[i] = carried[tables[tables[i].Root].Path[0]]
		for p, element := range elements(carried, tables[i].Path[0]) {
			if tables[i].Depth() == 1 {
				rec.Tables[i] = append(rec.Tables[i], row([]int{p}, tables[i].Columns, element))
				continue
			}
			for q, inner := range elements(element, tables[i].Path[1]) {
				rec.Tables[i] = append(rec.Tables[i], row([]int{p, q}, tables[i].Columns, inner))
			}
		}
	}
	return rec
}

func elements(of object, key string) []object {
	list, _ := of[key].([]object)
	return list
}

func row(position []int, columns []schema.Column, carried object) record.Row {
	r := record.Row{Position: position, Values: make([]record.Value, len(columns))}
	for i, column := range columns {
		value, present := carried[column.Wire]
		if text, is := value.(string); is {
			r.Values[i] = record.Value{Text: text, State: record.Set}
		} else if present {
			r.Values[i].State = record.Null
		}
	}
	return r
}

// load loads in a transaction of its own.
func load(tb testing.TB, conn *pgx.Conn, res *schema.Resource, batch rows.Batch) rows.Result {
	tb.Helper()
	result, refused := bisect(tb, conn, res, batch)
	check.FatalIf(tb, len(refused) != 0, "refused: %+v", refused)
	return result
}

func bisect(tb testing.TB, conn *pgx.Conn, res *schema.Resource, batch rows.Batch) (rows.Result, []rows.Rejected) {
	tb.Helper()
	var result rows.Result
	var refused []rows.Rejected
	check.Must(tb, pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error {
		var err error
		result, refused, err = rows.New(shop, res).LoadBisect(context.Background(), tx, batch)
		return err
	}))
	return result, refused
}

// query returns each row's columns joined by |, a null as ∅.
func query(tb testing.TB, conn *pgx.Conn, sql string, args ...any) []string {
	tb.Helper()
	rows := check.Sure(conn.Query(context.Background(), sql, append([]any{pgx.QueryExecModeExec}, args...)...))(tb)
	var found []string
	for rows.Next() {
		fields := make([]string, 0, 8)
		for _, value := range rows.RawValues() {
			if value == nil {
				fields = append(fields, "∅")
			} else {
				fields = append(fields, string(value))
			}
		}
		found = append(found, strings.Join(fields, "|"))
	}
	if rows.Err() != nil {
		tb.Fatal(rows.Err())
	}
	return found
}

func execute(tb testing.TB, conn *pgx.Conn, sql string) {
	tb.Helper()
	check.Must(tb, check.Failure(conn.Exec(context.Background(), sql)))
}
