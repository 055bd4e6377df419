// Package cells divides a fleet over databases, and moves organizations between them.
//
// Each database of a fleet is a cell. It says itself which organizations are at home in it, and
// refuses calls and rows of others; so no process has to know the fleet. An organization is at home
// in one cell at most, whatever ends between two statements of a move. Why it is as it is:
// docs/decisions/0031-cells.
//
// It asks upstream nothing and never decides which organization belongs where. Start reading at
// Move.Run.
package cells

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// State says what an organization is to a cell.
type State string

// The states. No two cells have an organization in Here, Leaving or Sealed, unless a database was
// restored from a backup of before a move.
const (
	// Here is at home: calls may leave.
	Here State = "here"
	// Leaving lets no new call leave. Workers end what they have begun.
	Leaving State = "leaving"
	// Sealed lets nothing be written: the rows are copied.
	Sealed State = "sealed"
	// Left is at home in the other cell.
	Left State = "left"
	// Arriving was announced by the other cell.
	Arriving State = "arriving"
	// Arrived has all rows, and the other cell has not let go yet.
	Arrived State = "arrived"
)

// AtHome reports whether the organization is at home, also while it is about to leave.
func (s State) AtHome() bool { return s == Here || s == Leaving || s == Sealed }

// Most is the greatest number of a cell: numbers are told apart by their remainder by 64.
const Most = 63

// ErrNoCell says that a database has not joined the fleet.
var ErrNoCell = errors.New("the database is no cell of a fleet: run sluice fleet migrate")

// Cell is what a database says of itself.
type Cell struct {
	Name   string `db:"name"   json:"name"`
	Number int    `db:"number" json:"number"`
	// OldCalls and OldNumbers are the greatest numbers that were drawn before it joined; they have
	// any remainder. FirstCall and FirstNumber are the first ones after.
	OldCalls    int64     `db:"old_calls"    json:"-"`
	OldNumbers  int64     `db:"old_numbers"  json:"-"`
	FirstCall   int64     `db:"first_call"   json:"-"`
	FirstNumber int64     `db:"first_number" json:"-"`
	JoinedAt    time.Time `db:"joined_at"    json:"joined_at"`
	// Owned says that the role that asks owns the tables: it may move organizations.
	Owned bool `db:"owned" json:"-"`
}

// Clashes reports whether two cells may have drawn the same numbers. Then no organization can move
// between them.
func (c Cell) Clashes(other Cell) bool {
	overlap := func(aOld, aFirst, bOld, bFirst int64) bool {
		return aOld > 0 && bOld > 0 || aOld >= bFirst || bOld >= aFirst
	}
	return c.Number == other.Number || overlap(c.OldCalls, c.FirstCall, other.OldCalls, other.FirstCall) ||
		overlap(c.OldNumbers, c.FirstNumber, other.OldNumbers, other.FirstNumber)
}

// Home is what a cell says of an organization.
type Home struct {
	Organization string    `db:"organization_id" json:"organization"`
	State        State     `db:"state"           json:"state"`
	Peer         string    `db:"peer"            json:"peer,omitempty"`
	Move         string    `db:"move"            json:"-"`
	ChangedAt    time.Time `db:"changed_at"      json:"changed_at"`
	// Rows is how many rows the last move copied; nil if there was none.
	Rows *int64 `db:"moved_rows" json:"moved_rows,omitempty"`
	// DroppedAt is nil if the organization is here, or if rows of one that is gone are left.
	DroppedAt *time.Time `db:"dropped_at" json:"dropped_at,omitempty"`
}

// Numbers are numbers of calls, and of runs and everything else that has one.
type Numbers struct {
	Calls  int64 `db:"calls"`
	Others int64 `db:"numbers"`
}

// Above returns the greater ones.
func (n Numbers) Above(m Numbers) Numbers {
	return Numbers{Calls: max(n.Calls, m.Calls), Others: max(n.Others, m.Others)}
}

// Database is the database of a cell, on connections of its own, which have no limit of time.
type Database struct {
	Name string
	pool *pgxpool.Pool
}

// Open prepares connections to the database at url. Name is the cell's in the file of the fleet.
func Open(ctx context.Context, name, url string, password postgres.Password) (*Database, error) {
	pool, err := postgres.NewPool(ctx, url, connections, password, map[string]string{
		"application_name": "sluice fleet", "TimeZone": "UTC", "DateStyle": "ISO, MDY", "IntervalStyle": "iso_8601", "bytea_output": "hex",
		"extra_float_digits": "3",
		"statement_timeout":  "0", "lock_timeout": "20s", "idle_in_transaction_session_timeout": "0", "client_connection_check_interval": "1s",
		"synchronous_commit": "on", // what a move says in one cell must outlive what it says in the other
	})
	if err != nil {
		return nil, fmt.Errorf("cell %s: %w", name, err)
	}
	return &Database{Name: name, pool: pool}, nil
}

