package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// withRows returns the tables of services in which each organization has rows.
func withRows(t *testing.T, conn *pgx.Conn) map[string][]string {
	t.Helper()
	var query string
	must(t, conn.QueryRow(t.Context(), `
		SELECT string_agg(format('SELECT DISTINCT organization_id, %L AS in_table FROM %1$s', c.oid::regclass), ' UNION ALL ')
		FROM pg_class c JOIN sluice.service_schemas s ON s.name = c.relnamespace::regnamespace::text WHERE c.relkind = 'r'`).Scan(&query))
	rows, err := conn.Query(t.Context(), query)
	must(t, err)
	found := map[string][]string{}
	var organization, table string
	_, err = pgx.ForEachRow(rows, []any{&organization, &table}, func() error {
		found[organization] = append(found[organization], table)
		return nil
	})
	must(t, err)
	return found
}

// TestSeveralOrganizationsMove: moves of two organizations are given up, before anything was copied
// and when all rows had arrived. Then one command moves both.
func TestSeveralOrganizationsMove(t *testing.T) {
	t.Parallel()
	const alder, birch = sandbox.DefaultOrganizationID, "70000000001"
	f := newFleet(t, sandbox.Options{Seed: 1906, Records: 20, Limits: sandbox.Limits{Off: true},
		Organizations: []sandbox.OrganizationOptions{{ID: birch, Seed: 1907, Records: 20}}})
	f.configure([]business{{key: alder, name: "alder", id: alder}, {key: birch, name: "birch", id: birch}})
	text, err := os.ReadFile(f.config)
	must(t, err)
	must(t, os.WriteFile(f.south, bytes.ReplaceAll(text, []byte("SLUICE_DATABASE_URL"), []byte("SOUTH_URL")), 0o600))
	f.sync(codeFine)
	f.fleet(codeFine, nil, "migrate")
	had := withRows(t, f.conn)
	if len(had[alder]) < 3 || len(had[birch]) < 3 {
		t.Fatalf("there is too little to move: %v", had)
	}

	// A call is under way.
	f.exec(`UPDATE sluice.live_calls SET finished_at = NULL, lease_until = clock_timestamp() + interval '1 hour' WHERE organization_id = $1`, alder)
	var moved []engine.Moved
	o := f.fleet(codeEnvironment, &moved, "move", "alder", "birch", "--to", "south", "--patience", "1ms")
	if !strings.Contains(o.stderr, "try again, or give up with --cancel") || len(moved) != 0 {
		t.Errorf("a call is under way: moved %+v\n%s", moved, o.stderr)
	}
	f.says(alder, "leaving", "arriving")
	f.says(birch, "here", "") // the first one was in its way
	o = f.run("fleet", "--fleet", f.file, "move", "alder", "--to", "south", "--cancel")
	want := "Organization " + alder + " stays at home in cell north.\n  Take it out of the configuration of cell south.\n"
	if o.code != codeFine || o.stdout != want {
		t.Errorf("--cancel: exit code %d, printed %q, want %q\n%s", o.code, o.stdout, want, o.stderr)
	}
	f.says(alder, "here", "left")
	f.exec(`UPDATE sluice.live_calls SET finished_at = clock_timestamp()`)

	f.killedBeforeTheSwitch("birch", birch)
	if has := withRows(t, f.southConn); len(has[birch]) != len(had[birch]) {
		t.Fatalf("before --cancel south has rows in %v, want them in %v", has[birch], had[birch])
	}
	f.fleet(codeFine, &moved, "move", "birch", "--to", "south", "--cancel")
	if len(moved) != 1 || moved[0].Organization != birch || moved[0].From != "north" || moved[0].To != "south" || moved[0].Home != "north" ||
		moved[0].Already {
		t.Errorf("--cancel: %+v", moved)
	}
	f.says(birch, "here", "left")
	if has := withRows(t, f.southConn); len(has) > 0 {
		t.Errorf("after --cancel south has rows in %v", has)
	}
	if o := f.fleet(codeFailed, nil, "move", "birch", "--to", "south", "--cancel"); !strings.Contains(o.stderr, "cannot move") {
		t.Errorf("there is nothing to give up: %s", o.stderr)
	}
	f.sync(codeFine) // calls of both go on
	had = withRows(t, f.conn)

	moved = nil
	f.fleet(codeFine, &moved, "move", "alder", "birch", "--to", "south")
	if len(moved) != 2 || moved[0].Organization != alder || moved[1].Organization != birch || moved[0].Home != "south" || moved[1].Home != "south" ||
		moved[0].Rows == 0 || moved[1].Rows == 0 {
		t.Errorf("moved: %+v", moved)
	}
	f.says(alder, "left", "here")
	f.says(birch, "left", "here")
	has, left := withRows(t, f.southConn), withRows(t, f.conn)
	if len(left) > 0 || len(has[alder]) != len(had[alder]) || len(has[birch]) != len(had[birch]) {
		t.Errorf("north has rows in %v, and south in %v, want them in %v", left, has, had)
	}
	if o := f.fleet(codeFailed, nil, "move", "birch", "--to", "south", "--cancel"); !strings.Contains(o.stderr, "move it back") {
		t.Errorf("it is too late to give up: %s", o.stderr)
	}
}

