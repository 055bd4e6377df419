package cli

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice/console"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// fleetFixture is two cells: north is the fixture's warehouse, and south another database, whose
// configuration has an organization of its own.
type fleetFixture struct {
	*fixture

	file, south string
	southConn   *pgx.Conn
}

// inSouth is the organization of south.
const inSouth = "birch"

// newFleet has the tables of both cells.
func newFleet(t *testing.T, options sandbox.Options) *fleetFixture {
	t.Helper()
	return newFleetOn(t, options, warehousetest.Template(t, "migrated", migrated))
}

// newFleetOn has south in the database of this address.
func newFleetOn(t *testing.T, options sandbox.Options, url string) *fleetFixture {
	t.Helper()
	f := &fleetFixture{fixture: newFixture(t, options).narrow()}
	f.environment["SOUTH_URL"], f.environment["BIRCH_TOKEN"] = url, "birch-refresh-token"
	f.southConn = warehousetest.Connect(t, url)
	dir := filepath.Dir(f.config)
	f.file, f.south = filepath.Join(dir, "fleet.yaml"), filepath.Join(dir, "south.yaml")
	must(t, os.WriteFile(f.file, []byte("cells:\n  - {name: north, config: "+filepath.Base(f.config)+"}\n  - {name: south, config: south.yaml}\n"), 0o600))
	f.configureSouth(false)
	return f
}

// configureSouth writes the configuration of south, with the organization of north beside its own
// or without.
func (f *fleetFixture) configureSouth(both bool) {
	f.t.Helper()
	text, err := os.ReadFile(f.config)
	must(f.t, err)
	before, list, _ := strings.Cut(string(text), "organizations:\n")
	organization, rest, _ := strings.Cut(list, "resources:\n")
	own := strings.NewReplacer("Sandbox Trading", inSouth, sandbox.DefaultOrganizationID, "70000000001\"\n    key: \""+inSouth,
		"SANDBOX_REFRESH_TOKEN", "BIRCH_TOKEN").Replace(organization)
	if both {
		own += organization
	}
	south := strings.ReplaceAll(before, "SLUICE_DATABASE_URL", "SOUTH_URL") + "organizations:\n" + own + "resources:\n" + rest
	must(f.t, os.WriteFile(f.south, []byte(south), 0o600))
}

// fleet executes a command on the fleet, checks its exit code, and reads what it printed into.
func (f *fleetFixture) fleet(code int, into any, args ...string) outcome {
	f.t.Helper()
	o := f.run(append([]string{"fleet", "--fleet", f.file, "--json"}, args...)...)
	if o.code != code {
		f.t.Fatalf("fleet %s ended with %d, want %d\n%s\n%s", strings.Join(args, " "), o.code, code, o.stdout, o.stderr)
	}
	if into != nil {
		must(f.t, json.Unmarshal([]byte(o.stdout), into))
	}
	return o
}

func inSouthOne[T any](f *fleetFixture, sql string, args ...any) T {
	f.t.Helper()
	var value T
	must(f.t, f.southConn.QueryRow(f.t.Context(), sql, args...).Scan(&value))
	return value
}