// connections are those of a move: one that copies, and one beside it.
const connections = 3

// Close ends the connections.
func (d *Database) Close() { d.pool.Close() }

const (
	sqlCell = `
SELECT c.name, c.number, c.old_calls, c.old_numbers, c.first_call, c.first_number, c.joined_at, pg_has_role(k.relowner, 'USAGE') AS owned
FROM sluice.cell c JOIN pg_class k ON k.oid = 'sluice.cell'::regclass`

	sqlHasTables = `SELECT to_regclass('sluice.homes') IS NOT NULL`

	sqlHomes = `
SELECT organization_id, state, peer, move, changed_at, moved_rows, dropped_at FROM sluice.homes
WHERE $1 IN ('', organization_id) ORDER BY organization_id`

	sqlAway = `
SELECT w.id AS organization_id, coalesce(h.state, '') AS state, coalesce(h.peer, '') AS peer, coalesce(h.move, '') AS move,
	coalesce(h.changed_at, 'epoch') AS changed_at, h.moved_rows, h.dropped_at
FROM unnest($1::text[]) AS w (id) LEFT JOIN sluice.homes h ON h.organization_id = w.id
WHERE EXISTS (SELECT FROM sluice.cell) AND h.state IS DISTINCT FROM 'here'`

	sqlCounts = `
SELECT c.name AS cell, w.state, count(h.organization_id) AS organizations
FROM sluice.cell c CROSS JOIN unnest(ARRAY['here', 'leaving', 'sealed', 'arriving', 'arrived']) AS w (state)
LEFT JOIN sluice.homes h ON h.state = w.state GROUP BY 1, 2 ORDER BY 1, 2`

	sqlNumbers = `SELECT calls, numbers FROM sluice.last_numbers()`
	sqlJoin    = `SELECT sluice.join_fleet($1, $2, $3, $4)`

	sqlAddBlocks = `SELECT sluice.add_call_blocks(array_agg(n / 1000000000)) FROM unnest($1::bigint[]) AS n`

	sqlGuard = `SELECT sluice.guard_homes()`

	// Hashes of two salts cannot be told to be of one value, so all cells have one salt.
	sqlSalt    = `SELECT salt FROM sluice.erasure_salt`
	sqlSetSalt = `SELECT sluice.share_salt($1)`

	sqlErased = `SELECT EXISTS (SELECT FROM sluice.erasures)`

	sqlSettle = `INSERT INTO sluice.homes (organization_id, state) SELECT w.id, 'here' FROM unnest($1::text[]) AS w (id) ON CONFLICT DO NOTHING`
	sqlHas    = `SELECT DISTINCT s.organization_id FROM sluice.streams s ORDER BY 1`
)

// Cell returns what the database says of itself, or ErrNoCell.
func (d *Database) Cell(ctx context.Context) (Cell, error) {
	found, err := postgres.Read[Cell](ctx, d.pool, d.what("which cell it is"), sqlCell)
	if err != nil {
		return Cell{}, err
	}
	if len(found) == 0 {
		return Cell{}, fmt.Errorf("cell %s: %w", d.Name, ErrNoCell)
	}
	return found[0], nil
}

// Has reports whether the database has the tables of cells. It can have older ones of the program.
func (d *Database) Has(ctx context.Context) (bool, error) {
	found, err := postgres.ReadAll(ctx, d.pool, d.what("which tables it has"), pgx.RowTo[bool], sqlHasTables)
	return err == nil && found[0], err
}

// Homes returns what the cell says of all organizations that are or were in it.
func (d *Database) Homes(ctx context.Context) ([]Home, error) {
	return postgres.Read[Home](ctx, d.pool, d.what("the organizations"), sqlHomes, "")
}

// Home returns what the cell says of one organization. Its state is "" if it never was here.
func (d *Database) Home(ctx context.Context, organization string) (Home, error) {
	found, err := postgres.Read[Home](ctx, d.pool, d.what("where organization "+organization+" is"), sqlHomes, organization)
	if err != nil || len(found) == 0 {
		return Home{Organization: organization}, err
	}
	return found[0], nil
}

// Streamed returns the organizations that have streams in the database, whatever it says of them.
func (d *Database) Streamed(ctx context.Context) ([]string, error) {
	return postgres.ReadAll(ctx, d.pool, d.what("the organizations of its streams"), pgx.RowTo[string], sqlHas)
}