// TestAFleetWithAListOfItsOwn: a plan for the tables of a list that operators declared is accepted
// in each cell by itself. An organization moves with the rows of the list, and not before.
func TestAFleetWithAListOfItsOwn(t *testing.T) {
	t.Parallel()
	f := newFleet(t, sandbox.Options{Seed: 1908, Records: 30})
	f.append(declared)
	f.configureSouth(true)
	f.accept()
	f.sync(codeFine, "inventory.items", "things")
	rows := one[int](f.fixture, `SELECT count(*) FROM custom.things`)
	var done engine.FleetMigration
	f.fleet(codeUsage, &done, "migrate")
	if rows == 0 || done.Cells[0].Accept != "" || done.Cells[1].Accept == "" {
		t.Fatalf("%d rows; the plans are %+v", rows, done.Cells)
	}
	if o := f.fleet(codeFailed, nil, "move", sandbox.DefaultOrganizationID, "--to", "south"); !strings.Contains(o.stderr, "custom.things") {
		t.Errorf("a move before the plan is accepted: %s", o.stderr)
	}
	f.says(sandbox.DefaultOrganizationID, "here", "")
	if o := f.run("migrate", "--config", f.south, "--accept", done.Cells[1].Accept); o.code != codeFine {
		t.Fatalf("migrate --accept: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	done = engine.FleetMigration{}
	f.fleet(codeFine, &done, "migrate")
	f.fleet(codeFine, nil, "move", sandbox.DefaultOrganizationID, "--to", "south")
	f.says(sandbox.DefaultOrganizationID, "left", "here")
	if there := inSouthOne[int](f, `SELECT count(*) FROM custom.things`); there != rows || one[int](f.fixture, `SELECT count(*) FROM custom.things`) != 0 {
		t.Errorf("%d rows of the list are in south, want %d", there, rows)
	}
}

// says checks what the two cells say of an organization.
func (f *fleetFixture) says(organization, north, south string) {
	f.t.Helper()
	const said = `SELECT coalesce((SELECT state FROM sluice.homes WHERE organization_id = $1), '')`
	if a, b := one[string](f.fixture, said, organization), inSouthOne[string](f, said, organization); a != north || b != south {
		f.t.Errorf("of organization %s north says %q and south %q, want %q and %q", organization, a, b, north, south)
	}
}

// killedBeforeTheSwitch starts a move and kills it when all rows have arrived in south.
func (f *fleetFixture) killedBeforeTheSwitch(name, key string) {
	f.t.Helper()
	held := func(variable, sql string) pgx.Tx {
		f.t.Helper()
		tx, err := warehousetest.Connect(f.t, f.environment[variable]).Begin(f.t.Context())
		must(f.t, err)
		_, err = tx.Exec(f.t.Context(), sql)
		must(f.t, err)
		return tx
	}
	// One lock holds the copy up until another one holds the switch up.
	copying := held("SOUTH_URL", `LOCK TABLE inventory.items`)
	p := f.start("fleet", "--fleet", f.file, "move", name, "--to", "south")
	f.until("north is sealed", `SELECT state = 'sealed' FROM sluice.homes WHERE organization_id = $1`, key)
	switching := held("SLUICE_DATABASE_URL", `SELECT FROM sluice.homes WHERE organization_id = '`+key+`' FOR UPDATE`)
	must(f.t, copying.Rollback(f.t.Context()))
	f.waitUntil("all rows have arrived", func() bool {
		return inSouthOne[bool](f, `SELECT state = 'arrived' FROM sluice.homes WHERE organization_id = $1`, key)
	})
	p.kill()
	// Its last statement would be executed if the lock were given back before.
	const ended = `SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'sluice fleet' AND datname = current_database())`
	f.waitUntil("the sessions of the killed move end", func() bool { return one[bool](f.fixture, ended) && inSouthOne[bool](f, ended) })
	must(f.t, switching.Rollback(f.t.Context()))
	f.says(key, "sealed", "arrived")
}