// TestAFleet: a warehouse with rows and an empty database become cells, an organization moves with
// its rows, and goes on in the other one.
func TestAFleet(t *testing.T) { //nolint:maintidx // one story
	t.Parallel()
	f := newFleetOn(t, sandbox.Options{Seed: 1901, Records: 40}, warehousetest.New(t))
	f.sync(codeFine)
	rows := one[int](f.fixture, `SELECT count(*) FROM inventory.bills`)

	if o := f.run("fleet", "--fleet", f.file, "status"); o.code != codeEnvironment || !strings.Contains(o.stdout, "run sluice migrate") {
		t.Errorf("status before: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	var plan, done engine.FleetMigration
	f.fleet(codeFine, &plan, "migrate", "--plan")
	if len(plan.Settled) != 2 || !plan.Cells[1].Migrated || plan.Cells[0].Joined == plan.Cells[1].Joined || plan.Cells[0].Joined == 0 {
		t.Errorf("the plan is %+v", plan)
	}
	if n := one[int](f.fixture, `SELECT count(*) FROM sluice.cell`); n != 0 {
		t.Errorf("the plan made a cell")
	}
	f.fleet(codeFine, &done, "migrate")
	want := []engine.Settled{{Organization: sandbox.DefaultOrganizationID, Cell: "north"}, {Organization: inSouth, Cell: "south"}}
	if len(done.Settled) != 2 || done.Settled[0] != want[0] || done.Settled[1] != want[1] || len(done.Unsettled) != 0 {
		t.Errorf("settled: %+v, want %+v", done, want)
	}
	done = engine.FleetMigration{}
	f.fleet(codeFine, &done, "migrate")
	if len(done.Settled) != 0 || done.Cells[0].Migrated || done.Cells[0].Joined != 0 || done.Cells[1].Salted {
		t.Errorf("the second time it did %+v", done)
	}
	f.sync(codeFine) // calls of a cell go on

	var status engine.FleetStatus
	f.fleet(codeFine, &status, "status")
	north, south := &status.Cells[0], &status.Cells[1]
	calls := one[int64](f.fixture, `SELECT count(*) FROM sluice.calls WHERE service <> 'auth'`)
	if north.Organizations != 1 || south.Organizations != 1 || status.Sum.Organizations != 2 || north.Calls != calls || status.Sum.Calls != calls || calls == 0 ||
		north.Streams == 0 || status.Sum.Streams != north.Streams+south.Streams || status.Out != 0 {
		t.Errorf("status: %+v, want %d calls", status, calls)
	}
	f.findings()

	o := f.fleet(codeUsage, nil, "move", sandbox.DefaultOrganizationID, "--to", "south")
	if !strings.Contains(o.stderr, "write it there first") {
		t.Errorf("the new cell does not have it: %s", o.stderr)
	}
	f.configureSouth(true)
	f.findings("configuration")
	var moved []engine.Moved
	o = f.fleet(codeFine, &moved, "move", "Sandbox Trading", "--to", "south")
	if len(moved) != 1 || moved[0].From != "north" || moved[0].Home != "south" || moved[0].Rows < int64(rows) || len(moved[0].Configured) != 1 {
		t.Errorf("moved: %+v", moved)
	}
	if !strings.Contains(o.stderr, sandbox.DefaultOrganizationID+": copying\n") || !strings.Contains(o.stderr, ": comparing\n") {
		t.Errorf("its steps were not told: %s", o.stderr)
	}
	if got := inSouthOne[int](f, `SELECT count(*) FROM inventory.bills`); got != rows {
		t.Errorf("south has %d bills, want %d", got, rows)
	}
	if left := one[int](f.fixture, `SELECT count(*) FROM inventory.bills`); left != 0 {
		t.Errorf("north still has %d bills", left)
	}
	f.findings("configuration")
	moved = nil
	f.fleet(codeFine, &moved, "move", "Sandbox Trading", "--to", "south")
	if !moved[0].Already {
		t.Errorf("the second time: %+v", moved)
	}

	f.showsFleet()

	north2, south2 := f.config, f.south
	f.config = south2
	before := f.arrivals.total()
	result := f.sync(codeFine, "--org", sandbox.DefaultOrganizationID)
	if f.arrivals.total() == before {
		t.Errorf("south made no call: %+v", result)
	}
	f.conn, f.southConn = f.southConn, f.conn
	f.equal()
	f.conn, f.southConn = f.southConn, f.conn
	f.config = north2
	before = f.arrivals.total()
	if o := f.run("sync"); f.arrivals.total() != before {
		t.Errorf("north made calls for an organization that left: %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// showsFleet checks that the page of the console is what the command prints.
func (f *fleetFixture) showsFleet() {
	f.t.Helper()
	c := &cli{env: f.env(&buffer{}, &buffer{}), config: f.config}
	c.env.scrub = outside.NewScrubber()
	var err error
	c.fleet, err = engine.OpenFleet(f.t.Context(), c.offline(), f.file)
	must(f.t, err)
	defer func() { must(f.t, c.fleet.Close(f.t.Context())) }()
	page, err := (&pages{cli: c}).fleet(f.t.Context(), &console.Request{Now: time.Now(), Query: url.Values{}})
	must(f.t, err)
	document, err := json.Marshal(page.Document)
	must(f.t, err)
	var shown, printed any
	must(f.t, json.Unmarshal(document, &shown))
	f.fleet(codeFine, &printed, "status")
	if diff := cmp.Diff(printed, shown); diff != "" {
		f.t.Errorf("the page shows something else than the command (-command +page):\n%s", diff)
	}
	if !strings.Contains(page.Sentence, "2 organizations in 2 cells") {
		f.t.Errorf("the page says %q", page.Sentence)
	}
	if !slices.ContainsFunc((&pages{cli: c}).routes(), func(r console.Route) bool { return r.Pattern == "/fleet" }) {
		f.t.Error("the console has no page of the fleet")
	}
}

// TestAnOrganizationArrivesWhileServeRuns: the processes of both cells run all the time. The new
// one copies it without a restart, and those of the old one make no further call and no error.
func TestAnOrganizationArrivesWhileServeRuns(t *testing.T) {
	t.Parallel()
	f := newFleet(t, sandbox.Options{Seed: 1902, Records: 20})
	f.sync(codeFine)
	f.configureSouth(true)
	f.fleet(codeFine, nil, "migrate")
	north := f.start("serve", "--listen", "127.0.0.1:0")
	north.said("serving", "listen")
	old := f.config
	f.config = f.south
	south := f.start("serve", "--listen", "127.0.0.1:0")
	south.said("serving", "listen")
	f.config = old
	f.fleet(codeFine, nil, "move", sandbox.DefaultOrganizationID, "--to", "south")
	f.conn, f.southConn = f.southConn, f.conn
	f.exec(`UPDATE sluice.streams SET next_due_at = now() WHERE organization_id = $1 AND resource = 'items'`, sandbox.DefaultOrganizationID)
	f.until("south copies what arrived", `SELECT count(*) > 0 FROM sluice.calls WHERE organization_id = $1 AND id % 64 = (SELECT number FROM sluice.cell) AND finished_at IS NOT NULL`,
		sandbox.DefaultOrganizationID)
	f.conn, f.southConn = f.southConn, f.conn
	south.said("the organization is at home in this cell now", "organization")
	o := f.run("status")
	if o.code != codeFine || !strings.Contains(o.stdout, "is at home in cell south: nothing of it is copied here") || strings.Contains(o.stdout, "inventory.items") {
		t.Errorf("status of the old cell: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	for _, p := range []*process{north, south} {
		p.terminate()
		p.ends(codeFine, stopLimit)
	}
	if errors := one[int](f.fixture, `SELECT count(*) FROM river.river_job WHERE errors IS NOT NULL AND args ->> 'organization' = $1`, sandbox.DefaultOrganizationID); errors > 0 {
		t.Errorf("%d jobs of the old cell have errors", errors)
	}
}

// TestAnOrganizationLeavesWhileServeStarts: a process that starts finds an organization at home,
// and may not register it a moment later. It serves the others all the same.
func TestAnOrganizationLeavesWhileServeStarts(t *testing.T) {
	t.Parallel()
	f := newFleet(t, sandbox.Options{Seed: 1908, Records: 10})
	f.fleet(codeFine, nil, "migrate")
	registering, err := f.conn.Begin(t.Context())
	must(t, err)
	_, err = registering.Exec(t.Context(), `LOCK TABLE sluice.streams`)
	must(t, err)
	f.conn = warehousetest.Connect(t, f.environment["SLUICE_DATABASE_URL"])
	p := f.start("serve", "--listen", "127.0.0.1:0")
	f.until("it registers the streams", `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'sluice.streams'::regclass AND NOT granted)`)
	f.exec(`UPDATE sluice.homes SET state = 'sealed', peer = 'south', move = 'm'`)
	must(t, registering.Rollback(t.Context()))
	p.said("serving", "listen")
	p.terminate()
	p.ends(codeFine, stopLimit)
}

// TestARestoredBackupLetsGo: after a restore both cells say that an organization is at home there.
func TestARestoredBackupLetsGo(t *testing.T) {
	t.Parallel()
	f := newFleet(t, sandbox.Options{Seed: 1903, Records: 10})
	f.sync(codeFine)
	f.fleet(codeFine, nil, "migrate")
	f.configureSouth(true)
	_, err := f.southConn.Exec(t.Context(), `INSERT INTO sluice.homes (organization_id, state, peer) VALUES ($1, 'here', 'north')`, sandbox.DefaultOrganizationID)
	must(t, err)
	f.findings("at home twice")
	if o := f.fleet(codeFailed, nil, "move", sandbox.DefaultOrganizationID, "--to", "south"); !strings.Contains(o.stderr, "both say that it is at home there") {
		t.Errorf("a move of it: %s", o.stderr)
	}
	f.fleet(codeFine, nil, "move", sandbox.DefaultOrganizationID, "--to", "south", "--restored", "north")
	f.findings("configuration")
	if state, bills := one[string](f.fixture, `SELECT state FROM sluice.homes WHERE dropped_at IS NOT NULL`), one[int](f.fixture, `SELECT count(*) FROM inventory.bills`); state != "left" || bills != 0 {
		t.Errorf("north says %s and has %d bills", state, bills)
	}
	if o := f.fleet(codeUsage, nil, "move", sandbox.DefaultOrganizationID, "--to", "south", "--lost", "north"); !strings.Contains(o.stderr, "it is not lost") {
		t.Errorf("--lost of one that answers: %s", o.stderr)
	}
}

// TestACellOutOfReach: the others are shown, nothing is migrated, and an organization on its way to
// the lost cell stays.
func TestACellOutOfReach(t *testing.T) {
	t.Parallel()
	f := newFleet(t, sandbox.Options{Seed: 1904, Records: 10})
	f.fleet(codeFine, nil, "migrate")
	f.configureSouth(true)
	f.environment["SOUTH_URL"] = "postgres://sluice:secret-password@127.0.0.1:1/lost"
	f.exec(`UPDATE sluice.homes SET state = 'sealed', peer = 'south', move = 'm'`)
	var status engine.FleetStatus
	o := f.fleet(codeEnvironment, &status, "status")
	if status.Out != 1 || status.Cells[0].Organizations != 1 || status.Sum.Organizations != 1 || !strings.Contains(status.Cells[1].Error, "out of reach") ||
		!strings.Contains(status.Cells[1].Database, "127.0.0.1:1/lost") {
		t.Errorf("status: %+v", status)
	}
	if len(status.Moves) != 1 || status.Moves[0].From != "north" || status.Moves[0].To != "south" || status.Moves[0].ToState != "" {
		t.Errorf("moves: %+v", status.Moves)
	}
	var found []engine.FleetFinding
	f.fleet(codeEnvironment, &found, "check")
	if len(found) != 1 || found[0].Finding != engine.RuleReach {
		t.Errorf("check found %+v", found)
	}
	for _, args := range [][]string{{"migrate"}, {"move", "Sandbox Trading", "--to", "south"}} {
		o.stderr += f.fleet(codeEnvironment, nil, args...).stderr
	}
	if all := o.stdout + o.stderr; strings.Contains(all, "secret-password") {
		t.Errorf("a password is shown: %s", all)
	}
	var moved []engine.Moved
	f.fleet(codeFine, &moved, "move", "Sandbox Trading", "--to", "south", "--lost", "south")
	if state := one[string](f.fixture, `SELECT state FROM sluice.homes`); state != "here" || len(moved) != 1 || moved[0].Home != "north" {
		t.Errorf("north says %s, moved: %+v", state, moved)
	}
}

// findings checks what fleet check finds, by its rules.
func (f *fleetFixture) findings(want ...engine.FleetRule) []engine.FleetFinding {
	f.t.Helper()
	code := codeFine
	if len(want) > 0 {
		code = codeFailed
	}
	var found []engine.FleetFinding
	f.fleet(code, &found, "check")
	got := make([]engine.FleetRule, len(found))
	for i := range found {
		got[i] = found[i].Finding
	}
	if len(got) != len(want) {
		f.t.Fatalf("check found %+v, want %q", found, want)
	}
	for i := range want {
		if got[i] != want[i] {
			f.t.Fatalf("check found %+v, want %q", found, want)
		}
	}
	return found
}