// Away returns what a database says of those of the organizations that are not at home in it, by
// key. In a database that is no cell all are at home.
func Away(ctx context.Context, q postgres.Querier, organizations []string) (map[string]Home, error) {
	found, err := postgres.Read[Home](ctx, q, "which organizations are at home in this cell", sqlAway, organizations)
	if err != nil {
		return nil, err
	}
	away := make(map[string]Home, len(found))
	for i := range found {
		away[found[i].Organization] = found[i]
	}
	return away, nil
}

// Count is how many organizations a cell has in a state.
type Count struct {
	Cell          string `db:"cell"`
	State         State  `db:"state"`
	Organizations int64  `db:"organizations"`
}

// Counts returns how many organizations the database has in each state, zeros included; nothing if
// it is no cell. Those that left are not counted.
func Counts(ctx context.Context, q postgres.Querier) ([]Count, error) {
	return postgres.Read[Count](ctx, q, "how many organizations are in this cell", sqlCounts)
}

// Numbers returns the greatest numbers that were drawn.
func (d *Database) Numbers(ctx context.Context) (Numbers, error) {
	found, err := postgres.Read[Numbers](ctx, d.pool, d.what("the greatest numbers"), sqlNumbers)
	if err != nil {
		return Numbers{}, err
	}
	return found[0], nil
}

// Join makes the database a cell whose numbers begin above those given, with organizations at home
// in it: their calls go on without a pause. The role owns its tables.
func (d *Database) Join(ctx context.Context, number int, above Numbers, organizations ...string) error {
	drawn, err := d.Numbers(ctx)
	if err != nil {
		return err
	}
	last := above.Above(drawn).Calls
	if err := d.addBlocks(ctx, last, last+block); err != nil {
		return err
	}
	op := d.what("joining the fleet")
	return postgres.InTx(ctx, d.pool, op, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlJoin, d.Name, number, above.Calls, above.Others); err != nil {
			return postgres.Fail(op, err)
		}
		_, err := tx.Exec(ctx, sqlSettle, organizations)
		return postgres.Fail(op, err)
	})
}

// block is how many numbers a block of the call log has. One more than is used is always there.
const block = 1_000_000_000

// addBlocks adds the blocks of the call log that the given numbers are in.
func (d *Database) addBlocks(ctx context.Context, numbers ...int64) error {
	_, err := d.pool.Exec(ctx, sqlAddBlocks, numbers)
	return postgres.Fail(d.what("adding blocks of calls"), err)
}

// Guard lets tables that migrations have added since it joined refuse rows of other cells, too.
func (d *Database) Guard(ctx context.Context) error {
	_, err := d.pool.Exec(ctx, sqlGuard)
	return postgres.Fail(d.what("guarding its tables"), err)
}

// Salt returns the salt of the hashes of what was erased.
func (d *Database) Salt(ctx context.Context) ([]byte, error) {
	salts, err := postgres.ReadAll(ctx, d.pool, d.what("the salt of erasures"), pgx.RowTo[[]byte], sqlSalt)
	if err != nil || len(salts) == 0 {
		return nil, err
	}
	return salts[0], nil
}

// ShareSalt gives it another one, unless something was erased in it already, and reports whether it
// did.
func (d *Database) ShareSalt(ctx context.Context, salt []byte) (bool, error) {
	before, err := d.Salt(ctx)
	if err != nil || bytes.Equal(before, salt) {
		return false, err
	}
	if _, err := d.pool.Exec(ctx, sqlSetSalt, salt); err != nil {
		return false, postgres.Fail(d.what("sharing the salt of erasures"), err)
	}
	after, err := d.Salt(ctx)
	return !bytes.Equal(before, after), err
}

// Erased reports whether something was erased in it, so that its salt has to stay.
func (d *Database) Erased(ctx context.Context) (bool, error) {
	found, err := postgres.ReadAll(ctx, d.pool, d.what("whether something was erased"), pgx.RowTo[bool], sqlErased)
	return err == nil && found[0], err
}

// Settle says that organizations are at home here, unless something is said of them already. The
// caller holds Lock of all cells, and has asked them all.
func (d *Database) Settle(ctx context.Context, organizations ...string) error {
	_, err := d.pool.Exec(ctx, sqlSettle, organizations)
	return postgres.Fail(d.what("settling organizations"), err)
}

// Where says which database it is, without a user and a password: host, port and name.
func (d *Database) Where() string {
	config := d.pool.Config().ConnConfig
	return fmt.Sprintf("%s:%d/%s", config.Host, config.Port, config.Database)
}

// what begins what an operation says of itself with the cell.
func (d *Database) what(text string) string { return "cell " + d.Name + ": " + text }
