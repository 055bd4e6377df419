package changes_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/warehousetest"
)

// schedules is how many schedules TestRandomSchedules plays: make replicas plays 10,000.
var schedules = flag.Int("schedules", 200, "how many schedules of writers and readers are played") //nolint:gochecknoglobals // a flag

var errKilled = errors.New("killed")

// TestRandomSchedules: transactions write values and tombstones of the same records and log them,
// begin and end in any order, are killed, and stay open beside each other. Readers read answers of
// any size, and are killed before they save their cursor. Once all is quiet, each reader has what
// the table has: one that copies records by analytics.changes, and one that believes the log alone.
func TestRandomSchedules(t *testing.T) {
	l := open(t)
	l.exec(`INSERT INTO sluice.organizations (organization_id, name) VALUES ('1', 'Ours')`)
	l.exec(`CREATE TABLE public.things (id text PRIMARY KEY, value integer NOT NULL, gone boolean NOT NULL)`)
	p := &play{log: l, pool: warehousetest.Pool(t, l.url), copied: map[string]thing{}, told: map[string]thing{}, tables: l.now(), rows: l.now()}
	for n := range *schedules {
		p.schedule(uint64(n) + 1)
		if t.Failed() {
			t.Fatalf("schedule %d of %d", n+1, *schedules)
		}
	}
	t.Logf("%d schedules, %d transactions committed, %d killed, %d answers read, %d of them killed",
		*schedules, p.committed, p.killed, p.answers, p.lost)
}

type thing struct {
	value int
	gone  bool
}

type play struct {
	*log

	pool *pgxpool.Pool

	// What the two readers have, and where they are.
	copied, told map[string]thing
	tables, rows string

	mu                               sync.Mutex
	committed, killed, answers, lost int
}

func (p *play) schedule(seed uint64) {
	p.Helper()
	var work sync.WaitGroup
	for writer := range uint64(3) {
		work.Go(func() { p.write(rand.New(rand.NewPCG(seed, writer))) })
	}
	work.Go(func() {
		r := rand.New(rand.NewPCG(seed, 9))
		for range r.IntN(5) {
			p.read(r, r.IntN(4) == 0)
		}
	})
	work.Wait()
	r := rand.New(rand.NewPCG(seed, 8))
	for p.read(r, false) > 0 {
	}
	rows := check.Sure(p.pool.Query(p.Context(), `SELECT id, value, gone FROM public.things`))(p)
	table := map[string]thing{}
	var id string
	var at thing
	check.Must(p, check.Failure(pgx.ForEachRow(rows, []any{&id, &at.value, &at.gone}, func() error { table[id] = at; return nil })))
	check.ErrorIf(p, !maps.Equal(table, p.copied), "seed %d: the copy has %v, the table %v", seed, p.copied, table)
	for id, at := range table {
		told, ok := p.told[id]
		check.ErrorIf(p, !ok || told.gone != at.gone, "seed %d: the log tells %+v of record %s, the table has %+v", seed, told, id, at)
	}
}

// write is one transaction that writes up to three records, in the order of their keys, or one of
// others that only stays open.
func (p *play) write(r *rand.Rand) {
	err := pgx.BeginFunc(p.Context(), p.pool, func(tx pgx.Tx) error {
		if r.IntN(3) > 0 { // its number is older than its first lock
			if _, err := tx.Exec(p.Context(), `SELECT pg_current_xact_id()`); err != nil {
				return err
			}
		}
		var ids []string
		for id := range 4 {
			if r.IntN(2) == 0 {
				ids = append(ids, fmt.Sprint(id))
			}
		}
		for _, id := range ids {
			op, err := p.change(tx, r, id)
			if err == nil {
				err = changes.Write(p.Context(), tx, "1", "shop.things", op, []string{id})
			}
			if err != nil {
				return err
			}
		}
		if r.IntN(5) == 0 {
			return errKilled
		}
		return nil
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case errors.Is(err, errKilled):
		p.killed++
	case err != nil:
		p.Errorf("a writer: %v", err)
	default:
		p.committed++
	}
}

// change writes one record and returns what that was.
func (p *play) change(tx pgx.Tx, r *rand.Rand, id string) (changes.Op, error) {
	const sql = `INSERT INTO public.things VALUES ($1, $2, false)
		ON CONFLICT (id) DO UPDATE SET value = CASE WHEN $3 THEN things.value ELSE excluded.value END, gone = CASE WHEN $3 THEN NOT things.gone ELSE things.gone END
		RETURNING xmax = 0, gone`
	flips := r.IntN(2) == 0
	var fresh, gone bool
	err := tx.QueryRow(p.Context(), sql, id, r.IntN(1000), flips).Scan(&fresh, &gone)
	switch {
	case fresh:
		return changes.New, err
	case flips && gone:
		return changes.Deleted, err
	case flips:
		return changes.Restored, err
	default:
		return []changes.Op{changes.Changed, changes.Completed, changes.Rewritten}[r.IntN(3)], err
	}
}

// read reads one answer with each reader, and returns how many rows there were. A killed reader has
// neither applied the answer nor saved the cursor.
func (p *play) read(r *rand.Rand, killed bool) int {
	ctx := p.Context()
	found, next, err := changes.Read(ctx, p.pool, p.rows, 1+r.IntN(3))
	if err != nil {
		p.Errorf("a reader of the log: %v", err)
		return 0
	}
	copied, cursor, err := p.answer(ctx, 1+r.IntN(3))
	if err != nil {
		p.Errorf("a reader of analytics.changes: %v", err)
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers++
	if killed {
		p.lost++
		return len(found) + len(copied)
	}
	for _, c := range found {
		for _, id := range c.Records {
			switch c.Op {
			case changes.New:
				p.told[id] = thing{}
			case changes.Deleted, changes.Restored:
				_, known := p.told[id]
				check.ErrorIf(p, !known, "%s comes before new of record %s", c.Op, id)
				p.told[id] = thing{gone: c.Op == changes.Deleted}
			default:
			}
		}
	}
	p.rows = next
	maps.Copy(p.copied, copied)
	if cursor != "" {
		p.tables = cursor
	}
	return len(found) + len(copied)
}

// answer reads the records that changed, by the cursor, and what the table has of them later.
func (p *play) answer(ctx context.Context, upTo int) (map[string]thing, string, error) {
	rows, err := p.pool.Query(ctx, `SELECT record_id, cursor FROM analytics.changes($1, NULL, $2)`, p.tables, upTo)
	if err != nil {
		return nil, "", err
	}
	var id, cursor string
	var ids []string
	if _, err = pgx.ForEachRow(rows, []any{&id, &cursor}, func() error { ids = append(ids, id); return nil }); err != nil || len(ids) == 0 {
		return nil, "", err
	}
	if slices.Sort(ids); len(slices.Compact(slices.Clone(ids))) != len(ids) {
		return nil, "", fmt.Errorf("records %q come twice in one answer", ids)
	}
	rows, err = p.pool.Query(ctx, `SELECT id, value, gone FROM public.things WHERE id = ANY ($1)`, ids)
	if err != nil {
		return nil, "", err
	}
	found := map[string]thing{}
	var at thing
	_, err = pgx.ForEachRow(rows, []any{&id, &at.value, &at.gone}, func() error { found[id] = at; return nil })
	return found, cursor, err
}
