// Package ratios measures the loader and what brings it records against what bounds them and what others do, and prints one
// table: each case, its opponent in the same run, the goal and the ratio that was reached.
//
// Sides of a ratio alternate, and the median over the repetitions counts, so that a machine that is busy for a while is busy
// for both. Absolute figures are not printed on purpose: they hold for one hour of one machine.
//
// Start reading at Measure, then size.go, alone.go and ends.go.
package ratios

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-bench/baseline"
	"sluice/cmd/sluice-bench/dataset"
	"sluice/cmd/sluice-bench/flow"
	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema"
	"sluice/schema/ddl"
)

// Options say how much is measured, and where.
type Options struct {
	// Database is the address of one with the program's own tables; Program is the benchmark itself, for its other roles;
	// Folder is for files, Psql the client.
	Database, Program, Folder, Psql string
	// Items and Bills are loaded by the loader alone, Pages end to end, Lines by an export.
	Items, Bills, Pages, Lines int
	// Sizes are those between which memory is compared, Growth those of the table.
	Sizes       []int
	Growth      [2]int
	Repetitions int
	// Only are the parts that are measured, of those that Parts names; all if there are none.
	Only []string
	// Profile is a file for the CPU profile of the flow that is measured last; "" for none.
	Profile string
	// Log gets what other processes complain about.
	Log io.Writer
}

// shortTimes is how many times as often as the rest what takes a fifth of a second is measured: there a disk that is slow for a while shows.
const shortTimes = 3

// bench is one measurement of everything.
type bench struct {
	Options

	conn    *pgx.Conn
	service *schema.Service
	// cases are in the order in which they are printed; call is the number that the next batch gets.
	cases []*ratio
	call  int64
}

// ratio is one line of the table.
type ratio struct {
	name, against, goal string
	// want is what the median should reach, at most it if most is set.
	want   float64
	most   bool
	format string
	got    []float64
	note   string
}

// Measure measures everything and prints it.
func Measure(ctx context.Context, o Options, out io.Writer) error {
	conn, err := pgx.Connect(ctx, o.Database)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing is lost with it
	b := &bench{Options: o, conn: conn, service: dataset.Service(), call: 1}
	if _, err := conn.Exec(ctx, ddl.DDL(*b.service)); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	for i := range b.service.Resources {
		if err := baseline.Of(&b.service.Resources[i]).Make(ctx, conn, b.service); err != nil {
			return err //nolint:wrapcheck // it says what failed
		}
	}
	for i, part := range []func(context.Context) error{b.memory, b.alone, b.past, b.items, b.anew, b.chats, b.growth} {
		if len(b.Only) > 0 && !slices.Contains(b.Only, Parts[i]) {
			continue
		}
		if err := b.clear(ctx); err != nil {
			return err
		}
		if err := part(ctx); err != nil {
			return err
		}
	}
	return b.print(out)
}

// clear empties all tables, and nobody's past is kept any more: what one part leaves is not vacuumed beside the next, and not asked for.
func (b *bench) clear(ctx context.Context) error {
	names := []string{"sluice.raw_records", "history.versions", "history.periods"}
	for i := range b.service.Resources {
		resource := &b.service.Resources[i]
		names = append(append(names, b.tables(resource)...), baseline.Of(resource).Names()...)
	}
	return baseline.Empty(ctx, b.conn, names...) //nolint:wrapcheck // it says what failed
}

// pool opens connections as the warehouse does.
func (b *bench) pool(ctx context.Context) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(b.Database)
	if err != nil {
		return nil, fmt.Errorf("read the address of the database: %w", err)
	}
	config.AfterConnect = postgres.KeepMemory
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return pool, nil
}

// Parts are the names of what is measured, in this order.
var Parts = []string{"memory", "loader", "history", "items", "rebuild", "chats", "growth"}

// found adds a figure to a line, which is made where it is new.
func (b *bench) found(line ratio, got float64) *ratio {
	for _, known := range b.cases {
		if known.name == line.name && known.against == line.against {
			known.got = append(known.got, got)
			return known
		}
	}
	line.got = []float64{got}
	b.cases = append(b.cases, &line)
	return &line
}

func (b *bench) print(out io.Writer) error {
	rows := make([][]string, 0, len(b.cases)+1)
	for _, c := range b.cases {
		slices.Sort(c.got)
		median := c.got[(len(c.got)-1)/2]
		reached := "yes"
		if median < c.want && !c.most || median > c.want && c.most {
			reached = "no"
		}
		format := c.format
		if format == "" {
			format = "%.2f"
		}
		spread := fmt.Sprintf(format+" – "+format, c.got[0], c.got[len(c.got)-1])
		rows = append(rows, []string{c.name, c.against, c.goal, fmt.Sprintf(format, median), spread, reached, c.note})
	}
	err := view.Printer{Out: out}.Table([]string{"CASE", "AGAINST", "GOAL", "MEDIAN", "RANGE", "REACHED", "NOTE"}, rows)
	if err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	return nil
}

// timed runs work after a checkpoint and a collection of garbage, and gives the time and the bytes of write-ahead log that it took.
func (b *bench) timed(ctx context.Context, work func() error) (time.Duration, float64, error) {
	if err := baseline.Checkpoint(ctx, b.conn); err != nil {
		return 0, 0, err //nolint:wrapcheck // it says what failed
	}
	runtime.GC() // the records of all versions are in memory: whoever made the garbage, going through them is nobody's work
	from, err := b.wal(ctx)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := work(); err != nil {
		return 0, 0, err
	}
	took := time.Since(began)
	to, err := b.wal(ctx)
	return took, to - from, err
}

func (b *bench) wal(ctx context.Context) (float64, error) {
	var at float64
	if err := b.conn.QueryRow(ctx, "SELECT (pg_current_wal_lsn() - '0/0')::float8").Scan(&at); err != nil {
		return 0, fmt.Errorf("read the place in the write-ahead log: %w", err)
	}
	return at, nil
}

// tables are a resource's, quoted, parents first.
func (b *bench) tables(resource *schema.Resource) []string {
	var names []string
	for _, table := range resource.Tables() {
		names = append(names, pgx.Identifier{b.service.Name, table.Name}.Sanitize())
	}
	return names
}

// names are a resource's tables, and that of raw records behind them.
func (b *bench) names(resource *schema.Resource) []string {
	return append(b.tables(resource), "sluice.raw_records")
}

func (b *bench) resource(name string) *schema.Resource {
	for i := range b.service.Resources {
		if b.service.Resources[i].Name == name {
			return &b.service.Resources[i]
		}
	}
	panic("no resource " + name + " is declared in package goods")
}

// quotient is how many times as long the opponent took.
func quotient(opponent, ours time.Duration) float64 { return opponent.Seconds() / ours.Seconds() }

// ask gives the flow over a list of the stage's database.
func (b *bench) ask(pages, resource string, total int) flow.Asked {
	b.call += int64(total)
	const usual = 200
	return flow.Asked{
		Database: b.Database, Pages: pages, Resource: resource, Total: total, PerPage: usual, Mix: dataset.First, Call: b.call, Profile: b.Profile,
	}
}
